/* SPDX-License-Identifier: BSD-2-Clause */
#include "commands.h"
#include "each_input.h"
#include "fit.h"
#include "message.h"

/** What the files of one run have in common. */
struct run {
	const struct options *options;
	struct session *session;
	enum input_care care;
	struct output *out;
	take_input take;
	void *context;
};

static bool goes_on(const struct run *run, int status)
{
	return status != STATUS_USAGE && !output_dead(run->out);
}

/** Whether the options leave a segment out. */
static bool is_skipped(const struct run *run, size_t number)
{
	return run->options->has_segment && run->options->segment != number;
}

/** See that the session names addresses of this capture; true if the input may be shown. */
static bool fits_session(struct run *run, const struct input *input, int *status)
{
	struct capture_facts facts = {0};
	bool fits = true;
	int found;

	if (!run->session)
		return true;
	if (input->tracefile)
		capture_facts(input->tracefile, input->segment.capture, &facts);
	facts.path = input->path;
	found = session_use(run->session, input->name, &facts, &fits);
	*status = worst(*status, found);
	return fits && found != STATUS_USAGE;
}

/** Hand an input to the command, unless names would be wrong. */
static int take_fitting(const struct run *run, const struct input *input)
{
	int status = STATUS_FINE;
	bool fits = true;

	if (run->session && run->options->command->takes & TAKES_CALLS)
		status = fit_input(input, run->options, run->session,
				   run->options->command == &command_info, &fits);
	return fits && status != STATUS_USAGE ? worst(status, run->take(run->context, input))
					      : status;
}

static int each_segment(struct run *run, struct input *input)
{
	enum { NOT_TRIED, FITS, FITS_NOT };
	struct kct_tracefile_stats stats = {.size = sizeof(stats)};
	size_t n = kct_tracefile_segments(input->tracefile), i;
	int status = input_report_damage(input);
	unsigned char *tried; /* by capture */

	if (run->options->has_segment && run->options->segment >= n)
		return failure("%s: there is no segment %llu", input->path,
			       (unsigned long long)run->options->segment);
	if (!n)
		note("%s: no segments", input->path);
	if (!n && run->care == INPUT_ANY)
		return worst(status, run->take(run->context, input));
	kct_tracefile_stats(input->tracefile, &stats);
	tried = zeroed(unsigned char, (size_t)stats.captures);
	for (i = 0; i < n && goes_on(run, status); i++) {
		unsigned char *fits;

		if (is_skipped(run, i))
			continue;
		status = worst(status, input_segment(input, i, run->options));
		if (!input_usable(input))
			continue;
		fits = &tried[input->segment.capture];
		if (*fits == NOT_TRIED)
			*fits = fits_session(run, input, &status) ? FITS : FITS_NOT;
		if (*fits == FITS)
			status = worst(status, take_fitting(run, input));
	}
	free(tried);
	return status;
}

int each_input(const struct options *options, struct session *session, char **arguments, size_t n,
	       enum input_care care, struct output *out, take_input take, void *context)
{
	struct run run = {options, session, care, out, take, context};
	int status = STATUS_FINE;
	struct input input;
	size_t i;

	for (i = 0; i < n && goes_on(&run, status); i++) {
		status = worst(status, input_open(&input, arguments[i], options, care));
		out->input = n > 1 ? input.path : NULL;
		input.file_number = i;
		input.one_of_many = n > 1;
		if (input.tracefile)
			status = worst(status, each_segment(&run, &input));
		else if (input_usable(&input) && fits_session(&run, &input, &status))
			status = worst(status, take_fitting(&run, &input));
		else if (input.format && care == INPUT_ANY)
			status = worst(status, take(context, &input));
		input_close(&input);
	}
	return status;
}
