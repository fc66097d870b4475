/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "record/machine.h"
#include "record/machine_text.h"
#include "util.h"

struct machine {
	struct kct_trace_writer *writer;
	const char *root;
	struct kct_error *error;
};

/** Write an item of text, without the newline at its end, if there is any. */
static int put_text(const struct machine *machine, const char *name, struct text *text)
{
	size_t n = text->n;

	if (!n)
		return 0;
	if (text->bytes[n - 1] == '\n')
		text->bytes[n - 1] = '\0';
	return kct_trace_writer_text(machine->writer, name, text->bytes, machine->error);
}

/** A file of the machine as an item of text. */
static int put_file(const struct machine *machine, const char *name, const char *path)
{
	struct text text = {0};
	int result = 0;

	if (text_read(&text, machine->root, path))
		result = put_text(machine, name, &text);
	text_clear(&text);
	return result;
}

static int put_architecture(const struct machine *machine)
{
	struct utsname system;
	struct text text = {0};
	int result = 0;

	/* A 32-bit program may be told of another machine by uname(). */
	if (!text_read(&text, machine->root, "/proc/sys/kernel/arch") && !machine->root &&
	    uname(&system) == 0)
		text_add(&text, system.machine, strlen(system.machine));
	result = put_text(machine, KCT_META_ARCHITECTURE, &text);
	text_clear(&text);
	return result;
}

/** The build ID in the notes of the kernel, which are in its own byte order. */
static int put_build_id(const struct machine *machine)
{
	struct text notes = {0};
	Elf64_Nhdr note; /* that of 32 bits is the same */
	size_t at = 0;
	int result = 0;

	text_read(&notes, machine->root, "/sys/kernel/notes");
	while (notes.n - at >= sizeof(note)) {
		size_t name, value;

		memcpy(&note, notes.bytes + at, sizeof(note));
		name = at + sizeof(note);
		value = name + ((size_t)note.n_namesz + 3) / 4 * 4;
		at = value + ((size_t)note.n_descsz + 3) / 4 * 4;
		if (at > notes.n)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    memcmp(notes.bytes + name, "GNU", sizeof("GNU")) == 0) {
			result = kct_trace_writer_bytes(machine->writer, KCT_META_BUILD_ID,
							notes.bytes + value, note.n_descsz,
							machine->error);
			break;
		}
	}
	text_clear(&notes);
	return result;
}

/** Entries of a folder whose names do not begin with a dot, in order; -1 if it cannot be read. */
static int entries(const char *root, const char *folder, struct dirent ***ret_entries)
{
	char *path;
	int n;

	if (asprintf(&path, "%s%s", root ? root : "", folder) < 0)
		return -1;
	n = scandir(path, ret_entries, NULL, alphasort);
	free(path);
	return n;
}

static bool is_word(const char *name)
{
	for (; *name; name++) {
		if ((unsigned char)*name <= ' ' || *name == '#' || *name == 0x7f)
			return false;
	}
	return true;
}

/** Lines `MODULE SECTION ADDRESS` of one module. */
static void add_sections(const struct machine *machine, const char *module, struct text *text)
{
	struct dirent **sections;
	char *folder, *path;
	int n, i;

	if (asprintf(&folder, "/sys/module/%s/sections", module) < 0)
		return;
	n = entries(machine->root, folder, &sections);
	for (i = 0; i < n; i++) {
		struct text address = {0};
		const char *name = sections[i]->d_name;

		/* Names that are words: anything else would make lines of its own. */
		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && is_word(name) &&
		    asprintf(&path, "%s/%s", folder, name) >= 0) {
			if (text_read(&address, machine->root, path) && address.n) {
				address.bytes[strcspn(address.bytes, "\n")] = '\0';
				text_printf(text, "%s %s %s\n", module, name, address.bytes);
			}
			free(path);
		}
		text_clear(&address);
		free(sections[i]);
	}
	if (n >= 0)
		free(sections);
	free(folder);
}

static int put_sections(const struct machine *machine)
{
	struct dirent **modules;
	struct text text = {0};
	int n = entries(machine->root, "/sys/module", &modules), result, i;

	for (i = 0; i < n; i++) {
		if (modules[i]->d_name[0] != '.' && is_word(modules[i]->d_name))
			add_sections(machine, modules[i]->d_name, &text);
		free(modules[i]);
	}
	if (n >= 0)
		free(modules);
	result = put_text(machine, KCT_META_MODULE_SECTIONS, &text);
	text_clear(&text);
	return result;
}

/**
 * Of the symbols only those that a vmlinux cannot give: where it was loaded, and the modules'. All
 * addresses are 0 for users who may not see them.
 */
static bool wants_symbol(const char *line, size_t length)
{
	const char *name = memchr(line, ' ', length);

	if (!name || length < 20 || strspn(line, "0") == (size_t)(name - line))
		return false;
	if (memchr(line, '\t', length))
		return true;
	name += 3; /* the type and a blank */
	length -= (size_t)(name - line);
	return (length == 5 && memcmp(name, "_text", 5) == 0) ||
	       (length == 6 && memcmp(name, "_stext", 6) == 0);
}

static int put_symbols(const struct machine *machine)
{
	struct text all = {0}, wanted = {0};
	const char *line, *end;
	int result;

	text_read(&all, machine->root, "/proc/kallsyms");
	for (line = all.bytes; line && (end = strchr(line, '\n')); line = end + 1) {
		if (wants_symbol(line, (size_t)(end - line)))
			text_add(&wanted, line, (size_t)(end - line) + 1);
	}
	result = put_text(machine, KCT_META_KALLSYMS, &wanted);
	text_clear(&all);
	text_clear(&wanted);
	return result;
}

int machine_write(struct kct_trace_writer *writer, const char *root, struct kct_error *error)
{
	const struct machine machine = {writer, root, error};
	int result = put_file(&machine, KCT_META_KERNEL_RELEASE, "/proc/sys/kernel/osrelease");

	if (result >= 0)
		result = put_file(&machine, KCT_META_KERNEL_VERSION, "/proc/version");
	if (result >= 0)
		result = put_architecture(&machine);
	if (result >= 0)
		result = put_build_id(&machine);
	if (result >= 0)
		result = put_file(&machine, KCT_META_PROC_MODULES, "/proc/modules");
	if (result >= 0)
		result = put_sections(&machine);
	return result < 0 ? result : put_symbols(&machine);
}
