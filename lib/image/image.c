/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/unpack.h"
#include "image/portable.h"

/* Packed symbols may unpack to so many times their size, and some more. */
#define SYMBOLS_UNPACK_FACTOR 64u
#define SYMBOLS_UNPACK_LEAST  4096u

/* What people pass by mistake, by its first bytes. */
static const struct {
	const char *magic;
	uint8_t length;
	int code;
	const char *what;
} foreign_formats[] = {
	{"\xfd"
	 "7zXZ",
	 5, KCT_ERR_UNSUPPORTED, "packed with xz: open it as a file"},
	{"BZh", 3, KCT_ERR_UNSUPPORTED, "packed with bzip2, which this build cannot read"},
	{"\x1f\x8b", 2, KCT_ERR_UNSUPPORTED, "packed with gzip: open it as a file"},
	{"\x28\xb5\x2f\xfd", 4, KCT_ERR_UNSUPPORTED, "packed with zstd: open it as a file"},
	{"!<arch>\n", 8, KCT_ERR_ELF, "an archive, not an ELF file"},
	{"MZ", 2, KCT_ERR_ELF, "a boot image, not the vmlinux it was made of"},
};

void kct_image_free(struct kct_image *image)
{
	if (!image)
		return;
	kct_image_close_debug(image);
	kct_image_free(image->separate);
	kct_image_free(image->common);
	kct_image_free(image->packed);
	free(image->searched);
	kct_symtab_clear(&image->symtab);
	kct_symtab_clear(&image->data_symtab);
	kct_stored_close(image);
	if (image->elf)
		elf_end(image->elf);
	kct_file_free(image->file);
	free(image->functions);
	free(image->sections);
	free(image->module_name);
	free(image->owned);
	free(image->name);
	free(image);
}

static void image_cleanup(struct kct_image **image)
{
	kct_image_free(*image);
}

/** Say what a file without the ELF magic is. */
static int fail_no_elf(const struct kct_image *image, struct kct_error *error)
{
	if (image->bytes == 0)
		return kct_fail(error, KCT_ERR_ELF, "%s: empty file", image->name);
	for (size_t i = 0; i < ARRAY_SIZE(foreign_formats); i++) {
		size_t length = foreign_formats[i].length;

		if (image->bytes >= length &&
		    memcmp(image->data, foreign_formats[i].magic, length) == 0)
			return kct_fail(error, foreign_formats[i].code, "%s: %s", image->name,
					foreign_formats[i].what);
	}
	return kct_fail(error, KCT_ERR_ELF, "%s: not an ELF file", image->name);
}

/** Find the fault that made libelf refuse the header. */
static int fail_header(const struct kct_image *image, struct kct_error *error)
{
	int class = image->bytes > EI_CLASS ? image->data[EI_CLASS] : 0;
	int order = image->bytes > EI_DATA ? image->data[EI_DATA] : 0;
	size_t header = class == ELFCLASS32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);

	if (image->bytes < header)
		return kct_fail(error, KCT_ERR_ELF, "%s: the ELF header is cut off", image->name);
	if (class != ELFCLASS32 && class != ELFCLASS64)
		return kct_fail(error, KCT_ERR_ELF, "%s: unknown ELF class %d", image->name, class);
	if (order != ELFDATA2LSB && order != ELFDATA2MSB)
		return kct_fail(error, KCT_ERR_ELF, "%s: unknown ELF byte order %d", image->name,
				order);
	return kct_fail(error, KCT_ERR_ELF, "%s: unusable ELF file: %s", image->name,
			elf_errmsg(-1));
}

static int load_header(struct kct_image *image, struct kct_error *error)
{
	if (image->bytes < SELFMAG || memcmp(image->data, ELFMAG, SELFMAG) != 0)
		return fail_no_elf(image, error);
	if (elf_version(EV_CURRENT) == EV_NONE)
		return kct_fail(error, KCT_ERR_UNSUPPORTED, "libelf is too old");
	/* libelf takes a writable pointer; it only reads. */
	image->elf = elf_memory((char *)(uintptr_t)image->data, image->bytes);
	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF ||
	    !gelf_getehdr(image->elf, &image->header))
		return fail_header(image, error);
	switch (image->header.e_type) {
	case ET_REL:
		image->relocatable = true;
		return 0;
	case ET_EXEC:
	case ET_DYN:
		return 0;
	default:
		return kct_fail(error, KCT_ERR_ELF, "%s: ELF type %u is neither an image nor a %s",
				image->name, image->header.e_type, "relocatable file");
	}
}

/** Finish an image whose bytes are set; takes it over, also on failure. */
static int image_load(struct kct_image *image, struct kct_image **ret_image,
		      struct kct_error *error)
{
	struct kct_image *half KCT_CLEANUP(image_cleanup) = image;
	int result;

	if (kct_symfile_identify(half->data, half->bytes)) {
		result = kct_portable_load(half, error);
		if (result >= 0)
			*ret_image = TAKE_PTR(half);
		return result;
	}
	result = load_header(half, error);
	if (result < 0)
		return result;
	result = kct_image_load_sections(half, error);
	if (result < 0)
		return result;
	if (kct_image_load_identity(half) < 0)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	*ret_image = TAKE_PTR(half);
	return 0;
}

static struct kct_image *image_new(const char *name)
{
	struct kct_image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->name = strdup(name);
	if (!image->name) {
		free(image);
		return NULL;
	}
	return image;
}

