"""Runs JAX's own tests on Halo and, for what they are worth there, on JAX's CPU.

    bazel run -c opt //bindings/pjrt:jax_tests -- --python P --tests ../shared/conformance/jax/tests

P is a Python with JAX, scipy and absl-py (or HALO_JAX_PYTHON); without one, everything is skipped. DIR holds the files
*_test.py of JAX, of the version that P has. Each file runs in a process of its own, on JAX's CPU first: a test counts
only if it passes there with the same cases. A test that crashes or takes longer than --limit has failed, and the next
one runs in a new process. --out keeps every result, one JSON object a line, those of JAX's CPU included; --resume runs
what is missing in it. Exits with 1 if the share of passed tests is below --floor.
"""
import argparse
import collections
import contextlib
import json
import os
import random
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import session  # noqa: E402  (beside this file)

# Files that need several devices, and how many they get.
DEVICES = {"array_test": 8, "pjit_test": 8, "pmap_test": 8, "shard_map_test": 8}
REFERENCE, HALO = "cpu", "halo"
# The statuses of a test that ran and did not pass.
FAILURES = ("failed", "crashed", "hung")


def built_plugin():
    """The plugin that Bazel built: in its runfiles, or of this tree. None if it is not there."""
    for folder in ("..", os.path.join("..", "..", "..", "bazel-bin", "bindings", "pjrt")):
        path = os.path.abspath(os.path.join(HERE, folder, "pjrt_c_api_halo_plugin.so"))
        if os.path.exists(path):
            return path
    return None


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=os.environ.get("HALO_JAX_PYTHON"), metavar="P", help="a Python with JAX")
    parser.add_argument("--tests", required=True, metavar="DIR", help="the folder of JAX's tests")
    parser.add_argument("--plugin", default=built_plugin(), metavar="FILE", help="default: the one that Bazel built")
    parser.add_argument("--files", default="", metavar="NAMES", help="only these files, by commas: lax_test,nn_test")
    parser.add_argument("--filter", default="", metavar="RE", help="only tests whose name FILE.CLASS.TEST contains RE")
    parser.add_argument("--sample", type=int, metavar="N", help="at most N tests of each file, at random by --seed")
    parser.add_argument("--seed", type=int, default=0, help="of --sample (default 0)")
    parser.add_argument("--out", metavar="FILE", help="keep the results here")
    parser.add_argument("--resume", action="store_true", help="run only what FILE of --out does not have yet")
    parser.add_argument("--limit", type=float, default=300, metavar="S", help="seconds for a test (default 300)")
    parser.add_argument("--options", default="", metavar="K:V;...", help="options of the client: backend:interpreter")
    parser.add_argument("--floor", type=float, default=0.97, help="the share that must pass (default 0.97)")
    parser.add_argument("--logs", metavar="DIR", help="keep what the tests print here")
    return parser.parse_args(arguments)


class Results:
    """What is known of each test: {(platform, file, test): record}, appended to a file as it comes."""

    def __init__(self, path, resume):
        self.records = {}
        self._stream = None
        if path is None:
            return
        if resume and os.path.exists(path):
            with open(path) as stream:
                for line in stream:
                    if line.endswith("\n"):  # An interrupted run may have left half a line.
                        self._keep(json.loads(line))
        self._stream = open(path, "w")
        for record in self.records.values():
            self._write(record)

    def add(self, **record):
        self._keep(record)
        self._write(record)

    def close(self):
        if self._stream is not None:
            self._stream.close()

    def status(self, platform, file, test):
        record = self.records.get((platform, file, test))
        return None if record is None else record["status"]

    def _keep(self, record):
        self.records[record["platform"], record["file"], record["test"]] = record

    def _write(self, record):
        if self._stream is not None:
            self._stream.write(json.dumps(record) + "\n")
            self._stream.flush()


def environment_of(platform, file, arguments):
    """The environment in which README.md of the tests wants them run."""
    environment = dict(os.environ)
    for name in ("JAX_PJRT_CLIENT_CREATE_OPTIONS", "PJRT_NAMES_AND_LIBRARY_PATHS", "XLA_FLAGS"):
        environment.pop(name, None)
    # Callbacks need JAX's CPU beside Halo. The package adds it where it is not asked for, but JAX's tests take a setting
    # that changes while a test runs for a fault of the test.
    platforms = f"{HALO},{REFERENCE}" if platform == HALO else platform
    environment.update(JAX_PLATFORMS=platforms, JAX_ENABLE_X64="1", JAX_SKIP_SLOW_TESTS="1",
                       JAX_NUM_GENERATED_CASES="2", PYTHONFAULTHANDLER="1")  # yapf: disable
    if platform != HALO:
        return environment
    environment["HALO_PJRT_LIBRARY"] = arguments.plugin
    packages = [os.path.join(os.path.dirname(HERE), "python"), environment.get("PYTHONPATH")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, packages))
    options = [option for option in arguments.options.split(";") if option]
    if file in DEVICES and not any(option.startswith("device_count:") for option in options):
        options.append(f"device_count:{DEVICES[file]}")
    if options:
        environment["JAX_PJRT_CLIENT_CREATE_OPTIONS"] = ";".join(options)
    return environment


