#!/bin/bash
# Installs what was built: the tools, and the C library with what compilers need to find it.
set -euo pipefail

usage() {
  cat <<'END'
usage: bazel run //:install -- --prefix DIR [--destdir DIR]

Installs Halo below the folder --prefix, which is made if it is not there:

  bin/hlo-run, bin/hlo-opt        the tools
  lib/halo/libhalo-cpu.so         the backend cpu of hlo-run
  lib/halo/libhalo-vulkan.so      the backend vulkan of hlo-run
  lib/halo/libhalo-replicated.so  what hlo-run runs programs on several devices with
  include/halo.h                  the C interface
  lib/libhalo.so                  the library with all backends; libhalo.so.0 and libhalo-core.so.0 belong to it
  lib/pjrt_c_api_halo_plugin.so   the plugin for JAX, which uses libhalo-core.so.0, too
  lib/pkgconfig/halo.pc           for cc $(pkg-config --cflags --libs halo)
  lib/cmake/halo/                 for find_package(halo), target halo::halo

  --prefix DIR    where Halo will be used; /usr/local, for example. It may be moved as a whole later
  --destdir DIR   puts DIR in front of the prefix while installing, for those who build packages
  --help          shows this

Programs find the library in DIR/lib if that is one of the system's folders (after ldconfig, as root), or if LD_LIBRARY_PATH
or the program itself (-Wl,-rpath,DIR/lib) names it. Relative folders are relative to where you are. Where Halo only runs, it
needs no compiler and no -dev packages: tools/setup/install_packages.sh runtime installs the libraries that it loads.
Exit status: 0 fine, 1 a file could not be written, 2 bad usage.
END
}

bad_usage() {
  echo "install: $1; --help says more" >&2
  exit 2
}

prefix= destdir=
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h)
      usage
      exit 0
      ;;
    --prefix=* | --destdir=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    --prefix | --destdir)
      [ -n "${2:-}" ] || bad_usage "$1 needs a folder"
      if [ "$1" = --prefix ]; then prefix=$2; else destdir=$2; fi
      shift 2
      ;;
    *) bad_usage "there is no option '$1'" ;;
  esac
done
[ -n "$prefix" ] || bad_usage "say where to with --prefix DIR"

# Bazel runs this script in the folder of its inputs, and says where the user was.
from=$PWD
cd "${BUILD_WORKING_DIRECTORY:-$PWD}"
target=$prefix
if [ -n "$destdir" ]; then target=${destdir%/}/${prefix#/}; fi
mkdir -p "$target" || exit 1
target=$(cd "$target" && pwd)
cd "$from"

# The header tells which version this is.
header=bindings/c/halo.h
macro() { sed -nE "s/^#define $1 ([0-9]+)$/\1/p" "$header"; }
major=$(macro HALO_VERSION_MAJOR)
version=$major.$(macro HALO_VERSION_MINOR).$(macro HALO_VERSION_PATCH)
abi=$(macro HALO_ABI_VERSION)

# put MODE SOURCE PLACE: a copy that replaces what was there at once, so that programs which use the old file go on.
put() {
  mkdir -p "$(dirname "$target/$3")"
  cp -L "$2" "$target/$3.new"
  chmod "$1" "$target/$3.new"
  mv -f "$target/$3.new" "$target/$3"
}

fill_in() {
  sed -e "s/@VERSION@/$version/g" -e "s/@VERSION_MAJOR@/$major/g" -e "s/@ABI_VERSION@/$abi/g" "bindings/c/$1.in" >"$filled"
  put 644 "$filled" "$2/$1"
}
filled=$(mktemp)
trap 'rm -f "$filled"' EXIT

put 755 tools/hlo-run bin/hlo-run
put 755 tools/hlo-opt bin/hlo-opt
put 644 tools/libhalo-cpu.so lib/halo/libhalo-cpu.so
put 644 tools/libhalo-vulkan.so lib/halo/libhalo-vulkan.so
put 644 tools/libhalo-replicated.so lib/halo/libhalo-replicated.so
put 644 "$header" include/halo.h
put 644 "bindings/c/libhalo-core.so.$abi" "lib/libhalo-core.so.$abi"
put 644 bindings/c/libhalo.so "lib/libhalo.so.$version"
put 644 bindings/pjrt/pjrt_c_api_halo_plugin.so lib/pjrt_c_api_halo_plugin.so
ln -sfn "libhalo.so.$version" "$target/lib/libhalo.so.$abi"
ln -sfn "libhalo.so.$abi" "$target/lib/libhalo.so"
fill_in halo.pc lib/pkgconfig
fill_in haloConfig.cmake lib/cmake/halo
fill_in haloConfigVersion.cmake lib/cmake/halo

echo "installed Halo $version in $target"
