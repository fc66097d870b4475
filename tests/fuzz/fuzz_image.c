/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ELF files with any bytes. The first eight bytes choose addresses and the slide, the rest is the
 * file. What must hold:
 * - a refusal has a code and one line
 * - functions have names and ascend, and a look-up at each finds something
 * - a result is consistent: frames, names, bounds around the address, reasons
 * - asking again gives the same result; so does a second symbolizer, as a batch and as a function
 *   source; a return address means the byte before it
 * - where neither finds anything wrong, libdw reads the same entries and rows of the debug information
 */
#include <string.h>

#include <kcovtrace/kcovtrace.h>

#include "elf/reference.h"
#include "fuzz.h"
#include "image/image.h"

#define HEADER_BYTES 8u
#define MAX_PCS	     160u

/* What the first bytes choose. */
struct choice {
	uint64_t base; /* where sections of a module go */
	uint64_t slide;
	bool slid;
	bool strip;
	enum kct_pc_kind kind;
	uint64_t random; /* addresses */
	bool thumb;	 /* the file is for 32-bit ARM: the lowest bit of a PC is no address */
};

struct pcs {
	uint64_t at[MAX_PCS];
	size_t n;
};

static void choose(const uint8_t *header, struct choice *choice)
{
	static const uint64_t bases[] = {0xffffffffa0000000, 0x10000, 0, 0xfffffffffffff000};

	*choice = (struct choice){
		.base = bases[header[0] & 3],
		.slide = header[0] & 4 ? (uint64_t)header[1] << 21 : 0,
		.slid = header[0] & 8,
		.strip = header[0] & 16,
		.kind = header[0] & 32 ? KCT_PC_CALL : KCT_PC_RETURN,
	};
	for (size_t i = 2; i < HEADER_BYTES; i++)
		choice->random = choice->random << 8 | header[i];
}

static bool is_line(const char *text)
{
	return text && !strchr(text, '\n');
}

static void add_pc(struct pcs *pcs, uint64_t pc)
{
	if (pcs->n < MAX_PCS)
		pcs->at[pcs->n++] = pc;
}

static void place_sections(struct kct_image *image, const struct choice *choice)
{
	static const char *const names[] = {".text", ".init.text", ".text.unlikely", ".data"};
	uint64_t address = choice->base;

	FUZZ_CHECK(kct_image_set_section(image, "none of this name", 1) < 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int result = kct_image_set_section(image, names[i], address);

		if (kct_image_is_relocatable(image))
			FUZZ_CHECK(result == 0 || result == KCT_ERR_NOT_FOUND);
		else
			FUZZ_CHECK(result == KCT_ERR_ARGUMENT);
		address += 0x800;
	}
}

static void check_identity(struct kct_image *image)
{
	size_t n;
	const uint8_t *id = kct_image_build_id(image, &n);

	FUZZ_CHECK((id != NULL) == (n > 0) && n <= 64);
	FUZZ_CHECK(strcmp(kct_image_name(image), "fuzz") == 0);
	if (kct_image_module_name(image))
		FUZZ_CHECK(kct_image_module_name(image)[0] != '\0');
}

static void check_debug_status(struct kct_image *image)
{
	const char *reason = NULL, *again = NULL;
	enum kct_debug_status status = kct_image_debug_status(image, &reason);

	FUZZ_CHECK(is_line(reason));
	FUZZ_CHECK(status == KCT_DEBUG_DWARF || reason[0] != '\0');
	FUZZ_CHECK(kct_image_debug_status(image, &again) == status && strcmp(again, reason) == 0);
}

/** The functions of the image, and what to look up for them. */
static void check_functions(struct kct_image *image, struct pcs *pcs)
{
	const struct kct_image_function *functions;
	uint64_t address;
	size_t n;

	FUZZ_CHECK(kct_image_functions(image, &functions, &n, NULL) == 0);
	for (size_t i = 0; i < n; i++) {
		FUZZ_CHECK(functions[i].name && functions[i].name[0]);
		FUZZ_CHECK(i == 0 || functions[i].address > functions[i - 1].address);
		if (i >= 24)
			continue;
		FUZZ_CHECK(kct_image_symbol(image, functions[i].name, &address) == 0);
		add_pc(pcs, functions[i].address);
		add_pc(pcs, functions[i].address + 1);
		add_pc(pcs, functions[i].address + functions[i].size / 2);
		add_pc(pcs, functions[i].address + functions[i].size);
	}
}

