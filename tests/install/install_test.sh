#!/bin/bash
# Installs Halo and uses it as a user would. The current folder is the root of the workspace.
set -euo pipefail
source tools/testing/expect.sh

temporary=${TEST_TMPDIR:?}
install=$PWD/tools/install/install.sh
prefix=$temporary/prefix

# A program without the sanitizer's runtime could not load such a library.
if nm -D bindings/c/libhalo-core.so.0 | grep -qE ' U __(a|t|ub)san'; then
  echo "skipped: the library is built with a sanitizer"
  exit 0
fi

echo "--- options"
expect "--destdir DIR" "$install" --help
expect_failure 2 "say where to with --prefix DIR" "$install"
expect_failure 2 "--prefix needs a folder" "$install" --prefix
expect_failure 2 "there is no option '--prefx'" "$install" --prefx /tmp
touch "$temporary/file"
expect_failure 1 "$temporary/file" "$install" --prefix "$temporary/file/below"
BUILD_WORKING_DIRECTORY=$temporary expect "$temporary/here/usr" "$install" --destdir=here --prefix=/usr
[ -x "$temporary/here/usr/bin/hlo-run" ] || fail "--destdir is not in front of --prefix"

echo "--- what is installed"
expect "installed Halo 0.1.0 in $prefix" "$install" --prefix "$prefix"
expect "installed Halo" "$install" --prefix "$prefix" # over an installation
(cd "$prefix" && find . -type f -o -type l) | sort >"$temporary/files"
diff "$temporary/files" - <<'END' || fail "the files differ"
./bin/hlo-opt
./bin/hlo-run
./include/halo.h
./lib/cmake/halo/haloConfig.cmake
./lib/cmake/halo/haloConfigVersion.cmake
./lib/halo/libhalo-cpu.so
./lib/halo/libhalo-replicated.so
./lib/halo/libhalo-vulkan.so
./lib/libhalo-core.so.0
./lib/libhalo.so
./lib/libhalo.so.0
./lib/libhalo.so.0.1.0
./lib/pjrt_c_api_halo_plugin.so
./lib/pkgconfig/halo.pc
END
expect "hlo-run FILE" "$prefix/bin/hlo-run" --help
printf 'hlo-run 0.1.0\nbackends: cpu, interpreter, vulkan\n' | diff - <("$prefix/bin/hlo-run" --version) || fail "hlo-run --version"
expect "hlo-opt 0.1.0" "$prefix/bin/hlo-opt" --version
if grep -rIlE "$temporary|$PWD" "$prefix"; then fail "these files name folders of this machine"; fi
for file in bin/hlo-run bin/hlo-opt lib/halo/libhalo-cpu.so lib/halo/libhalo-replicated.so lib/halo/libhalo-vulkan.so lib/libhalo.so lib/libhalo-core.so.0 lib/pjrt_c_api_halo_plugin.so; do
  if readelf -d "$prefix/$file" | grep -E 'RPATH|RUNPATH' | grep -vF '[$ORIGIN]'; then fail "$file names folders of libraries"; fi
done

echo "--- what the libraries show"
exported() { nm -D --defined-only "$1" | awk '{ print $NF }' | sort; }
# The functions that the header declares: names in front of a parenthesis.
sed -E 's|/\*.*\*/||' "$prefix/include/halo.h" | grep -oE '\bhalo_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$temporary/declared"
[ "$(wc -l <"$temporary/declared")" -gt 90 ] || fail "few functions found in the header"
exported "$prefix/lib/libhalo.so" | diff "$temporary/declared" - || fail "libhalo.so does not export what halo.h declares"
printf 'halo_core_entry_table\nhalo_core_pjrt_api\n' | diff - <(exported "$prefix/lib/libhalo-core.so.0") || fail "libhalo-core.so.0 exports others"
[ "$(exported "$prefix/lib/pjrt_c_api_halo_plugin.so")" = GetPjrtApi ] || fail "the plugin for JAX exports more"
soname=$(readelf -d "$prefix/lib/libhalo.so" | sed -nE 's/.*SONAME.*\[(.*)\]/\1/p')
[ "$soname" = libhalo.so.0 ] || fail "the soname is $soname"

