/* SPDX-License-Identifier: BSD-2-Clause */
/* The modules of a session: which there are, where their sections were, where their files are. */
#include <stdio.h>

#include "images.h"
#include "input.h"
#include "message.h"
#include "module_files.h"

/** One line `MODULE SECTION ADDRESS`, or of /proc/modules, which says where the memory begins. */
struct place {
	char *module;  /**< the start of the line, which the other pointers point into */
	char *section; /**< NULL: the memory of the module */
	uint64_t address;
};

struct places {
	struct place *places;
	size_t n, max;
	const struct place **by_name; /**< those of a module in their order */
	char *text;		      /**< that they point into */
	bool hidden; /**< addresses were zeros, as who may not see them gets them */
};

/** Places by the names of their modules, those of one module in their order. */
static int compare_places(const void *a, const void *b)
{
	const struct place *left = *(const struct place *const *)a;
	const struct place *right = *(const struct place *const *)b;
	int order = module_compare(left->module, right->module, strlen(right->module));

	if (order)
		return order;
	return left < right ? -1 : left > right;
}

static void sort_places(struct places *places)
{
	size_t i;

	places->by_name = zeroed(const struct place *, places->n);
	for (i = 0; i < places->n; i++)
		places->by_name[i] = &places->places[i];
	if (places->n)
		qsort(places->by_name, places->n, sizeof(*places->by_name), compare_places);
}

/** Number in `by_name` of the first place of a module; the others follow it. `n` if there is none. */
static size_t find_module(const struct places *places, const char *name, size_t length)
{
	size_t low = 0, high = places->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (module_compare(places->by_name[middle]->module, name, length) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < places->n && module_is(places->by_name[low]->module, name, length))
		return low;
	return places->n;
}

static void clear_places(struct places *places)
{
	free(places->by_name);
	free(places->places);
	free(places->text);
}

/* How a line is read, which is changed. 1: done, 0: nothing in it, -1: malformed. */
typedef int parse_function(char *line, struct place *ret);

static const char blanks[] = " \t\r";

static int parse_section(char *line, struct place *ret)
{
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

/** A line of /proc/modules: name, size, users, their names, state, address, taints. */
static int parse_proc_modules(char *line, struct place *ret)
{
	char *rest, *word;
	int i;

	ret->section = NULL;
	ret->module = strtok_r(line, blanks, &rest);
	if (!ret->module)
		return 0;
	for (i = 0; i < 5; i++)
		word = strtok_r(NULL, blanks, &rest);
	if (!word || kct_parse_address(word, strlen(word), &ret->address) < 0)
		return -1;
	return 1;
}

/** Split text that is changed into places. `path` is for messages. */
static int split_places(const char *path, parse_function *parse, const char *form,
			struct places *places)
{
	int status = STATUS_FINE;
	size_t number = 0;
	char *at = places->text;

	while (at) {
		char *line = strsep(&at, "\n");
		int r;

		grow(&places->places, places->n, &places->max);
		r = parse(line, &places->places[places->n]);
		number++;
		if (r > 0 && places->places[places->n].address == 0)
			places->hidden = true;
		else if (r > 0)
			places->n++;
		else if (r < 0)
			status = failure("%s:%zu: not of the form %s", path, number, form);
	}
	if (places->hidden && !places->n)
		status = failure("%s: all addresses are zero: it was read without the right to see "
				 "them (kernel.kptr_restrict); read it as root",
				 path);
	return status;
}

static int read_text(const char *path, char **ret_text)
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
	return status;
}

/** Find out where modules were: from section addresses if there are any, else from /proc/modules;
 *  what an option names before what the capture holds. */
static int collect_places(const struct session *session, struct places *places)
{
	static const char sections_form[] = "MODULE SECTION ADDRESS";
	static const char proc_form[] = "NAME SIZE USERS NAMES STATE ADDRESS";
	const struct options *options = session->options;
	int status;

	if (options->module_sections) {
		status = read_text(options->module_sections, &places->text);
		return worst(status, split_places(options->module_sections, parse_section,
						  sections_form, places));
	}
	if (options->proc_modules) {
		status = read_text(options->proc_modules, &places->text);
		return worst(status, split_places(options->proc_modules, parse_proc_modules,
						  proc_form, places));
	}
	if (session->capture.module_sections) {
		places->text = strdup(session->capture.module_sections);
		return split_places("the trace's module sections", parse_section, sections_form,
				    places);
	}
	if (session->capture.proc_modules) {
		places->text = strdup(session->capture.proc_modules);
		return split_places("the trace's /proc/modules", parse_proc_modules, proc_form,
				    places);
	}
	return STATUS_FINE;
}

