#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check_capture.sh PROGRAM: it prints kernel addresses, or says why it cannot, which skips the test.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! "$1" / >"$work/out" 2>"$work/why"; then
  [ -s "$work/why" ] || { echo "$1 failed without a word"; exit 1; }
  [ ! -w /sys/kernel/debug/kcov ] || { cat "$work/why"; exit 1; }
  echo "SKIP: $(cat "$work/why")"
  exit 77
fi
[ "$(wc -l <"$work/out")" -ge 10 ]
! grep -v '^0xf[0-9a-f]\{15\}$' "$work/out"