/** Addresses that have nothing to do with symbols; the odd ones are the edges. */
static void add_pcs(struct pcs *pcs, const struct choice *choice)
{
	uint64_t random = choice->random;

	for (unsigned i = 0; i < 16; i++) {
		add_pc(pcs, choice->base + 16 * i);
		add_pc(pcs, 0x401000 + 32 * i);
		random = random * 6364136223846793005u + 1442695040888963407u;
		add_pc(pcs, i % 2 ? random : random >> 44);
	}
	add_pc(pcs, 0);
	add_pc(pcs, 1);
	add_pc(pcs, UINT64_MAX);
	add_pc(pcs, choice->random);
}

static void check_frames(const struct kct_symbol *symbol)
{
	for (uint32_t i = 0; i < symbol->n_frames; i++) {
		const struct kct_symbol_frame *frame = &symbol->frames[i];

		FUZZ_CHECK((frame->file == NULL) == (frame->raw_file == NULL));
		FUZZ_CHECK(!frame->file || frame->file[0] != '\0');
		FUZZ_CHECK(frame->line != 0 || frame->column == 0);
	}
	FUZZ_CHECK(symbol->n_frames == 0 ||
		   symbol->frames[symbol->n_frames - 1].function == symbol->function);
}

static void check_symbol(const struct kct_symbol *symbol, uint64_t pc, const struct choice *choice)
{
	uint64_t start = choice->thumb ? pc & ~(uint64_t)1 : pc;
	uint64_t byte = choice->kind == KCT_PC_RETURN ? start - 1 : start;

	FUZZ_CHECK(symbol->pc == pc && symbol->reason < KCT_SYMBOL_REASONS);
	FUZZ_CHECK((symbol->n_frames > 0) == (symbol->frames != NULL));
	FUZZ_CHECK(!symbol->function || (symbol->n_frames > 0 && symbol->identity != 0));
	FUZZ_CHECK(!symbol->symbol || symbol->function);
	FUZZ_CHECK(!symbol->function || symbol->module);
	FUZZ_CHECK(symbol->reason != KCT_SYMBOL_NONE ||
		   (symbol->n_frames > 0 && symbol->frames[0].line != 0));
	if (symbol->identity != 0) {
		FUZZ_CHECK(symbol->offset == pc - symbol->start);
		FUZZ_CHECK(symbol->size == 0 || byte - symbol->start < symbol->size);
	} else {
		FUZZ_CHECK(symbol->start == 0 && symbol->size == 0 && !symbol->guessed);
	}
	check_frames(symbol);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static void check_same(const struct kct_symbol *a, const struct kct_symbol *b)
{
	FUZZ_CHECK(a->start == b->start && a->size == b->size && a->identity == b->identity &&
		   a->n_frames == b->n_frames && a->reason == b->reason &&
		   a->guessed == b->guessed);
	FUZZ_CHECK(same_text(a->function, b->function) && same_text(a->symbol, b->symbol) &&
		   same_text(a->module, b->module));
	for (uint32_t i = 0; i < a->n_frames; i++) {
		const struct kct_symbol_frame *one = &a->frames[i], *other = &b->frames[i];

		FUZZ_CHECK(one->line == other->line && one->column == other->column &&
			   same_text(one->function, other->function) &&
			   same_text(one->file, other->file) &&
			   same_text(one->raw_file, other->raw_file));
	}
}

/** NULL: the image cannot be added. */
static struct kct_symbolizer *symbolizer_of(struct kct_image *image, const struct choice *choice)
{
	struct kct_symbolizer *symbolizer;
	struct kct_error error = {0};
	int result;

	FUZZ_CHECK(kct_symbolizer_new(&symbolizer) == 0);
	FUZZ_CHECK(kct_symbolizer_set_slide(symbolizer, choice->slide, choice->slid) == 0);
	FUZZ_CHECK(kct_symbolizer_strip_build_dir(symbolizer, choice->strip) == 0);
	FUZZ_CHECK(kct_symbolizer_map_path(symbolizer, "/usr", "") == 0);
	result = kct_symbolizer_add_image(symbolizer, image, "image", &error);
	if (result == 0)
		return symbolizer;
	FUZZ_CHECK(result == KCT_ERR_ARGUMENT && kct_image_is_relocatable(image));
	FUZZ_CHECK(error.code == result && is_line(error.text));
	kct_symbolizer_free(symbolizer);
	return NULL;
}

/** One by one; then the same from others: a batch, the function source, the other kind. */
static void check_lookups(struct kct_symbolizer *one, struct kct_symbolizer *two,
			  const struct choice *choice, const struct pcs *pcs)
{
	struct kct_function_source source = kct_symbolizer_functions(two, choice->kind);
	bool is_return = choice->kind == KCT_PC_RETURN;
	const struct kct_symbol *symbol, *again, *batch[MAX_PCS];
	struct kct_error error;

	FUZZ_CHECK(kct_symbolizer_batch(two, pcs->at, pcs->n / 2, choice->kind, NULL, NULL, batch,
					&error) == 0);
	for (size_t i = 0; i < pcs->n; i++) {
		uint64_t pc = pcs->at[i], identity = 0;

		FUZZ_CHECK(source.function_of(source.context, pc, &identity) == (identity != 0));
		FUZZ_CHECK(kct_symbolizer_lookup(one, pc, choice->kind, &symbol, &error) == 0);
		check_symbol(symbol, pc, choice);
		FUZZ_CHECK(symbol->identity == identity);
		FUZZ_CHECK(kct_symbolizer_lookup(one, pc, choice->kind, &again, &error) == 0);
		FUZZ_CHECK(again == symbol);
		if (i < pcs->n / 2)
			check_same(symbol, batch[i]);
		FUZZ_CHECK(kct_symbolizer_lookup(two, is_return ? pc - 1 : pc + 1,
						 is_return ? KCT_PC_CALL : KCT_PC_RETURN, &again,
						 &error) == 0);
		FUZZ_CHECK(choice->thumb ||
			   (again->start == symbol->start && again->size == symbol->size &&
			    again->identity == symbol->identity &&
			    again->n_frames == symbol->n_frames));
	}
}

/** libdw leaves out sections of a group, even if nothing else has what they have. */
static bool has_groups(Dwarf *dwarf)
{
	Elf *elf = dwarf_getelf(dwarf);
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_GROUP)
			return true;
	return false;
}

