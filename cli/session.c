/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "input.h"
#include "message.h"
#include "module_files.h"
#include "progress.h"
#include "session.h"

static bool wants_symbols(const struct options *options)
{
	return options->vmlinux || options->kallsyms || options->modules.n || options->module_dir;
}

/** Keep an image that was opened; say what its debug information lacks. */
static void keep_image(struct session *session, struct kct_image *image)
{
	const char *reason;

	grow(&session->images, session->n_images, &session->max_images);
	session->images[session->n_images++] = image;
	if (kct_image_debug_status(image, &reason) != KCT_DEBUG_DWARF)
		warning("%s: %s", kct_image_name(image), reason);
}

static int add_vmlinux(struct session *session, const char *path)
{
	struct kct_error error;
	struct kct_image *image;

	if (kct_image_open(path, &image, &error) < 0)
		return failure_of(path, &error);
	if (kct_image_is_relocatable(image)) {
		kct_image_free(image);
		return failure("%s: a module or object file, not a kernel: give it with --module",
			       path);
	}
	keep_image(session, image);
	session->vmlinux = image;
	if (kct_symbolizer_add_image(session->symbolizer, image, "vmlinux", &error) < 0)
		return failure_of(path, &error);
	return STATUS_FINE;
}

/** One line `MODULE SECTION ADDRESS`. */
struct section_line {
	char *module; /**< the start of the line, which the other pointers point into */
	char *section;
	uint64_t address;
};

struct section_lines {
	struct section_line *lines;
	size_t n, max;
};

/** Parse a line, which is changed. 1: done, 0: blank or a comment, -1: malformed. */
static int parse_section(char *line, struct section_line *ret)
{
	static const char blanks[] = " \t\r";
	char *rest, *address;

	line[strcspn(line, "#")] = '\0';
	ret->module = strtok_r(line, blanks, &rest);
	if (!ret->module)
		return 0;
	ret->section = strtok_r(NULL, blanks, &rest);
	address = ret->section ? strtok_r(NULL, blanks, &rest) : NULL;
	if (!address || strtok_r(NULL, blanks, &rest) ||
	    kct_parse_address(address, strlen(address), &ret->address) < 0)
		return -1;
	return 1;
}

/** Split text that is changed into lines. `path` is for messages. */
static int split_sections(const char *path, char *text, struct section_lines *lines)
{
	int status = STATUS_FINE;
	size_t number = 0;
	char *at = text;

	while (at) {
		char *line = strsep(&at, "\n");
		int r;

		grow(&lines->lines, lines->n, &lines->max);
		r = parse_section(line, &lines->lines[lines->n]);
		number++;
		if (r > 0)
			lines->n++;
		else if (r < 0)
			status = failure("%s:%zu: not of the form MODULE SECTION ADDRESS", path,
					 number);
	}
	return status;
}

static int read_sections(const char *path, char **ret_text, struct section_lines *lines)
{
	struct kct_file *file;
	const char *data;
	size_t bytes;
	int status = open_file(path, &file);

	if (!file)
		return status;
	data = kct_file_data(file, &bytes);
	*ret_text = zeroed(char, bytes + 1);
	memcpy(*ret_text, data, bytes);
	kct_file_free(file);
	return worst(status, split_sections(path, *ret_text, lines));
}

/** Give the sections of a module their addresses. */
static int place_module(struct kct_image *image, const char *name, size_t length,
			const struct section_lines *lines)
{
	size_t i, placed = 0;

	for (i = 0; i < lines->n; i++) {
		const struct section_line *line = &lines->lines[i];

		if (!module_is(line->module, name, length))
			continue;
		/* /sys/module lists sections that a stripped file has no more. */
		if (kct_image_set_section(image, line->section, line->address) < 0)
			note("%s: no section %s", kct_image_name(image), line->section);
		else
			placed++;
	}
	if (!placed)
		return failure("%s: no address for module %.*s: --module-sections gives them",
			       kct_image_name(image), (int)length, name);
	return STATUS_FINE;
}

