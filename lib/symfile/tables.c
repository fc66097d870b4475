/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/fail.h"
#include "base/limits.h"
#include "symfile/tables.h"

#define MAX_UNITS (1u << 20)

/* The arrays of a unit, in the order of the block: those with 64-bit numbers first, the text last. */
#define UNIT_ARRAYS(X) \
	X(parts)       \
	X(functions)   \
	X(sequences)   \
	X(spans)       \
	X(inlines)     \
	X(rows)        \
	X(files)       \
	X(text)

enum unit_array {
#define UNIT_ARRAY_ENUM(field) AT_##field,
	UNIT_ARRAYS(UNIT_ARRAY_ENUM)
#undef UNIT_ARRAY_ENUM
		N_ARRAYS
};

/* In front of the arrays of a unit. */
struct unit_head {
	uint32_t n[N_ARRAYS];
	uint32_t comp_dir;
	uint32_t reserved;
};

/* In front of the ranges of the index. */
struct index_head {
	uint32_t n_units;
	uint32_t n_layers;
	uint32_t first[KCT_MAX_LAYERS + 2];
};

_Static_assert(sizeof(struct unit_head) % 8 == 0, "the arrays are aligned");
_Static_assert(sizeof(struct index_head) % 8 == 0, "the ranges are aligned");

/* writev() and the sums do not write to what an iovec points to. */
static struct iovec part_of(const void *data, size_t bytes)
{
	return (struct iovec){(void *)(uintptr_t)data, bytes};
}

int kct_symfile_add_unit(struct kct_symfile_writer *writer, uint32_t number,
			 const struct kct_unit *unit, struct kct_error *error)
{
	struct unit_head head = {
		.n =
			{
#define UNIT_ARRAY_N(field) unit->n_##field,
				UNIT_ARRAYS(UNIT_ARRAY_N)
#undef UNIT_ARRAY_N
			},
		.comp_dir = unit->comp_dir,
	};
	const struct iovec parts[] = {part_of(&head, sizeof(head)),
#define UNIT_ARRAY_PART(field) part_of(unit->field, unit->n_##field * sizeof(*unit->field)),
				      UNIT_ARRAYS(UNIT_ARRAY_PART)
#undef UNIT_ARRAY_PART
	};

	return kct_symfile_add_parts(writer, KCT_SYMFILE_UNIT, number, parts, ARRAY_SIZE(parts),
				     error);
}

bool kct_symfile_text_is_sane(const char *text, size_t bytes)
{
	size_t at = 0;

	if (bytes == 0 || text[bytes - 1] != '\0')
		return false;
	/* From one NUL to the last one that is near enough, which skips over most of them. */
	while (at < bytes - 1) {
		size_t window = (size_t)kct_min_u64(bytes - at, KCT_MAX_NAME + 1);
		const char *end = memrchr(text + at, '\0', window);

		if (!end)
			return false;
		at = (size_t)(end - text) + 1;
	}
	return true;
}

/** Take `n` elements off the front of what is left of a block. NULL: there are not so many. */
static const void *take(const char **at, size_t *left, uint32_t n, size_t element)
{
	const char *start = *at;
	size_t bytes;

	if (kct_mul_overflows(n, element, &bytes) || bytes > *left)
		return NULL;
	*at += bytes;
	*left -= bytes;
	return start;
}

int kct_symfile_get_unit(struct kct_symfile *file, uint32_t number, struct kct_unit *ret_unit)
{
	struct kct_unit unit;
	struct unit_head head;
	const void *block;
	const char *at;
	size_t left;
	int result = kct_symfile_block(file, KCT_SYMFILE_UNIT, number, &block, &left);

	if (result <= 0)
		return result;
	if (left < sizeof(head))
		return KCT_ERR_DAMAGED;
	memcpy(&head, block, sizeof(head));
	at = (const char *)block + sizeof(head);
	left -= sizeof(head);
	unit.comp_dir = head.comp_dir;
#define UNIT_ARRAY_TAKE(field)                                              \
	unit.n_##field = head.n[AT_##field];                                \
	unit.field = take(&at, &left, unit.n_##field, sizeof(*unit.field)); \
	if (!unit.field)                                                    \
		return KCT_ERR_DAMAGED;
	UNIT_ARRAYS(UNIT_ARRAY_TAKE)
#undef UNIT_ARRAY_TAKE
	if (left > 0 || !kct_symfile_text_is_sane(unit.text, unit.n_text) || unit.text[0])
		return KCT_ERR_DAMAGED;
	*ret_unit = unit;
	return 1;
}

int kct_symfile_add_index(struct kct_symfile_writer *writer, const struct kct_index *index,
			  struct kct_error *error)
{
	struct index_head head = {.n_units = index->n_units, .n_layers = index->n_layers};
	struct iovec parts[2];

	memcpy(head.first, index->first, sizeof(head.first));
	parts[0] = part_of(&head, sizeof(head));
	parts[1] = part_of(index->ranges, index->first[index->n_layers] * sizeof(*index->ranges));
	return kct_symfile_add_parts(writer, KCT_SYMFILE_UNIT_RANGES, 0, parts, 2, error);
}

int kct_symfile_get_index(struct kct_symfile *file, struct kct_index *ret_index)
{
	struct kct_index index = {0};
	struct index_head head;
	const void *block;
	size_t bytes, n;
	int result = kct_symfile_block(file, KCT_SYMFILE_UNIT_RANGES, 0, &block, &bytes);

	if (result <= 0)
		return result;
	if (bytes < sizeof(head))
		return KCT_ERR_DAMAGED;
	memcpy(&head, block, sizeof(head));
	n = (bytes - sizeof(head)) / sizeof(*index.ranges);
	/* All units are walked through; no image has so many. */
	if (head.n_units > MAX_UNITS)
		return KCT_ERR_DAMAGED;
	if (head.n_layers > KCT_MAX_LAYERS + 1 || (bytes - sizeof(head)) % sizeof(*index.ranges))
		return KCT_ERR_DAMAGED;
	for (uint32_t i = 0; i < head.n_layers; i++) {
		if (head.first[i] > head.first[i + 1] || head.first[i + 1] > n)
			return KCT_ERR_DAMAGED;
	}
	index.ranges = (const void *)((const char *)block + sizeof(head));
	memcpy(index.first, head.first, sizeof(head.first));
	index.n_layers = head.n_layers;
	index.n_units = head.n_units;
	*ret_index = index;
	return 1;
}
