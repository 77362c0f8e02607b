#!/bin/bash
# library_page_test.sh PAGE NAME...: the table of libraries in the page has a row for each public library.
set -euo pipefail
page=$1
shift

rows=$(sed -n '/^| library | what |/,/^$/p' "$page")
status=0
for name in "$@"; do
  grep -qF -- "\`//:$name\`" <<<"$rows" || { echo "FAILED: the page has no row for //:$name"; status=1; }
done
for name in $(grep -oE '`//:[a-z0-9_]+`' <<<"$rows" | tr -d '`' | sed 's|//:||'); do
  grep -qxF -- "$name" <(printf '%s\n' "$@") || { echo "FAILED: there is no //:$name"; status=1; }
done
exit $status
