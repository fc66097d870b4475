#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# format.sh ROOT: the C files are as .clang-format has them. Each major version of clang-format
# lays out a little differently; ours is 14.
set -eu
cd "$1"
version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
if [ "$version" != 14 ]; then
  echo "SKIP: clang-format is version $version, the files are formatted by 14"
  exit 77
fi
find include lib cli examples tests bench fixtures -name '*.[ch]' 2>/dev/null |
  xargs clang-format --dry-run --Werror
