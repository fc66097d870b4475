/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <kcovtrace/summary.h>

#include "base/map.h"
#include "decode/words.h"

#define PAGE_BYTES 4096u

/* The user and kernel halves with the widest page tables (57 bits), and the windows of the
 * architectures whose kernels run elsewhere: ppc64 and loongarch. */
#define USER_END	 0x0100000000000000u
#define KERNEL_FIRST	 0xff00000000000000u
#define PPC64_PREFIX	 0xc00u /* the top 12 bits */
#define LOONGARCH_PREFIX 0x900u

struct kct_summary {
	struct kct_summary_counts counts;
	struct kct_map pcs;
	struct kct_layout layout; /* zero: none */
};

enum kct_pc_class kct_classify_pc(uint64_t pc)
{
	unsigned prefix = (unsigned)(pc >> 52);

	if (pc < PAGE_BYTES)
		return KCT_PC_TINY;
	if (pc < USER_END)
		return KCT_PC_USER;
	if (pc >= KERNEL_FIRST || prefix == PPC64_PREFIX || prefix == LOONGARCH_PREFIX)
		return KCT_PC_KERNEL;
	return KCT_PC_WILD;
}

enum kct_pc_class kct_classify_pc_in(const struct kct_layout *layout, uint64_t pc)
{
	if (layout->word_bytes != sizeof(uint32_t))
		return kct_classify_pc(pc);
	if (pc < PAGE_BYTES)
		return KCT_PC_TINY;
	if (pc < KCT_TEXT_FIRST_32)
		return KCT_PC_USER;
	return kct_is_text_32(pc) ? KCT_PC_KERNEL : KCT_PC_WILD;
}

int kct_summary_new(struct kct_summary **ret_summary)
{
	struct kct_summary *summary = calloc(1, sizeof(*summary));

	if (!summary)
		return KCT_ERR_NO_MEMORY;
	*ret_summary = summary;
	return 0;
}

void kct_summary_free(struct kct_summary *summary)
{
	if (!summary)
		return;
	kct_map_clear(&summary->pcs);
	free(summary);
}

void kct_summary_set_layout(struct kct_summary *summary, const struct kct_layout *layout)
{
	summary->layout = *layout;
}

static void count_memory(struct kct_summary_counts *counts, const struct kct_record *record)
{
	counts->memory_atomic += (record->memory.flags & KCT_MEMORY_ATOMIC) != 0;
	counts->memory_free += (record->memory.flags & KCT_MEMORY_FREE) != 0;
	counts->memory_value += (record->memory.flags & KCT_MEMORY_VALUE) != 0;
	counts->memory_large += record->memory.size > sizeof(uint64_t);
}

static int count_pc(struct kct_summary *summary, const struct kct_record *record)
{
	uint64_t *value;
	int result;

	if (record->kind != KCT_RECORD_PC && record->kind != KCT_RECORD_ENTRY)
		return 0;
	result = kct_map_put(&summary->pcs, record->pc, &value);
	if (result > 0)
		summary->counts.unique_pcs++;
	return result;
}

/** A sum that stays at the largest number: the words that a count claims can be any number. */
static void add_saturating(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

static int count_record(struct kct_summary *summary, const struct kct_record *record)
{
	struct kct_summary_counts *counts = &summary->counts;
	int result = count_pc(summary, record);

	if (result < 0)
		return result;
	counts->records[record->kind] += record->count;
	counts->odd_bits += (record->flags & KCT_RECORD_ODD_BITS) != 0;
	counts->invalid_eesum += (record->flags & KCT_RECORD_INVALID) != 0;
	counts->saturated_eesum += (record->flags & KCT_RECORD_SATURATED) != 0;
	counts->suspect_eesum += (record->flags & KCT_RECORD_SUSPECT) != 0;
	switch (record->kind) {
	case KCT_RECORD_MEMORY:
		count_memory(counts, record);
		/* fallthrough */
	case KCT_RECORD_PC:
	case KCT_RECORD_CMP:
	case KCT_RECORD_ENTRY:
	case KCT_RECORD_EXIT:
		counts->pc_classes[kct_classify_pc_in(&summary->layout, record->pc)] +=
			record->count;
		break;
	case KCT_RECORD_LOST:
		if (record->lost.reason < KCT_LOST_REASONS)
			add_saturating(&counts->lost_words[record->lost.reason], record->words);
		break;
	default:
		break;
	}
	return 0;
}

int kct_summary_add(struct kct_summary *summary, const struct kct_record *records, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int result;

		if (records[i].kind >= KCT_RECORD_KINDS)
			return KCT_ERR_ARGUMENT;
		result = count_record(summary, &records[i]);
		if (result < 0)
			return result;
	}
	return 0;
}

int kct_summary_get(const struct kct_summary *summary, struct kct_summary_counts *ret_counts)
{
	size_t size = ret_counts->size;

	if (size != sizeof(*ret_counts))
		return KCT_ERR_ARGUMENT;
	*ret_counts = summary->counts;
	ret_counts->size = size;
	return 0;
}
