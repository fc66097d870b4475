#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# find_package.sh SOURCES PREFIX WORK CMAKE GENERATOR: a CMake project finds the installed library.
set -eu
sources=$1
prefix=$2
work=$3
cmake=$4
generator=$5
rm -rf "$work"
"$cmake" -S "$sources" -B "$work" -G "$generator" -DCMAKE_PREFIX_PATH="$prefix"
"$cmake" --build "$work"
version=$(cat "$work/version")
for program in shared_c shared_cxx static_c static_cxx; do
  "$work/$program" "$version"
done
# Before 1.0 another minor version is another interface.
if "$cmake" -S "$sources" -B "$work/later" -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" \
  -DWANTED=0.99 >"$work/later.log" 2>&1; then
  echo "version 0.99 was found"
  exit 1
fi
grep -q 'version: 0.99\|version "0.99"' "$work/later.log"