class Runner:

    def __init__(self, arguments, results, logs):
        self._arguments, self._results, self._logs = arguments, results, logs

    def run_file(self, path):
        file = os.path.splitext(os.path.basename(path))[0]
        self._run(REFERENCE, file, path, self._sample)
        self._run(HALO, file, path, lambda names: [name for name in names if self._passes_on_cpu(file, name)])

    def _passes_on_cpu(self, file, name):
        return self.wanted(name) and self._results.status(REFERENCE, file, name) == "passed"

    def wanted(self, name):
        return re.search(self._arguments.filter, name) is not None

    def _sample(self, names):
        names = [name for name in names if self.wanted(name)]
        if self._arguments.sample is not None and len(names) > self._arguments.sample:
            names = random.Random(self._arguments.seed).sample(names, self._arguments.sample)
        return names

    def _run(self, platform, file, path, choose):
        environment = environment_of(platform, file, self._arguments)

        def start(log_path):
            return session.Session(self._arguments.python, path, environment, log_path)

        def missing(names):
            return [name for name in choose(names) if self._results.status(platform, file, name) is None]

        def record(name, status, seconds, message):
            self._results.add(platform=platform, file=file, test=name, status=status, seconds=seconds,
                              message="" if status == "passed" else message)  # yapf: disable
            if status in FAILURES:
                last = message.strip().splitlines()[-1:] or [""]
                print(f"{platform} {name or file}: {status}: {last[0][:160]}", flush=True)

        run = session.FileRun(start, missing, self._arguments.limit, record)
        run.run(os.path.join(self._logs, f"{file}.{platform}.log"))


def count(results, files, wanted):
    """Counts per file: passed and failed of what passes on JAX's CPU; skipped: what does not pass or run there, or
    skips itself on Halo."""
    counts = {file: collections.Counter() for file in files}
    for (platform, file, test), record in results.records.items():
        if platform != REFERENCE or file not in counts or not wanted(test):
            continue
        status = results.status(HALO, file, test) if record["status"] == "passed" else "skipped"
        if test == "" or status is None:
            status = "failed"
        counts[file]["failed" if status in FAILURES else status] += 1
    for (platform, file, test), record in results.records.items():
        if platform == HALO and test == "" and file in counts:
            counts[file]["failed"] += 1  # What concerns the whole file.
    return counts


def main(arguments):
    arguments = parse_arguments(arguments)
    if not arguments.python:
        print("skipped: no Python with JAX; give --python P or set HALO_JAX_PYTHON")
        return 0
    if not arguments.plugin or not os.path.exists(arguments.plugin):
        print(f"run_tests.py: there is no plugin {arguments.plugin or ''}; give --plugin FILE", file=sys.stderr)
        return 2
    if not os.path.isdir(arguments.tests):
        print(f"run_tests.py: there is no folder {arguments.tests}; give --tests DIR", file=sys.stderr)
        return 2
    arguments.plugin = os.path.abspath(arguments.plugin)
    names = sorted(name[:-3] for name in os.listdir(arguments.tests) if name.endswith("_test.py"))
    files = [name for name in names if not arguments.files or name in arguments.files.split(",")]
    with contextlib.closing(Results(arguments.out, arguments.resume)) as results, \
            tempfile.TemporaryDirectory() as temporary:
        logs = arguments.logs or temporary
        os.makedirs(logs, exist_ok=True)
        runner = Runner(arguments, results, logs)
        for file in files:
            runner.run_file(os.path.join(arguments.tests, file + ".py"))
            print_counts(file, count(results, [file], runner.wanted)[file])
        return summarize(results, files, runner.wanted, arguments.floor)


def summarize(results, files, wanted, floor):
    """Prints the counts of all files. Returns the exit status."""
    total = sum(count(results, files, wanted).values(), collections.Counter())
    ran = total["passed"] + total["failed"]
    print(f"{100 * total['passed'] / ran if ran else 0:.1f} % of what passes on JAX's CPU passes on Halo")
    print_counts(None, total)
    return 0 if ran == 0 or total["passed"] >= floor * ran else 1


def print_counts(file, counts):
    text = f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped"
    print(text if file is None else f"{file}: {text}", flush=True)


if __name__ == "__main__":
    if "BUILD_WORKING_DIRECTORY" in os.environ:  # `bazel run` starts elsewhere.
        os.chdir(os.environ["BUILD_WORKING_DIRECTORY"])
    sys.exit(main(sys.argv[1:]))
