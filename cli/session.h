/* SPDX-License-Identifier: BSD-2-Clause */
/** @file session.h The symbolizer that the options describe. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "capture.h"
#include "options.h"

struct session {
	const struct options *options;
	struct kct_symbolizer *symbolizer; /**< NULL: no symbols */
	struct kct_image *vmlinux;	   /**< NULL: none */
	struct kct_image **images;
	size_t n_images, max_images;
	struct kct_image **embedded; /**< of the images those that traces carry: without code */
	size_t n_embedded, max_embedded;
	struct kct_kallsyms *kallsyms;
	struct kct_file *kallsyms_file;
	struct kct_points **points; /**< of the first n_points images, as far as they have any */
	size_t n_points, max_points;
	bool opened;
	bool has_kaslr;	  /**< an option says it, which no capture changes */
	bool knows_kaslr; /**< that or a capture */
	uint64_t kaslr;
	struct {
		char *module_sections;
		char *proc_modules;
		char *kallsyms;
		char *symbol_lines; /**< those of kallsyms that can name functions */
		bool has_all_lines; /**< of the kernel, too: they are symbols enough */
		bool has_kaslr;
	} capture;     /**< copies of what the first capture says; NULL: it does not */
	void **copies; /**< of symbols that captures carry */
	size_t n_copies, max_copies;
	bool slide_set;
	bool slid; /**< as set for the first input */
};

/** Begin; the images are opened with the first input, which may say where the kernel was. */
void session_begin(struct session *session, const struct options *options);

/**
 * Open the images and the rest, the first time, with what a capture says of the
 * machine (options are stronger), later see that this capture fits. STATUS_FINE,
 * or STATUS_PARTLY after a message about what could not be used; the session
 * then works with what there is. Without `*ret_fits` its names would be wrong for
 * the input `name`, which a message says.
 */
int session_use(struct session *session, const char *name, const struct capture_facts *facts,
		bool *ret_fits);

/**
 * Open one image alone, a vmlinux or a module, which is placed where --module-sections says or else at 0.
 * STATUS_FINE, or STATUS_PARTLY after a message; without an image NULL is stored.
 */
int session_use_image(struct session *session, const char *path, struct kct_image **ret_image);

void session_close(struct session *session);

/** Whether an image is only symbols that a trace carries, for which nobody asked. */
bool session_is_embedded(const struct session *session, const struct kct_image *image);

/** Whether there are symbols at all. */
static inline bool session_has_symbols(const struct session *session)
{
	return session->symbolizer != NULL;
}

/**
 * Say before look-ups whether the PCs of an input still hold the KASLR offset.
 * STATUS_PARTLY after a message if it was otherwise for an earlier input.
 */
int session_use_slide(struct session *session, bool slid);

/** What is known of an address; NULL without symbols. */
const struct kct_symbol *session_lookup(struct session *session, uint64_t pc);

/** The variable at the address of a memory record; false if there is none. */
bool session_variable(struct session *session, uint64_t address, struct kct_variable *variable);

/** The same as session_lookup() for many at once, much faster. `symbols` gets NULLs without symbols. */
int session_batch(struct session *session, const uint64_t *pcs, size_t n,
		  const struct kct_symbol **symbols);

/**
 * Compare distinct PCs with the coverage points of the images. 1: done; 0: it cannot be, since the kernel
 * image is missing or not built with KCOV, or PCs are looked up as addresses of calls; -1 after a message.
 */
int session_match(struct session *session, const uint64_t *pcs, size_t n,
		  struct kct_match *ret_match);

/** The function source for a stack; without symbols one that knows nothing. */
struct kct_function_source session_functions(struct session *session);

#endif
