/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many units, read ahead by threads and handed out in order.
 *
 * The calling thread takes the units. While the one that it waits for is being read elsewhere it reads
 * another. No more than a few units a thread are finished and not taken, so that memory stays small.
 */
#include <pthread.h>
#include <string.h>

#include "dwarf/reader.h"

#define MAX_THREADS	 64
#define UNITS_PER_THREAD 4

/* A unit on its way. */
struct place {
	bool done;
	int result;
	struct kct_built *built; /* NULL: it is kept already */
};

struct ahead {
	struct kct_dwarf *dwarf;
	const uint32_t *numbers;
	bool *is_kept; /* units that need not be read, as it was in the beginning */
	size_t n;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t next;  /* the first that nobody reads */
	size_t taken; /* before this one all were taken */
	bool stop;
	size_t n_places;
	struct place places[MAX_THREADS * UNITS_PER_THREAD]; /* unit i: i % n_places */
};

struct helper {
	pthread_t thread;
	bool runs;
	struct ahead *ahead;
	struct kct_reader *reader;
};

static bool may_read(const struct ahead *a)
{
	return !a->stop && a->next < a->n && a->next - a->taken < a->n_places;
}

/* Read the next unit; called and left with the lock held. */
static void read_next(struct ahead *a, struct kct_reader *reader)
{
	size_t i = a->next++;
	struct place place = {.done = true};

	pthread_mutex_unlock(&a->lock);
	if (!a->is_kept[i])
		place.result = kct_unit_read(reader, a->numbers[i], true, &place.built);
	pthread_mutex_lock(&a->lock);
	a->places[i % a->n_places] = place;
	pthread_cond_broadcast(&a->changed);
}

static void *help(void *argument)
{
	struct helper *helper = argument;
	struct ahead *a = helper->ahead;

	pthread_mutex_lock(&a->lock);
	while (!a->stop && a->next < a->n) {
		if (may_read(a))
			read_next(a, helper->reader);
		else
			pthread_cond_wait(&a->changed, &a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* Wait for unit i, or read it. */
static struct place get(struct ahead *a, struct kct_reader *reader, size_t i)
{
	struct place *place = &a->places[i % a->n_places], got;

	pthread_mutex_lock(&a->lock);
	while (!place->done) {
		if (may_read(a))
			read_next(a, reader);
		else
			pthread_cond_wait(&a->changed, &a->lock);
	}
	got = *place;
	*place = (struct place){.done = false};
	a->taken = i + 1;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
	return got;
}

/* `take` may be NULL: then the units are kept. */
static int take_all(struct ahead *a, struct kct_reader *reader, kct_take_unit *take, void *context)
{
	int result = 0;

	for (size_t i = 0; i < a->n && result == 0; i++) {
		struct kct_built **kept = &a->dwarf->units[a->numbers[i]].built;
		struct place place = get(a, reader, i);

		result = place.result;
		if (result == 0 && !take && !*kept)
			*kept = TAKE_PTR(place.built);
		if (result == 0 && take)
			result =
				take(context, i, place.built ? &place.built->unit : &(*kept)->unit);
		free(place.built);
		kct_dwarf_release(a->dwarf, a->numbers[i]);
	}
	return result;
}

/* Start helpers, as many as can be had. */
static void start(struct ahead *a, struct helper *helpers, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		helpers[i].ahead = a;
		helpers[i].reader = kct_reader_new(a->dwarf);
		if (!helpers[i].reader)
			return;
		helpers[i].runs = pthread_create(&helpers[i].thread, NULL, help, &helpers[i]) == 0;
		if (!helpers[i].runs)
			return;
	}
}

static void finish(struct ahead *a, struct helper *helpers, unsigned n)
{
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
	for (unsigned i = 0; i < n; i++) {
		if (helpers[i].runs)
			pthread_join(helpers[i].thread, NULL);
	}
	for (size_t i = 0; i < a->n_places; i++)
		free(a->places[i].built);
}

/* Complaints of all, so that it is the same one whoever read the unit. */
static void settle(struct ahead *a, struct helper *helpers, unsigned n)
{
	struct kct_reader *readers[MAX_THREADS];

	readers[0] = a->dwarf->reader;
	for (unsigned i = 0; i < n; i++)
		readers[i + 1] = helpers[i].reader;
	kct_readers_settle(a->dwarf, readers, n + 1);
	for (unsigned i = 0; i < n; i++)
		kct_reader_free(helpers[i].reader);
}

static int read_ahead(struct kct_dwarf *dwarf, const uint32_t *numbers, size_t n, unsigned threads,
		      kct_take_unit *take, void *context)
{
	unsigned n_helpers = (unsigned)kct_min_u64(threads, MAX_THREADS);
	struct helper helpers[MAX_THREADS] = {0};
	struct ahead *a KCT_AUTO_FREE = calloc(1, sizeof(*a));
	bool *is_kept KCT_AUTO_FREE = calloc(n ? n : 1, sizeof(*is_kept));
	int result;

	if (!a || !is_kept)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < n; i++)
		is_kept[i] = dwarf->units[numbers[i]].built != NULL;
	/* The calling thread is one, and no thread is worth it for a unit or two. */
	n_helpers = (unsigned)kct_min_u64(n_helpers ? n_helpers - 1 : 0, n / 2);
	*a = (struct ahead){.dwarf = dwarf,
			    .numbers = numbers,
			    .is_kept = is_kept,
			    .n = n,
			    .n_places = (size_t)UNITS_PER_THREAD * (n_helpers + 1)};
	if (n_helpers == 0)
		a->n_places = 1;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	dwarf->reader->spare_work = dwarf->spare_work;
	start(a, helpers, n_helpers);
	result = take_all(a, dwarf->reader, take, context);
	finish(a, helpers, n_helpers);
	settle(a, helpers, n_helpers);
	kct_dwarf_release(dwarf, UINT32_MAX);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	return result;
}

int kct_dwarf_keep_units(struct kct_dwarf *dwarf, const uint32_t *numbers, size_t n,
			 unsigned threads)
{
	return read_ahead(dwarf, numbers, n, threads, NULL, NULL);
}

int kct_dwarf_each_unit(struct kct_dwarf *dwarf, const uint32_t *numbers, size_t n,
			unsigned threads, kct_take_unit *take, void *context)
{
	return read_ahead(dwarf, numbers, n, threads, take, context);
}
