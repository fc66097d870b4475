#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check_bad.sh TREE FILE KALLSYMS: the program fails with a message that names the file, for FILE, which is no
# trace, for FILE as the names, and for a file that is not there.
set -u

# fails NAMED TRACE KALLSYMS
fails()
{
	if said=$("$tree" "$2" "$3" 2>&1); then
		echo "$2 $3: no failure"
		exit 1
	fi
	case $said in
	*"$1: "*) ;;
	*)
		echo "$2 $3: said '$said'"
		exit 1
		;;
	esac
}

tree=$1
fails "$2" "$2" "$3"
fails "$2.none" "$2.none" "$3"
fails "$2.none" "$2" "$2.none"
