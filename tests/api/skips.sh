#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# skips.sh SCRIPT: the list of what was skipped, from a log and a summary as ctest writes them.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat >"$dir/log" <<'END'
1/4 Testing: unit.a
Output:
[ RUN      ] test_one
SKIP: no trace
[  SKIPPED ] test_one
SKIP: no trace
[ RUN      ] test_two
[  SKIPPED ] test_two
[==========] 2 test(s) run.
[  SKIPPED ] 2 test(s), listed below:
[  SKIPPED ] test_one
ok SKIP: not a reason, it does not start the line
<end of output>
2/4 Testing: api.b
skipped: clang is not installed
<end of output>
3/4 Testing: cli.c
<end of output>
END
cat >"$dir/summary" <<'END'
100% tests passed, 0 tests failed out of 4

The following tests did not run:
	  2 - api.b (Skipped)
	  3 - cli.c (Skipped)
END
cat >"$dir/expected" <<'END'

Skipped:
  unit.a: no trace
  unit.a: test_two: no reason was given
  api.b: clang is not installed
  cli.c: no reason was given

END
sh "$1" "$dir/log" "$dir/summary" | diff -u "$dir/expected" -

: >"$dir/empty"
sh "$1" "$dir/empty" "$dir/empty" | grep -q 'Nothing was skipped'