/** Open a file. The start of an image is of no use: its section headers are at the end. */
static int open_whole(const char *path, struct kct_file **file, struct kct_error *error)
{
	const char *damage;
	uint64_t offset;
	int result = kct_file_open(path, file, error);

	if (result < 0)
		return result;
	damage = kct_file_damage(*file, &offset);
	if (damage)
		return kct_fail_at(error, KCT_ERR_SYNTAX, offset, "%s", damage);
	return 0;
}

int kct_image_open(const char *path, struct kct_image **ret_image, struct kct_error *error)
{
	struct kct_image *image;
	int result;

	if (!path || !ret_image)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	image = image_new(path);
	if (!image)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	result = open_whole(path, &image->file, error);
	if (result < 0) {
		kct_image_free(image);
		return result;
	}
	image->data = kct_file_data(image->file, &image->bytes);
	return image_load(image, ret_image, error);
}

/**
 * Unpack symbols. They get a third of their size; a few bytes of a trace file that want to fill the
 * memory are no symbols.
 */
static int unpack_symbols(struct kct_image *image, struct kct_error *error)
{
	uint64_t limit = (uint64_t)image->bytes * SYMBOLS_UNPACK_FACTOR + SYMBOLS_UNPACK_LEAST;
	struct kct_error damage = {0};
	struct kct_bytes bytes = {0};
	int result =
		kct_unpack(kct_packing_zstd, image->data, image->bytes, limit, &bytes, &damage);

	if (result == KCT_ERR_LIMIT)
		result = kct_fail(error, result,
				  "%s: %zu packed bytes unpack to more than %llu: no symbols",
				  image->name, image->bytes, (unsigned long long)limit);
	else if (result >= 0 && !kct_symfile_identify(bytes.data, bytes.n))
		result = KCT_ERR_SYNTAX;
	else if (result > 0)
		result = kct_fail_at(error, KCT_ERR_DAMAGED, damage.offset,
				     "%s: the packed symbols are damaged", image->name);
	else if (result < 0 && result != KCT_ERR_SYNTAX && error)
		*error = damage;
	if (result < 0) {
		free(bytes.data);
		/* What it is instead is said of the bytes as they are. */
		return result == KCT_ERR_SYNTAX ? 0 : result;
	}
	image->owned = bytes.data;
	image->data = bytes.data;
	image->bytes = bytes.n;
	return 0;
}

/** Symbols of a trace file lie in memory, packed or not, wherever that is. */
static int prepare_symbols(struct kct_image *image, struct kct_error *error)
{
	if (kct_packing_of(image->data, image->bytes) == kct_packing_zstd)
		return unpack_symbols(image, error);
	if (kct_symfile_identify(image->data, image->bytes) && (uintptr_t)image->data % 8 != 0) {
		image->owned = malloc(image->bytes);
		if (!image->owned)
			return kct_fail_code(error, KCT_ERR_NO_MEMORY);
		image->data = memcpy(image->owned, image->data, image->bytes);
	}
	return 0;
}

int kct_image_open_memory(const void *data, size_t bytes, const char *name,
			  struct kct_image **ret_image, struct kct_error *error)
{
	struct kct_image *image;
	int result;

	if ((!data && bytes > 0) || !name || !ret_image)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	image = image_new(name);
	if (!image)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	image->data = data;
	image->bytes = bytes;
	result = prepare_symbols(image, error);
	if (result < 0) {
		kct_image_free(image);
		return result;
	}
	return image_load(image, ret_image, error);
}

/** Read a callback to its end into image->owned. */
static int read_all(struct kct_image *image,
		    int64_t (*read)(void *context, void *buffer, size_t bytes, uint64_t offset),
		    void *context, struct kct_error *error)
{
	size_t max = 0;

	for (;;) {
		size_t room;
		int64_t got;

		if (kct_array_reserve((uint8_t **)&image->owned, &max, image->bytes + 65536) < 0)
			return kct_fail_code(error, KCT_ERR_NO_MEMORY);
		room = max - image->bytes;
		got = read(context, (uint8_t *)image->owned + image->bytes, room, image->bytes);
		if (got < 0 || (uint64_t)got > room)
			return kct_fail_at(error, KCT_ERR_IO, image->bytes,
					   "%s: the read callback failed", image->name);
		if (got == 0)
			break;
		image->bytes += (size_t)got;
	}
	image->data = image->owned;
	return 0;
}

int kct_image_open_callback(int64_t (*read)(void *context, void *buffer, size_t bytes,
					    uint64_t offset),
			    void *context, const char *name, struct kct_image **ret_image,
			    struct kct_error *error)
{
	struct kct_image *image;
	int result;

	if (!read || !name || !ret_image)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	image = image_new(name);
	if (!image)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	result = read_all(image, read, context, error);
	if (result < 0) {
		kct_image_free(image);
		return result;
	}
	return image_load(image, ret_image, error);
}

const char *kct_image_name(const struct kct_image *image)
{
	return image->name;
}

const uint8_t *kct_image_build_id(const struct kct_image *image, size_t *ret_bytes)
{
	if (ret_bytes)
		*ret_bytes = image->n_build_id;
	return image->n_build_id ? image->build_id : NULL;
}

bool kct_image_is_relocatable(const struct kct_image *image)
{
	return image->relocatable;
}

const char *kct_image_module_name(const struct kct_image *image)
{
	return image->module_name;
}

unsigned kct_image_machine(const struct kct_image *image)
{
	return image->header.e_machine;
}
