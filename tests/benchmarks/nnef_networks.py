"""Times flat NNEF 1.0 networks on hlo-run beside the same networks as HLO from JAX and as ONNX in ONNX Runtime.

    python3 nnef_networks.py --hlo-run bazel-bin/tools/hlo-run MODEL_FOLDER... [--threads 1] [--rounds 5]

Each MODEL_FOLDER holds graph.nnef and its tensor files. Needs jax, onnx, onnxruntime and numpy. The contestants take
turns; the table gives the median of the medians in milliseconds, and what the peers' times are as a multiple of Halo's.
Weights are parameters of both HLO programs, and constants (initializers) in ONNX and in the last column of Halo.
Operations: those of the networks that the table is made for; another one is an error.
"""
import argparse
import ast
import json
import math
import os
import re
import statistics
import struct
import subprocess
import tempfile
import time

import numpy as np

HEADER_BYTES = 128


def read_tensor(path):
    """A tensor file of 32-bit floats."""
    with open(path, 'rb') as file:
        header = file.read(HEADER_BYTES)
        rank = struct.unpack_from('<I', header, 8)[0]
        extents = struct.unpack_from('<8I', header, 12)[:rank]
        return np.frombuffer(file.read(), '<f4', math.prod(extents)).reshape(extents)


def parse(text):
    """The assignments of a flat document: (name, operation, positional arguments, named arguments)."""
    text = re.sub(r'#.*', '', text)
    inputs, outputs, body = re.search(r'graph\s+\w+\s*\(([^)]*)\)\s*->\s*\(([^)]*)\)\s*\{(.*)\}', text, re.S).groups()
    assignments = []
    for statement in filter(None, (s.strip() for s in body.split(';'))):
        statement = re.sub(r'\btrue\b', 'True', re.sub(r'\bfalse\b', 'False', statement))
        node = ast.parse(' '.join(statement.split())).body[0]
        value = lambda x: x.id if isinstance(x, ast.Name) else (
            [value(y) for y in x.elts] if isinstance(x, (ast.List, ast.Tuple)) else ast.literal_eval(x))
        assignments.append((node.targets[0].id, node.value.func.id, [value(x) for x in node.value.args],
                            {k.arg: value(k.value) for k in node.value.keywords}))
    names = lambda ids: [x.strip() for x in ids.split(',')]
    return names(inputs), names(outputs), assignments


