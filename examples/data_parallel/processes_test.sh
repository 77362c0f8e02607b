#!/bin/bash
# processes_test.sh PROGRAM: the weights have the same bits, however the replicas are divided among processes.
set -uo pipefail
program=$1

for backend in interpreter cpu; do
  expected=
  for processes in 1 2 4 4; do
    output=$("$program" --backend $backend --processes $processes) ||
      { echo "error: --backend $backend --processes $processes ends with exit code $?: $output"; exit 1; }
    checksum=$(sed -n 's/^checksum of these bits *//p' <<<"$output")
    echo "$backend, $processes processes: $checksum"
    [ -n "$checksum" ] && [ "$checksum" = "${expected:=$checksum}" ] ||
      { echo "error: expected the checksum '$expected'"; exit 1; }
  done
done

for wrong in "--processes 3" "--processes" "--backed cpu"; do
  # shellcheck disable=SC2086
  if message=$("$program" $wrong 2>&1) || ! grep -q '^usage:' <<<"$message"; then
    echo "error: '$wrong' is taken: $message"
    exit 1
  fi
done
