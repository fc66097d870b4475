#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# install.sh SOURCE BUILD PREFIX CMAKE GENERATOR [-DOPTION...]: build and install as packages do.
set -eu
source=$1
build=$2
prefix=$3
cmake=$4
generator=$5
shift 5
rm -rf "$prefix"
"$cmake" -S "$source" -B "$build" -G "$generator" -DCMAKE_BUILD_TYPE=Release \
  -DBUILD_TESTING=OFF -DKCT_BENCH=OFF -DCMAKE_INSTALL_PREFIX="$prefix" "$@"
"$cmake" --build "$build"
"$cmake" --install "$build"
