#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# headers.sh COMPILER STANDARDS LANGUAGE INCLUDE_DIR...: each header compiles alone and twice.
set -eu
compiler=$1
standards=$2
language=$3
shift 3

flags=
headers=
for dir in "$@"; do
  flags="$flags -I$dir"
  headers="$headers $(cd "$dir" && echo kcovtrace/*.h)"
done

status=0
for header in $headers; do
  for standard in $standards; do
    # shellcheck disable=SC2086 # a list of flags
    printf '#include <%s>\n#include <%s>\n' "$header" "$header" |
      "$compiler" -std="$standard" -Wall -Wextra -pedantic -Werror $flags -fsyntax-only \
        -x "$language" - || {
      echo "$header is not clean with $compiler -std=$standard"
      status=1
    }
  done
done
exit $status
