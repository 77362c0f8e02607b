#!/bin/bash
# Installs the Debian 12 packages that Halo is built from and run with; called with `tests`, also those that its tests and
# benchmarks need. Needs root only if something is missing. Quiet when there is nothing to do; otherwise says what it
# installs.
set -euo pipefail

packages=(
  # building
  bazel-bootstrap g++ protobuf-compiler
  # libraries
  libabsl-dev libarchive-dev libdnnl-dev libhwy-dev libjpeg62-turbo-dev liblapack-dev libpng-dev libprotobuf-dev
  libre2-dev llvm-19-dev nlohmann-json3-dev
)

case "$*" in
  '') ;;
  tests)
    # chromium looks at the pages that hlo-opt draws
    packages+=(chromium libbenchmark-dev libgmock-dev libgtest-dev pkgconf)
    # bindings/node; packages of Node.js from elsewhere have the headers that are in libnode-dev here
    packages+=(nodejs)
    [ -e /usr/include/node/node_api.h ] || packages+=(libnode-dev)
    ;;
  *)
    echo "usage: $0 [tests]" >&2
    exit 2
    ;;
esac

is_installed() {
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "error: these Debian packages are missing: ${missing[*]}; run this once as root: $0 $*" >&2
  exit 1
fi

# apt-get's own lines are kept back, and shown if it fails.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run_apt_get() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" >"$log" 2>&1 </dev/null && return
  cat "$log" >&2
  echo "error: 'apt-get $*' failed; see above, mend it and run this script again" >&2
  exit 1
}

echo "installing Debian packages: ${missing[*]} (with all they need, about 1.5 GB)"
run_apt_get update
run_apt_get install --no-install-recommends "${missing[@]}"
echo "installed"
