/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats that are addresses and nothing else: pcs, sancov, drcov. */
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "message.h"
#include "out_cover.h"

#define SANCOV_MAGIC_64 0xc0bfffffffffff64u
#define SANCOV_MAGIC_32 0xc0bfffffffffff32u

static bool is_hit(const struct kct_coverage_point *point)
{
	return point->records && point->function != KCT_COVERAGE_NONE;
}

int cover_pcs(const struct cover *cover)
{
	const struct kct_coverage_module *modules;
	size_t n, i, j;

	modules = kct_coverage_modules(cover->coverage, &n);
	for (i = 0; i < n; i++) {
		output_printf(cover->out, "# %s: %u of %u coverage points\n", modules[i].name,
			      modules[i].hit, modules[i].points);
		for (j = 0; j < modules[i].n_all; j++) {
			if (!is_hit(&modules[i].all[j]))
				continue;
			output_hex(cover->out, modules[i].all[j].pc - modules[i].offset, 1);
			output_char(cover->out, '\n');
		}
	}
	return STATUS_FINE;
}

/** Whether addresses of an image have 32 bits: by the machine, as ELF numbers it. */
static bool is_narrow(const struct kct_image *image)
{
	switch (kct_image_machine(image)) {
	case 3:	 /* i386 */
	case 8:	 /* MIPS */
	case 20: /* PowerPC */
	case 40: /* ARM */
		return true;
	default:
		return false;
	}
}

/** The image that a format for one image is about: the first with a point that was hit. */
static const struct kct_coverage_module *only_module(const struct cover *cover)
{
	const struct kct_coverage_module *modules, *found = NULL;
	size_t n, i;

	modules = kct_coverage_modules(cover->coverage, &n);
	for (i = 0; i < n; i++) {
		if (found && modules[i].hit)
			note("%u points of %s are left out, a sancov file is of one image: "
			     "--module-name chooses",
			     modules[i].hit, modules[i].name);
		if (!found && modules[i].hit)
			found = &modules[i];
	}
	return found ? found : &modules[0];
}

static void put_number(struct output *out, uint64_t number, size_t bytes)
{
	uint64_t little = htole64(number);

	output_bytes(out, &little, bytes);
}

int cover_sancov(const struct cover *cover)
{
	const struct kct_coverage_module *module = only_module(cover);
	bool narrow = is_narrow(module->image);
	size_t i;

	put_number(cover->out, narrow ? SANCOV_MAGIC_32 : SANCOV_MAGIC_64, 8);
	for (i = 0; i < module->n_all; i++) {
		if (is_hit(&module->all[i]))
			put_number(cover->out, module->all[i].call, narrow ? 4 : 8);
	}
	return STATUS_FINE;
}

/** How far the code of a point is known to go: to the next point of its function. */
static uint64_t size_of(const struct kct_coverage_module *module, size_t i)
{
	const struct kct_coverage_point *point = &module->all[i], *next = point + 1;
	uint64_t size = 1;

	if (i + 1 < module->n_all && next->function == point->function)
		size = next->pc - point->pc;
	return size < UINT16_MAX ? size : UINT16_MAX;
}

/** Find blocks that the format has no room for: offsets have 32 bits. */
static int check_offsets(const struct kct_coverage_module *module)
{
	size_t i;

	for (i = 0; i < module->n_all; i++) {
		if (is_hit(&module->all[i]) && module->all[i].pc - module->base > UINT32_MAX)
			return failure(
				"%s: 0x%llx is more than 4 GiB behind the start of the image "
				"(0x%llx): drcov has no room for that",
				kct_image_name(module->image),
				(unsigned long long)module->all[i].pc,
				(unsigned long long)module->base);
	}
	return STATUS_FINE;
}

/** A row of the module table. Readers compare the path, or its last part, with that of their database. */
static void write_module(struct output *out, const struct kct_coverage_module *module, size_t id)
{
	const char *name = kct_image_name(module->image);
	char *path = realpath(name, NULL);
	const char *at = path ? path : name;

	output_printf(out, "%3zu, 0x%016llx, 0x%016llx, 0x%016x, ", id,
		      (unsigned long long)module->base, (unsigned long long)module->end, 0);
	for (; *at; at++)
		output_char(out, (unsigned char)*at < ' ' || *at == 0x7f ? '?' : *at);
	output_char(out, '\n');
	free(path);
}

static void write_blocks(struct output *out, const struct kct_coverage_module *module, size_t id)
{
	size_t i;

	for (i = 0; i < module->n_all; i++) {
		if (!is_hit(&module->all[i]))
			continue;
		put_number(out, module->all[i].pc - module->base, 4);
		put_number(out, size_of(module, i), 2);
		put_number(out, id, 2);
	}
}

int cover_drcov(const struct cover *cover)
{
	const struct kct_coverage_module *modules;
	struct output *out = cover->out;
	int status = STATUS_FINE;
	size_t n, i;

	modules = kct_coverage_modules(cover->coverage, &n);
	for (i = 0; i < n; i++)
		status = worst(status, check_offsets(&modules[i]));
	if (status == STATUS_FINE && n > UINT16_MAX)
		status = failure("%zu images are too many for drcov", n);
	if (status != STATUS_FINE) {
		output_discard(out);
		return status;
	}
	output_printf(out,
		      "DRCOV VERSION: 2\nDRCOV FLAVOR: drcov-%d\nModule Table: version 2, count "
		      "%zu\nColumns: id, base, end, entry, path\n",
		      is_narrow(modules[0].image) ? 32 : 64, n);
	for (i = 0; i < n; i++)
		write_module(out, &modules[i], i);
	output_printf(out, "BB Table: %llu bbs\n",
		      (unsigned long long)kct_coverage_total(cover->coverage)->hit);
	for (i = 0; i < n; i++)
		write_blocks(out, &modules[i], i);
	return STATUS_FINE;
}
