/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "cache.h"
#include "embedded.h"
#include "images.h"
#include "input.h"
#include "message.h"
#include "progress.h"
#include "session.h"

/* No kernel is moved by less. */
#define PAGE 4096

static bool wants_symbols(const struct session *session)
{
	const struct options *options = session->options;

	return options->vmlinux || options->kallsyms || options->modules.n || options->module_dir ||
	       session->capture.has_all_lines;
}

static bool is_trace_file(const char *path)
{
	struct kct_file *file;
	const void *data;
	size_t bytes;
	bool is;

	if (kct_file_open(path, &file, NULL) < 0)
		return false;
	data = kct_file_data(file, &bytes);
	is = kct_tracefile_identify(data, bytes) > 0;
	kct_file_free(file);
	return is;
}

static int add_vmlinux(struct session *session, const char *path)
{
	struct kct_image *image = images_open(session, path);
	struct kct_error error;

	if (!image)
		return STATUS_PARTLY;
	if (kct_image_is_relocatable(image)) {
		kct_image_free(image);
		session->n_images--;
		return failure("%s: a module or object file, not a kernel: give it with --module",
			       path);
	}
	images_report(image);
	session->vmlinux = image;
	if (kct_symbolizer_add_image(session->symbolizer, image, "vmlinux", &error) < 0)
		return failure_of(path, &error);
	return STATUS_FINE;
}

/** Whether a second symbol was moved as far as the first: else the two are of different kernels. */
static void check_kaslr(const struct session *session, const struct kct_kallsyms *kallsyms,
			const char *source)
{
	uint64_t linked, loaded;

	if (session->kaslr % PAGE)
		warning("%s: _stext is 0x%llx from where %s has it, which is no multiple of a "
			"page: "
			"not of the same kernel",
			source, (unsigned long long)session->kaslr,
			kct_image_name(session->vmlinux));
	else if (kct_image_symbol(session->vmlinux, "_etext", &linked) >= 0 &&
		 kct_kallsyms_symbol(kallsyms, "_etext", &loaded) >= 0 &&
		 loaded - linked != session->kaslr)
		warning("%s: _stext is 0x%llx from where %s has it, but _etext 0x%llx: not of the "
			"same kernel",
			source, (unsigned long long)session->kaslr,
			kct_image_name(session->vmlinux), (unsigned long long)(loaded - linked));
}

/** The KASLR offset: where the symbol _stext is, less where it was linked to. */
static bool kaslr_of(const struct session *session, const struct kct_kallsyms *kallsyms,
		     uint64_t *ret_kaslr)
{
	uint64_t linked, loaded;

	if (!session->vmlinux || kct_image_symbol(session->vmlinux, "_stext", &linked) < 0 ||
	    kct_kallsyms_symbol(kallsyms, "_stext", &loaded) < 0)
		return false;
	*ret_kaslr = loaded - linked;
	return true;
}

/** Take the KASLR offset from symbols, unless it is known better. */
static void find_kaslr(struct session *session, const struct kct_kallsyms *kallsyms,
		       const char *source)
{
	bool asked_for = session->options->kallsyms != NULL;

	if (session->has_kaslr || (!asked_for && session->capture.has_kaslr) ||
	    !kaslr_of(session, kallsyms, &session->kaslr))
		return;
	session->has_kaslr = asked_for;
	session->knows_kaslr = true;
	if (session->kaslr && asked_for)
		note("KASLR offset 0x%llx, from _stext in %s", (unsigned long long)session->kaslr,
		     source);
	check_kaslr(session, kallsyms, source);
}

/** Let the symbols name what no image does. */
static int name_by_kallsyms(struct session *session, const char *source)
{
	int r = kct_symbolizer_add_kallsyms(session->symbolizer, session->kallsyms);

	return r < 0 ? failure_code(source, r) : STATUS_FINE;
}

/** Use the symbols that the first capture has. Nobody asked for them. */
static int add_capture_kallsyms(struct session *session)
{
	const char *all = session->capture.kallsyms, *lines = session->capture.symbol_lines;
	const char *source = "the trace's kallsyms";
	struct kct_kallsyms *kallsyms;
	struct kct_error error;

	if (!all)
		return STATUS_FINE;
	if (kct_kallsyms_parse(all, strlen(all), &kallsyms, &error) < 0) {
		note("%s cannot be used: %s", source, error.text);
		return STATUS_FINE;
	}
	find_kaslr(session, kallsyms, source);
	kct_kallsyms_free(kallsyms);
	if (!lines || kct_kallsyms_parse(lines, strlen(lines), &session->kallsyms, &error) < 0)
		return STATUS_FINE;
	return name_by_kallsyms(session, source);
}

