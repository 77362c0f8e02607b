#!/bin/bash
# Times the networks of examples/nnef2 on the backend cpu beside the same networks through NNEF 1, the LSTM beside the
# same cell as HLO, in interleaved rounds, and prints the best time of each and their ratio:
#
#   bazel build -c opt //tools:hlo-run //examples:write_nnef2_variables //tests/nnef_pairs:print_network
#   tests/nnef_pairs/compare_speed.sh FOLDER [ROUNDS]
#
# FOLDER is for the models, some 150 MB; what is there is used again. Exit status: 1 if a ratio is greater than 1.03.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:?compare_speed.sh FOLDER [ROUNDS]}
rounds=${2:-5}
bin=${BIN:-bazel-bin}
mkdir -p "$folder"

best_ms() { python3 -c 'import json,sys; print(json.load(sys.stdin)["run_ms"]["min"])'; }

time_of() { "$bin/tools/hlo-run" "$@" --backend cpu --benchmark --json 2>/dev/null | best_ms; }

slow=0
for name in resnet50 mobilenet_v2 transformer_block lstm; do
  second="$folder/nnef2_$name"
  if [ ! -e "$second/main.sknd" ]; then
    mkdir -p "$second"
    cp "examples/nnef2/$name/main.sknd" "$second/"
    "$bin/examples/write_nnef2_variables" "$second" > /dev/null
  fi
  if [ "$name" = lstm ]; then
    first="$folder/lstm.hlo"
    "$bin/tests/nnef_pairs/print_network" lstm > "$first"
    options=(--weights parameter)
  else
    first="$folder/nnef1_$name"
    mkdir -p "$first"
    "$bin/tests/nnef_pairs/print_network" "$name" > "$first/graph.nnef"
    ln -f "$second"/*.dat "$first/"
    options=()
  fi
  one=() two=()
  for _ in $(seq "$rounds"); do
    one+=("$(time_of "$first")")
    two+=("$(time_of "$second" "${options[@]}")")
  done
  python3 - "$name" "${one[*]}" "${two[*]}" <<'END' || slow=1
import sys
name, first, second = sys.argv[1], *(min(map(float, times.split())) for times in sys.argv[2:])
print(f"{name}: {first:.3f} ms before, {second:.3f} ms through NNEF 2, ratio {second / first:.3f}", flush=True)
sys.exit(second > 1.03 * first)
END
done
exit $slow
