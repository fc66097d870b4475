/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as the code of an image. The first eight bytes choose the machine, the functions and which points
 * were hit, then 64 bytes are data that the code may refer to, the rest is code. What must hold:
 * - points ascend, each is found by its address, jumps ascend, the numbers add up
 * - blocks of a graph ascend and do not overlap, their edges and points exist, a point of a function is
 *   in one of its blocks
 * - a block is hit if and only if it holds a coverage point that was hit; without hits nothing is hit or
 *   implied; one all of whose points were missed is not implied
 * - points packed for the cache are the same unpacked; of a damaged block only sane ones are taken
 */
#include <elf.h>
#include <string.h>

#include <kcovtrace/points.h>

#include "points/kept.h"

#include "fuzz.h"

#define HEADER_BYTES 8u
#define DATA_BYTES   64u
#define MAX_CODE     4096u
#define CODE_BASE    0x10000u
#define DATA_BASE    0x30000u
#define CALLBACKS    0x100u /* room for callbacks behind the code of the input */

enum { SECTION_NULL, SECTION_TEXT, SECTION_DATA, SECTION_SYMBOLS, SECTION_STRINGS, SECTIONS };

static const char strings[] =
	"\0f\0g\0f.cold\0__sanitizer_cov_trace_pc\0__sanitizer_cov_trace_switch\0"
	"exit\0__start___ex_table\0__stop___ex_table";

struct file {
	Elf64_Ehdr header;
	Elf64_Shdr sections[SECTIONS];
	Elf64_Sym symbols[9];
	char strings[sizeof(strings)];
	uint8_t data[DATA_BYTES];
	uint8_t code[MAX_CODE + CALLBACKS];
};

static void add_section(struct file *file, unsigned index, uint32_t type, uint64_t flags,
			uint64_t address, const void *at, size_t bytes)
{
	file->sections[index] = (Elf64_Shdr){
		.sh_type = type,
		.sh_flags = flags,
		.sh_addr = address,
		.sh_offset = (uint64_t)((const uint8_t *)at - (const uint8_t *)file),
		.sh_size = bytes,
		.sh_link = type == SHT_SYMTAB ? SECTION_STRINGS : 0,
		.sh_entsize = type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0,
	};
}

static void add_symbol(struct file *file, unsigned index, const char *name, uint64_t address,
		       uint64_t size, uint16_t section)
{
	size_t at = 1;

	while (strcmp(strings + at, name) != 0)
		at += strlen(strings + at) + 1;
	file->symbols[index] = (Elf64_Sym){
		.st_name = (uint32_t)at,
		.st_info =
			ELF64_ST_INFO(STB_GLOBAL, section == SECTION_TEXT ? STT_FUNC : STT_OBJECT),
		.st_shndx = section,
		.st_value = address,
		.st_size = size,
	};
}

/** An image around the code: f, then g, then the cold part of f, as the header cuts them. */
static void make_file(struct file *file, const uint8_t *header, const uint8_t *data,
		      const uint8_t *code, size_t bytes)
{
	static const uint16_t machines[] = {EM_X86_64, EM_X86_64, EM_AARCH64, EM_RISCV};
	uint64_t g = CODE_BASE + bytes * header[1] / 256;
	uint64_t cold = g + (CODE_BASE + bytes - g) * header[2] / 256;
	uint64_t callback = CODE_BASE + MAX_CODE;

	memset(file, 0, sizeof(*file));
	memcpy(file->strings, strings, sizeof(strings));
	memcpy(file->data, data, DATA_BYTES);
	memcpy(file->code, code, bytes);
	memcpy(file->header.e_ident, ELFMAG, SELFMAG);
	file->header.e_ident[EI_CLASS] = ELFCLASS64;
	file->header.e_ident[EI_DATA] = ELFDATA2LSB;
	file->header.e_ident[EI_VERSION] = EV_CURRENT;
	file->header.e_type = ET_EXEC;
	file->header.e_machine = machines[header[0] & 3];
	file->header.e_version = EV_CURRENT;
	file->header.e_ehsize = sizeof(Elf64_Ehdr);
	file->header.e_shoff = offsetof(struct file, sections);
	file->header.e_shentsize = sizeof(Elf64_Shdr);
	file->header.e_shnum = SECTIONS;
	file->header.e_shstrndx = SECTION_STRINGS;
	add_section(file, SECTION_TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CODE_BASE,
		    file->code, sizeof(file->code));
	add_section(file, SECTION_DATA, SHT_PROGBITS, SHF_ALLOC, DATA_BASE, file->data, DATA_BYTES);
	add_section(file, SECTION_SYMBOLS, SHT_SYMTAB, 0, 0, file->symbols, sizeof(file->symbols));
	add_section(file, SECTION_STRINGS, SHT_STRTAB, 0, 0, file->strings, sizeof(strings));
	add_symbol(file, 1, "f", CODE_BASE, g - CODE_BASE, SECTION_TEXT);
	add_symbol(file, 2, "g", g, cold - g, SECTION_TEXT);
	add_symbol(file, 3, "f.cold", cold, CODE_BASE + bytes - cold, SECTION_TEXT);
	add_symbol(file, 4, "__sanitizer_cov_trace_pc", callback, 16, SECTION_TEXT);
	add_symbol(file, 5, "__sanitizer_cov_trace_switch", callback + 16, 16, SECTION_TEXT);
	add_symbol(file, 6, "exit", callback + 32, 16, SECTION_TEXT);
	add_symbol(file, 7, "__start___ex_table", DATA_BASE, 0, SECTION_DATA);
	add_symbol(file, 8, "__stop___ex_table", DATA_BASE + (header[0] & 4 ? DATA_BYTES : 0), 0,
		   SECTION_DATA);
}

