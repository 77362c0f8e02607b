"""The programs of smoke.py, run by a Python with JAX: smoke_programs.py [--record FOLDER]

Runs each on Halo and on JAX's CPU, which must agree. Prints a line for each program and, at the end, how many passed.
With --record, writes the programs, as they are for Halo, with their arguments and the results of JAX's CPU.
"""
import os
import sys

import jax
import jax.experimental
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax

# How close results must be.
RELATIVE, ABSOLUTE = 2e-4, 2e-5
F32 = np.float32
X = np.sin(np.arange(12, dtype=F32)).reshape(3, 4)
SQUARE = np.sin(np.arange(16, dtype=F32) * 1.7).reshape(4, 4)
POSITIVE = SQUARE @ SQUARE.T + 4 * np.eye(4, dtype=F32)
IMAGE = np.cos(np.arange(2 * 8 * 8 * 3, dtype=F32)).reshape(2, 8, 8, 3)
KERNEL = np.sin(np.arange(3 * 3 * 3 * 4, dtype=F32)).reshape(3, 3, 3, 4)
KEY = np.array([0, 42], np.uint32)


def spectrum(values):
    """Eigenvalues have no order."""
    return jnp.sort_complex(values)


def attention(x):
    scores = jax.nn.softmax(x @ x.T / 2.0)
    return jax.nn.gelu(scores @ x)


@jax.custom_vjp
def clipped(x):
    return jnp.clip(x, -0.5, 0.5)


clipped.defvjp(lambda x: (clipped(x), x), lambda x, g: (g * (jnp.abs(x) < 0.5),))


def ordered_effects(x):
    jax.debug.print("smoke {}", x[0, 0], ordered=True)
    shape = jax.ShapeDtypeStruct((3, 4), F32)
    return jax.experimental.io_callback(lambda v: np.asarray(v) * 2, shape, x, ordered=True)


def sparse_product(x):
    from jax.experimental import sparse

    matrix = sparse.BCSR((x[0], jnp.array([0, 2, 1, 3]), jnp.array([0, 2, 4])), shape=(2, 4))
    return matrix @ x.T


def sparse_solution(x):
    from jax.experimental.sparse import linalg

    starts = jnp.array([0, 1, 2, 3, 4], jnp.int32)
    return linalg.spsolve(x[0] + 2, jnp.arange(4, dtype=jnp.int32), starts, x[1])