static int add_module(struct session *session, const char *name, size_t length, const char *path,
		      const struct section_lines *lines)
{
	char *copy = strndup(name, length);
	struct kct_error error;
	struct kct_image *image;
	int status = STATUS_FINE;

	if (!copy || kct_image_open(path, &image, &error) < 0) {
		status = copy ? failure_of(path, &error) : failure_code(path, KCT_ERR_NO_MEMORY);
		free(copy);
		return status;
	}
	keep_image(session, image);
	if (kct_image_is_relocatable(image))
		status = place_module(image, name, length, lines);
	if (status == STATUS_FINE &&
	    kct_symbolizer_add_image(session->symbolizer, image, copy, &error) < 0)
		status = failure_of(path, &error);
	free(copy);
	return status;
}

static bool named_on_command_line(const struct options *options, const char *module)
{
	const char *path;
	size_t i, length;

	for (i = 0; i < options->modules.n; i++) {
		split_pair(options->modules.values[i], &length, &path);
		if (module_is(module, options->modules.values[i], length))
			return true;
	}
	return false;
}

static int add_directory(struct session *session, const char *directory,
			 const struct section_lines *lines)
{
	struct module_files files = {0};
	int status = module_files_find(&files, directory);
	size_t i, j, wanted = 0, found = 0;

	if (status != STATUS_FINE && !files.n)
		return status;
	for (i = 0; i < lines->n; i++) {
		const char *module = lines->lines[i].module, *path;

		for (j = 0; strcmp(lines->lines[j].module, module) != 0; j++)
			;
		if (j < i || named_on_command_line(session->options, module))
			continue;
		wanted++;
		path = module_files_path(&files, module);
		if (path)
			status = worst(status,
				       add_module(session, module, strlen(module), path, lines));
		else
			warning("%s: no object file of module %s", directory, module);
		found += path != NULL;
	}
	module_files_clear(&files);
	if (wanted && !found && status == STATUS_FINE)
		status =
			failure("%s: no object file of any module in --module-sections", directory);
	return status;
}

static int add_modules(struct session *session)
{
	const struct options *options = session->options;
	struct section_lines lines = {0};
	char *text = NULL;
	int status = STATUS_FINE;
	size_t i;

	if (options->module_sections) {
		status = read_sections(options->module_sections, &text, &lines);
	} else if (session->capture_sections) {
		text = strdup(session->capture_sections);
		status = split_sections("the trace's module sections", text, &lines);
	}
	for (i = 0; i < options->modules.n; i++) {
		const char *pair = options->modules.values[i], *path;
		size_t length;

		split_pair(pair, &length, &path);
		status = worst(status, add_module(session, pair, length, path, &lines));
	}
	if (options->module_dir)
		status = worst(status, add_directory(session, options->module_dir, &lines));
	free(lines.lines);
	free(text);
	return status;
}

/** The KASLR offset, from where the symbol _stext is and where it was linked to. */
static void find_kaslr(struct session *session)
{
	uint64_t linked, loaded;

	if (session->options->has_kaslr || !session->vmlinux ||
	    kct_image_symbol(session->vmlinux, "_stext", &linked) < 0 ||
	    kct_kallsyms_symbol(session->kallsyms, "_stext", &loaded) < 0)
		return;
	session->kaslr = loaded - linked;
	session->has_kaslr = true;
	if (session->kaslr)
		note("KASLR offset 0x%llx, from _stext in %s", (unsigned long long)session->kaslr,
		     session->options->kallsyms);
}

static int add_kallsyms(struct session *session, const char *path)
{
	struct kct_error error;
	const char *text;
	size_t bytes;
	int r, status = open_file(path, &session->kallsyms_file);

	if (!session->kallsyms_file)
		return status;
	text = kct_file_data(session->kallsyms_file, &bytes);
	if (kct_kallsyms_parse(text, bytes, &session->kallsyms, &error) < 0)
		return failure_of(path, &error);
	find_kaslr(session);
	r = kct_symbolizer_add_kallsyms(session->symbolizer, session->kallsyms);
	return r < 0 ? failure_code(path, r) : status;
}

