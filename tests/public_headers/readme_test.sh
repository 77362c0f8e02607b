#!/bin/bash
# readme_test.sh README NAME...: the table of libraries in the README has a row for each public library.
set -euo pipefail
readme=$1
shift

rows=$(sed -n '/^| library | what |/,/^$/p' "$readme")
status=0
for name in "$@"; do
  grep -qF -- "\`//:$name\`" <<<"$rows" || { echo "FAILED: the README has no row for //:$name"; status=1; }
done
for name in $(grep -oE '`//:[a-z0-9_]+`' <<<"$rows" | tr -d '`' | sed 's|//:||'); do
  grep -qxF -- "$name" <(printf '%s\n' "$@") || { echo "FAILED: there is no //:$name"; status=1; }
done
exit $status
