"""Measures JAX on Halo beside JAX's own CPU, and beside hlo-run on the same programs.

    bazel build -c opt //bindings/pjrt:pjrt_c_api_halo_plugin.so //tools:hlo-run //tools:hlo-opt
    python3 bindings/pjrt/benchmarks.py --python P [--only NAMES] [--rounds 5]

P is a Python with JAX (or HALO_JAX_PYTHON); without one, everything is skipped. Prints, in microseconds or
milliseconds, the median of the medians of the rounds, in which the contestants take turns:

  call        jit(x + 1) on 16 floats: the time of a call, as a multiple of JAX CPU's; at most 1.5
  resnet50    a batch of one image, inference  \\
  bert_layer  8 sequences of 128, inference     } a call through JAX as a multiple of hlo-run --backend cpu's
  lm_step     a training step with Adam        /  on the same program; at most 1.03
  reading     hlo-opt --verify-only on these programs, without its start, as a share of their time of compiling;
              at most 0.05

Exits with 1 if a figure is above its limit.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = ("resnet50", "bert_layer", "lm_step")
CALL_LIMIT, MODEL_LIMIT, READING_LIMIT = 1.5, 1.03, 0.05


def environment_of(platform, plugin):
    environment = dict(os.environ, JAX_PLATFORMS=platform)
    if platform == "halo":
        environment["HALO_PJRT_LIBRARY"] = os.path.abspath(plugin)
        paths = [os.path.join(HERE, "python"), environment.get("PYTHONPATH")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    return environment


class Contestant:
    """A process of benchmark_models.py, which prepares a program and then times calls of it on request."""

    def __init__(self, arguments, platform, name, folder=None):
        command = [arguments.python, os.path.join(HERE, "benchmark_models.py"), name] + ([folder] if folder else [])
        self._process = subprocess.Popen(command, env=environment_of(platform, arguments.plugin), text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # yapf: disable
        self.compile_seconds = json.loads(self._answer())["compile_seconds"]

    def _answer(self):
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"benchmark_models.py ended with status {self._process.wait()}")
        return line

    def measure(self):
        """The median of the seconds of a call."""
        self._process.stdin.write("measure\n")
        self._process.stdin.flush()
        return json.loads(self._answer())["seconds"]

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def take_turns(contestants, rounds):
    """{name: the median over the rounds of what its function gives}."""
    times = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, measure in contestants.items():
            times[name].append(measure())
    return {name: statistics.median(values) for name, values in times.items()}


def hlo_run(arguments, folder):
    """Runs the program in `folder`. Returns its (seconds of a run, seconds of compiling)."""
    inputs = sorted((name for name in os.listdir(folder) if name.endswith(".npy")), key=lambda name: int(name[2:-4]))
    command = [arguments.hlo_run, os.path.join(folder, "program.mlirbc"), "--backend", "cpu", "--benchmark", "--json"]
    for name in inputs:
        command += ["--input", os.path.join(folder, name)]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return answer["run_ms"]["median"] / 1e3, answer["compile_ms"] / 1e3


def reading_seconds(arguments, folder):
    """Of hlo-opt on the program, without those on a program of one instruction."""
    trivial = os.path.join(folder, "trivial.mlir")
    with open(trivial, "w") as stream:
        stream.write("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }\n")

    def seconds(path):
        times = []
        for _ in range(arguments.rounds):
            begin = time.monotonic()
            subprocess.run([arguments.hlo_opt, path, "--verify-only"], check=True, capture_output=True)
            times.append(time.monotonic() - begin)
        return min(times)

    return max(0.0, seconds(os.path.join(folder, "program.mlirbc")) - seconds(trivial))


def benchmark_call(arguments):
    contestants = {platform: Contestant(arguments, platform, "call") for platform in ("cpu", "halo")}
    times = take_turns({name: one.measure for name, one in contestants.items()}, arguments.rounds)
    for one in contestants.values():
        one.close()
    ratio = times["halo"] / times["cpu"]
    print(f"call: halo {times['halo'] * 1e6:.1f} us, JAX CPU {times['cpu'] * 1e6:.1f} us, {ratio:.2f}x "
          f"(at most {CALL_LIMIT}x)", flush=True)  # yapf: disable
    return ratio <= CALL_LIMIT


def benchmark_model(arguments, name):
    with tempfile.TemporaryDirectory() as folder:
        through_jax = Contestant(arguments, "halo", name, folder)
        compiling = []

        def alone():
            seconds, compile_seconds = hlo_run(arguments, folder)
            compiling.append(compile_seconds)
            return seconds

        times = take_turns({"jax": through_jax.measure, "hlo-run": alone}, arguments.rounds)
        through_jax.close()
        ratio = times["jax"] / times["hlo-run"]
        print(f"{name}: through JAX {times['jax'] * 1e3:.3f} ms, hlo-run {times['hlo-run'] * 1e3:.3f} ms, {ratio:.3f}x "
              f"(at most {MODEL_LIMIT}x)", flush=True)  # yapf: disable
        compile_seconds = statistics.median(compiling)
        reading = reading_seconds(arguments, folder)
        share = reading / compile_seconds
        print(f"{name}: reading {reading * 1e3:.1f} ms, compiling {compile_seconds * 1e3:.1f} ms, through JAX "
              f"{through_jax.compile_seconds * 1e3:.1f} ms, share {share:.3f} (at most {READING_LIMIT})", flush=True)
    return ratio <= MODEL_LIMIT and share <= READING_LIMIT


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=os.environ.get("HALO_JAX_PYTHON"))
    built = os.path.join(HERE, "..", "..", "bazel-bin")
    parser.add_argument("--plugin", default=os.path.join(built, "bindings", "pjrt", "pjrt_c_api_halo_plugin.so"))
    parser.add_argument("--hlo-run", default=os.path.join(built, "tools", "hlo-run"))
    parser.add_argument("--hlo-opt", default=os.path.join(built, "tools", "hlo-opt"))
    parser.add_argument("--only", default="call," + ",".join(MODELS))
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if not arguments.python:
        print("skipped: no Python with JAX; give --python P or set HALO_JAX_PYTHON")
        return 0
    holds = [True]
    for name in arguments.only.split(","):
        if name == "call":
            holds.append(benchmark_call(arguments))
        elif name in MODELS:
            holds.append(benchmark_model(arguments, name))
        else:
            parser.error(f"--only: there is no {name}; there are call, {', '.join(MODELS)}")
    return 0 if all(holds) else 1


if __name__ == "__main__":
    sys.exit(main())
