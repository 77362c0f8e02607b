"""Trains programs of Optax, Flax, Haiku and Equinox on Halo and on JAX's CPU, and compares their losses.

    bazel build -c opt //bindings/pjrt:pjrt_c_api_halo_plugin.so
    python3 bindings/pjrt/training.py --python P [--only mlp,cnn,transformer,ode] [--devices 1,4] [--steps 100]

P is a Python with JAX, optax, flax, dm-haiku, equinox and diffrax (or HALO_JAX_PYTHON); without one, everything is
skipped. Exits with 1 if a loss differs by more than 1e-4, relatively, from that of JAX's CPU at the same step.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ("mlp", "cnn", "transformer", "ode")
LIMIT = 1e-4


def losses_on(platform, name, devices, arguments):
    """The losses of all steps. CalledProcessError, after the program's own message."""
    environment = dict(os.environ, JAX_PLATFORMS=platform)
    if platform == "halo":
        environment["HALO_PJRT_LIBRARY"] = os.path.abspath(arguments.plugin)
        paths = [os.path.join(HERE, "python"), environment.get("PYTHONPATH")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        environment["JAX_PJRT_CLIENT_CREATE_OPTIONS"] = f"device_count:{devices}"
    else:
        environment["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"
    command = [arguments.python, os.path.join(HERE, "training_programs.py"), name, str(devices), str(arguments.steps)]
    output = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(output.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    built = os.path.join(HERE, "..", "..", "bazel-bin", "bindings", "pjrt", "pjrt_c_api_halo_plugin.so")
    parser.add_argument("--python", default=os.environ.get("HALO_JAX_PYTHON"))
    parser.add_argument("--plugin", default=built)
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--devices", default="1,4")
    parser.add_argument("--steps", type=int, default=100)
    arguments = parser.parse_args()
    if not arguments.python:
        print("skipped: no Python with JAX; give --python P or set HALO_JAX_PYTHON")
        return 0
    holds = True
    for name in arguments.only.split(","):
        if name not in PROGRAMS:
            parser.error(f"--only: there is no {name}; there are {', '.join(PROGRAMS)}")
        for devices in map(int, arguments.devices.split(",")):
            try:
                want, got = (losses_on(platform, name, devices, arguments) for platform in ("cpu", "halo"))
            except subprocess.CalledProcessError as error:
                print(f"{name}, devices {devices}: failed with status {error.returncode}", flush=True)
                holds = False
                continue
            worst = max(abs(a - b) / abs(b) for a, b in zip(got, want))
            holds = holds and worst <= LIMIT
            print(f"{name}, devices {devices}: loss {want[0]:.4f} to {want[-1]:.4f}, Halo's {got[-1]:.4f}; greatest relative "
                  f"difference {worst:.1e} (at most {LIMIT:.0e})", flush=True)  # yapf: disable
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
