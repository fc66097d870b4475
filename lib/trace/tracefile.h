/* SPDX-License-Identifier: BSD-2-Clause */
/** @file tracefile.h The index of an open file. */
#ifndef KCT_TRACE_TRACEFILE_H
#define KCT_TRACE_TRACEFILE_H

#include <kcovtrace/file.h>
#include <kcovtrace/tracefile.h>

#include "base/map.h"
#include "trace/block.h"

enum kct_checked {
	KCT_NOT_CHECKED,
	KCT_SOUND,
	KCT_UNSOUND,
};

struct kct_indexed_segment {
	uint64_t offset; /* of the block */
	uint32_t capture;
	uint32_t checked; /* enum kct_checked */
};

/* Links to items are their numbers + 1, 0 for none. */
struct kct_indexed_meta {
	struct kct_meta meta;
	size_t next;   /* of the same capture, later in the file */
	size_t hashed; /* with the same hash of capture and name, earlier in the file */
};

struct kct_indexed_capture {
	uint64_t id;
	size_t first, last; /* items */
};

struct kct_tracefile {
	struct kct_file *file; /* NULL: the bytes are the caller's */
	const unsigned char *data;
	size_t bytes;
	struct kct_crc32c crc;
	struct kct_tracefile_stats stats;
	struct kct_indexed_segment *segments;
	size_t n_segments, max_segments;
	struct kct_indexed_meta *metas;
	size_t n_metas, max_metas;
	struct kct_map named; /* hash of capture and name -> link to the last item */
	struct kct_indexed_capture *captures;
	size_t n_captures, max_captures;
	struct kct_map capture_numbers; /* ID -> number */
};

/** Read the body of a block of type META; false if its parts do not fit into it. */
bool kct_meta_parse(const struct kct_block *block, struct kct_meta *ret_meta);

/** Put an item, whose `capture` is set, behind those that the file has. KCT_ERR_NO_MEMORY. */
int kct_meta_index(struct kct_tracefile *file, const struct kct_meta *meta);

/** Read the body of a block of type SEGMENT, all but `capture` and `offset`. KCT_ERR_DAMAGED,
 *  KCT_ERR_UNSUPPORTED, KCT_ERR_LAYOUT. */
int kct_segment_parse(const struct kct_block *block, struct kct_trace_segment *ret_segment,
		      struct kct_error *error);

#endif
