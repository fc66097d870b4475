#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# skips.sh LOG SUMMARY: what a run of ctest skipped, and why. Reasons come from the log of the run
# (LastTest.log), where a test that skips itself or a part of itself says `SKIP: reason` (or
# `skipped: reason`). The summary of ctest, and cmocka for the functions of a test, tell what was
# skipped without a word.
set -eu
awk '
  function list(line) { if (!listed[line]++) lines[++n] = line }
  FILENAME == ARGV[1] && /^[0-9]+\/[0-9]+ Testing: / { name = $3 }
  FILENAME == ARGV[1] && /^(SKIP|skipped): / {
    sub(/^[A-Za-z]+: /, "")
    list(name ": " $0)
    said[name] = 1
    running = 0
  }
  FILENAME == ARGV[1] && /^\[ RUN      \] / { running = 1 }
  FILENAME == ARGV[1] && /^\[  SKIPPED \] / && running {
    list(name ": " $4 ": no reason was given")
    running = 0
  }
  FILENAME == ARGV[2] && /\((Skipped|Disabled)\)$/ && !said[$3] {
    list($3 ": no reason was given")
  }
  END {
    if (!n) { print "\nNothing was skipped.\n"; exit }
    print "\nSkipped:"
    for (i = 1; i <= n; i++) print "  " lines[i]
    print ""
  }' "$1" "$2"
