"""Runs the programs of smoke_programs.py with one Python after the other, of different versions of JAX.

    bazel build -c opt //bindings/pjrt:pjrt_c_api_halo_plugin.so
    python3 bindings/pjrt/smoke.py --python P [--python P2 ...] [--installed] [--options K:V;...]
    python3 bindings/pjrt/smoke.py --python P --record bindings/pjrt/recorded/programs

P is a Python with JAX (or HALO_JAX_PYTHON); without one, everything is skipped. With --installed, it has the wheel;
else the package and the plugin are those of this tree. Exits with 1 if a program fails. With --record, writes the
programs to a folder instead: they are what recorded_test.cc runs without JAX.
"""
import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    built = os.path.join(HERE, "..", "..", "bazel-bin", "bindings", "pjrt", "pjrt_c_api_halo_plugin.so")
    parser.add_argument("--python", action="append", default=[])
    parser.add_argument("--plugin", default=built)
    parser.add_argument("--installed", action="store_true")
    parser.add_argument("--options", default="")
    parser.add_argument("--record", metavar="FOLDER")
    arguments = parser.parse_args()
    pythons = arguments.python or list(filter(None, [os.environ.get("HALO_JAX_PYTHON")]))
    if not pythons:
        print("skipped: no Python with JAX; give --python P or set HALO_JAX_PYTHON")
        return 0
    environment = dict(os.environ, JAX_PLATFORMS="halo")
    if arguments.options:
        environment["JAX_PJRT_CLIENT_CREATE_OPTIONS"] = arguments.options
    if not arguments.installed:
        environment["HALO_PJRT_LIBRARY"] = os.path.abspath(arguments.plugin)
        paths = [os.path.join(HERE, "python"), environment.get("PYTHONPATH")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    action = ["--record", os.path.abspath(arguments.record)] if arguments.record else []
    codes = []
    for python in pythons:
        print(f"{python}:", flush=True)
        codes.append(subprocess.run([python, os.path.join(HERE, "smoke_programs.py")] + action, env=environment).returncode)
    return 0 if not any(codes) else 1


if __name__ == "__main__":
    sys.exit(main())
