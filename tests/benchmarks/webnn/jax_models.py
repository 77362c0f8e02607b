"""The models of models.cc as JAX writes them: python jax_models.py OUT_FOLDER (needs jax).

Writes mobilenet_v2.hlo, mobilenet_v2_nchw.hlo and transformer.hlo: HLO text before XLA's own passes, in which weights are
parameters in the order in which the model asks for them.
"""
import functools
import pathlib
import sys

import jax
import jax.numpy as jnp
from jax import lax


class Weights:
    """Gives a model the shapes of its weights while `values` is None, then their values."""

    def __init__(self, values=None):
        self.shapes, self.values = [], values

    def __call__(self, *shape):
        self.shapes.append(shape)
        return jnp.zeros(shape) if self.values is None else self.values[len(self.shapes) - 1]


def convolution(w, x, channels, outputs, size, stride=1, groups=1, layout='NHWC'):
    """A convolution and the normalization after it."""
    if layout == 'NHWC':
        filter_layout, shape = 'HWIO', (size, size, channels // groups, outputs)
    else:
        filter_layout, shape = 'OIHW', (outputs, channels // groups, size, size)
    x = lax.conv_general_dilated(x, w(*shape), (stride, stride), [(size // 2, size // 2)] * 2,
                                 dimension_numbers=(layout, filter_layout, layout), feature_group_count=groups)
    scale, bias, mean, variance = [w(outputs) for _ in range(4)]
    if layout == 'NCHW':
        scale, bias, mean, variance = [v[:, None, None] for v in (scale, bias, mean, variance)]
    return (x - mean) * (lax.rsqrt(variance + 1e-5) * scale) + bias


def mobilenet_v2(w, x, layout='NHWC'):
    def relu6(y):
        return jnp.clip(y, 0., 6.)
    block = functools.partial(convolution, w, layout=layout)
    x, channels = relu6(block(x, 3, 32, 3, stride=2)), 32
    for expansion, outputs, count, first_stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                                    (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for i in range(count):
            stride, middle = (first_stride if i == 0 else 1), channels * expansion
            y = relu6(block(x, channels, middle, 1)) if expansion > 1 else x
            y = relu6(block(y, middle, middle, 3, stride=stride, groups=middle))
            y = block(y, middle, outputs, 1)
            x, channels = (x + y if stride == 1 and channels == outputs else y), outputs
    x = relu6(block(x, channels, 1280, 1))
    x = jnp.mean(x, (1, 2) if layout == 'NHWC' else (2, 3))
    return x @ w(1280, 1000) + w(1000)


LENGTH, VOCABULARY, DIM, HEADS, LAYERS = 128, 1000, 256, 4, 4


def layer_norm(w, x):
    centred = x - jnp.mean(x, -1, keepdims=True)
    return centred * lax.rsqrt(jnp.mean(centred * centred, -1, keepdims=True) + 1e-5) * w(DIM) + w(DIM)


def dense(w, x, inputs, outputs):
    return x @ w(inputs, outputs) + w(outputs)


def attention(w, x):
    def heads():
        return dense(w, x, DIM, DIM).reshape(1, LENGTH, HEADS, DIM // HEADS).transpose(0, 2, 1, 3)
    q, k, v = heads(), heads(), heads()
    scores = jnp.einsum('bhqd,bhkd->bhqk', q, k) * (DIM // HEADS) ** -0.5
    y = jnp.einsum('bhqk,bhkd->bhqd', jax.nn.softmax(scores), v)
    return dense(w, y.transpose(0, 2, 1, 3).reshape(1, LENGTH, DIM), DIM, DIM)


def transformer(w, ids):
    """The encoder of BERT, small, and its pooled first token."""
    x = layer_norm(w, jnp.take(w(VOCABULARY, DIM), ids, axis=0) + w(LENGTH, DIM))
    for _ in range(LAYERS):
        x = layer_norm(w, x + attention(w, x))
        x = layer_norm(w, x + dense(w, jax.nn.gelu(dense(w, x, DIM, 4 * DIM), approximate=False), 4 * DIM, DIM))
    return x, jnp.tanh(dense(w, x[:, 0], DIM, DIM))


def hlo_of(name, model, example):
    weights = Weights()
    jax.eval_shape(functools.partial(model, weights), example)

    def program(x, *values):
        return model(Weights(values), x)
    program.__name__ = name
    shapes = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in weights.shapes]
    return jax.jit(program).lower(example, *shapes).as_text('hlo')


def main(folder):
    image = jax.ShapeDtypeStruct((1, 224, 224, 3), jnp.float32)
    planes = jax.ShapeDtypeStruct((1, 3, 224, 224), jnp.float32)
    ids = jax.ShapeDtypeStruct((1, LENGTH), jnp.int32)
    for name, model, example in [('mobilenet_v2', mobilenet_v2, image),
                                 ('mobilenet_v2_nchw', functools.partial(mobilenet_v2, layout='NCHW'), planes),
                                 ('transformer', transformer, ids)]:
        (pathlib.Path(folder) / f'{name}.hlo').write_text(hlo_of(name, model, example))


if __name__ == '__main__':
    main(sys.argv[1])