echo "--- which packages of the system it needs"
# The package of a library: by the name that programs ask for, or, where several packages offer that, the usual one.
# With the folder, because packages for other processors have files of the same names.
package_of() { # SONAME FILE
  local file
  case $1 in
    liblapack.so.3 | libblas.so.3) echo "${1%.so.3}3" ;;
    ld-linux-*) echo libc6 ;;
    *)
      file=$(realpath "$2")
      dpkg-query --search "*/$(basename "$(dirname "$file")")/$(basename "$file")" | sed -n '1s/:.*//p'
      ;;
  esac
}
# What a file is linked with, and what it loads by name when it needs it, which stands among its texts.
libraries_of() {
  readelf -d "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p'
  LC_ALL=C tr '\0' '\n' <"$1" | grep -axE 'lib[a-z0-9_]+\.so\.[0-9]+' | grep -v '^libhalo'
}
for file in bin/hlo-run bin/hlo-opt lib/halo/libhalo-cpu.so lib/halo/libhalo-replicated.so lib/halo/libhalo-vulkan.so lib/libhalo.so lib/libhalo-core.so.0 lib/pjrt_c_api_halo_plugin.so; do
  ldd "$prefix/$file" >"$temporary/libraries"
  if grep "not found" "$temporary/libraries"; then fail "$file needs libraries that are not there"; fi
  for soname in $(libraries_of "$prefix/$file" | sort -u); do
    package_of "$soname" "$(/sbin/ldconfig -p | awk -v name="$soname" '$1 == name { print $NF; exit }')"
  done
done | grep -vxE 'libc6|libgcc-s1|libstdc\+\+6' | sort -u >"$temporary/packages" # those are everywhere
packages_of_script() { sed -n '/^runtime_packages=(/,/^)/p' tools/setup/install_packages.sh | sed '1d;$d' | tr -s ' ' '\n'; }
diff <(packages_of_script | grep . | sort) "$temporary/packages" || fail "install_packages.sh runtime installs others"
for package in $(cat "$temporary/packages"); do
  sed -n '/^## From C, and installed/,/^## WebNN/p' docs/library.md | grep -qF -- "$package" ||
    fail "docs/library.md lacks $package"
done

program=examples/c_api/game_of_life
compile() { # COMPILER FLAGS...
  # shellcheck disable=SC2046 # the flags are words
  "$@" -Wall -Wextra -Werror -pedantic $program.c $(pkg-config --cflags --libs halo) -o "$temporary/game_of_life"
}
# check_game PREFIX: the program runs on each backend.
check_game() {
  check_game_on "$1" interpreter
  check_game_on "$1" cpu
}
check_game_on() {
  LD_LIBRARY_PATH=$1/lib "$temporary/game_of_life" examples/game_of_life/module.hlo "$2" >"$temporary/game" ||
    fail "the program ended with $?"
  grep -qx "backend $2" "$temporary/game" || fail "the program does not say that it runs on $2"
  grep -q '^jit_f (HLO text): .* u8\[24,24\] -> u8\[24,24\]$' "$temporary/game" || fail "the signature is wrong"
  # 32 generations are 8 steps of a glider, each down and to the right.
  [ "$(grep -c '#' "$temporary/game")" -eq 6 ] || fail "there should be two gliders of three rows"
  tail -n +27 "$temporary/game" | grep -q "^$(printf ' .%.0s' {1..9}) #$(printf ' .%.0s' {1..14})$" ||
    fail "the glider did not arrive"
}
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
echo "--- cc with pkg-config, as C99, as C11, as C++"
[ "$(pkg-config --modversion halo)" = 0.1.0 ] || fail "pkg-config has another version"
for standard in c99 c11; do
  compile cc -std=$standard && check_game "$prefix"
done
compile c++ -x c++ -std=c++98 -Wno-variadic-macros -Wno-long-long && check_game "$prefix"
expect_failure 1 "NOT_FOUND: unknown backend 'abacus'; this build has cpu, interpreter, replicated, vulkan" \
  env LD_LIBRARY_PATH="$prefix/lib" "$temporary/game_of_life" examples/game_of_life/module.hlo abacus
