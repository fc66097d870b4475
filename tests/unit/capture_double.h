/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file capture_double.h
 * A driver of KCOV in user space: the states, limits and errors of the kernel's, written from its
 * documented behaviour and apart from the library, with its own request numbers. What the kernel's
 * hooks would record is told to it.
 */
#ifndef KCT_TESTS_CAPTURE_DOUBLE_H
#define KCT_TESTS_CAPTURE_DOUBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/system.h"

/** Whether a kernel has something: unknown to it, known but not compiled in, there. */
enum double_has { DOUBLE_UNKNOWN, DOUBLE_NOT_BUILT, DOUBLE_BUILT };

/** The kernel that is modelled. All zero is one of 64 bits without the device. */
struct double_kernel {
	int open_errno;	     /* every open fails with it */
	bool debugfs;	     /* mounted */
	bool kcov;	     /* the device is there */
	bool other_device;   /* but it is no KCOV */
	uint32_t word_bytes; /* 4 or 8; 0 = 8 */
	uint64_t max_words;  /* 0 = the kernel's own limit */
	bool no_memory;	     /* for any area */
	int map_errno;	     /* every map fails with it */
	bool busy_first;     /* first ABI: says EBUSY of a descriptor in use, not EINVAL */
	enum double_has cmp, ext, memory, unique, remote;
	bool unique_first;	 /* UNIQUE as first posted: the other number */
	bool mode_bits;		 /* another series: modes 2, 4, 6, 8 are lists of distinct items */
	int memory_record_bytes; /* what request 103 answers; 0 = unknown request */
};

#define DOUBLE_DESCRIPTORS 8
#define DOUBLE_HANDLES	   257

/** What the driver keeps of one open file. */
struct double_descriptor {
	enum { DOUBLE_CLOSED, DOUBLE_OPEN, DOUBLE_INIT, DOUBLE_MAPPED, DOUBLE_ENABLED } state;
	int memory_fd;
	unsigned char *area; /* the driver's own mapping */
	uint64_t words;
	size_t bytes;
	void *map;   /* of the program */
	bool orphan; /* closed while a thread is traced: stays until that ends */
	/* Enabled: */
	int thread;
	unsigned mode;
	bool remote;
	uint64_t bitmap_words;
	uint64_t handles[DOUBLE_HANDLES];
	size_t n_handles;
	uint32_t section_words;
};

struct capture_double {
	struct double_kernel kernel;
	struct double_descriptor descriptors[DOUBLE_DESCRIPTORS];
	int thread;	   /* the one that runs now */
	unsigned requests; /* system calls so far */
};

/* What the end of an enabling, of a resetting and the beginning of a disabling request leave. */
#define DOUBLE_ENABLE_PC  0xffffffff81e00010u
#define DOUBLE_RESET_PC	  0xffffffff81e00020u
#define DOUBLE_DISABLE_PC 0xffffffff81e00030u

/** A kernel; thread 1 runs. */
void double_init(struct capture_double *driver, const struct double_kernel *kernel);

/** Its system calls, for a capture. The driver must outlive it. */
struct kct_system double_system(struct capture_double *driver);

/** How many descriptors are open and how many maps there are: 0 when all was given back. */
unsigned double_leaks(const struct capture_double *driver);

/** A thread ends: it is no longer traced. */
void double_end_thread(struct capture_double *driver, int thread);

/** The hook of a coverage point, in a thread that may or may not be traced. */
void double_hit_pc(struct capture_double *driver, uint64_t pc);

/** The same with the guard number of the point, for UNIQUE. */
void double_hit_guard(struct capture_double *driver, uint64_t guard, uint64_t pc);

/** The hook of a comparison. */
void double_hit_cmp(struct capture_double *driver, uint64_t type, uint64_t arg1, uint64_t arg2,
		    uint64_t pc);

/** Any record of EXT or MEMORY: all its words or none. */
void double_hit_record(struct capture_double *driver, const uint64_t *words, size_t n);

/** A section of another thread that carries a handle, as PCs. */
void double_remote_section(struct capture_double *driver, uint64_t handle, const uint64_t *pcs,
			   size_t n);

#endif
