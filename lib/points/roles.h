/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file roles.h
 * What a call means by the name of its callee, and which addresses have such a meaning. Names are known
 * here and nowhere else: of callbacks, of linkers' veneers for them, of functions that never return and
 * of such that always do.
 */
#ifndef KCT_POINTS_ROLES_H
#define KCT_POINTS_ROLES_H

#include <kcovtrace/points.h>

#include "base/macros.h"
#include "image/image.h"

enum kct_role {
	KCT_ROLE_NONE = 0,
	KCT_ROLE_POINT = 1,	/* and the kinds of points above it */
	KCT_ROLE_RETURNS = 100, /* what compilers call on their own, which always comes back */
	KCT_ROLE_NORETURN = 101,
	KCT_ROLE_DEAD = 104,	     /* never returns, and nothing runs after it */
	KCT_ROLE_MAY_END = 105,	     /* returns or not, nobody can say */
	KCT_ROLE_CALLS_BACK = 106,   /* of a library: calls functions that are passed to it */
	KCT_ROLE_RETURN_THUNK = 102, /* jumped to in place of a return */
	KCT_ROLE_INDIRECT_THUNK =
		103, /* called or jumped to in place of an indirect call or jump */
};

static inline bool kct_role_is_point(unsigned role)
{
	return role >= KCT_ROLE_POINT && role < KCT_ROLE_POINT + KCT_POINT_KINDS;
}

static inline unsigned kct_role_kind(unsigned role)
{
	return role - KCT_ROLE_POINT;
}

/** The role that a name gives to a function. */
unsigned kct_role_of_name(const char *name);

struct kct_role_at {
	uint64_t address;
	uint32_t role;
};

/** Addresses with a role, sorted. All zero is empty. */
struct kct_roles {
	struct kct_role_at *items;
	size_t n, max;
	uint64_t first_point, last_point; /* between which all callbacks lie */
	size_t n_symbols;		  /* that were looked at, named ones */
	bool has_callbacks;		  /* defined or called */
};

/** Free the memory; empty afterwards. */
void kct_roles_clear(struct kct_roles *roles);

/** Read the names of an image: its symbols, and on x86-64 the stubs of its procedure linkage table.
 *  KCT_ERR_NO_MEMORY. */
int kct_roles_load(struct kct_roles *roles, struct kct_image *image);

/** The role of an address, KCT_ROLE_NONE for most. */
unsigned kct_roles_find(const struct kct_roles *roles, uint64_t address);

/** The role of an address if it is a callback's, quickly. */
static inline unsigned kct_roles_find_point(const struct kct_roles *roles, uint64_t address)
{
	unsigned role;

	if (likely(address < roles->first_point || address > roles->last_point))
		return KCT_ROLE_NONE;
	role = kct_roles_find(roles, address);
	return kct_role_is_point(role) ? role : KCT_ROLE_NONE;
}

/** Add an address with a role, before kct_roles_finish(). */
int kct_roles_add(struct kct_roles *roles, uint64_t address, unsigned role);

/** Sort; once, after the last address. */
void kct_roles_finish(struct kct_roles *roles);

/** Add the stubs of the procedure linkage table of a linked x86-64 image. */
int kct_plt_load(struct kct_roles *roles, struct kct_image *image);

#endif
