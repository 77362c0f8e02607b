"""The programs of training.py, run by a Python with JAX: training_programs.py NAME DEVICES STEPS

Trains on images by formula, of MNIST's size, and prints the losses of all steps as a JSON list. With several devices
the batch is cut among them and the parameters are on each.

Losses can only be compared where rounding does not grow: with these activations and this learning rate, JAX's CPU gives
the same losses in float32 as in float64 within 1e-5. A network with relu, max_pool and Adam at 1e-3 does not: it
differs by 2.6e-3 after 60 steps, because a kink that one rounding crosses sends the training elsewhere.
"""
import functools
import json
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

BATCH, CLASSES = 64, 10
LEARNING_RATE = 3e-4


def images():
    """Images [64,28,28,1] of waves whose direction and frequency tell their class, and the classes [64]."""
    labels = np.arange(BATCH) % CLASSES
    row, column = np.meshgrid(np.arange(28), np.arange(28), indexing="ij")
    phase = np.arange(BATCH)[:, None, None] * 0.7
    frequency = 0.2 + 0.08 * labels[:, None, None]
    angle = labels[:, None, None] * np.pi / CLASSES
    waves = np.sin(frequency * (np.cos(angle) * row + np.sin(angle) * column) + phase)
    return waves[..., None].astype(np.float32), labels.astype(np.int32)


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def mlp(key):
    """Optax alone: two hidden layers."""
    sizes = (784, 128, 64, CLASSES)
    keys = jax.random.split(key, len(sizes))
    parameters = [(jax.random.normal(k, (m, n)) / np.sqrt(m).astype(np.float32), jnp.zeros(n))
                  for k, m, n in zip(keys, sizes, sizes[1:])]  # yapf: disable

    def loss(parameters, x, labels):
        x = x.reshape(len(x), -1)
        for weights, bias in parameters[:-1]:
            x = jax.nn.relu(x @ weights + bias)
        weights, bias = parameters[-1]
        return cross_entropy(x @ weights + bias, labels)

    return parameters, loss


def cnn(key):
    """Flax: convolutions, group normalization and pooling."""
    import flax.linen as nn

    class Network(nn.Module):

        @nn.compact
        def __call__(self, x):
            for channels in (16, 32):
                x = nn.gelu(nn.GroupNorm(num_groups=4)(nn.Conv(channels, (3, 3))(x)))
                x = nn.max_pool(x, (2, 2), strides=(2, 2))
            return nn.Dense(CLASSES)(nn.gelu(nn.Dense(64)(x.reshape(len(x), -1))))

    network = Network()
    parameters = network.init(key, jnp.zeros((1, 28, 28, 1)))
    return parameters, lambda parameters, x, labels: cross_entropy(network.apply(parameters, x), labels)


def transformer(key):
    """Haiku: a transformer over the rows of the image."""
    import haiku as hk

    def network(x):
        x = hk.Linear(64)(x[..., 0]) + hk.get_parameter("positions", (28, 64), init=hk.initializers.TruncatedNormal(0.02))
        norm = lambda y: hk.LayerNorm(-1, create_scale=True, create_offset=True)(y)
        for _ in range(2):
            y = norm(x)
            x = x + hk.MultiHeadAttention(4, 16, w_init=hk.initializers.VarianceScaling(1.0), model_size=64)(y, y, y)
            x = x + hk.Linear(64)(jax.nn.gelu(hk.Linear(128)(norm(x))))
        return hk.Linear(CLASSES)(norm(x).mean(1))

    network = hk.without_apply_rng(hk.transform(network))
    parameters = network.init(key, jnp.zeros((1, 28, 28, 1)))
    return parameters, lambda parameters, x, labels: cross_entropy(network.apply(parameters, x), labels)


def ode(key):
    """Equinox and diffrax: features that flow along a learned differential equation."""
    import diffrax
    import equinox as eqx

    class Network(eqx.Module):
        read: eqx.nn.Linear
        flow: eqx.nn.MLP
        write: eqx.nn.Linear

        def __init__(self, key):
            read, flow, write = jax.random.split(key, 3)
            self.read = eqx.nn.Linear(784, 16, key=read)
            self.flow = eqx.nn.MLP(16, 16, 32, 1, activation=jnp.tanh, key=flow)
            self.write = eqx.nn.Linear(16, CLASSES, key=write)

        def __call__(self, x):
            solution = diffrax.diffeqsolve(
                diffrax.ODETerm(lambda t, y, _: self.flow(y)), diffrax.Tsit5(), 0.0, 1.0, 0.1, self.read(x.reshape(-1)),
                stepsize_controller=diffrax.PIDController(rtol=1e-3, atol=1e-4))  # yapf: disable
            return self.write(solution.ys[-1])

    parameters, static = eqx.partition(Network(key), eqx.is_array)

    def loss(parameters, x, labels):
        return cross_entropy(jax.vmap(eqx.combine(parameters, static))(x), labels)

    return parameters, loss


def train(make, device_count, steps):
    parameters, loss = make(jax.random.PRNGKey(0))
    optimizer = optax.adam(LEARNING_RATE)
    mesh = Mesh(np.array(jax.devices()[:device_count]), "batch")
    data = jax.device_put(images(), NamedSharding(mesh, PartitionSpec("batch")))
    parameters, state = jax.device_put((parameters, optimizer.init(parameters)), NamedSharding(mesh, PartitionSpec()))

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def step(parameters, state, x, labels):
        value, gradient = jax.value_and_grad(loss)(parameters, x, labels)
        updates, state = optimizer.update(gradient, state, parameters)
        return optax.apply_updates(parameters, updates), state, value

    losses = []
    for _ in range(steps):
        parameters, state, value = step(parameters, state, *data)
        losses.append(float(value))
    return losses


if __name__ == "__main__":
    programs = {"mlp": mlp, "cnn": cnn, "transformer": transformer, "ode": ode}
    print(json.dumps(train(programs[sys.argv[1]], int(sys.argv[2]), int(sys.argv[3]))))
