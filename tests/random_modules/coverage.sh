#!/bin/bash
# Lists the lines of backends/cpu, backends/kernel_ir and passes that no comparison with an interpreter or with known
# results executes: builds check_analyses, check_backend, check_passes, check_kernels, random_codegen_test, the cases of
# the passes and the odd forms, and the runners of the corpora with these three folders instrumented, into an output base
# of its own, runs them, and adds up what gcov says.
#
#   bazel run -c opt //tests/random_modules:coverage -- [--modules N] [--seed S] [--corpus DIR] [--output DIR]
#       [--floor P]
#
# --modules   random modules for check_analyses and check_backend, half as many for check_passes, a third as many for
#             check_backend on each other processor that can be tested here, and a tenth as many random kernels and
#             modules for check_kernels (default 3000)
# --corpus    with the folders hlo, webnn and nnef1 (default: the one that HALO_CORPUS names; without either none)
# --output    where the list goes, a file for each folder (default: /tmp/halo-coverage)
# --floor     percentage of each folder's lines that must be executed (default 95)
#
# Exit status: 0 every folder reaches the floor, 1 one does not, 2 bad usage or a failed build. What a program finds
# wrong is printed, but has no part in it.
set -uo pipefail

modules=3000 seed=1 corpus=${HALO_CORPUS:-} output=/tmp/halo-coverage floor=95
while [ $# -gt 0 ]; do
  case $1 in
    --modules | --seed | --corpus | --output | --floor)
      [ $# -ge 2 ] || { echo "coverage: $1 needs a value" >&2; exit 2; }
      declare "${1#--}=$2"
      shift 2
      ;;
    *)
      echo "coverage: unexpected argument '$1'; the file tests/random_modules/coverage.sh says what there is" >&2
      exit 2
      ;;
  esac
done
# Paths count from where the user is.
user=${BUILD_WORKING_DIRECTORY:-$PWD}
[ -z "$corpus" ] || corpus=$(cd "$user" && realpath "$corpus") || exit 2
output=$(cd "$user" && realpath -m "$output")
report=$(realpath "$(dirname "$0")/coverage_report.py")
[ -e "$report" ] || report=${BUILD_WORKSPACE_DIRECTORY:?run it with bazel}/tests/random_modules/coverage_report.py
cd "${BUILD_WORKSPACE_DIRECTORY:?run it with bazel}" || exit 2

base=${HALO_COVERAGE_BASE:-$HOME/.cache/halo-coverage}
data=$base/executed
mkdir -p "$base" "$output" && rm -rf "$data" && mkdir "$data" || exit 2
# The compiler writes notes beside each object, where only the build in this output base finds them. A name of
# its own on the command line keeps a cache from handing out objects whose notes are elsewhere.
[ -e "$base/name" ] || date +%s%N >"$base/name"
instrumented='^(backends/cpu|backends/kernel_ir|passes)/.*[.]cc$'
programs=(//tests/random_modules:check_{analyses,backend,passes} //tests/kernels:check_kernels
  //tests/odd_forms:odd_forms_test //backends/cpu/codegen:random_codegen_test
  //tests/conformance:hlo //tests/conformance:webnn //tests/conformance:nnef1)
for cases in passes/*/cases; do programs+=("//${cases%/cases}:cases_test"); done
programs+=(//passes/algebra:{fast_math,movement}_fuzz_test)
bazel_here() { "${BAZEL_REAL:-bazel}" --output_base="$base/output" "$@"; }
# Links such as bazel-bin stay those of the build that the user knows.
options=(-c opt --define=sources=apart --symlink_prefix=/ --linkopt=-fprofile-arcs --linkopt=-Wl,-u,__gcov_dump
  "--per_file_copt=$instrumented@--coverage,-O1,-fno-early-inlining,-DHALO_COVERAGE_BUILD=$(cat "$base/name")")
bazel_here build "${options[@]}" "${programs[@]}" || exit 2
bin=$(bazel_here info "${options[@]}" bazel-bin 2>/dev/null) || exit 2
root=$(bazel_here info "${options[@]}" execution_root 2>/dev/null) || exit 2

# Runs a program in the folder of its test, where it finds the files that it reads. Objects name their counters below
# /proc/self/cwd, the folder in which the compiler ran.
run() {
  echo "=== ${*:1:8}"
  (cd "$bin/$1.runfiles/halo" && GCOV_PREFIX=$data GCOV_PREFIX_STRIP=3 "$bin/$1" "${@:2}" 2>&1 | tail -n 3)
}
for cases in passes/*/cases; do run "${cases%/cases}/cases_test" "$cases"/*.hlo; done
for fuzz in fast_math movement; do run passes/algebra/${fuzz}_fuzz_test; done
run tests/odd_forms/odd_forms_test
run tests/random_modules/check_backend --modules "$modules" --seed "$seed" --levels 0,1,2
for processor in matrix-unit avx2 baseline; do
  run tests/random_modules/check_backend --modules $((modules / 3)) --seed $((seed + modules)) --processor $processor
done
run tests/random_modules/check_analyses --count "$modules" --seed "$seed"
run tests/random_modules/check_passes --count $((modules / 2)) --seed "$seed"
for pipeline in cpu none; do
  run tests/kernels/check_kernels --count $((modules / 10 + 1)) --seed "$seed" --pipeline $pipeline
done
run backends/cpu/codegen/random_codegen_test --first="$seed" --count=$((modules / 10 + 1))
if [ -n "$corpus" ]; then
  for runner in hlo webnn nnef1; do
    run "tests/conformance/$runner" --corpus "$corpus/$runner" --backend cpu --backend-threads 1,3 --levels 1,0,2
    run "tests/conformance/$runner" --corpus "$corpus/$runner" --backend cpu --processor matrix-unit
  done
fi

exec python3 "$report" --notes "$root" --counters "$data" --source "$PWD" --output "$output" --floor "$floor" \
  backends/cpu backends/kernel_ir passes