/** How many of the points count. */
static size_t check_order(const struct kct_points *points)
{
	size_t n, n_tails, coverage = 0;
	const struct kct_point *all = kct_points_all(points, &n);
	const uint64_t *tails = kct_points_tail_calls(points, &n_tails);

	for (size_t i = 0; i < n; i++) {
		FUZZ_CHECK(i == 0 || all[i - 1].pc < all[i].pc);
		FUZZ_CHECK(all[i].call < all[i].pc && all[i].kind < KCT_POINT_KINDS);
		FUZZ_CHECK(all[i].call >= CODE_BASE &&
			   all[i].pc <= CODE_BASE + MAX_CODE + CALLBACKS);
		FUZZ_CHECK(kct_points_find(points, all[i].pc) == &all[i]);
		coverage += kct_point_is_coverage(all[i].kind);
	}
	for (size_t i = 1; i < n_tails; i++)
		FUZZ_CHECK(tails[i - 1] < tails[i]);
	return coverage;
}

static size_t check_points(const struct kct_points *points)
{
	const struct kct_points_stats *stats = kct_points_stats(points);
	size_t n, n_tails, sum = 0, coverage = check_order(points);

	kct_points_all(points, &n);
	kct_points_tail_calls(points, &n_tails);
	for (unsigned kind = 0; kind < KCT_POINT_KINDS; kind++)
		sum += stats->kinds[kind];
	FUZZ_CHECK(sum == n && coverage == stats->coverage && n_tails == stats->tail_calls);
	FUZZ_CHECK(stats->undecoded_bytes <= stats->code_bytes);
	return n;
}

static void check_graph(const struct kct_graph *graph, size_t n_points, uint64_t address)
{
	size_t n, n_edges, found;
	const struct kct_block *blocks = kct_graph_blocks(graph, &n);
	const uint32_t *edges = kct_graph_edges(graph, &n_edges);

	for (size_t i = 0; i < n; i++) {
		const struct kct_block *block = &blocks[i];

		FUZZ_CHECK(block->start < block->end);
		FUZZ_CHECK(i == 0 || blocks[i - 1].end <= block->start);
		FUZZ_CHECK(block->first_point <= n_points &&
			   block->n_points <= n_points - block->first_point);
		FUZZ_CHECK(block->first_successor <= n_edges &&
			   block->n_successors <= n_edges - block->first_successor);
		for (uint32_t k = 0; k < block->n_successors; k++)
			FUZZ_CHECK(edges[block->first_successor + k] < n);
		FUZZ_CHECK(kct_graph_find(graph, block->start, &found) == 0 && found == i);
		FUZZ_CHECK(kct_graph_find(graph, block->end - 1, &found) == 0 && found == i);
	}
	(void)address;
}

/** `none`: no point was hit. */
static void check_states(struct kct_states *states, const struct kct_points *points,
			 const struct kct_graph *graph, const uint64_t *hits, bool none)
{
	size_t n, n_points;
	const struct kct_block *blocks = kct_graph_blocks(graph, &n);
	const struct kct_point *all = kct_points_all(points, &n_points);
	uint8_t *of = malloc(n + 1);
	struct kct_error error;

	FUZZ_CHECK(of && kct_states_blocks(states, graph, of, &error) == 0);
	for (size_t i = 0; i < n; i++) {
		bool hit = false, missed = false;

		for (uint32_t k = 0; k < blocks[i].n_points; k++) {
			size_t point = blocks[i].first_point + k;

			if (!kct_point_is_coverage(all[point].kind))
				continue;
			if (hits[point / 64] >> point % 64 & 1)
				hit = true;
			else
				missed = true;
		}
		FUZZ_CHECK((of[i] == KCT_STATE_HIT) == hit);
		FUZZ_CHECK(of[i] != KCT_STATE_IMPLIED || !missed);
		FUZZ_CHECK(!missed || hit || of[i] == KCT_STATE_NOT_REACHED);
		FUZZ_CHECK(!none || of[i] < KCT_STATE_IMPLIED);
	}
	free(of);
}

