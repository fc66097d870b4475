#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# build-cli.sh SOURCE BUILD CC: the program kcovtrace as one static file, BUILD/bin/kcovtrace.
set -eu
source=$1
build=$2
compiler=$3

echo 'int main(void) { return 0; }' >"$build.c"
"$compiler" -static -o "$build.try" "$build.c" || {
  echo "SKIP: the compiler has no static C library"
  exit 77
}
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_COMPILER=$compiler" \
  -DCMAKE_C_FLAGS_RELEASE=-O1 -DKCT_STATIC_CLI=ON -DBUILD_TESTING=OFF -DKCT_MAN=OFF
cmake --build "$build" --target kcovtrace_cli
