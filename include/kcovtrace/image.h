/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file image.h
 * A vmlinux or a kernel module: ELF sections, symbols and debug information.
 *
 * An image is opened from a file, from memory or through a read callback. A
 * module (ET_REL) has no addresses of its own: give its sections the addresses
 * they had in the traced kernel with kct_image_set_section() before it is added
 * to a symbolizer. Missing or broken debug information does not fail an open;
 * kct_image_debug_status() says what there is and why.
 *
 * Threads: symbols and debug information are read when they are first asked for, also by the look-ups of
 * a symbolizer, so an image, and kallsyms too, belong to one symbolizer at a time. In one thread
 * several symbolizers may have the same image; threads must not.
 */
#ifndef KCOVTRACE_IMAGE_H
#define KCOVTRACE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kcovtrace/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kct_image;

enum kct_debug_status {
	KCT_DEBUG_DWARF = 0,	   /**< functions, inlines and lines */
	KCT_DEBUG_ABSENT = 1,	   /**< built without, nothing to find */
	KCT_DEBUG_STRIPPED = 2,	   /**< removed; symbols are still there */
	KCT_DEBUG_TRUNCATED = 3,   /**< a section ends past the end of the file */
	KCT_DEBUG_UNSUPPORTED = 4, /**< such as a compression that cannot be read */
	KCT_DEBUG_SPLIT = 5,	   /**< lies in .dwo files that are not there */
	KCT_DEBUG_BROKEN = 6,	   /**< the reader gave up */
};

/**
 * Open an ELF file. `.gz`, `.zst` and `.xz` files are unpacked to memory. KCT_ERR_IO,
 * KCT_ERR_ELF (with the cause), KCT_ERR_UNSUPPORTED, KCT_ERR_SYNTAX (damaged packing).
 */
KCT_API int kct_image_open(const char *path, struct kct_image **ret_image, struct kct_error *error);

/** An ELF file in memory, which stays the caller's and must outlive the image. `name` is for
 *  messages and is copied. Also portable symbols, packed or not: KCT_ERR_LIMIT if they unpack to more
 *  than 64 times their size and 4096 bytes, KCT_ERR_DAMAGED. */
KCT_API int kct_image_open_memory(const void *data, size_t bytes, const char *name,
				  struct kct_image **ret_image, struct kct_error *error);

/**
 * An ELF file behind a callback, which is read whole at once: `read` stores up
 * to `bytes` bytes from `offset` and returns how many, 0 at the end, < 0 on
 * failure.
 */
KCT_API int kct_image_open_callback(int64_t (*read)(void *context, void *buffer, size_t bytes,
						    uint64_t offset),
				    void *context, const char *name, struct kct_image **ret_image,
				    struct kct_error *error);

/** Free an image; NULL is fine. A symbolizer that uses it must be freed before. */
KCT_API void kct_image_free(struct kct_image *image);

/** Path or name it was opened with. Owned by the image. */
KCT_API const char *kct_image_name(const struct kct_image *image);

/** The build ID: up to 64 bytes owned by the image, NULL and 0 if it has none. */
KCT_API const uint8_t *kct_image_build_id(const struct kct_image *image, size_t *ret_bytes);

/** True for a relocatable file (a module), whose sections have no address yet. */
KCT_API bool kct_image_is_relocatable(const struct kct_image *image);

/** Name of the module from its .modinfo or .gnu.linkonce.this_module; NULL if it is none. */
KCT_API const char *kct_image_module_name(const struct kct_image *image);

/** ELF machine number (e_machine). */
KCT_API unsigned kct_image_machine(const struct kct_image *image);

/**
 * Give section `section` of a relocatable image its address. KCT_ERR_NOT_FOUND
 * if there is no such allocated section, KCT_ERR_ARGUMENT if the image is not
 * relocatable or in use already.
 */
KCT_API int kct_image_set_section(struct kct_image *image, const char *section, uint64_t address);

/**
 * Place the code of a module by the address that /proc/modules shows, as the kernel's loader does:
 * executable sections in the order of the file, without those of initialisation. For want of section
 * addresses: where the kernel was built without module unloading, or adds sections of its own, some
 * may be elsewhere. Results are marked approximate. KCT_ERR_NOT_FOUND if there is no
 * such section, KCT_ERR_ARGUMENT as above or if `address` is 0.
 */
KCT_API int kct_image_set_base(struct kct_image *image, uint64_t address);

/** True after kct_image_set_base(). */
KCT_API bool kct_image_is_approximate(const struct kct_image *image);

/**
 * Give the sections of a relocatable image that have no address yet one, from `base` on, code first, so that
 * a module can be looked at that nobody has loaded. KCT_ERR_ARGUMENT as above.
 */
KCT_API int kct_image_place_sections(struct kct_image *image, uint64_t base);

/** Where to look for debug information that an image lacks. Set `size`, zero what is not needed. */
struct kct_debug_search {
	size_t size; /**< sizeof(struct kct_debug_search) */
	/** Roots of debug files, such as /usr/lib/debug: DIR/.build-id/xx/yyyy.debug and the directory
	 *  of the image below DIR. Strings stay the caller's. */
	const char *const *directories;
	size_t n_directories;
	bool debuginfod; /**< ask servers through libdebuginfod, which is loaded if it is installed and
			  *   takes their addresses from the environment (DEBUGINFOD_URLS) itself */
};

