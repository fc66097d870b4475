/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file runtime.h
 * What an instrumented test program may call. Each program is one file with
 * main(); its compiler calls the callbacks of runtime.c, which write an EXT area
 * (the file argv names in KT_TRACE) and what really happened (KT_TRUTH).
 */
#ifndef KT_RUNTIME_H
#define KT_RUNTIME_H

#define KT_NOINLINE __attribute__((noinline))

/** A function that the compiler does not instrument, as noinstr code in a kernel. */
#define KT_UNTRACED __attribute__((noinline, no_instrument_function))

/** Inlined into its caller and without callbacks of its own. */
#define KT_INLINE static inline __attribute__((always_inline, no_instrument_function))

/** From here on callbacks only count the depth, as while another task runs. */
void kt_switch_away(void);

/** Write the EESUM record of the region since kt_switch_away() and trace again. */
void kt_switch_back(void);

/** Keeps the optimiser from dropping the work of a program. */
extern volatile int kt_sink;

#endif
