/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "counter.h"
#include "fit.h"
#include "layout_spec.h"
#include "message.h"
#include "trace.h"

/* So many words are looked at: the calls of some system calls. */
#define FRONT_WORDS 8192

/* As many PCs in modules that nothing names are worth a word. */
#define MANY_PCS 8

struct front {
	struct counter points, others;
};

static int take(void *context, const struct kct_record *records, size_t n)
{
	struct front *front = context;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct kct_record *record = &records[i];

		if (record->index > FRONT_WORDS)
			return STATUS_USAGE; /* enough */
		if (record->kind == KCT_RECORD_PC || record->kind == KCT_RECORD_ENTRY)
			counter_add(&front->points, record->pc, 1);
		else if (record->kind == KCT_RECORD_EXIT || record->kind == KCT_RECORD_MEMORY ||
			 record->kind == KCT_RECORD_CMP)
			counter_add(&front->others, record->pc, 1);
	}
	return STATUS_FINE;
}

static int count_fit(const struct input *input, const struct options *options,
		     struct session *session, struct kct_fit *fit)
{
	struct front front = {0};
	struct kct_fit_pcs pcs = {0};
	struct kct_error error;
	uint64_t *points, *others;
	int r;

	trace_read(input, options, TRACE_SILENT, take, &front, NULL);
	pcs.points = points = counter_keys(&front.points, &pcs.n_points);
	pcs.others = others = counter_keys(&front.others, &pcs.n_others);
	/* A list, or points that were hit before, need not have those at the entry of functions. */
	if (input->is_list || input->layout.mode == KCT_MODE_UNIQUE) {
		pcs.others = points;
		pcs.n_others = pcs.n_points;
		pcs.n_points = 0;
	}
	r = kct_symbolizer_fit(session->symbolizer, &pcs, options->pc_kind, fit, &error);
	free(points);
	free(others);
	counter_clear(&front.points);
	counter_clear(&front.others);
	return r < 0 ? failure_of("symbols", &error) : STATUS_FINE;
}

/** How much does not fit. */
static void say_share(const struct kct_fit *fit, unsigned cause, char text[128])
{
	unsigned long long judged = fit->pcs - fit->modules, with_code = fit->with_code;

	if (cause == KCT_FIT_OUTSIDE)
		snprintf(text, 128, "%llu of %llu PCs lie in a function",
			 (unsigned long long)fit->named, judged);
	else if (cause == KCT_FIT_NO_STARTS)
		snprintf(text, 128,
			 "%llu of %llu functions begin near their start, %.0f would by "
			 "chance",
			 (unsigned long long)fit->begun, (unsigned long long)fit->functions,
			 fit->chance);
	else
		snprintf(text, 128, "%llu of %llu PCs %s a call", (unsigned long long)fit->calls,
			 with_code, cause == KCT_FIT_RETURNS ? "are" : "follow");
}

/** The options that would help. */
static void say_help(const struct input *input, const struct session *session,
		     const struct kct_fit *fit, char text[LAYOUT_SPEC_BYTES + 128])
{
	unsigned long long kaslr = fit->slide + (session->slid ? session->kaslr : 0);
	char spec[LAYOUT_SPEC_BYTES];

	switch (fit->cause) {
	case KCT_FIT_CALLS:
		snprintf(text, LAYOUT_SPEC_BYTES + 128, "--pc-kind=call looks them up as they are");
		break;
	case KCT_FIT_RETURNS:
		snprintf(text, LAYOUT_SPEC_BYTES + 128, "leave --pc-kind=call out");
		break;
	case KCT_FIT_SLIDE:
		layout_spec(&input->layout, spec);
		if (session->slid)
			snprintf(text, LAYOUT_SPEC_BYTES + 128, "--kaslr 0x%llx names them", kaslr);
		else
			snprintf(text, LAYOUT_SPEC_BYTES + 128,
				 "-l %s,slid=yes --kaslr 0x%llx "
				 "names them",
				 input->is_list ? "pcs" : spec, kaslr);
		break;
	default:
		snprintf(text, LAYOUT_SPEC_BYTES + 128, "-k needs the very kernel of the trace%s",
			 session->slid ? ", --kaslr its offset" : "");
	}
}

static int report(const struct input *input, const struct options *options,
		  const struct session *session, const struct kct_fit *fit, bool shows_all,
		  bool *ret_fits)
{
	char share[128], help[LAYOUT_SPEC_BYTES + 128];
	const char *against = session->vmlinux ? kct_image_name(session->vmlinux) : "the symbols";

	say_share(fit, fit->against, share);
	say_help(input, session, fit, help);
	if (fit->verdict == KCT_FIT_DOUBTFUL || options->force) {
		warning("%s: does not fit %s well: %s (%s); %s", input->name, against, share,
			kct_fit_cause_text(fit->cause), help);
		return STATUS_FINE;
	}
	if (shows_all)
		return failure("%s: does not fit %s: %s (%s); %s", input->name, against, share,
			       kct_fit_cause_text(fit->cause), help);
	*ret_fits = false;
	return failure("%s: does not fit %s: %s (%s); %s; --force goes on all the same",
		       input->name, against, share, kct_fit_cause_text(fit->cause), help);
}

int fit_input(const struct input *input, const struct options *options, struct session *session,
	      bool shows_all, bool *ret_fits)
{
	struct kct_fit fit = {.size = sizeof(fit)};
	int status;

	*ret_fits = true;
	if (!session_has_symbols(session) || !(session->vmlinux || options->kallsyms))
		return STATUS_FINE;
	/* Of two inputs with and without the offset the command says so itself. */
	if (session->slide_set && session->slid != input->layout.slid)
		return STATUS_FINE;
	status = session_use_slide(session, input->layout.slid);
	if (status == STATUS_FINE)
		status = count_fit(input, options, session, &fit);
	if (status != STATUS_FINE)
		return status;
	if (fit.verdict >= KCT_FIT_DOUBTFUL)
		return report(input, options, session, &fit, shows_all, ret_fits);
	if (fit.modules >= MANY_PCS)
		note("%s: %llu PCs lie where modules are, and none that was given: --module or "
		     "--modules name them",
		     input->name, (unsigned long long)fit.modules);
	return STATUS_FINE;
}

void fit_addresses(struct session *session, const struct options *options,
		   const uint64_t *addresses, size_t n)
{
	struct kct_fit_pcs pcs = {.others = addresses};
	struct kct_fit fit = {.size = sizeof(fit)};

	if (!session->vmlinux)
		return;
	pcs.n_others = n < FRONT_WORDS ? n : FRONT_WORDS;
	if (kct_symbolizer_fit(session->symbolizer, &pcs, options->pc_kind, &fit, NULL) < 0 ||
	    fit.verdict != KCT_FIT_BAD || fit.against == KCT_FIT_OUTSIDE)
		return;
	warning("%llu of %llu addresses %s a call in %s: %s", (unsigned long long)fit.calls,
		(unsigned long long)fit.with_code,
		options->pc_kind == KCT_PC_CALL ? "are" : "follow",
		kct_image_name(session->vmlinux), kct_fit_cause_text(fit.cause));
}
