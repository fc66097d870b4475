/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/crc32c.h"
#include "base/fail.h"
#include "symfile/form.h"
#include "symfile/symfile.h"

enum block_state {
	NOT_CHECKED,
	SOUND,
	UNSOUND,
};

struct kct_symfile {
	const unsigned char *data;
	size_t bytes;
	const struct kct_symfile_entry *entries; /* by type and id */
	size_t n;
	uint8_t *states; /* enum block_state, one an entry */
	struct kct_crc32c crc;
};

bool kct_symfile_identify(const void *data, size_t bytes)
{
	return bytes >= KCT_SYMFILE_MAGIC_BYTES &&
	       memcmp(data, KCT_SYMFILE_MAGIC, KCT_SYMFILE_MAGIC_BYTES) == 0;
}

/** Whether a part lies in the file, behind the header and at a multiple of 8. */
static bool is_inside(const struct kct_symfile *file, uint64_t offset, uint64_t bytes)
{
	return offset % 8 == 0 && offset >= sizeof(struct kct_symfile_header) &&
	       offset <= file->bytes && bytes <= file->bytes - offset;
}

static bool is_before(const struct kct_symfile_entry *entry, uint32_t type, uint32_t id)
{
	return entry->type != type ? entry->type < type : entry->id < id;
}

static int check_header(struct kct_symfile *file, const struct kct_symfile_header *header,
			struct kct_error *error)
{
	const size_t summed = offsetof(struct kct_symfile_header, header_sum);

	if (header->order != KCT_SYMFILE_ORDER)
		return kct_fail_at(error, KCT_ERR_UNSUPPORTED, 8,
				   __builtin_bswap64(header->order) == KCT_SYMFILE_ORDER
					   ? "a symbol file of a machine with another byte order"
					   : "a symbol file with an unknown byte order");
	if (header->version != KCT_SYMFILE_VERSION)
		return kct_fail_at(error, KCT_ERR_UNSUPPORTED, 16,
				   "a symbol file of version %u; this is version %u",
				   header->version, KCT_SYMFILE_VERSION);
	if (header->header_sum != kct_crc32c(&file->crc, 0, header, summed))
		return kct_fail_at(error, KCT_ERR_DAMAGED, summed,
				   "the header of the symbol file is damaged");
	if (header->bytes != file->bytes)
		return kct_fail_at(error, KCT_ERR_DAMAGED, file->bytes,
				   "the symbol file has %zu bytes and should have %llu",
				   file->bytes, (unsigned long long)header->bytes);
	return 0;
}

static int check_directory(struct kct_symfile *file, const struct kct_symfile_header *header,
			   struct kct_error *error)
{
	size_t bytes = (size_t)header->n_blocks * sizeof(*file->entries);

	if (!is_inside(file, header->directory, bytes) ||
	    header->directory_sum !=
		    kct_crc32c(&file->crc, 0, file->data + header->directory, bytes))
		return kct_fail_at(error, KCT_ERR_DAMAGED, header->directory,
				   "the directory of the symbol file is damaged");
	file->entries =
		(const struct kct_symfile_entry *)(const void *)(file->data + header->directory);
	file->n = header->n_blocks;
	for (size_t i = 0; i < file->n; i++) {
		const struct kct_symfile_entry *entry = &file->entries[i];

		if (!is_inside(file, entry->offset, entry->bytes) ||
		    (i > 0 && !is_before(entry - 1, entry->type, entry->id)))
			return kct_fail_at(
				error, KCT_ERR_DAMAGED, header->directory + i * sizeof(*entry),
				"entry %zu in the directory of the symbol file is wrong", i);
	}
	return 0;
}

static void file_cleanup(struct kct_symfile **file)
{
	kct_symfile_free(*file);
}

int kct_symfile_new(const void *data, size_t bytes, struct kct_symfile **ret_file,
		    struct kct_error *error)
{
	struct kct_symfile *file KCT_CLEANUP(file_cleanup) = NULL;
	const struct kct_symfile_header *header = data;
	int result;

	if (!kct_symfile_identify(data, bytes) || (uintptr_t)data % 8 != 0)
		return kct_fail_at(error, KCT_ERR_SYNTAX, 0, "not a symbol file");
	if (bytes < sizeof(*header))
		return kct_fail_at(error, KCT_ERR_DAMAGED, bytes, "the symbol file is cut off");
	file = calloc(1, sizeof(*file));
	if (!file)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	file->data = data;
	file->bytes = bytes;
	kct_crc32c_init(&file->crc);
	result = check_header(file, header, error);
	if (result >= 0)
		result = check_directory(file, header, error);
	if (result < 0)
		return result;
	file->states = calloc(file->n + 1, 1);
	if (!file->states)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	*ret_file = TAKE_PTR(file);
	return 0;
}

void kct_symfile_free(struct kct_symfile *file)
{
	if (!file)
		return;
	free(file->states);
	free(file);
}

int kct_symfile_block(struct kct_symfile *file, uint32_t type, uint32_t id, const void **ret_data,
		      size_t *ret_bytes)
{
	const struct kct_symfile_entry *entry;
	size_t low = 0, high = file->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_before(&file->entries[middle], type, id))
			low = middle + 1;
		else
			high = middle;
	}
	entry = &file->entries[low];
	if (low == file->n || entry->type != type || entry->id != id)
		return 0;
	if (file->states[low] == NOT_CHECKED)
		file->states[low] = kct_crc32c(&file->crc, 0, file->data + entry->offset,
					       (size_t)entry->bytes) == entry->sum
					    ? SOUND
					    : UNSOUND;
	if (file->states[low] == UNSOUND)
		return KCT_ERR_DAMAGED;
	*ret_data = file->data + entry->offset;
	*ret_bytes = (size_t)entry->bytes;
	return 1;
}

size_t kct_symfile_blocks(const struct kct_symfile *file)
{
	return file->n;
}

void kct_symfile_entry(const struct kct_symfile *file, size_t index, uint32_t *ret_type,
		       uint32_t *ret_id, size_t *ret_bytes)
{
	*ret_type = file->entries[index].type;
	*ret_id = file->entries[index].id;
	*ret_bytes = (size_t)file->entries[index].bytes;
}
