#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# afl.sh SOURCE_DIR: a fuzz target built for AFL++ really runs: its seeds and some hundred executions,
# in persistent mode, with edges counted, and without a crash.
set -eu

source=$1
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

export AFL_QUIET=1
cmake -S "$source" -B "$directory/build" -G Ninja -DCMAKE_C_COMPILER=afl-clang-fast \
	-DCMAKE_BUILD_TYPE=RelWithDebInfo -DKCT_FUZZ=ON -DKCT_MAN=OFF -DKCT_BENCH=OFF \
	>"$directory/configure.log" 2>&1 || { cat "$directory/configure.log"; exit 1; }
cmake --build "$directory/build" --target fuzz_decoder >"$directory/build.log" 2>&1 ||
	{ tail -n 40 "$directory/build.log"; exit 1; }

# A machine that nobody prepared for fuzzing: its clock, its core dumps, its processors.
export AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_AFFINITY=1
# A seed that crashes is a failure, not one to step over.
export AFL_EXIT_ON_SEED_ISSUES=1
afl-fuzz -i "$source/tests/fuzz/corpus/decoder" -o "$directory/out" -m none -t 5000 -E 500 -- \
	"$directory/build/tests/fuzz/fuzz_decoder" >"$directory/run.log" 2>&1 ||
	{ tail -n 40 "$directory/run.log"; exit 1; }

stats=$directory/out/default/fuzzer_stats
# value KEY: what AFL++ says of the run
value()
{
	sed -n "s/^$1 *: *//p" "$stats"
}
echo "$(value execs_done) executions, $(value edges_found) edges, $(value saved_crashes) crashes"
test "$(value execs_done)" -ge 500
test "$(value edges_found)" -ge 100
test "$(value saved_crashes)" -eq 0
case $(value target_mode) in
*persistent*) ;;
*)
	echo "the target runs once a process: $(value target_mode)"
	exit 1
	;;
esac
