/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look the addresses of standard input up in the DWARF of an ELF file and print
 * what addr2line -a -f -i would: `0x<address>`, then for each frame the function
 * and file:line. -v adds the part's bounds and the identity after the address.
 * -r: the file is relocatable (through libdwfl, sections laid out from 0x10000).
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

#include "dwarf/dwarf.h"

static void print_place(const struct kct_unit_frame *frame)
{
	if (!frame->file)
		printf("??");
	else if (frame->file[0] == '/' || !frame->comp_dir)
		printf("%s", frame->file);
	else
		printf("%s/%s", frame->comp_dir, frame->file);
	printf(":%u\n", frame->line);
}

static void print_hit(uint64_t address, const struct kct_hit *hit, bool verbose)
{
	printf("0x%" PRIx64, address);
	if (verbose)
		printf(" %s %s 0x%" PRIx64 "-0x%" PRIx64 " 0x%" PRIx64 " %" PRIu64,
		       hit->has_function ? "function" : "-", hit->has_line ? "line" : "-",
		       hit->part_start, hit->part_end, hit->entry, hit->identity);
	printf("\n");
	for (size_t i = 0; i < hit->n_frames; i++) {
		printf("%s\n", hit->frames[i].name ? hit->frames[i].name : "??");
		print_place(&hit->frames[i]);
	}
	if (hit->n_frames == 0)
		printf("??\n??:0\n");
}

static int answer(Dwarf *dwarf, bool linked, bool verbose)
{
	struct kct_dwarf *tables;
	struct kct_hit hit;
	struct kct_error error;
	uint64_t address;

	if (kct_dwarf_new(dwarf, linked, NULL, 0, &tables, &error) < 0) {
		fprintf(stderr, "lookup: %s\n", error.text);
		return 1;
	}
	while (scanf("%" SCNx64, &address) == 1) {
		hit = (struct kct_hit){0};
		if (kct_tables_lookup(kct_dwarf_tables(tables), address, &hit) < 0)
			return 1;
		print_hit(address, &hit, verbose);
	}
	if (kct_dwarf_complaint(tables))
		fprintf(stderr, "lookup: complaint: %s\n", kct_dwarf_complaint(tables));
	if (kct_dwarf_missing_split(tables))
		fprintf(stderr, "lookup: missing split units: %zu\n",
			kct_dwarf_missing_split(tables));
	kct_dwarf_free(tables);
	return 0;
}

static int answer_relocatable(const char *path, bool verbose)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module = NULL;
	Dwarf *dwarf = NULL;
	Dwarf_Addr bias;
	int status = 1;

	dwfl_report_begin(dwfl);
	module = dwfl_report_offline(dwfl, path, path, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	if (module)
		dwarf = dwfl_module_getdwarf(module, &bias);
	if (dwarf)
		status = answer(dwarf, false, verbose);
	else
		fprintf(stderr, "lookup: %s: %s\n", path, dwfl_errmsg(-1));
	dwfl_end(dwfl);
	return status;
}

int main(int argc, char **argv)
{
	bool verbose = false, relocatable = false;
	int option, fd, status;
	Dwarf *dwarf;

	while ((option = getopt(argc, argv, "vr")) != -1) {
		verbose |= option == 'v';
		relocatable |= option == 'r';
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: lookup [-vr] FILE <addresses\n");
		return 2;
	}
	if (relocatable)
		return answer_relocatable(argv[optind], verbose);
	fd = open(argv[optind], O_RDONLY | O_CLOEXEC);
	dwarf = fd >= 0 ? dwarf_begin(fd, DWARF_C_READ) : NULL;
	if (!dwarf) {
		fprintf(stderr, "lookup: %s: %s\n", argv[optind], dwarf_errmsg(-1));
		return 1;
	}
	status = answer(dwarf, true, verbose);
	dwarf_end(dwarf);
	close(fd);
	return status;
}
