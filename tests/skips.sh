#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# skips.sh LOG: what a run of ctest skipped, and why, from its LastTest.log. A test, or a part of
# one, that is skipped prints a line `SKIP: reason`.
set -eu
awk '
  /^[0-9]+\/[0-9]+ Testing: / { name = $3; said = 0 }
  /^SKIP: / { lines[++n] = name ": " substr($0, 7); said = 1 }
  /^Test Skipped\.$/ && !said { lines[++n] = name ": no reason was given" }
  END {
    if (!n) { print "\nNothing was skipped."; exit }
    print "\nSkipped:"
    for (i = 1; i <= n; i++) print "  " lines[i]
    print ""
  }' "$1"
