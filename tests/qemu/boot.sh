#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# boot.sh FIXTURES KERNEL OUT CLI: boot a committed kernel and fetch new captures into OUT; with
# `kcovtrace record` in the guest where the static program CLI was built.
set -eu
fixtures=$1
kernel=$2
out=$3
cli=$4

echo 'int main(void) { return 0; }' >"$out.c"
"${CC:-cc}" -static -o "$out.try" "$out.c" || {
  echo "SKIP: the compiler has no static C library"
  exit 77
}
rm -rf "$out"
[ ! -x "$cli" ] || set -- --kcovtrace "$cli"
[ -x "$cli" ] || set --
KCT_QEMU_LIMIT=${KCT_QEMU_LIMIT:-400} KCT_QEMU_THREADS=${KCT_QEMU_THREADS:-single} sh "$fixtures/run-qemu.sh" "$@" "$fixtures/$kernel" "$out"