/**
 * Look for the separate debug file of an image whose own debug information is missing or unusable:
 * by build ID, by .gnu_debuglink and by name (vmlinux.debug, loop.ko.debug) in the directory of the image, in
 * .debug/ there and below the roots; then for the common file of dwz. A file with another build ID is
 * never taken, one without by its checksum in .gnu_debuglink only. Before the image is added to a
 * symbolizer. 1: one was found and is used from now on, 0: none is needed or
 * none was found (see kct_image_searched()). KCT_ERR_ARGUMENT, KCT_ERR_NO_MEMORY.
 */
KCT_API int kct_image_find_debug(struct kct_image *image, const struct kct_debug_search *search,
				 struct kct_error *error);

/** The file that debug information comes from: that of the image, or the one that was found. */
KCT_API const char *kct_image_debug_name(const struct kct_image *image);

/** What kct_image_find_debug() looked at in vain: lines `PATH: cause` without a newline at the end, ""
 *  if nothing. Owned by the image. */
KCT_API const char *kct_image_searched(const struct kct_image *image);

/**
 * What debug information there is, in the file of kct_image_debug_name(). `*ret_reason` is one line that names the
 * section and the cause, "" if there is nothing to say; with KCT_DEBUG_DWARF it says what is missing
 * all the same; owned by the image. Of a
 * relocatable image that no symbolizer uses yet only the headers are judged.
 */
KCT_API enum kct_debug_status kct_image_debug_status(struct kct_image *image,
						     const char **ret_reason);

/** The address of a symbol, such as `_stext`. KCT_ERR_NOT_FOUND. */
KCT_API int kct_image_symbol(struct kct_image *image, const char *name, uint64_t *ret_address);

/** A symbol of the image, for kct_image_for_each_function(). */
struct kct_image_function {
	const char *name; /**< owned by the image */
	uint64_t address;
	uint64_t size; /**< of the symbol; 0 unknown */
};

/**
 * The function symbols by address, one a distinct address, best name first
 * (ranking in docs/symbols.md). The array is owned by the image.
 */
KCT_API int kct_image_functions(struct kct_image *image,
				const struct kct_image_function **ret_functions, size_t *ret_n,
				struct kct_error *error);

/**
 * Keep symbols of this image in a directory, which is made when it is first written to: what is there is used instead
 * of the symbol table and the debug information, as long as it is of the same
 * image; what is not there, or damaged, is read as ever. Nothing is
 * written but by kct_image_write_cache(). Any number of processes may use a directory at once. `directory` is copied; NULL: no
 * cache. KCT_ERR_ARGUMENT once symbols were read.
 */
KCT_API int kct_image_set_cache(struct kct_image *image, const char *directory);

/**
 * Write to the cache what was read of the image and is not there, coverage points among it; with `all` all of the
 * image, which is read in up to `threads` threads (0 and 1: in this one). `progress` (may be NULL) is called now and then; a non-zero return
 * stops with KCT_ERR_LIMIT. 1: written, 0: there was nothing new or, without `all`, nothing that can be kept;
 * KCT_ERR_IO, with the errno, if the directory cannot be written to;
 * KCT_ERR_UNSUPPORTED for symbols that come from other files, too (.dwo, dwz).
 */
KCT_API int kct_image_write_cache(struct kct_image *image, bool all, unsigned threads,
				  int (*progress)(void *context, size_t done, size_t total),
				  void *context, struct kct_error *error);

/** What the cache has of an image. Growable: `size` is the caller's sizeof. */
struct kct_cache_state {
	size_t size;
	uint64_t files; /**< 0: none that is of this image */
	uint64_t bytes;
	uint64_t units;	       /**< compilation units of the image */
	uint64_t cached_units; /**< of them in the cache */
	const char *problem; /**< why files that are there are of no use, in one line; "" nothing is
				*   wrong. Owned by the image */
};

/** Read all that the cache has of an image and check it. `ret_state->size` must be set. */
KCT_API int kct_image_check_cache(struct kct_image *image, struct kct_cache_state *ret_state,
				  struct kct_error *error);

/** What was found damaged in the cache up to now, in one line; NULL: nothing. That files are of an earlier
 *  state of the image is no damage. Owned by the
 *  image. */
KCT_API const char *kct_image_cache_problem(const struct kct_image *image);

/** Length of `name` without compiler clone suffixes (`.cold .isra.N .constprop.N .part.N
 *  .llvm.N ...`, several in a row). */
KCT_API size_t kct_base_name_length(const char *name);

struct kct_kallsyms;

/**
 * Parse the text of /proc/kallsyms (sorted or not). KCT_ERR_SYNTAX names the
 * first bad line when nothing could be used, or says that all addresses are
 * zero (kptr_restrict).
 */
KCT_API int kct_kallsyms_parse(const char *text, size_t bytes, struct kct_kallsyms **ret_kallsyms,
			       struct kct_error *error);

/** Free; NULL is fine. A symbolizer that uses it must be freed before. */
KCT_API void kct_kallsyms_free(struct kct_kallsyms *kallsyms);

/** The address of the first symbol of that name outside modules. KCT_ERR_NOT_FOUND. */
KCT_API int kct_kallsyms_symbol(const struct kct_kallsyms *kallsyms, const char *name,
				uint64_t *ret_address);

#ifdef __cplusplus
}
#endif
#endif
