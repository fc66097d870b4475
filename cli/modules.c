/* SPDX-License-Identifier: BSD-2-Clause */
/* The modules of a session: which there are, where their sections were, where their files are. */
#include <stdio.h>

#include "images.h"
#include "input.h"
#include "message.h"
#include "module_files.h"
#include "places.h"

/** Read text into places, and tell what is not of the form. `name` is for messages. */
static int split_places(const char *name, enum places_form form, char *text, struct places *places)
{
	int status = STATUS_FINE;
	size_t i;

	places_read(places, form, text);
	for (i = 0; i < places->n_bad; i++)
		status = failure("%s:%zu: not of the form %s", name, places->bad[i],
				 places_form_text(form));
	if (places->hidden && !places->n)
		status = failure("%s: all addresses are zero: it was read without the right to see "
				 "them (kernel.kptr_restrict); read it as root",
				 name);
	return status;
}

static char *copy_of(const char *data, size_t bytes)
{
	char *text = zeroed(char, bytes + 1);

	if (bytes)
		memcpy(text, data, bytes);
	return text;
}

static int read_places_of(const char *path, enum places_form form, struct places *places)
{
	struct kct_file *file;
	const char *data;
	size_t bytes;
	int status = open_file(path, &file);
	char *text;

	if (!file)
		return status;
	data = kct_file_data(file, &bytes);
	text = copy_of(data, bytes);
	kct_file_free(file);
	return worst(status, split_places(path, form, text, places));
}

/** Find out where modules were: from section addresses if there are any, else from /proc/modules;
 *  what an option names before what the capture holds. */
static int read_places(const struct session *session, struct places *places)
{
	const struct options *options = session->options;
	const char *sections = session->capture.module_sections;
	const char *proc_modules = session->capture.proc_modules;

	if (options->module_sections)
		return read_places_of(options->module_sections, PLACES_SECTIONS, places);
	if (options->proc_modules)
		return read_places_of(options->proc_modules, PLACES_PROC_MODULES, places);
	if (sections)
		return split_places("the trace's module sections", PLACES_SECTIONS,
				    copy_of(sections, strlen(sections)), places);
	if (proc_modules)
		return split_places("the trace's /proc/modules", PLACES_PROC_MODULES,
				    copy_of(proc_modules, strlen(proc_modules)), places);
	return STATUS_FINE;
}

/** Give the sections of a module their addresses. */
static int place_module(struct kct_image *image, const char *name, size_t length,
			const struct places *places)
{
	size_t i, placed = 0;

	for (i = places_find(places, name, length);
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
		if (places->by_name[places_find(places, module, strlen(module))] != place ||
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
	places_clear(&places);
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
	places_clear(&places);
	*ret_name = strdup(name);
	return *ret_name ? status : failure_code(path, KCT_ERR_NO_MEMORY);
}
