/* SPDX-License-Identifier: BSD-2-Clause */
int outside(int x);

static inline __attribute__((always_inline)) int inner(int x)
{
	return outside(x) + 1;
}
