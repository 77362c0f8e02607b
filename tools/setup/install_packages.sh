#!/bin/bash
# Installs the Debian 12 packages that Halo is built from and run with; called with `tests`, also those that its tests
# and benchmarks need; called with `runtime`, only those that an installed Halo (bazel run //:install) runs with. Needs
# root only if something is missing. Quiet when there is nothing to do; otherwise says what it installs.
set -euo pipefail

packages=(
  # building
  bazel-bootstrap g++ protobuf-compiler
  # libraries
  libabsl-dev libarchive-dev libdnnl-dev libhwy-dev libjpeg62-turbo-dev liblapack-dev libpng-dev
  libprotobuf-dev libre2-dev libvulkan-dev llvm-19-dev nlohmann-json3-dev spirv-headers
)
# No compiler, no headers. The README lists them, too; //tests/install compares them with what the programs load.
runtime_packages=(
  libabsl20220623 libarchive13 libblas3 libdnnl2 libgomp1 libhwy1 libjpeg62-turbo liblapack3 libllvm19
  libpng16-16 libprotobuf32 libre2-9 libvulkan1 zlib1g
)

size="about 1.5 GB"
case "$*" in
  '') ;;
  runtime)
    packages=("${runtime_packages[@]}")
    size="about 200 MB"
    ;;
  tests)
    # chromium looks at the pages that hlo-opt draws, graphviz at its graphs; cmake and make build a program against an
    # installed Halo
    packages+=(chromium cmake graphviz libbenchmark-dev libgloo-dev libgmock-dev libgtest-dev make pkgconf)
    # backends/vulkan runs on a device for the CPU, with all checks
    packages+=(mesa-vulkan-drivers spirv-tools vulkan-validationlayers)
    # tests/faults makes hosts and loses their packets
    packages+=(iproute2 nftables)
    # the wheel of bindings/pjrt
    packages+=(patchelf)
    # bindings/node; packages of Node.js from elsewhere have the headers that are in libnode-dev here
    packages+=(nodejs)
    [ -e /usr/include/node/node_api.h ] || packages+=(libnode-dev)
    ;;
  *)
    echo "usage: $0 [runtime|tests]" >&2
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

echo "installing Debian packages: ${missing[*]} (with all they need, $size)"
run_apt_get update
run_apt_get install --no-install-recommends "${missing[@]}"
echo "installed"
