"""Times all-reduces of hlo-run beside XLA CPU's own, over devices of one process.

    python3 collectives.py --hlo-run bazel-bin/tools/hlo-run --python P [--devices 2,4,8] [--rounds 5]

P is a Python with JAX; without one, everything is skipped. Both run the same two programs: one all-reduce, and a loop
of several. XLA makes host devices by --xla_force_host_platform_device_count. The contestants take turns; the table
gives the median of the medians in microseconds of one all-reduce, and XLA's time as a multiple of Halo's. Exits with 1
if a loop is slower than its floor.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

# Bytes of each device's array, all-reduces in a loop, how many times as fast as XLA a loop must be.
SIZES = [(4 << 10, 200, 2), (1 << 20, 40, 2), (64 << 20, 4, 5)]

PROGRAM = """HloModule all_reduces, replica_count={devices}
sum {{ a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }}
body {{ s = (s32[], f32[{elements}]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[{elements}] get-tuple-element(s), index=1
  y = f32[{elements}] all-reduce(x), replica_groups={{}}, to_apply=sum
  n = s32[] add(i, s32[] constant(1)) ROOT t = (s32[], f32[{elements}]) tuple(n, y) }}
condition {{ s = (s32[], f32[{elements}]) parameter(0) n = s32[] get-tuple-element(s), index=0
  ROOT r = pred[] compare(n, s32[] constant({trips})), direction=LT }}
ENTRY e {{ x = f32[{elements}] parameter(0) zero = s32[] constant(0)
  t = (s32[], f32[{elements}]) tuple(zero, x)
  w = (s32[], f32[{elements}]) while(t), condition=condition, body=body
  ROOT y = f32[{elements}] get-tuple-element(w), index=1 }}
"""

ONE = """HloModule all_reduce, replica_count={devices}
sum {{ a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }}
ENTRY e {{ x = f32[{elements}] parameter(0) ROOT y = f32[{elements}] all-reduce(x), replica_groups={{}}, to_apply=sum }}
"""

# Reads (elements, trips) by line, writes the median of microseconds of a call.
JAX = """
import statistics, sys, time
import jax, jax.numpy as jnp
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
devices = jax.devices('cpu')
mesh = Mesh(devices, 'd')
shard = PartitionSpec('d')
shard_map = getattr(jax, 'shard_map', None)
if shard_map is None:
    from jax.experimental.shard_map import shard_map
for line in sys.stdin:
    elements, trips = map(int, line.split())
    if trips == 1:
        body = lambda x: lax.psum(x, 'd')
    else:
        body = lambda x: lax.fori_loop(0, trips, lambda i, y: lax.pcast(lax.psum(y, 'd'), 'd', to='varying'), x)
    if trips == 1:
        wrapped = shard_map(body, mesh=mesh, in_specs=shard, out_specs=PartitionSpec())
    else:
        wrapped = shard_map(body, mesh=mesh, in_specs=shard, out_specs=shard)
    function = jax.jit(wrapped)
    x = jax.device_put(jnp.zeros(len(devices) * elements, jnp.float32), NamedSharding(mesh, shard))
    function(x).block_until_ready()
    times, end = [], time.perf_counter() + {seconds}
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        function(x).block_until_ready()
        times.append(1e6 * (time.perf_counter() - start))
    print(statistics.median(times), flush=True)
"""


class Xla:
    """A process with JAX and some devices, which stays warm."""

    def __init__(self, python, devices, seconds):
        flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
        self.process = subprocess.Popen([python, '-c', JAX.replace('{seconds}', str(seconds))], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**os.environ, 'JAX_PLATFORMS': 'cpu', 'XLA_FLAGS': flags.strip()})

    def microseconds(self, elements, trips):
        self.process.stdin.write(f'{elements} {trips}\n')
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit('JAX failed; its message is above')
        return float(line) / trips

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def halo_microseconds(tool, program, trips):
    result = subprocess.run([tool, program, '--backend', 'cpu', '--benchmark', '--json'], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f'hlo-run {program} failed: {result.stderr.strip()}')
    return 1e3 * json.loads(result.stdout)['run_ms']['median'] / trips


def has_jax(python):
    return subprocess.run([python, '-c', 'import jax'], capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--hlo-run', required=True, help='the tool')
    parser.add_argument('--python', help='a Python with JAX')
    parser.add_argument('--devices', default='2,4,8', help='numbers of devices')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--seconds', type=float, default=1, help='least time to measure XLA in a round')
    options = parser.parse_args()
    if options.python is None or not has_jax(options.python):
        print('skipped: there is no JAX; give a Python that has it as --python')
        return 0
    missed = False
    print('| devices | bytes | all-reduces | Halo, us | XLA, us | ratio | wanted |')
    print('|---:|---:|---:|---:|---:|---:|---:|')
    for devices in map(int, options.devices.split(',')):
        xla = Xla(options.python, devices, options.seconds)
        for size, trips_of_loop, floor in SIZES:
            for trips, text in ((1, ONE), (trips_of_loop, PROGRAM)):
                times = {'halo': [], 'xla': []}
                with tempfile.TemporaryDirectory() as scratch:
                    program = os.path.join(scratch, 'program.hlo')
                    with open(program, 'w') as file:
                        file.write(text.format(devices=devices, elements=size // 4, trips=trips))
                    for _ in range(options.rounds):
                        times['halo'].append(halo_microseconds(options.hlo_run, program, trips))
                        times['xla'].append(xla.microseconds(size // 4, trips))
                halo, peer = (statistics.median(times[name]) for name in ('halo', 'xla'))
                wanted = floor if trips > 1 else 0
                met = peer >= wanted * halo
                missed |= not met
                print(f"| {devices} | {size} | {trips} | {halo:.1f} | {peer:.1f} | {peer / halo:.2f} | "
                      f"{f'>= {wanted}' if wanted else ''}{'' if met else ' MISSED'} |", flush=True)
        xla.end()
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main())