static int read_places(const struct session *session, struct places *places)
{
	int status = collect_places(session, places);

	sort_places(places);
	return status;
}

/** Give the sections of a module their addresses. */
static int place_module(struct kct_image *image, const char *name, size_t length,
			const struct places *places)
{
	size_t i, placed = 0;

	for (i = find_module(places, name, length);
	     i < places->n && module_is(places->by_name[i]->module, name, length); i++) {
		const struct place *place = places->by_name[i];

		if (!place->section) {
			if (kct_image_set_base(image, place->address) >= 0)
				placed++;
			continue;
		}
		/* /sys/module lists sections that a stripped file has no more, and the symbols that
		 * the kernel keeps a copy of. */
		if (kct_image_set_section(image, place->section, place->address) == 0)
			placed++;
		else if (strcmp(place->section, ".symtab") != 0 &&
			 strcmp(place->section, ".strtab") != 0)
			note("%s: no section %s", kct_image_name(image), place->section);
	}
	if (!placed)
		return failure("%s: no address for module %.*s: --module-sections gives them",
			       kct_image_name(image), (int)length, name);
	if (kct_image_is_approximate(image))
		note("%s: placed by /proc/modules: approximate, only code that stays is known",
		     kct_image_name(image));
	return STATUS_FINE;
}

static int add_module(struct session *session, const char *name, size_t length, const char *path,
		      const struct places *places)
{
	struct kct_image *image = images_open(session, path);
	struct kct_error error;
	int status = STATUS_FINE;
	char *copy;

	if (!image)
		return STATUS_PARTLY;
	if (kct_image_is_relocatable(image))
		status = place_module(image, name, length, places);
	if (status != STATUS_FINE)
		return status;
	copy = zeroed(char, length + 1);
	memcpy(copy, name, length);
	if (kct_symbolizer_add_image(session->symbolizer, image, copy, &error) < 0)
		status = failure_of(path, &error);
	free(copy);
	images_report(image);
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
			 const struct places *places)
{
	struct module_files files = {0};
	int status = module_files_find(&files, directory);
	size_t i, wanted = 0, found = 0;

	if (status != STATUS_FINE && !files.n)
		return status;
	for (i = 0; i < places->n; i++) {
		const struct place *place = &places->places[i];
		const char *module = place->module, *path;

		/* The first line of a module. */
		if (places->by_name[find_module(places, module, strlen(module))] != place ||
		    named_on_command_line(session->options, module))
			continue;
		wanted++;
		path = module_files_path(&files, module);
		if (path)
			status = worst(status,
				       add_module(session, module, strlen(module), path, places));
		else
			warning("%s: no object file of module %s", directory, module);
		found += path != NULL;
	}
	module_files_clear(&files);
	if (wanted && !found && status == STATUS_FINE)
		status = failure("%s: no object file of any module that was loaded", directory);
	return status;
}

int images_add_modules(struct session *session)
{
	const struct options *options = session->options;
	struct places places = {0};
	int status = STATUS_FINE;
	size_t i;

	if (options->modules.n || options->module_dir || options->module_sections ||
	    options->proc_modules)
		status = read_places(session, &places);
	for (i = 0; i < options->modules.n; i++) {
		const char *pair = options->modules.values[i], *path;
		size_t length;

		split_pair(pair, &length, &path);
		status = worst(status, add_module(session, pair, length, path, &places));
	}
	if (options->module_dir)
		status = worst(status, add_directory(session, options->module_dir, &places));
	clear_places(&places);
	return status;
}

int images_place_alone(struct session *session, struct kct_image *image, const char *path,
		       char **ret_name)
{
	const struct options *options = session->options;
	const char *name = kct_image_module_name(image), *slash = strrchr(path, '/');
	struct places places = {0};
	int status = STATUS_FINE;

	if (!name)
		name = slash ? slash + 1 : path;
	if (options->module_sections || options->proc_modules) {
		status = read_places(session, &places);
		status = worst(status, place_module(image, name, strlen(name), &places));
	} else {
		note("%s: addresses count from the start of .text: --module-sections gives those "
		     "of a loaded module",
		     path);
	}
	kct_image_place_sections(image, 0);
	clear_places(&places);
	*ret_name = strdup(name);
	return *ret_name ? status : failure_code(path, KCT_ERR_NO_MEMORY);
}