def explicit_padding(padding, extents, size, stride, dilation):
    """The padding that [] stands for: ceil(extent / stride) results, the odd unit after."""
    if padding:
        return [tuple(p) for p in padding]
    pairs = []
    for x, f, s, d in zip(extents, size, stride, dilation):
        total = max((-(-x // s) - 1) * s + (f - 1) * d + 1 - x, 0)
        pairs.append((total // 2, total - total // 2))
    return pairs


def window_of(named, key_count, extents, size):
    stride = named.get('stride') or [1] * key_count
    dilation = named.get('dilation') or [1] * key_count
    return stride, dilation, explicit_padding(named.get('padding', []), extents, size, stride, dilation)


class JaxWriter:
    """Evaluates assignments on jax arrays."""

    def __init__(self):
        import jax
        import jax.numpy as jnp
        self.lax, self.jnp = jax.lax, jnp

    def conv(self, named, x, kernel, bias):
        spatial = x.ndim - 2
        stride, dilation, padding = window_of(named, spatial, x.shape[2:], kernel.shape[2:])
        y = self.lax.conv_general_dilated(x, kernel, stride, padding, rhs_dilation=dilation,
                                          dimension_numbers=('NCHW', 'OIHW', 'NCHW'))
        return y + bias.reshape((1, -1) + (1,) * spatial)

    def pool(self, named, x, start, combine):
        stride, dilation, padding = window_of(named, x.ndim, x.shape, named['size'])
        return self.lax.reduce_window(x, np.float32(start), combine, named['size'], stride, padding,
                                      window_dilation=dilation)

    def max_pool(self, named, x):
        return self.pool(named, x, -np.inf, self.lax.max)

    def avg_pool(self, named, x):
        return self.pool(named, x, 0, self.lax.add) / np.float32(math.prod(named['size']))

    def batch_normalization(self, named, x, mean, variance, offset, scale):
        wide = lambda v: v if np.ndim(v) == 0 else v.reshape((1, -1) + (1,) * (x.ndim - 2))
        return wide(offset) + wide(scale) * (x - wide(mean)) / self.jnp.sqrt(wide(variance) + np.float32(named['epsilon']))

    def relu(self, named, x):
        return self.jnp.maximum(x, 0)

    def add(self, named, x, y):
        return x + y

    def concat(self, named, values):
        return self.jnp.concatenate(values, named['axis'])

    def mean_reduce(self, named, x):
        return self.jnp.mean(x, tuple(named['axes']), keepdims=True)


class OnnxWriter:
    """Collects ONNX nodes; a value is its name, with its shape beside it."""

    def __init__(self, onnx):
        self.helper, self.numpy_helper = onnx.helper, onnx.numpy_helper
        self.nodes, self.initializers, self.count = [], [], 0

    def constant(self, array):
        self.count += 1
        name = f'constant{self.count}'
        self.initializers.append(self.numpy_helper.from_array(np.ascontiguousarray(array, np.float32), name))
        return name

    def node(self, kind, inputs, **attributes):
        self.count += 1
        name = f'value{self.count}'
        self.nodes.append(self.helper.make_node(kind, inputs, [name], **attributes))
        return name

    @staticmethod
    def ends(padding):
        return [p for p, _ in padding] + [q for _, q in padding]


def onnx_model(inputs, outputs, assignments, tensors, shapes):
    import onnx
    writer = OnnxWriter(onnx)
    names = {}
    value = lambda x: names[x]
    for name, kind, args, named in assignments:
        shape = lambda x: shapes[x]
        if kind == 'external':
            names[name] = name
        elif kind == 'variable':
            array = tensors[name]
            names[name] = None if array.ndim == 2 else writer.constant(array)
        elif kind == 'conv':
            stride, dilation, padding = window_of(named, len(shape(args[0])) - 2, shape(args[0])[2:], shape(args[1])[2:])
            names[name] = writer.node('Conv', [value(args[0]), value(args[1]), writer.constant(tensors[args[2]].reshape(-1))],
                                      strides=stride, dilations=dilation, pads=writer.ends(padding))
        elif kind in ('max_pool', 'avg_pool'):
            stride, dilation, padding = window_of(named, len(shape(args[0])), shape(args[0]), named['size'])
            more = {'count_include_pad': 1} if kind == 'avg_pool' else {}
            names[name] = writer.node('MaxPool' if kind == 'max_pool' else 'AveragePool', [value(args[0])],
                                      kernel_shape=named['size'][2:], strides=stride[2:],
                                      pads=writer.ends(padding[2:]), **more)
        elif kind == 'relu':
            names[name] = writer.node('Relu', [value(args[0])])
        elif kind == 'add':
            names[name] = writer.node('Add', [value(x) for x in args])
        elif kind == 'concat':
            names[name] = writer.node('Concat', [value(x) for x in args[0]], axis=named['axis'])
        elif kind == 'mean_reduce':
            axes = onnx.numpy_helper.from_array(np.array(named['axes'], np.int64), f'axes_{name}')
            writer.initializers.append(axes)
            names[name] = writer.node('ReduceMean', [value(args[0]), axes.name], keepdims=1)
        elif kind == 'batch_normalization':
            channels = shape(args[0])[1]
            vector = lambda x: writer.constant(
                np.full(channels, x, np.float32) if isinstance(x, (int, float)) else tensors[x].reshape(-1))
            names[name] = writer.node('BatchNormalization', [value(args[0])] + [
                vector(named[k]) for k in ('scale', 'offset', 'mean', 'variance')], epsilon=named['epsilon'])
        else:
            raise SystemExit(f'no ONNX for operation {kind}')
    info = lambda name, tensor: onnx.helper.make_tensor_value_info(tensor, onnx.TensorProto.FLOAT, shapes[name])
    graph = onnx.helper.make_graph(writer.nodes, 'network', [info(x, x) for x in inputs],
                                   [info(x, names[x]) for x in outputs], writer.initializers)
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid('', 18)], ir_version=9)


def jax_program(inputs, outputs, assignments, tensors):
    """HLO text whose parameters are the inputs, then the variables; and the shape of every tensor."""
    import jax
    variables = [a[0] for a in assignments if a[1] == 'variable']
    shapes_of = {a[0]: tuple(a[3]['shape']) for a in assignments if a[1] in ('external', 'variable')}
    shapes = {}

    def network(*arguments):
        writer = JaxWriter()
        values = dict(zip(inputs + variables, arguments))
        shapes.update({k: v.shape for k, v in values.items()})
        resolve = lambda x: values[x] if isinstance(x, str) else [values[y] for y in x] if isinstance(x, list) else x
        for name, kind, args, named in assignments:
            if kind in ('external', 'variable'):
                continue
            operands = [resolve(x) for x in args]
            if kind == 'batch_normalization':
                operands += [resolve(named[k]) for k in ('mean', 'variance', 'offset', 'scale')]
            if not hasattr(writer, kind):
                raise SystemExit(f'no JAX for operation {kind}')
            values[name] = getattr(writer, kind)(named, *operands)
            shapes[name] = values[name].shape
        return [values[x] for x in outputs]

    arguments = [jax.ShapeDtypeStruct(shapes_of[x], np.float32) for x in inputs + variables]
    text = jax.jit(network).lower(*arguments).compiler_ir(dialect='hlo').as_hlo_text()
    return text, shapes


def run_hlo_run(tool, program, threads, flags):
    result = subprocess.run([tool, program, '--backend', 'cpu', '--benchmark', '--json', '--threads', str(threads), *flags],
                            capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f'hlo-run {program} failed: {result.stderr.strip()}')
    return json.loads(result.stdout)['run_ms']['median']


def run_onnx(session, feeds, seconds):
    session.run(None, feeds)
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        session.run(None, feeds)
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def measure(folder, options):
    import onnxruntime
    inputs, outputs, assignments = parse(open(os.path.join(folder, 'graph.nnef')).read())
    tensors = {a[0]: read_tensor(os.path.join(folder, a[3]['label'] + '.dat')) for a in assignments if a[1] == 'variable'}
    hlo, shapes = jax_program(inputs, outputs, assignments, tensors)
    session_options = onnxruntime.SessionOptions()
    session_options.intra_op_num_threads = options.threads
    session_options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        onnx_model(inputs, outputs, assignments, tensors, shapes).SerializeToString(), session_options,
        providers=['CPUExecutionProvider'])
    feeds = {x: np.random.default_rng(1).uniform(-1, 1, shapes[x]).astype(np.float32) for x in inputs}
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, 'network.hlo')
        with open(program, 'w') as file:
            file.write(hlo)
        times = {'nnef': [], 'jax hlo': [], 'onnxruntime': [], 'nnef, constant': []}
        for _ in range(options.rounds):
            times['nnef'].append(run_hlo_run(options.hlo_run, folder, options.threads, ['--weights', 'parameter']))
            times['jax hlo'].append(run_hlo_run(options.hlo_run, program, options.threads, []))
            times['onnxruntime'].append(run_onnx(session, feeds, options.seconds))
            times['nnef, constant'].append(run_hlo_run(options.hlo_run, folder, options.threads, ['--weights', 'constant']))
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folders', nargs='+', metavar='MODEL_FOLDER')
    parser.add_argument('--hlo-run', required=True, help='the tool')
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--seconds', type=float, default=1, help='least time to measure ONNX Runtime in a round')
    options = parser.parse_args()
    print('| network | Halo, NNEF | Halo, JAX HLO | ratio | Halo, NNEF, constant weights | ONNX Runtime | ratio |')
    print('|---|---:|---:|---:|---:|---:|---:|')
    for folder in options.folders:
        t = measure(folder, options)
        print(f"| {os.path.basename(os.path.normpath(folder))} | {t['nnef']:.1f} | {t['jax hlo']:.1f} | "
              f"{t['jax hlo'] / t['nnef']:.2f} | {t['nnef, constant']:.1f} | {t['onnxruntime']:.1f} | "
              f"{t['onnxruntime'] / t['nnef, constant']:.2f} |", flush=True)


if __name__ == '__main__':
    main()
