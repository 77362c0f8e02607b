"""The programs of benchmarks.py, run by a Python with JAX: benchmark_models.py NAME [FOLDER]

Compiles the program, writes it and its arguments to FOLDER (program.mlirbc, in0.npy, ...), prints the seconds of
compiling, and then for each line of input the median of the seconds of a call. Values are made by formula.
"""
import json
import os
import statistics
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

# Of a measurement; fewer calls than this where they take long, but some.
SECONDS, CALLS, FEWEST = 1.0, 3000, 5
# Stages of ResNet-50: blocks, channels.
RESNET_STAGES = ((3, 64), (4, 128), (6, 256), (3, 512))


class Values:
    """Arrays by formula, one after the other."""

    def __init__(self):
        self._count = 0

    def __call__(self, *dims, scale=0.05):
        self._count += 1
        size = int(np.prod(dims))
        values = np.sin(np.arange(size, dtype=np.float64) * 12.9898 + self._count)
        return (scale * values).astype(np.float32).reshape(dims)


def convolve(x, kernel, stride=1):
    return lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def scaled(x, parameters):
    scale, offset = parameters
    return x * scale + offset


def resnet50():
    values = Values()

    def convolution(size, inputs, outputs):
        return values(size, size, inputs, outputs), (values(outputs) + 1, values(outputs))

    parameters, inputs = {"stem": convolution(7, 3, 64), "blocks": []}, 64
    for blocks, channels in RESNET_STAGES:
        for block in range(blocks):
            layers = [convolution(1, inputs, channels), convolution(3, channels, channels),
                      convolution(1, channels, 4 * channels)]  # yapf: disable
            layers.append(convolution(1, inputs, 4 * channels) if block == 0 else None)
            parameters["blocks"].append(layers)
            inputs = 4 * channels
    parameters["head"] = values(inputs, 1000)

    def layer(x, weights, stride=1):
        kernel, affine = weights
        return scaled(convolve(x, kernel, stride), affine)

    def forward(parameters, x):
        x = jax.nn.relu(layer(x, parameters["stem"], 2))
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        firsts = [sum(blocks for blocks, _ in RESNET_STAGES[:stage]) for stage in range(1, len(RESNET_STAGES))]
        for number, (reduce, spatial, expand, shortcut) in enumerate(parameters["blocks"]):
            stride = 2 if number in firsts else 1
            y = jax.nn.relu(layer(x, reduce))
            y = jax.nn.relu(layer(y, spatial, stride))
            x = jax.nn.relu(layer(y, expand) + (x if shortcut is None else layer(x, shortcut, stride)))
        return jnp.mean(x, (1, 2)) @ parameters["head"]

    return forward, (parameters, values(1, 224, 224, 3, scale=1))


def normalize(x, parameters):
    centered = x - jnp.mean(x, -1, keepdims=True)
    return scaled(centered * lax.rsqrt(jnp.mean(centered * centered, -1, keepdims=True) + 1e-6), parameters)


def transformer_parameters(values, width):
    return {"qkv": values(width, 3 * width), "out": values(width, width), "up": values(width, 4 * width),
            "down": values(4 * width, width), "norms": [(values(width) + 1, values(width)) for _ in range(2)]}


def transformer_layer(parameters, x, heads, is_causal):
    batch, length, width = x.shape
    qkv = (x @ parameters["qkv"]).reshape(batch, length, 3, heads, width // heads)
    query, key, value = (qkv[:, :, i] for i in range(3))
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / np.sqrt(width // heads).astype(np.float32)
    if is_causal:
        scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), value).reshape(x.shape)
    x = normalize(x + mixed @ parameters["out"], parameters["norms"][0])
    return normalize(x + jax.nn.gelu(x @ parameters["up"]) @ parameters["down"], parameters["norms"][1])


def bert_layer():
    values = Values()
    parameters = transformer_parameters(values, 768)
    forward = lambda parameters, x: transformer_layer(parameters, x, heads=12, is_causal=False)
    return forward, (parameters, values(8, 128, 768, scale=1))


def lm_step():
    values, width, words = Values(), 256, 1024
    parameters = {"words": values(words, width), "layers": [transformer_parameters(values, width) for _ in range(2)]}
    tokens = (np.arange(8 * 65) * 7919 % words).astype(np.int32).reshape(8, 65)
    moments = [jax.tree.map(np.zeros_like, parameters) for _ in range(2)]

    def loss(parameters, tokens):
        x = parameters["words"][tokens[:, :-1]]
        for layer in parameters["layers"]:
            x = transformer_layer(layer, x, heads=4, is_causal=True)
        logits = jax.nn.log_softmax(x @ parameters["words"].T)
        return -jnp.mean(jnp.take_along_axis(logits, tokens[:, 1:, None], -1))

    def step(parameters, first, second, tokens):
        value, gradient = jax.value_and_grad(loss)(parameters, tokens)
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
        second = jax.tree.map(lambda m, g: 0.999 * m + 0.001 * g * g, second, gradient)
        update = lambda p, m, v: p - 1e-3 * m / (jnp.sqrt(v) + 1e-8)
        return jax.tree.map(update, parameters, first, second), first, second, value

    return step, (parameters, *moments, tokens)


def call():
    return lambda x: x + 1, (np.arange(16, dtype=np.float32),)


def write_program(function, arguments, folder):
    import jax.export

    # By its own name, the platform would be one that hlo-run does not need to know.
    exported = jax.export.export(jax.jit(function), platforms=["cpu"])(*arguments)
    with open(os.path.join(folder, "program.mlirbc"), "wb") as stream:
        stream.write(exported.mlir_module_serialized)
    leaves = jax.tree.leaves(arguments)
    for number, kept in enumerate(exported.module_kept_var_idx):
        np.save(os.path.join(folder, f"in{number}.npy"), np.asarray(leaves[kept]))


def median_seconds(compiled, arguments):
    times, end = [], time.perf_counter() + SECONDS
    while len(times) < FEWEST or (time.perf_counter() < end and len(times) < CALLS):
        begin = time.perf_counter()
        jax.block_until_ready(compiled(*arguments))
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main():
    function, arguments = {"call": call, "resnet50": resnet50, "bert_layer": bert_layer, "lm_step": lm_step}[sys.argv[1]]()
    if len(sys.argv) > 2:
        write_program(function, arguments, sys.argv[2])
    arguments = jax.device_put(arguments)
    jitted = jax.jit(function)
    lowered = jitted.lower(*arguments)
    begin = time.perf_counter()
    lowered.compile()
    print(json.dumps({"compile_seconds": time.perf_counter() - begin}), flush=True)
    jax.block_until_ready(jitted(*arguments))
    for _ in sys.stdin:
        print(json.dumps({"seconds": median_seconds(jitted, arguments)}), flush=True)


if __name__ == "__main__":
    main()
