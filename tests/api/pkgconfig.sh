#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# pkgconfig.sh cc|c++ SOURCES PREFIX WORK: a program finds the installed library with pkg-config,
# the shared one and, in a copy without it, the static one.
set -eu
compiler=$1
sources=$2
prefix=$3
work=$4
case "$compiler" in
cc) compile="cc -std=c11" language=c source=$sources/consumer.c ;;
c++) compile="c++ -std=c++11" language=c++ source=$sources/consumer.cpp ;;
esac

rm -rf "$work"
mkdir -p "$work"
pc=$(dirname "$(find "$prefix" -name kcovtrace.pc)")
PKG_CONFIG_PATH=$pc
export PKG_CONFIG_PATH
version=$(pkg-config --modversion kcovtrace)

# shellcheck disable=SC2046,SC2086 # lists of flags
$compile -Wall -Wextra -pedantic -Werror "$source" -o "$work/shared" \
  $(pkg-config --cflags --libs kcovtrace)
LD_LIBRARY_PATH=$pc/.. "$work/shared" "$version"
ldd "$work/shared" | grep -q libkcovtrace.so.0 || {
  echo "the shared program does not use the shared library"
  exit 1
}

# Some distributions' libdw.pc names libraries that its package does not bring.
# shellcheck disable=SC2046,SC2086
echo 'int main(void) { return 0; }' | $compile -x $language - -x none -o "$work/probe" \
  $(pkg-config --static --libs libdw) 2>"$work/probe.log" || {
  echo "SKIP: static use: the libraries that libdw.pc names are not installed"
  exit 0
}

cp -R "$prefix" "$work/static-prefix"
find "$work/static-prefix" -name 'libkcovtrace.so*' -exec rm -f {} +
PKG_CONFIG_PATH=$(dirname "$(find "$work/static-prefix" -name kcovtrace.pc)")
# shellcheck disable=SC2046,SC2086
$compile -Wall -Wextra -pedantic -Werror "$source" -o "$work/static" \
  $(pkg-config --static --cflags --libs kcovtrace)
"$work/static" "$version"