/** Small files only: libdw takes much more than a linear time for some. */
static void check_reader(struct kct_image *image)
{
	struct reference result = {.log = stderr};
	const struct kct_debug *debug = &image->debug;

	if (!debug->reader || image->bytes > 1 << 16 || kct_dwarf_complaint(debug->reader) ||
	    kct_dwarf_missing_split(debug->reader) > 0 || has_groups(debug->dwarf))
		return;
	if (reference_compare(debug->dwarf, debug->reader, !image->relocatable, &result) &&
	    !kct_dwarf_complaint(debug->reader))
		FUZZ_CHECK(result.differences == 0);
}

static void check_image(struct kct_image *image, const struct choice *choice)
{
	struct kct_symbolizer *one, *two;
	struct pcs pcs = {.n = 0};

	check_identity(image);
	if (choice->random & 1)
		check_debug_status(image);
	place_sections(image, choice);
	one = symbolizer_of(image, choice);
	if (one) {
		two = symbolizer_of(image, choice);
		FUZZ_CHECK(two);
		check_functions(image, &pcs);
		add_pcs(&pcs, choice);
		check_lookups(one, two, choice, &pcs);
		kct_symbolizer_free(two);
	}
	check_debug_status(image);
	kct_symbolizer_free(one);
	if (one)
		check_reader(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct kct_error error = {0};
	struct kct_image *image;
	struct choice choice;
	uint8_t *file;
	int result;

	if (bytes < HEADER_BYTES)
		return -1;
	choose(data, &choice);
	bytes -= HEADER_BYTES;
	file = malloc(bytes ? bytes : 1);
	FUZZ_CHECK(file);
	memcpy(file, data + HEADER_BYTES, bytes);
	result = kct_image_open_memory(file, bytes, "fuzz", &image, &error);
	if (result == 0) {
		choice.thumb = kct_image_machine(image) == EM_ARM;
		check_image(image, &choice);
		kct_image_free(image);
	} else {
		/* A damaged symbol file is neither; what is packed may unpack to too much. */
		FUZZ_CHECK(result == KCT_ERR_ELF || result == KCT_ERR_UNSUPPORTED ||
			   result == KCT_ERR_DAMAGED || result == KCT_ERR_LIMIT);
		FUZZ_CHECK(error.code == result && error.text[0] && is_line(error.text));
	}
	free(file);
	return 0;
}
