#!/bin/bash
# hlo-run loads libraries when it needs them: from wherever it is called, and with an error that says what is missing.
# The current folder is the root of the workspace.
set -euo pipefail
source tools/testing/expect.sh

temporary=${TEST_TMPDIR:?}
root=$PWD

# renamed FROM TO FILE: a copy of the file, which asks for another library. The names are of equal length.
renamed() {
  LC_ALL=C sed "s/${1//./\\.}/$2/g" "$3" >"$temporary/renamed"
  chmod 755 "$temporary/renamed"
  echo "$temporary/renamed"
}

cat >"$temporary/add.hlo" <<'END'
HloModule add

ENTRY main {
  x = f32[4] parameter(0)
  ROOT sum = f32[4] add(x, x)
}
END
cat >"$temporary/factor.hlo" <<'END'
HloModule factor

ENTRY main {
  x = f32[2,2] constant({{4, 0}, {0, 9}})
  ROOT factors = (f32[2,2], s32[]) custom-call(x), custom_call_target="lapack_spotrf_ffi",
    api_version=API_VERSION_TYPED_FFI, backend_config="{uplo = 76 : ui8}"
}
END
add=$temporary/add.hlo factor=$temporary/factor.hlo
unset LD_LIBRARY_PATH

echo "--- what the programs are linked with"
for tool in hlo-run hlo-opt; do
  if readelf -d "tools/$tool" | grep -E 'lib(LLVM|dnnl|gomp|hwy|hwy_contrib|lapack|blas|archive)\.so'; then
    fail "$tool is linked with these, so that every start of it loads them"
  fi
done

echo "--- from other folders, through links"
real=$(realpath tools/hlo-run)
mkdir "$temporary/elsewhere"
ln -s "$real" "$temporary/elsewhere/linked"
for program in "$root/tools/hlo-run" "$real" "$temporary/elsewhere/linked" ./linked ../elsewhere/linked; do
  (cd "$temporary/elsewhere" && expect "f32[4]" "$program" --backend cpu "$add")
done
(cd "$(dirname "$real")" && PATH=.:$PATH expect "f32[4]" hlo-run --backend cpu "$add")

echo "--- copied, as built and as installed"
copied=$temporary/copied
mkdir -p "$copied/bin" "$copied/lib/halo"
cp -L tools/hlo-run tools/libhalo-cpu.so "$copied/bin"
chmod -R u+w "$copied"
expect "f32[4]" "$copied/bin/hlo-run" --backend cpu "$add"
mv "$copied/bin/libhalo-cpu.so" "$copied/lib/halo"
expect "f32[4]" "$copied/bin/hlo-run" --backend cpu "$add"
expect "{2, 0}" "$copied/bin/hlo-run" "$factor"

echo "--- without the backend's library"
mv "$copied/lib/halo/libhalo-cpu.so" "$copied"
expect_error 4 "hlo-run: the backend 'cpu' is in libhalo-cpu.so, which is neither in $copied/bin nor in \
$copied/bin/../lib/halo; install Halo again" "$copied/bin/hlo-run" --backend cpu "$add"
expect "f32[4]" "$copied/bin/hlo-run" "$add"
expect "backends: cpu, interpreter, vulkan" "$copied/bin/hlo-run" --version

echo "--- without a library of the system"
looked="cannot open shared object file: No such file or directory; looked in the system's folders of libraries"
cp "$(renamed libLLVM.so.19.1 libLLVM.so.99.9 "$copied/libhalo-cpu.so")" "$copied/bin/libhalo-cpu.so"
expect_error 4 "hlo-run: cannot load $copied/bin/libhalo-cpu.so: libLLVM.so.99.9: $looked (LD_LIBRARY_PATH is not set); \
apt-get install libllvm19 libdnnl2 libgomp1 installs what it needs; if nothing is missing, install Halo \
again" \
  "$copied/bin/hlo-run" --backend cpu "$add"
expect_error 3 "hlo-run: computation main: factors = (f32[2,2], s32[]) custom-call(f32[2,2] x): lapack_spotrf_ffi: \
cannot load liblapack.so.9: liblapack.so.9: $looked and LD_LIBRARY_PATH=/nowhere; \
apt-get install liblapack3 installs it" \
  env LD_LIBRARY_PATH=/nowhere "$(renamed liblapack.so.3 liblapack.so.9 tools/hlo-run)" "$factor"
expect_error 4 "hlo-run: cannot load libarchive.so.99: libarchive.so.99: $looked (LD_LIBRARY_PATH is not set); \
apt-get install libarchive13 installs it" \
  "$(renamed libarchive.so.13 libarchive.so.99 tools/hlo-run)" "$factor" --output "$temporary/out.npz"
