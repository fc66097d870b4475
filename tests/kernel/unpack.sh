#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# unpack.sh FROM TO: the images of a fixtures' kernel without their packing, for tools that want
# them so.
set -eu
from=$1
to=$2
mkdir -p "$to"
for file in "$from"/*.zst; do
  name=$(basename "$file" .zst)
  [ "$to/$name" -nt "$file" ] && continue
  zstd -q -d -c "$file" >"$to/$name.tmp"
  mv "$to/$name.tmp" "$to/$name"
done
