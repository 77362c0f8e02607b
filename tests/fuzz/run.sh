#!/bin/bash
# Builds a fuzzer, gathers its seeds, from here and from a conformance corpus if there is one, and runs it.
#   tests/fuzz/run.sh text|proto|evaluator|arrays|webnn|nnef1_document|nnef1_tensor|nnef1_archive|nnef2_document|nnef2_tensor|stablehlo_text|stablehlo_bytecode
#       [SECONDS [CORPUS_FOLDER [WORK_FOLDER]]]
# Findings and what the fuzzer has learnt stay in WORK_FOLDER (default: fuzz-NAME below the system's temporary folder),
# so that the next run goes on from there.
set -euo pipefail
name=${1:?expected text, proto, evaluator, arrays, webnn, nnef1_document, nnef1_tensor, nnef1_archive, nnef2_document, nnef2_tensor, stablehlo_text or stablehlo_bytecode}
seconds=${2:-600}
case $name in nnef1_*) folder=nnef1 ;; nnef2_*) folder=nnef2 ;; *) folder=hlo ;; esac
corpus=${3:-${HALO_CORPUS:-../shared/conformance}/$folder}
work=${4:-${TMPDIR:-/tmp}/fuzz-$name}

# A fuzzer's speed falls with the size of what it mutates, and large seeds teach it little.
case $name in
  text) patterns='module.hlo optimized.hlo' largest=8000 ;;
  proto) patterns='module.hlo.pb' largest=8000 ;;
  evaluator) patterns='module.hlo' largest=2500 ;;
  arrays) patterns='expected.npz case.json' largest=4000 ;;
  webnn) patterns='' largest=4000 ;;
  nnef1_document) patterns='graph.nnef' largest=8000 ;;
  nnef2_document) patterns='*.sknd' largest=4000 ;;
  nnef1_tensor | nnef2_tensor) patterns='*.dat' largest=1000 ;;
  stablehlo_text) patterns='module.mlir' largest=8000 ;;
  stablehlo_bytecode) patterns='module.mlirbc' largest=8000 ;;
  nnef1_archive) patterns='*.tgz *.tar *.tar.gz' largest=12000 ;;
  *) echo "unknown fuzzer '$name'; the head of $0 lists them" >&2; exit 2 ;;
esac

mkdir -p "$work/seeds" "$work/learnt"
for kind in seeds findings; do
  [ ! -d "tests/fuzz/$kind/$name" ] || cp "tests/fuzz/$kind/$name/"* "$work/seeds/"
done
if [ -d "$corpus" ]; then
  set -f  # patterns are for find
  for pattern in $patterns; do
    find "$corpus" -name "$pattern" -size "-${largest}c" | while read -r file; do
      cp "$file" "$work/seeds/$(basename "$(dirname "$file")").$(basename "$file")"
    done
  done
fi

bazel build --config=fuzz "//tests/fuzz:${name}_fuzzer"
fuzzer=$PWD/bazel-bin/tests/fuzz/${name}_fuzzer
cd "$work"
exec "$fuzzer" learnt seeds -max_total_time="$seconds" -max_len=16384 -timeout=20 -rss_limit_mb=3000