# Functions of jit and their arguments.
PROGRAMS = {
    "elementwise": (lambda x: jnp.exp(x) + jnp.tanh(x) * lax.rsqrt(x * x + 1), X),
    "special functions": (lambda x: (lax.erf_inv(x * 0.9), lax.lgamma(x + 2), lax.bessel_i0e(x), lax.igamma(x + 2, x + 3)), X),
    "integers": (lambda x: (x // 3, x % 5, x ^ 7, lax.population_count(x)), np.arange(20, dtype=np.int32) * 77),
    "complex": (lambda x: jnp.sqrt(x + 1j * x) * jnp.conj(x), X),
    "bfloat16": (lambda x: lax.dot(x.astype(jnp.bfloat16), x.T.astype(jnp.bfloat16), preferred_element_type=F32), X),
    "int8 product": (lambda x: lax.dot(x, x.T, preferred_element_type=np.int32), np.arange(12, dtype=np.int8).reshape(3, 4)),
    "einsum": (lambda x: jnp.einsum("ij,kj->ik", x, x), X),
    "attention": (attention, X),
    "convolution": (lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
                    IMAGE, KERNEL),
    "pooling": (lambda x: lax.reduce_window(x, -np.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), IMAGE),
    "gradient": (jax.grad(lambda x: jnp.sum(jnp.tanh(x @ x.T))), X),
    "hessian": (jax.hessian(lambda x: jnp.sum(jnp.sin(x) ** 3)), X[0]),
    "vmap": (jax.vmap(lambda a, b: a @ b), np.stack([SQUARE, POSITIVE]), np.stack([POSITIVE, SQUARE])),
    "custom derivative": (jax.grad(lambda x: jnp.sum(clipped(x) ** 2)), X),
    "rematerialization": (jax.grad(jax.checkpoint(lambda x: jnp.sum(jnp.sin(jnp.cos(x))))), X),
    "scan": (lambda x: lax.scan(lambda c, r: (c + r, c * r), x[0], x), X),
    "while": (lambda x: lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * 1.5), (0, x))[1], X),
    "cond": (lambda x: lax.cond(x[0, 0] > 1, jnp.sin, jnp.cos, x), X),
    "switch": (lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tan], x), np.int32(2), X),
    "associative scan": (lambda x: lax.associative_scan(jnp.maximum, x), X),
    "cumulative sums": (lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x, 0)), X),
    "sort": (lambda x: (jnp.sort(x), jnp.argsort(x), lax.top_k(x, 2)), X),
    "gather and scatter": (lambda x: x[jnp.array([2, 0])].at[:, 1].add(5.0), X),
    "dynamic slice": (lambda x, i: lax.dynamic_update_slice(x, lax.dynamic_slice(x, (i, 0), (1, 4)), (0, 0)), X, np.int32(2)),
    "segment sum": (lambda x: jax.ops.segment_sum(x, jnp.array([0, 1, 0]), 2), X),
    "interpolation": (lambda x: jnp.interp(x, jnp.linspace(-1, 1, 9), jnp.linspace(0, 1, 9) ** 2), X),
    "statistics": (lambda x: (jnp.median(x), jnp.percentile(x, 30), jnp.histogram(x, 4)[0]), X),
    "fft": (lambda x: (jnp.fft.fft2(x), jnp.fft.irfft(jnp.fft.rfft(x))), X),
    "cholesky": (jnp.linalg.cholesky, POSITIVE),
    "qr": (jnp.linalg.qr, X),
    "lu": (lambda a: (jsp.linalg.lu_factor(a), jnp.linalg.det(a), jnp.linalg.inv(a)), POSITIVE),
    "svd": (lambda a: jnp.linalg.svd(a)[1], X),
    "eigh": (lambda a: jnp.linalg.eigh(a)[0], POSITIVE),
    "eig": (lambda a: spectrum(jnp.linalg.eig(a)[0]), SQUARE),
    "schur": (lambda a: spectrum(jnp.diag(jsp.linalg.schur(a, output="complex")[0])), SQUARE),
    "hessenberg": (lambda a: jnp.abs(jsp.linalg.hessenberg(a)), SQUARE),
    "triangular solve": (lambda a: jsp.linalg.solve_triangular(a, a.T, lower=True), POSITIVE),
    "tridiagonal solve": (lambda a: lax.linalg.tridiagonal_solve(a[0], a[1] + 9, a[2], a.T), SQUARE),
    "matrix exponential": (jsp.linalg.expm, SQUARE),
    "random numbers": (lambda k: (jax.random.uniform(k, (9,)), jax.random.normal(k, (9,)), jax.random.gamma(k, 2.0, (9,)),
                                  jax.random.permutation(k, 9), jax.random.categorical(k, jnp.ones(4), shape=(9,))), KEY),
    "sparse product": (sparse_product, X),
    "sparse solution": (sparse_solution, X),
    "pure callback": (lambda x: jax.pure_callback(lambda v: np.sin(v), jax.ShapeDtypeStruct((3, 4), F32), x) + 1, X),
    "ordered effects": (ordered_effects, X),
}  # yapf: disable


def leaves(tree):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


def check_equal(got, want):
    assert len(got) == len(want)
    for a, b in zip(got, want):
        assert a.dtype == b.dtype, f"{a.dtype} instead of {b.dtype}"
        np.testing.assert_allclose(a.astype(np.complex128), b.astype(np.complex128), rtol=RELATIVE, atol=ABSOLUTE)


def run_on_both(function, *arguments):
    """The program's results on Halo, checked against those on JAX's CPU."""
    results = {}
    for platform in ("halo", "cpu"):
        with jax.default_device(jax.devices(platform)[0]):
            results[platform] = leaves(jax.jit(function)(*arguments))
    jax.effects_barrier()
    check_equal(results["halo"], results["cpu"])


# ---- What is more than a function.


def donate():
    x = jnp.asarray(X)
    y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    assert x.is_deleted()
    check_equal([np.asarray(y)], [X + 1])