static int set_paths(struct session *session)
{
	const struct options *options = session->options;
	int r = 0;
	size_t i;

	for (i = 0; i < options->path_maps.n && r >= 0; i++) {
		const char *to;
		size_t length;
		char *from;

		split_pair(options->path_maps.values[i], &length, &to);
		from = strndup(options->path_maps.values[i], length);
		r = from ? kct_symbolizer_map_path(session->symbolizer, from, to)
			 : KCT_ERR_NO_MEMORY;
		free(from);
	}
	if (r >= 0 && options->strip_build_dir)
		r = kct_symbolizer_strip_build_dir(session->symbolizer, true);
	return r < 0 ? failure_code("source paths", r) : STATUS_FINE;
}

void session_begin(struct session *session, const struct options *options)
{
	*session = (struct session){
		.options = options, .kaslr = options->kaslr, .has_kaslr = options->has_kaslr};
}

static int open_images(struct session *session)
{
	const struct options *options = session->options;
	int r, status;

	if (options->module_dir && !options->module_sections && !session->capture_sections)
		return usage_failure(options->command->name,
				     "--modules needs --module-sections: where the modules were");
	if (!wants_symbols(options))
		return STATUS_FINE;
	r = kct_symbolizer_new(&session->symbolizer);
	if (r < 0)
		return failure_code("symbols", r);
	status = set_paths(session);
	if (options->vmlinux)
		status = worst(status, add_vmlinux(session, options->vmlinux));
	status = worst(status, add_modules(session));
	if (options->kallsyms)
		status = worst(status, add_kallsyms(session, options->kallsyms));
	/* Nothing could be used: go on without symbols instead of naming nothing. */
	if (!session->n_images && !session->kallsyms) {
		kct_symbolizer_free(session->symbolizer);
		session->symbolizer = NULL;
	}
	return status;
}

/** Whether the image of -k is the kernel that a capture was recorded on. */
static bool is_same_kernel(const struct session *session, const char *name,
			   const struct capture_facts *facts)
{
	char theirs[2 * 64 + 1], ours[2 * 64 + 1];
	const uint8_t *build_id;
	size_t bytes;

	if (!session->vmlinux || !facts->known)
		return true;
	build_id = kct_image_build_id(session->vmlinux, &bytes);
	if (!build_id || !facts->build_id) {
		note("%s has no build ID: whether %s is the kernel of the trace cannot be told",
		     build_id ? name : kct_image_name(session->vmlinux),
		     kct_image_name(session->vmlinux));
		return true;
	}
	if (bytes == facts->build_id_bytes && memcmp(build_id, facts->build_id, bytes) == 0)
		return true;
	hex_of(facts->build_id, facts->build_id_bytes, theirs);
	hex_of(build_id, bytes, ours);
	if (session->options->force)
		warning("%s: recorded on kernel %s, but %s is %s", name, theirs,
			kct_image_name(session->vmlinux), ours);
	else
		failure("%s: recorded on kernel %s, but %s is %s; --force goes on all the same",
			name, theirs, kct_image_name(session->vmlinux), ours);
	return session->options->force;
}

/** Whether a later capture has the kernel and the modules where the session has them. */
static bool is_same_place(const struct session *session, const char *name,
			  const struct capture_facts *facts)
{
	const struct options *options = session->options;
	bool moved = facts->has_kaslr && !session->has_kaslr && facts->kaslr != session->kaslr;
	bool modules = (options->modules.n || options->module_dir) && !options->module_sections;

	if (modules && facts->module_sections &&
	    (!session->capture_sections ||
	     strcmp(session->capture_sections, facts->module_sections) != 0))
		moved = true;
	if (moved && session->symbolizer)
		failure("%s: the kernel or its modules were elsewhere than in an earlier trace: "
			"both cannot be named in one run",
			name);
	return !moved || !session->symbolizer;
}

int session_use(struct session *session, const char *name, const struct capture_facts *facts,
		bool *ret_fits)
{
	int status = STATUS_FINE;

	if (!session->opened) {
		session->opened = true;
		if (facts->module_sections)
			session->capture_sections = strdup(facts->module_sections);
		status = open_images(session);
		/* What --kallsyms says was asked for; the capture fills in what is not known. */
		if (facts->has_kaslr && !session->has_kaslr)
			session->kaslr = facts->kaslr;
		*ret_fits = is_same_kernel(session, name, facts);
	} else {
		*ret_fits =
			is_same_place(session, name, facts) && is_same_kernel(session, name, facts);
	}
	return *ret_fits ? status : worst(status, STATUS_PARTLY);
}

