/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file kcovtrace.h
 * libkcovtrace: what a KCOV buffer says the kernel did.
 *
 * Bytes of an area (file.h reads them) become records (decoder.h) as its layout says (layout.h,
 * guess.h); records become call stacks (stack.h), a call tree (calltree.h) or
 * weights by stack (profile.h); a symbolizer (symbolizer.h) over a vmlinux and
 * modules (image.h) names functions, lines and inline frames. Points (points.h) are what could have
 * been recorded of an image; sets of PCs (pcset.h) of any number of traces against them are coverage
 * (coverage.h). A capture (capture.h) gets an area
 * from the running kernel.
 *
 * Handles come from `kct_<noun>_new` or `_open` and go with `_free`, which takes
 * NULL. The library never prints, exits, reads the environment or keeps
 * globals.
 *
 * Threads: a handle is not locked. Different handles may be used in different threads at the same
 * time; of one handle only calls that take it as const may overlap. A symbolizer, its images and
 * kallsyms, and what uses its function source, are one handle together: a look-up builds tables in
 * the images. So images are not shared between threads, also not read-only: each thread that
 * looks up has a symbolizer and images of its own. What a look-up returned never changes and may be
 * read by any thread as long as the symbolizer lives.
 */
#ifndef KCOVTRACE_KCOVTRACE_H
#define KCOVTRACE_KCOVTRACE_H

#include <kcovtrace/version.h>
#include <kcovtrace/error.h>
#include <kcovtrace/file.h>
#include <kcovtrace/layout.h>
#include <kcovtrace/record.h>
#include <kcovtrace/decoder.h>
#include <kcovtrace/tracefile.h>
#include <kcovtrace/syscall.h>
#include <kcovtrace/guess.h>
#include <kcovtrace/foreign.h>
#include <kcovtrace/xen.h>
#include <kcovtrace/pclist.h>
#include <kcovtrace/summary.h>
#include <kcovtrace/stack.h>
#include <kcovtrace/sections.h>
#include <kcovtrace/calltree.h>
#include <kcovtrace/profile.h>
#include <kcovtrace/image.h>
#include <kcovtrace/symbolizer.h>
#include <kcovtrace/fit.h>
#include <kcovtrace/points.h>
#include <kcovtrace/pcset.h>
#include <kcovtrace/coverage.h>
#include <kcovtrace/capture.h>

#endif