def inspect():
    compiled = jax.jit(lambda x: x @ x.T).lower(X).compile()
    cost = compiled.cost_analysis()
    cost = cost[0] if isinstance(cost, list) else cost
    assert cost["flops"] > 0 and compiled.memory_analysis().output_size_in_bytes > 0
    assert "HloModule" in compiled.as_text() or "func.func" in compiled.as_text()


def serialize():
    from jax.experimental import serialize_executable

    compiled = jax.jit(lambda x: jnp.sin(x) * 2).lower(X).compile()
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    check_equal(leaves(loaded(X)), leaves(compiled(X)))


def export_dlpack():
    x = jnp.asarray(X)
    check_equal([np.from_dlpack(x)], [X])


def fail_in_callback():

    def fail(_):
        raise ValueError("a failure on purpose")

    try:
        jax.jit(lambda x: jax.pure_callback(fail, jax.ShapeDtypeStruct((3, 4), F32), x))(X).block_until_ready()
    except Exception as error:
        assert "a failure on purpose" in str(error), error
    else:
        raise AssertionError("no error")
    # The program ran asynchronously: a barrier reports it as well, but only one.
    try:
        jax.effects_barrier()
    except Exception as error:
        assert "a failure on purpose" in str(error), error
    jax.effects_barrier()


def double_precision():
    jax.config.update("jax_enable_x64", True)
    try:
        run_on_both(lambda x: (jnp.exp(x), jnp.linalg.eigh(x @ x.T)[0]), X.astype(np.float64))
    finally:
        jax.config.update("jax_enable_x64", False)


CHECKS = {"donation": donate, "inspection": inspect, "serialization": serialize, "dlpack": export_dlpack,
          "failing callback": fail_in_callback, "double precision": double_precision}  # yapf: disable


# ---- Programs with their results as files, which recorded/recorded_test.cc reads.

TYPE_NAMES = {"float32": "f32", "int32": "s32", "int8": "s8", "uint32": "u32", "complex64": "c64"}


def element_text(value):
    return f"({value.real}, {value.imag})" if np.iscomplexobj(value) else str(value)


def value_text(values):
    if values.ndim == 0:
        return element_text(values[()])
    parts = [value_text(part) for part in values]
    if values.ndim == 1:
        return "{" + ", ".join(parts) + "}"
    return "{\n  " + ",\n  ".join(part.replace("\n", "\n  ") for part in parts) + "\n  }"


def literal_text(array):
    array = np.asarray(array)
    return f"{TYPE_NAMES[str(array.dtype)]}[{','.join(map(str, array.shape))}] {value_text(array)}"


def record(name, function, arguments, folder):
    """Writes the program to FOLDER, unless it calls Python."""
    jitted = jax.jit(function, keep_unused=True)
    with jax.default_device(jax.devices("halo")[0]):
        program = jitted.lower(*arguments).as_text()
    if "halo_python_callback" in program:
        return print(f"{name}: calls Python", flush=True)
    with jax.default_device(jax.devices("cpu")[0]):
        results = [literal_text(leaf) for leaf in leaves(jitted(*arguments))]
    result = results[0] if len(results) == 1 else "(\n  " + ",\n".join(results).replace("\n", "\n  ") + "\n  )"
    with open(os.path.join(folder, name.replace(" ", "_") + ".mlir"), "w") as stream:
        stream.write(f"// CASE {name}\n// TOLERANCE {RELATIVE}\n{program}// INPUTS\n")
        stream.writelines(literal_text(leaf) + "\n" for leaf in jax.tree.leaves(arguments))
        stream.write(f"// RESULT\n{result}\n")


def main():
    assert jax.default_backend() == "halo", jax.default_backend()
    if sys.argv[1:2] == ["--record"]:
        for name, (function, *arguments) in PROGRAMS.items():
            record(name, function, arguments, sys.argv[2])
        return 0
    jobs = {name: (lambda program=program: run_on_both(*program)) for name, program in PROGRAMS.items()}
    jobs.update(CHECKS)
    passed = 0
    for name, job in jobs.items():
        try:
            job()
            passed += 1
            print(f"{name}: passed", flush=True)
        except Exception as error:
            print(f"{name}: failed: {type(error).__name__}: {str(error)[:400]}", flush=True)
    print(f"JAX {jax.__version__}: {passed} passed, {len(jobs) - passed} failed")
    return 0 if passed == len(jobs) else 1


if __name__ == "__main__":
    sys.exit(main())
