/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file symbolizer.h
 * From addresses to functions, source lines and inline chains.
 *
 * A symbolizer is an address space: vmlinux, modules at their addresses and,
 * for what has no debug information, kallsyms. An address that cannot be found
 * is not an error: its result says why. Results are kept and owned by the
 * symbolizer, so that asking again costs a hash look-up.
 *
 * Threads: look-ups change the symbolizer, its images and its kallsyms; use them all, and stacks with
 * kct_symbolizer_functions(), in one thread at a time. Symbols that were returned may be read in
 * any thread.
 */
#ifndef KCOVTRACE_SYMBOLIZER_H
#define KCOVTRACE_SYMBOLIZER_H

#include <kcovtrace/image.h>
#include <kcovtrace/stack.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an address is. */
enum kct_pc_kind {
	KCT_PC_RETURN = 0, /**< a return address, as in records: the byte before is looked up */
	KCT_PC_CALL = 1,   /**< the address of an instruction: looked up as it is */
};

/** Why something could not be found: X(NAME, "text"). */
#define KCT_SYMBOL_REASON_LIST(X)                                                                  \
	X(NONE, "")                                                                                \
	X(NO_IMAGE, "no image covers this address")                                                \
	X(NO_SYMBOL, "no function covers this address")                                            \
	X(NO_DEBUG, "no debug information for this address")                                       \
	X(NO_LINE, "no source line for this address")                                              \
	X(TINY, "too small for a kernel address")                                                  \
	X(USER, "a user-space address")                                                            \
	X(SUSPECT, "no text lies here; perhaps an EESUM record of a kernel with the packing slip") \
	X(AMBIGUOUS, "ambiguous: another image may cover this address")                            \
	X(NOT_KEPT, "the symbols at hand were cut down to other addresses")

enum kct_symbol_reason {
#define KCT_SYMBOL_REASON_ENUM(name, text) KCT_SYMBOL_##name,
	KCT_SYMBOL_REASON_LIST(KCT_SYMBOL_REASON_ENUM)
#undef KCT_SYMBOL_REASON_ENUM
		KCT_SYMBOL_REASONS
};

/** One frame of an inline chain. Strings are owned by the symbolizer. */
struct kct_symbol_frame {
	const char *function; /**< name without clone suffix; NULL unknown */
	const char *file;     /**< path as rewritten by the path maps; NULL unknown */
	const char *raw_file; /**< the path as the line table and the compilation directory give it,
			       *   joined but neither cleaned nor rewritten; NULL unknown */
	uint32_t line;	      /**< 0 = no line */
	uint32_t column;      /**< 0 = unknown */
};

/** What is known of one address. Owned by the symbolizer, never changed, valid until it is freed. */
struct kct_symbol {
	uint64_t pc;	      /**< the address as asked */
	const char *function; /**< the machine function, without clone suffix; NULL unknown */
	const char *symbol;   /**< the ELF symbol's or kallsyms name, with suffixes; NULL unknown */
	const char *module;   /**< "vmlinux" or a module's name; NULL unknown */
	uint64_t start;	      /**< start of the part of the function that holds the address, with
			       *   the slide of `pc` */
	uint64_t size;	      /**< of that part; 0 unknown */
	uint64_t offset;      /**< pc - start */
	uint64_t identity;    /**< equal for all parts of one function, 0 unknown */
	uint32_t n_frames;    /**< at least 1 if a function or a line is known */
	uint8_t reason;	      /**< enum kct_symbol_reason: what is missing */
	bool guessed;	      /**< the symbol has no size; the nearest one below was taken */
	bool approximate;     /**< the module was placed by kct_image_set_base() */
	const struct kct_symbol_frame *frames; /**< innermost first; the last is the machine
						 *   function with the call line, or the line */
};

struct kct_symbolizer;

/** A new symbolizer without images. KCT_ERR_NO_MEMORY. */
KCT_API int kct_symbolizer_new(struct kct_symbolizer **ret_symbolizer);

/** Free a symbolizer; NULL is fine. Its images stay the caller's. */
KCT_API void kct_symbolizer_free(struct kct_symbolizer *symbolizer);

/**
 * Add an image under a name ("vmlinux", "loop"). The image must outlive the
 * symbolizer and is from now on fixed. Before the first look-up, unless the image is one of portable
 * symbols (kct_portable_new()). KCT_ERR_ARGUMENT
 * for a relocatable image none of whose sections has an address. Where images
 * overlap the one added first wins.
 */
KCT_API int kct_symbolizer_add_image(struct kct_symbolizer *symbolizer, struct kct_image *image,
				     const char *name, struct kct_error *error);

/** Add kallsyms, used where no image with symbols covers an address. Must outlive the symbolizer.
 *  Before the first look-up. */
KCT_API int kct_symbolizer_add_kallsyms(struct kct_symbolizer *symbolizer,
					struct kct_kallsyms *kallsyms);

/**
 * The KASLR offset of the traced kernel. The driver subtracts it from every PC,
 * those of modules too, while modules have their run-time addresses here: it is
 * added back for them. With `slid` PCs still hold it, and it is subtracted for
 * vmlinux instead. Before the first look-up.
 */
KCT_API int kct_symbolizer_set_slide(struct kct_symbolizer *symbolizer, uint64_t offset, bool slid);

/**
 * The KASLR offset is not known: PCs are looked up with the one that is set, and results of vmlinux say
 * KCT_SYMBOL_AMBIGUOUS if with another possible offset a module would cover them. Before the first
 * look-up.
 */