/** The name of a module: what it says itself, or that of its file. */
static char *module_name(struct kct_image *image, const char *path)
{
	const char *name = kct_image_module_name(image), *slash = strrchr(path, '/');
	char *copy;

	if (!name)
		name = slash ? slash + 1 : path;
	copy = zeroed(char, strlen(name) + 1);
	return strcpy(copy, name);
}

int session_use_image(struct session *session, const char *path, struct kct_image **ret_image)
{
	const char *sections = session->options->module_sections;
	struct section_lines lines = {0};
	struct kct_error error;
	struct kct_image *image;
	char *name, *text = NULL;
	int status;

	*ret_image = NULL;
	session->opened = true;
	if (kct_symbolizer_new(&session->symbolizer) < 0)
		return failure_code(path, KCT_ERR_NO_MEMORY);
	status = set_paths(session);
	if (kct_image_open(path, &image, &error) < 0)
		return failure_of(path, &error);
	keep_image(session, image);
	name = kct_image_is_relocatable(image) ? module_name(image, path) : strdup("vmlinux");
	if (kct_image_is_relocatable(image)) {
		if (sections)
			status = read_sections(sections, &text, &lines);
		if (sections)
			status = worst(status, place_module(image, name, strlen(name), &lines));
		else
			note("%s: addresses count from the start of .text: --module-sections gives "
			     "those of a loaded module",
			     path);
		kct_image_place_sections(image, 0);
	}
	if (kct_symbolizer_add_image(session->symbolizer, image, name, &error) < 0)
		status = failure_of(path, &error);
	else
		*ret_image = image;
	free(name);
	free(lines.lines);
	free(text);
	return status;
}

void session_close(struct session *session)
{
	free(session->capture_sections);
	size_t i;

	kct_symbolizer_free(session->symbolizer);
	for (i = 0; session->points && i < session->n_images; i++)
		kct_points_free(session->points[i]);
	free(session->points);
	for (i = 0; i < session->n_images; i++)
		kct_image_free(session->images[i]);
	free(session->images);
	kct_kallsyms_free(session->kallsyms);
	kct_file_free(session->kallsyms_file);
	*session = (struct session){0};
}

int session_use_slide(struct session *session, bool slid)
{
	int r;

	if (!session->symbolizer || (session->slide_set && session->slid == slid))
		return STATUS_FINE;
	if (session->slide_set)
		return failure("inputs with and without the KASLR offset in their PCs cannot be "
			       "named in one run");
	r = kct_symbolizer_set_slide(session->symbolizer, session->kaslr, slid);
	session->slide_set = true;
	session->slid = slid;
	return r < 0 ? failure_code("KASLR offset", r) : STATUS_FINE;
}

const struct kct_symbol *session_lookup(struct session *session, uint64_t pc)
{
	const struct kct_symbol *symbol;

	if (!session->symbolizer ||
	    kct_symbolizer_lookup(session->symbolizer, pc, session->options->pc_kind, &symbol,
				  NULL) < 0)
		return NULL;
	return symbol;
}

int session_batch(struct session *session, const uint64_t *pcs, size_t n,
		  const struct kct_symbol **symbols)
{
	struct kct_error error;
	int r;

	if (n)
		memset(symbols, 0, n * sizeof(*symbols));
	if (!session->symbolizer || !n)
		return STATUS_FINE;
	progress_start("symbolizing");
	r = kct_symbolizer_batch(session->symbolizer, pcs, n, session->options->pc_kind,
				 progress_report, NULL, symbols, &error);
	progress_clear();
	return r < 0 ? failure_of("symbols", &error) : STATUS_FINE;
}

struct kct_function_source session_functions(struct session *session)
{
	struct kct_function_source source = {NULL, NULL};

	if (session->symbolizer)
		source = kct_symbolizer_functions(session->symbolizer, session->options->pc_kind);
	return source;
}
