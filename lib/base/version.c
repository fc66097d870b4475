/* SPDX-License-Identifier: BSD-2-Clause */
#include <kcovtrace/version.h>

const char *kct_version(void)
{
	return KCT_VERSION;
}