static int add_kallsyms(struct session *session)
{
	const char *path = session->options->kallsyms, *text;
	struct kct_error error;
	size_t bytes;
	int status;

	if (!path)
		return add_capture_kallsyms(session);
	status = open_file(path, &session->kallsyms_file);
	if (!session->kallsyms_file)
		return status;
	text = kct_file_data(session->kallsyms_file, &bytes);
	if (kct_kallsyms_parse(text, bytes, &session->kallsyms, &error) < 0)
		return failure_of(path, &error);
	find_kaslr(session, session->kallsyms, path);
	return worst(status, name_by_kallsyms(session, path));
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
		.options = options,
		.kaslr = options->kaslr,
		.has_kaslr = options->has_kaslr,
		.knows_kaslr = options->has_kaslr,
	};
}

/** Begin to have symbols. Returns a status. */
static int begin_symbols(struct session *session)
{
	int r = kct_symbolizer_new(&session->symbolizer);

	if (r < 0)
		return failure_code("symbols", r);
	kct_symbolizer_set_threads(session->symbolizer, count_processors());
	return set_paths(session);
}

static int open_images(struct session *session, const struct capture_facts *facts)
{
	const struct options *options = session->options;
	int status;

	if (options->module_dir && !options->module_sections && !options->proc_modules &&
	    !session->capture.module_sections && !session->capture.proc_modules)
		return usage_failure(
			options->command->name,
			"--modules needs --module-sections or --proc-modules: where the "
			"modules were");
	if (!wants_symbols(session) && !embedded_any(options, facts))
		return STATUS_FINE;
	status = begin_symbols(session);
	if (!session->symbolizer)
		return status;
	if (options->vmlinux)
		status = worst(status, is_trace_file(options->vmlinux)
					       ? embedded_add_file(session, options->vmlinux)
					       : add_vmlinux(session, options->vmlinux));
	status = worst(status, images_add_modules(session));
	status = worst(status, embedded_add(session, facts));
	status = worst(status, add_kallsyms(session));
	/* Nothing could be used: go on without symbols instead of naming nothing. */
	if (!session->n_images && !session->kallsyms) {
		kct_symbolizer_free(session->symbolizer);
		session->symbolizer = NULL;
	}
	return status;
}

