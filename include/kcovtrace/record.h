/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file record.h
 * One event of a trace, as a value.
 *
 * A record holds no pointers: copy it, keep it, send it. Fields that a kind
 * does not use are zero. All PCs are return addresses of the callback as the
 * kernel wrote them: use a symbolizer (which looks at the byte before) to find
 * the source line, never `pc` itself.
 */
#ifndef KCOVTRACE_RECORD_H
#define KCOVTRACE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kcovtrace/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** X(NAME, "name"). The names are those of the command line's output. */
#define KCT_RECORD_LIST(X)  \
	X(PC, "pc")         \
	X(CMP, "cmp")       \
	X(ENTRY, "entry")   \
	X(EXIT, "exit")     \
	X(EESUM, "eesum")   \
	X(MEMORY, "memory") \
	X(WAIT, "wait")     \
	X(WAKE, "wake")     \
	X(LOST, "lost")     \
	X(UNKNOWN, "unknown")

enum kct_record_kind {
#define KCT_RECORD_ENUM(name, text) KCT_RECORD_##name,
	KCT_RECORD_LIST(KCT_RECORD_ENUM)
#undef KCT_RECORD_ENUM
		KCT_RECORD_KINDS /**< number of kinds, not a kind */
};

/** Why a region could not be decoded: X(NAME, "text"). TOO_DEEP and UNKNOWN_KIND are reasons of
 *  call tree nodes only. */
#define KCT_LOST_LIST(X)                                     \
	X(UNWRITTEN, "never written")                        \
	X(CUT, "record runs past the end")                   \
	X(MISSING, "counted but not in the data")            \
	X(BAD_PC, "not a kernel text address")               \
	X(BAD_CALLER, "caller is not a kernel text address") \
	X(BAD_MEMORY, "not a plausible memory access")       \
	X(TOO_DEEP, "too deep")                              \
	X(UNKNOWN_KIND, "no known kind")

enum kct_lost_reason {
#define KCT_LOST_ENUM(name, text) KCT_LOST_##name,
	KCT_LOST_LIST(KCT_LOST_ENUM)
#undef KCT_LOST_ENUM
		KCT_LOST_REASONS /**< number of reasons, not a reason */
};

/** Bits of kct_record.flags: what is odd about a record that was decoded. */
enum kct_record_flag {
	KCT_RECORD_ODD_BITS = 1 << 0, /**< bits without a known meaning are set; kept raw */
	KCT_RECORD_INVALID = 1 << 1,  /**< EESUM with a lowest point above 0 or above delta, or with
					*   KCT_RECORD_ODD_BITS: a stack ignores it */
	KCT_RECORD_SUSPECT = 1 << 2,  /**< UNKNOWN: a word that looks like an EESUM packed by
				       *   a kernel with the sign-extension slip */
	KCT_RECORD_SATURATED = 1 << 3, /**< EESUM with a number of -32768, the limit of the kernel's
					*   counters: the change was that large or larger */
};

/** Bits of a MEMORY record's flags word (its low 4 bits are the access kind). */
enum kct_memory_flag {
	KCT_MEMORY_KIND_MASK = 0xf, /**< 0 = access; others are shown raw */
	KCT_MEMORY_WRITE = 0x10,
	KCT_MEMORY_RMW = 0x20,
	KCT_MEMORY_ATOMIC = 0x40,
	KCT_MEMORY_FREE = 0x80,
	KCT_MEMORY_VALUE = 0x100, /**< the value before the access is valid */
	KCT_MEMORY_KNOWN = 0x1f0,
};

/** What an ENTRY has beside its pc. */
struct kct_record_entry {
	uint64_t caller; /**< return address in the caller; 0 with 1-word entries */
};

/** What an EESUM has: a region that could not be traced, as a change of the stack. */
struct kct_record_eesum {
	int32_t delta; /**< net change of the stack depth */
	int32_t min;   /**< lowest point on the way, <= 0 and <= delta */
};

/** What a MEMORY record has beside its pc. */
struct kct_record_memory {
	uint64_t addr;	/**< data address, raw */
	uint64_t time;	/**< orders accesses between threads */
	uint64_t value; /**< before the access, if KCT_MEMORY_VALUE */
	uint32_t size;	/**< bytes, may be 0 */
	uint32_t flags; /**< enum kct_memory_flag, unknown bits kept */
};

/** What a CMP has beside its pc. */
struct kct_record_cmp {
	uint64_t type; /**< raw type word */
	uint64_t arg1; /**< raw; the constant if is_const */
	uint64_t arg2; /**< raw */
	uint8_t size;  /**< operand bytes: 1, 2, 4, 8 */
	bool is_const; /**< arg1 is a compile-time constant */
};

/** What a WAIT or a WAKE has. */
struct kct_record_delay {
	uint16_t bit; /**< synchronization bit */
	bool timeout; /**< WAIT: gave up */
};

/** What a LOST has. */
struct kct_record_lost {
	uint8_t reason; /**< enum kct_lost_reason */
};

struct kct_record {
	uint64_t index; /**< word index of its first word; the count word has index 0 */
	uint64_t pc;	/**< PC, ENTRY, EXIT, CMP, MEMORY: return address of the callback, as a
			 *   full address; UNKNOWN, LOST: the raw first word; EESUM, WAIT, WAKE with
			 *   KCT_RECORD_ODD_BITS: the raw word */
	uint64_t words; /**< words it takes up; PC runs and LOST can be long */
	uint8_t kind;	/**< enum kct_record_kind */
	uint8_t flags;	/**< enum kct_record_flag */
	uint16_t reserved;
	uint32_t count; /**< 1; more for a run of PCs (KCT_DECODE_PC_RUNS) */
	union {
		struct kct_record_entry entry;
		struct kct_record_eesum eesum;
		struct kct_record_memory memory;
		struct kct_record_cmp cmp;
		struct kct_record_delay delay;
		struct kct_record_lost lost;
	};
};

/** Name of a kind as in the command line's output; never NULL. Static. */
KCT_API const char *kct_record_kind_name(unsigned kind);

/** Text of a loss reason; never NULL. Static. */
KCT_API const char *kct_lost_reason_text(unsigned reason);

/** Name of one bit of a MEMORY flags word (`write rmw atomic free value`), NULL if unknown. */
KCT_API const char *kct_memory_flag_name(uint32_t bit);

/** A comparison operand cut to the record's operand size. */
KCT_API uint64_t kct_cmp_operand(const struct kct_record *record, uint64_t arg);

/** The same, sign-extended from the operand size. */
KCT_API int64_t kct_cmp_operand_signed(const struct kct_record *record, uint64_t arg);

#ifdef __cplusplus
}
#endif
#endif