static void check_functions(struct kct_image *image, const struct kct_points *points,
			    const uint64_t *hits, bool none)
{
	const struct kct_image_function *functions;
	struct kct_states *states = NULL;
	struct kct_error error;
	size_t n, n_points;

	kct_points_all(points, &n_points);
	FUZZ_CHECK(kct_image_functions(image, &functions, &n, &error) == 0);
	if (kct_image_machine(image) != EM_RISCV)
		FUZZ_CHECK(kct_states_new(points, hits, &states, &error) == 0);
	for (size_t i = 0; i < n; i++) {
		struct kct_graph *graph;
		int result = kct_graph_new(points, functions[i].address, &graph, &error);

		if (result < 0) {
			FUZZ_CHECK(result == KCT_ERR_UNSUPPORTED || result == KCT_ERR_NOT_FOUND);
			continue;
		}
		check_graph(graph, n_points, functions[i].address);
		check_states(states, points, graph, hits, none);
		kct_graph_free(graph);
	}
	kct_states_free(states);
}

/** Pack the points, and damage a number of the block: `data` says which, and how. */
static void check_kept(const struct kct_points *points, const uint8_t data[DATA_BYTES])
{
	struct kct_points again = *points;
	uint64_t change, *block;
	size_t bytes, at;

	FUZZ_CHECK(kct_points_pack(points, (void **)&block, &bytes) == 1);
	again.items = NULL;
	again.tails = NULL;
	FUZZ_CHECK(kct_points_unpack(&again, block, bytes));
	FUZZ_CHECK(again.n == points->n && again.n_tails == points->n_tails);
	for (size_t i = 0; i < points->n; i++)
		FUZZ_CHECK(again.items[i].pc == points->items[i].pc &&
			   again.items[i].call == points->items[i].call &&
			   again.items[i].kind == points->items[i].kind);
	for (size_t i = 0; i < points->n_tails; i++)
		FUZZ_CHECK(again.tails[i] == points->tails[i]);
	at = (data[0] | (size_t)data[1] << 8) % (bytes / sizeof(*block));
	memcpy(&change, data + 2, sizeof(change));
	block[at] = data[10] & 1 ? block[at] + change % 16 : block[at] ^ change;
	if (data[10] & 2)
		bytes -= bytes * data[11] / 256;
	if (kct_points_unpack(&again, block, bytes))
		check_order(&again);
	free(block);
}

static void check_image(struct kct_image *image, const uint8_t *header, const uint8_t *data)
{
	const struct kct_points_options options = {.size = sizeof(options), .threads = 1};
	uint64_t seed = 0, *hits;
	struct kct_points *points;
	struct kct_error error;
	size_t n;

	/* Without capstone x86 is refused. */
	if (kct_points_new(image, &options, &points, &error) < 0) {
		FUZZ_CHECK(error.code == KCT_ERR_UNSUPPORTED);
		return;
	}
	n = check_points(points);
	check_kept(points, data);
	hits = calloc(n / 64 + 1, sizeof(*hits));
	FUZZ_CHECK(hits);
	check_functions(image, points, hits, true);
	for (size_t i = 3; i < HEADER_BYTES; i++)
		seed = seed << 8 | header[i];
	for (size_t i = 0; i < n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		hits[i / 64] |= (seed >> 63) << i % 64;
	}
	check_functions(image, points, hits, false);
	free(hits);
	kct_points_free(points);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct file file;
	struct kct_image *image;
	struct kct_error error;

	if (bytes <= HEADER_BYTES + DATA_BYTES || bytes > HEADER_BYTES + DATA_BYTES + MAX_CODE)
		return -1;
	make_file(&file, data, data + HEADER_BYTES, data + HEADER_BYTES + DATA_BYTES,
		  bytes - HEADER_BYTES - DATA_BYTES);
	FUZZ_CHECK(kct_image_open_memory(&file, sizeof(file), "fuzz", &image, &error) == 0);
	check_image(image, data, data + HEADER_BYTES);
	kct_image_free(image);
	return 0;
}
