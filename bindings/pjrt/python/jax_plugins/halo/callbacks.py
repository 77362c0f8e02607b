"""Calls from programs back into Python: pure_callback, io_callback, jax.debug.callback and print, checkify, spsolve.

JAX writes such calls only for platforms that it knows. Here they become custom calls of the target
`halo_python_callback`, whose attribute `index` finds the function in a table of this process. Entries of the table are
host callbacks of the program as well: so jaxlib keeps them until its last execution has ended, which may be after the
program is dropped, and JAX does not write the program to its persistent cache.
"""
import functools
import itertools
import traceback

from jax_plugins.halo import ffi

TARGET = "halo_python_callback"

_indices = itertools.count(1)
_functions = {}


class _Entry:
    """A function in the table, for as long as this object lives."""

    def __init__(self, function):
        self._function = function
        self.index = next(_indices)
        _functions[self.index] = function

    def __call__(self, *arguments):
        return self._function(*arguments)

    def __del__(self):
        _functions.pop(self.index, None)


def install(api_capsule, platform="halo"):
    """Registers the target with the plugin, and JAX's lowering of callbacks for `platform`."""
    ffi.register_handler(api_capsule, TARGET, platform, ffi.address_of(_handler))
    _replace_lowering(platform)


def _replace_lowering(platform):
    import jax.interpreters.mlir
    from jax._src import callback

    emit = callback.emit_python_callback
    if getattr(emit, "_emits_for", None) == platform:
        return

    @functools.wraps(emit)
    def emit_python_callback(ctx, *arguments, **options):
        if not _is_of(ctx.module_context, platform):
            return emit(ctx, *arguments, **options)
        return _emit(ctx, *arguments, **options)

    emit_python_callback._emits_for = platform
    callback.emit_python_callback = emit_python_callback
    # Modules of jax.experimental find it there.
    jax.interpreters.mlir.emit_python_callback = emit_python_callback


def _is_of(module_context, platform):
    """Whether a program is for this plugin, whose client may also report the name of JAX's own CPU."""
    platforms = tuple(module_context.platforms)
    if platforms != ("cpu",):
        return platforms == (platform,)
    backend = getattr(module_context, "backend", None) or module_context.get_backend()
    return platform in str(backend.platform_version).lower()


def _emit(ctx, callback, token, operands, operand_avals, result_avals, *, has_side_effect, returns_token=True,
          partitioned=False, sharding=None):  # yapf: disable
    """As jax._src.callback.emit_python_callback. Returns the results, the token, and what keeps the function."""
    import numpy as np
    from jax._src import core
    from jax._src import ffi as jax_ffi
    from jax._src.interpreters import mlir

    if partitioned and result_avals:
        raise ValueError("a callback on the local parts of arrays must not have results")
    entry = _Entry(_checked(callback, result_avals))
    ctx.module_context.add_host_callback(entry)
    operands, operand_avals, result_avals = list(operands), list(operand_avals), list(result_avals)
    if token:
        operands.insert(0, token)
        operand_avals.insert(0, core.abstract_token)
        result_avals.insert(0, core.abstract_token)
        sharding = _with_token(sharding, len(result_avals))
    ctx = ctx.replace(avals_in=operand_avals, avals_out=result_avals)
    call = jax_ffi.build_ffi_lowering_function(TARGET, has_side_effect=has_side_effect)
    operation = call(ctx, *operands, index=np.uint64(entry.index))
    if sharding is not None:
        mlir.set_sharding(*_sharding_arguments(mlir, ctx, operation, sharding))
    results = list(operation.results)
    if token:
        token = results.pop(0)
    return results, token, entry


def _sharding_arguments(mlir, ctx, operation, sharding):
    """set_sharding takes the module context since JAX 0.10."""
    takes_context = mlir.set_sharding.__code__.co_argcount > 2
    return (ctx.module_context, operation, sharding) if takes_context else (operation, sharding)


def _with_token(sharding, result_count):
    """Shardy's annotations, one for each result, with one for a token in front."""
    shardings = getattr(sharding, "shardings", None)
    if shardings is None or result_count == len(shardings):
        return sharding
    import dataclasses

    token = dataclasses.replace(shardings[0], dim_shardings=())
    return type(sharding)((token, *shardings))


def _checked(callback, result_avals):
    """The callback, with results as NumPy arrays of the promised shapes and types."""
    import jax
    import numpy as np

    def call(*arguments):
        results = callback(*arguments)
        if len(results) != len(result_avals):
            raise RuntimeError("Mismatched number of outputs from callback. "
                               f"Expected: {len(result_avals)}, Actual: {len(results)}")
        results = [np.asarray(result) for result in results]
        # Python's numbers are 64 bits wide, whether or not jax_enable_x64 is on.
        results = [result.astype(jax.dtypes.canonicalize_dtype(result.dtype), copy=False) for result in results]
        for i, (result, aval) in enumerate(zip(results, result_avals)):
            if result.shape != aval.shape:
                raise RuntimeError(f"Incorrect output shape for return value #{i}: "
                                   f"Expected: {aval.shape}, Actual: {result.shape}")
            if result.dtype != aval.dtype:
                raise RuntimeError(f"Incorrect output dtype for return value #{i}: "
                                   f"Expected: {aval.dtype}, Actual: {result.dtype}")
        return results

    return call


def _call(frame_pointer):
    """The handler: XLA_FFI_Error* (XLA_FFI_CallFrame*). Python's lock is held; nothing may be raised."""
    frame = frame_pointer.contents
    try:
        if ffi.answer_metadata(frame) or frame.stage != ffi.STAGE_EXECUTE:
            return None
        _run(frame)
        return None
    except BaseException:  # noqa: B902  (an exception that leaves a ctypes function is lost)
        return ffi.make_error(frame, ffi.INTERNAL, f"a Python callback failed: {traceback.format_exc()}")


def _run(frame):
    index = frame.attributes.integer64("index")
    function = _functions.get(index)
    if function is None:
        raise RuntimeError(f"the function of callback {index} is not in this process; a program that calls back into "
                           "Python runs only where and as long as JAX keeps what jit returned")
    # Copies, because a callback may keep its arguments, and their memory is used again after the call.
    arguments = [ffi.numpy_view(buffer).copy() for buffer in frame.arguments if buffer.dtype != ffi.DTYPE_TOKEN]
    results = [buffer for buffer in frame.results if buffer.dtype != ffi.DTYPE_TOKEN]
    for buffer, value in zip(results, function(*arguments)):
        ffi.numpy_view(buffer)[...] = value


# Kept for ever, because programs may call it to the end of the process.
_handler = ffi.Handler(_call)
