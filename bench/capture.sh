#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# capture.sh BENCH_CAPTURE: instructions of one execution in a fuzzer's loop, with the library and by
# hand. Fails if the library takes over 10 % more for 1,000 PCs, or over 30 more for none.
set -eu
bench=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# collected METHOD PCS ROUNDS
collected() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" "$@" >/dev/null 2>"$log" || {
    cat "$log" >&2
    exit 1
  }
  sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p' "$log"
}

# per_execution METHOD PCS: start and end of the program cancel out.
per_execution() {
  few=$(collected "$1" "$2" 200)
  many=$(collected "$1" "$2" 1200)
  echo $(((many - few) / 1000))
}

status=0
for pcs in 1000 0; do
  call=$(per_execution call $pcs)
  hand=$(per_execution hand $pcs)
  ours=$(per_execution ours $pcs)
  more=$((ours - hand))
  echo "$pcs PCs: system call alone $call, by hand $hand, with a capture $ours instructions: $more more"
  [ $pcs = 0 ] && limit=30 || limit=$((hand / 10))
  [ $more -le $limit ] || {
    echo "that is over $limit"
    status=1
  }
done
exit $status
