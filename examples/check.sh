#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check.sh EXPECTED PROGRAM ARGUMENT...: the program succeeds and prints what the file holds.
set -eu
expected=$1
shift
actual=$(mktemp)
trap 'rm -f "$actual"' EXIT
"$@" >"$actual"
diff -u "$expected" "$actual"
