#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# installed.sh PREFIX VERSION PAGES: everything a user looks for is below the prefix, and the
# program runs from there, also when the tree was moved. PAGES is 1 when there are manual pages.
set -eu
prefix=$1
version=$2
pages=$3

status=0
expect() {
  [ -n "$(find "$prefix" -path "$prefix/$1")" ] || {
    echo "not installed: $1"
    status=1
  }
}
expect bin/kcovtrace
expect 'lib*/libkcovtrace.so'
expect "lib*/libkcovtrace.so.$version"
expect 'lib*/libkcovtrace.a'
expect 'lib*/pkgconfig/kcovtrace.pc'
expect 'lib*/cmake/kcovtrace/kcovtraceConfig.cmake'
expect 'lib*/cmake/kcovtrace/kcovtraceConfigVersion.cmake'
expect 'share/doc/kcovtrace/LICENSE'
expect include/kcovtrace/kcovtrace.h
expect include/kcovtrace/version.h
for page in kcovtrace kcovtrace-info kcovtrace-decode kcovtrace-tree kcovtrace-stacks \
  kcovtrace-symbolize; do
  [ "$pages" = 0 ] || expect "share/man/man1/$page.1"
done
[ -z "$(find "$prefix/include" -name '*.in')" ] || {
  echo "a template was installed"
  status=1
}

moved=$(mktemp -d)
trap 'rm -rf "$moved"' EXIT
cp -R "$prefix/." "$moved"
said=$("$moved/bin/kcovtrace" --version)
[ "$said" = "kcovtrace $version" ] || {
  echo "--version says: $said"
  status=1
}
exit $status
