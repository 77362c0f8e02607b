#!/bin/bash
# Runs the tests of the package in Bazel's sandbox.
set -uo pipefail
cd bindings/node || exit 1
if [ ! -e halo_webnn.node ]; then
  echo "skipped: the headers of Node.js are not installed (Debian package libnode-dev), so there is no addon"
  exit 0
fi
if ! command -v node >/dev/null; then
  echo "skipped: there is no node (Debian package nodejs)"
  exit 0
fi
export HALO_WEBNN_ADDON=$PWD/halo_webnn.node
exec node --test test/*.test.js