expect_failure 1 "UNAVAILABLE: Vulkan's loader finds no driver" env VK_ICD_FILENAMES=/nonexistent.json \
  LD_LIBRARY_PATH="$prefix/lib" "$temporary/game_of_life" examples/game_of_life/module.hlo vulkan
expect_failure 1 "NOT_FOUND: no/such.hlo" env LD_LIBRARY_PATH="$prefix/lib" "$temporary/game_of_life" no/such.hlo

echo "--- the program of bindings/c/README.md"
sed -n '/^```c$/,/^```$/p' bindings/c/README.md | grep -v '^```' >"$temporary/add.c"
# shellcheck disable=SC2046
cc -Wall -Wextra -Werror "$temporary/add.c" $(pkg-config --cflags --libs halo) -o "$temporary/add"
expect "11 22 33" env LD_LIBRARY_PATH="$prefix/lib" "$temporary/add"

echo "--- moved"
mv "$prefix" "$temporary/moved"
prefix=$temporary/moved
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
compile cc && check_game "$prefix"

echo "--- beside another Protobuf, beside another oneDNN"
c++ -shared -fPIC tests/install/foreign_protobuf.cc -o "$temporary/libforeign_protobuf.so"
# All functions that the core takes from oneDNN; each of the other ones ends the program.
nm -D --undefined-only "$prefix/lib/libhalo-core.so.0" | awk '
  BEGIN { print "void abort(void);" }
  $2 ~ /^dnnl_/ { print "void " $2 "(void) { abort(); }" }' >"$temporary/foreign_onednn.c"
grep -q dnnl_primitive_create "$temporary/foreign_onednn.c" || fail "the core needs no oneDNN"
cc -shared -fPIC "$temporary/foreign_onednn.c" -o "$temporary/libforeign_onednn.so"
cc -I"$prefix/include" -Wall -Werror tests/install/beside_others.c -o "$temporary/beside_others" -ldl
for foreign in protobuf onednn; do
  for order in before after; do
    cd "$prefix/lib"
    # oneDNN says what it computes.
    expect "onednn_verbose,exec,cpu,convolution" \
      env ONEDNN_VERBOSE=1 "$temporary/beside_others" $order ./libhalo.so "$temporary/libforeign_$foreign.so"
    expect "text protobuf" "$temporary/beside_others" $order ./libhalo.so "$temporary/libforeign_$foreign.so"
    cd - >"$temporary/folder"
  done
done

echo "--- without its core"
mkdir "$temporary/alone"
cp "$prefix/lib/libhalo.so.0.1.0" "$temporary/alone/libhalo.so.0"
expect_failure 1 "UNAVAILABLE: libhalo-core.so.0 is not beside $temporary/alone/libhalo.so.0" \
  env LD_LIBRARY_PATH="$temporary/alone" "$temporary/game_of_life" examples/game_of_life/module.hlo
echo "no library" >"$temporary/alone/libhalo-core.so.0"
expect_failure 1 "UNAVAILABLE: cannot load $temporary/alone/libhalo-core.so.0" \
  env LD_LIBRARY_PATH="$temporary/alone" "$temporary/game_of_life" examples/game_of_life/module.hlo

echo "--- CMake"
mkdir "$temporary/project"
cp $program.c "$temporary/project/main.c"
cat >"$temporary/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.10)
project(game C)
find_package(halo 0.1 REQUIRED)
add_executable(game main.c)
target_link_libraries(game halo::halo)
END
cmake -S "$temporary/project" -B "$temporary/project/build" -DCMAKE_PREFIX_PATH="$prefix" >"$temporary/cmake.log" 2>&1 &&
  cmake --build "$temporary/project/build" >>"$temporary/cmake.log" 2>&1 || fail "$(cat "$temporary/cmake.log")"
cp "$temporary/project/build/game" "$temporary/game_of_life"
check_game "" # CMake wrote the library's folder into the program
sed -i 's/find_package(halo 0.1/find_package(halo 0.2/' "$temporary/project/CMakeLists.txt"
expect_failure 1 "0.2" cmake -S "$temporary/project" -B "$temporary/newer" -DCMAKE_PREFIX_PATH="$prefix"
