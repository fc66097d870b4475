#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# unpack-traces.sh FROM TO: unpack a directory of traces, and once more under names that say
# nothing (TO/neutral/01 ...; TO/neutral/names tells which is which) for what guesses by content.
set -eu
from=$1
to=$2
mkdir -p "$to/neutral"

for file in "$from"/*; do
  name=$(basename "$file" .zst)
  [ "$to/$name" -nt "$file" ] && continue
  case "$file" in
  *.zst) zstd -q -d -c "$file" >"$to/$name.tmp" ;;
  *) cat "$file" >"$to/$name.tmp" ;;
  esac
  mv "$to/$name.tmp" "$to/$name"
done

number=0
: >"$to/neutral/names"
for file in "$to"/*.pc "$to"/*.cmp "$to"/*.ext "$to"/*.mem; do
  [ -e "$file" ] || continue
  number=$((number + 1))
  neutral=$(printf '%02d' $number)
  ln -f "$file" "$to/neutral/$neutral"
  echo "$neutral $(basename "$file")" >>"$to/neutral/names"
done
