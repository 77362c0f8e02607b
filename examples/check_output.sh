#!/bin/bash
# check_output.sh PROGRAM PATTERN...: runs the program, which must end well and print a line for each of the extended
# regular expressions.
set -uo pipefail
program=$1
shift

output=$("$program") || { echo "error: $program ended with exit code $?; it printed: $output"; exit 1; }
echo "$output"
for pattern in "$@"; do
  grep -qE -- "$pattern" <<<"$output" || { echo "error: no line of the output matches '$pattern'"; exit 1; }
done