KCT_API int kct_symbolizer_doubt_slide(struct kct_symbolizer *symbolizer);

/** Rewrite cleaned paths that start with `from` (whole components) to start with `to`; the longest
 *  match wins. Before the first look-up. */
KCT_API int kct_symbolizer_map_path(struct kct_symbolizer *symbolizer, const char *from,
				    const char *to);

/** Drop the compilation directory from paths below it that no path map rewrites. Before the first
 *  look-up. */
KCT_API int kct_symbolizer_strip_build_dir(struct kct_symbolizer *symbolizer, bool strip);

/**
 * Let kct_symbolizer_batch() read debug information in up to `threads` threads, the calling one included, as
 * long as the call lasts. 1, the default: no thread is started. 0 counts as 1. At any time.
 */
KCT_API int kct_symbolizer_set_threads(struct kct_symbolizer *symbolizer, unsigned threads);

/** Look up one address; `*ret_symbol` is never NULL on success. */
KCT_API int kct_symbolizer_lookup(struct kct_symbolizer *symbolizer, uint64_t pc,
				  enum kct_pc_kind kind, const struct kct_symbol **ret_symbol,
				  struct kct_error *error);

/**
 * Look up `n` addresses in one pass, compilation unit by compilation unit: each is read once, by
 * several threads if kct_symbolizer_set_threads() allows, and dropped when it has answered. Afterwards ret_symbols[i] (the caller's array of n) belongs
 * to pcs[i]. `progress` (may be NULL) is called now and then; a non-zero return
 * stops with KCT_ERR_LIMIT.
 */
KCT_API int kct_symbolizer_batch(struct kct_symbolizer *symbolizer, const uint64_t *pcs, size_t n,
				 enum kct_pc_kind kind,
				 int (*progress)(void *context, size_t done, size_t total),
				 void *context, const struct kct_symbol **ret_symbols,
				 struct kct_error *error);

/** A function source for a stack that reads PCs as `kind`. Valid as long as the symbolizer. */
KCT_API struct kct_function_source kct_symbolizer_functions(struct kct_symbolizer *symbolizer,
							    enum kct_pc_kind kind);

/** What portable symbols are cut down to. */
enum kct_portable_kind {
	KCT_PORTABLE_FUNCTIONS = 0, /**< the functions that addresses lie in, whole */
	KCT_PORTABLE_PCS = 1,	    /**< these addresses alone */
};

/** What portable symbols are made for. Growable: `size` is the caller's sizeof. */
struct kct_portable_request {
	size_t size;
	const uint64_t *pcs; /**< as recorded */
	size_t n_pcs;
	const uint64_t *data; /**< addresses of memory records */
	size_t n_data;
	enum kct_portable_kind kind;
};

struct kct_portable;

/**
 * Cut the symbols of all images down to what a request asks for. For each image there is a symbol
 * file, which kct_image_open_memory() or, once in a file, kct_image_open() opens like an
 * image: added to a symbolizer under its name, with the same slide and per-CPU bases, it says the same of
 * these addresses. It is already placed. What only kallsyms knows is not in it.
 */
KCT_API int kct_portable_new(struct kct_symbolizer *symbolizer,
			     const struct kct_portable_request *request,
			     struct kct_portable **ret_portable, struct kct_error *error);

/** Free the symbol files; NULL is fine. */
KCT_API void kct_portable_free(struct kct_portable *portable);

/** Number of symbol files. */
KCT_API size_t kct_portable_images(const struct kct_portable *portable);

/** Name of the image of file `index`, as it was added ("vmlinux", "loop"); NULL past the last one.
 *  Owned by `portable`. */
KCT_API const char *kct_portable_name(const struct kct_portable *portable, size_t index);

/** The bytes of file `index`, packed with zstd if this build can; NULL past the last one. Owned by
 *  `portable`. */
KCT_API const void *kct_portable_data(const struct kct_portable *portable, size_t index,
				      size_t *ret_bytes);

/** A variable. Strings are owned by the images or kallsyms of the symbolizer. */
struct kct_variable {
	uint64_t address;   /**< as asked */
	const char *name;   /**< of the symbol */
	const char *module; /**< "vmlinux" or a module's name */
	uint64_t start;	    /**< where it begins, as `address` counts */
	uint64_t size;	    /**< 0 unknown: the nearest one below was taken */
	uint64_t offset;    /**< address - start */
	int32_t cpu;	    /**< of a per-CPU variable, else -1 */
};

/**
 * Where the per-CPU variables of CPU 0, 1, ... begin: the copies of the section .data..percpu of vmlinux.
 * Copied. Before the first look-up.
 */
KCT_API int kct_symbolizer_set_percpu(struct kct_symbolizer *symbolizer, const uint64_t *bases,
				      size_t n);

/**
 * The variable at the address of a memory record. Such addresses are as the CPU saw them: the KASLR offset
 * of kct_symbolizer_set_slide() is subtracted for vmlinux, whether PCs hold it or not. 1: found,
 * 0: not (the heap, a stack, user space), `*ret_variable` is untouched.
 */
KCT_API int kct_symbolizer_data(struct kct_symbolizer *symbolizer, uint64_t address,
				struct kct_variable *ret_variable, struct kct_error *error);

/** Text of a reason; never NULL. Static. */
KCT_API const char *kct_symbol_reason_text(unsigned reason);

#ifdef __cplusplus
}
#endif
#endif