/** Say where each CPU has its variables. */
static void set_percpu(struct session *session, const struct capture_facts *facts)
{
	size_t n = facts->percpu.bytes / sizeof(uint64_t), i;
	uint64_t *bases;

	if (!session->symbolizer || !n)
		return;
	bases = zeroed(uint64_t, n);
	for (i = 0; i < n && kct_meta_number(&facts->percpu, i, &bases[i]) >= 0; i++)
		;
	kct_symbolizer_set_percpu(session->symbolizer, bases, i);
	free(bases);
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

/** Whether two texts that may be missing say different things. */
static bool differ(const char *a, const char *b)
{
	return a && (!b || strcmp(a, b) != 0);
}

/** The KASLR offset as a capture has it, or by its symbols; false if it does not say. */
static bool said_kaslr(const struct session *session, const struct capture_facts *facts,
		       uint64_t *ret_kaslr)
{
	struct kct_kallsyms *kallsyms;
	bool said;

	*ret_kaslr = facts->kaslr;
	if (facts->has_kaslr || !facts->kallsyms ||
	    kct_kallsyms_parse(facts->kallsyms, strlen(facts->kallsyms), &kallsyms, NULL) < 0)
		return facts->has_kaslr;
	said = kaslr_of(session, kallsyms, ret_kaslr);
	kct_kallsyms_free(kallsyms);
	return said;
}

/** Whether a later capture has the kernel and the modules where the session has them. */
static bool is_same_place(const struct session *session, const char *name,
			  const struct capture_facts *facts)
{
	const struct options *options = session->options;
	const char *kallsyms = session->capture.kallsyms;
	uint64_t kaslr;
	bool moved = !session->has_kaslr && said_kaslr(session, facts, &kaslr) &&
		     kaslr != session->kaslr;
	bool modules = (options->modules.n || options->module_dir) && !options->module_sections &&
		       !options->proc_modules;

	if (modules && (differ(facts->module_sections, session->capture.module_sections) ||
			differ(facts->proc_modules, session->capture.proc_modules)))
		moved = true;
	/* What it has and the first one had not is not used. */
	if (!options->kallsyms && kallsyms && differ(facts->kallsyms, kallsyms))
		moved = true;
	if (moved && session->symbolizer)
		failure("%s: the kernel or its modules were elsewhere than in an earlier trace: "
			"both cannot be named in one run",
			name);
	return !moved || !session->symbolizer;
}

static char *copy_text(const char *text)
{
	return text ? strdup(text) : NULL;
}

int session_use(struct session *session, const char *name, const struct capture_facts *facts,
		bool *ret_fits)
{
	int status = STATUS_FINE;

	if (!session->opened) {
		session->opened = true;
		session->capture.module_sections = copy_text(facts->module_sections);
		session->capture.proc_modules = copy_text(facts->proc_modules);
		session->capture.kallsyms = copy_text(facts->kallsyms);
		if (facts->kallsyms)
			session->capture.symbol_lines = capture_symbol_lines(
				facts->kallsyms, &session->capture.has_all_lines);
		session->capture.has_kaslr = facts->has_kaslr;
		status = open_images(session, facts);
		set_percpu(session, facts);
		/* What --kallsyms says was asked for; the capture fills in what is not known. */
		if (facts->has_kaslr && !session->has_kaslr) {
			session->kaslr = facts->kaslr;
			session->knows_kaslr = true;
		}
		*ret_fits = is_same_kernel(session, name, facts);
	} else {
		if (!session->symbolizer && embedded_any(session->options, facts)) {
			status = begin_symbols(session);
			session->kaslr = facts->has_kaslr ? facts->kaslr : session->kaslr;
			session->knows_kaslr |= facts->has_kaslr;
		}
		*ret_fits =
			is_same_place(session, name, facts) && is_same_kernel(session, name, facts);
		if (*ret_fits && session->symbolizer)
			status = worst(status, embedded_add(session, facts));
	}
	return *ret_fits ? status : worst(status, STATUS_PARTLY);
}

int session_use_image(struct session *session, const char *path, struct kct_image **ret_image)
{
	struct kct_error error;
	struct kct_image *image;
	char *own_name = NULL;
	int status = begin_symbols(session);

	*ret_image = NULL;
	session->opened = true;
	image = session->symbolizer ? images_open(session, path) : NULL;
	if (!image)
		return STATUS_PARTLY;
	if (kct_image_is_relocatable(image))
		status = worst(status, images_place_alone(session, image, path, &own_name));
	if (kct_symbolizer_add_image(session->symbolizer, image, own_name ? own_name : "vmlinux",
				     &error) < 0)
		status = failure_of(path, &error);
	else
		*ret_image = image;
	free(own_name);
	return status;
}

void session_close(struct session *session)
{
	size_t i;

	kct_symbolizer_free(session->symbolizer);
	for (i = 0; i < session->n_points; i++)
		kct_points_free(session->points[i]);
	free(session->points);
	for (i = 0; i < session->n_images; i++) {
		cache_keep(session->images[i], session->options);
		kct_image_free(session->images[i]);
	}
	for (i = 0; i < session->n_copies; i++)
		free(session->copies[i]);
	free(session->copies);
	free(session->images);
	free(session->embedded);
	kct_kallsyms_free(session->kallsyms);
	kct_file_free(session->kallsyms_file);
	free(session->capture.module_sections);
	free(session->capture.proc_modules);
	free(session->capture.kallsyms);
	free(session->capture.symbol_lines);
	*session = (struct session){0};
}

bool session_is_embedded(const struct session *session, const struct kct_image *image)
{
	size_t i;

	for (i = 0; i < session->n_embedded && session->embedded[i] != image; i++)
		;
	return i < session->n_embedded;
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
	if (r >= 0 && !session->knows_kaslr && !slid)
		r = kct_symbolizer_doubt_slide(session->symbolizer);
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

bool session_variable(struct session *session, uint64_t address, struct kct_variable *variable)
{
	return session->symbolizer &&
	       kct_symbolizer_data(session->symbolizer, address, variable, NULL) > 0;
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
