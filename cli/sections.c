/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "message.h"
#include "sections.h"
#include "trace.h"

/* So many places are named in a message. */
#define SHOWN 8

struct search {
	struct kct_sections *sections;
	int code;
};

static int take(void *context, const struct kct_record *records, size_t n)
{
	struct search *search = context;

	search->code = kct_sections_feed(search->sections, records, n);
	return search->code < 0 ? STATUS_USAGE : STATUS_FINE;
}

static void report(const struct input *input, const uint64_t *starts, size_t n)
{
	char text[SHOWN * 24] = "";
	size_t used = 0, i;

	for (i = 0; i < n && i < SHOWN; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%llu", i ? ", " : "",
					 (unsigned long long)starts[i]);
	if (n)
		note("%s: the stack starts anew at word%s %s%s", input->name, n == 1 ? "" : "s",
		     text, n > SHOWN ? ", ..." : "");
	else
		note("%s: nowhere does the stack start anew before it is empty", input->name);
}

int sections_find(const struct input *input, const struct options *options, struct session *session,
		  bool silent, struct kct_stack_options *stack_options,
		  struct kct_sections **ret_sections)
{
	struct kct_function_source functions = session_functions(session);
	struct search search = {0};

	*ret_sections = NULL;
	if (!options->sections || !input_has_calls(input))
		return STATUS_FINE;
	if (!session_has_symbols(session))
		return silent ? STATUS_PARTLY
			      : failure("%s: without symbols (-k) nothing tells where sections "
					"begin: the stack goes through all of them",
					input->name);
	search.code = kct_sections_new(&functions, &search.sections);
	if (search.code >= 0)
		trace_read(input, options, TRACE_SILENT, take, &search, NULL);
	if (search.code >= 0)
		search.code = kct_sections_starts(search.sections, &stack_options->sections,
						  &stack_options->n_sections);
	if (search.code < 0) {
		kct_sections_free(search.sections);
		return failure_code(input->name, search.code);
	}
	if (!silent)
		report(input, stack_options->sections, stack_options->n_sections);
	*ret_sections = search.sections;
	return STATUS_FINE;
}
