#!/bin/bash
# Packs the files of the package as `npm pack` does. Usage: pack.sh OUT.tgz FILE...; files lie in or under a folder
# bindings/node.
set -euo pipefail
out=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for file in "$@"; do
  destination=$folder/package/${file#*bindings/node/}
  mkdir -p "$(dirname "$destination")"
  cp "$file" "$destination"
  chmod u=rw,go=r "$destination"
done
# The same bytes every time.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -C "$folder" -c package | gzip -n >"$out"
