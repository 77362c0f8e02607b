"""DLPack exports of arrays of the platform `halo`, which jaxlib refuses by the name of the platform."""
import functools

_DLPACK_CPU = (1, 0)  # kDLCPU, device 0
# The kinds of NumPy's own element types that DLPack has: bool, integers, floats, complex numbers.
_NUMPY_KINDS = "biufc"


def allow_dlpack(platform="halo"):
    """Exports arrays of `platform` as host memory, which they share where the device's memory is the host's."""
    from jax._src import array

    array_type = array.ArrayImpl
    if getattr(array_type.__dlpack__, "_exports", None) == platform:
        return
    export, export_device = array_type.__dlpack__, array_type.__dlpack_device__

    @functools.wraps(export)
    def __dlpack__(self, **options):
        if _platform_of(self) != platform:
            return export(self, **options)
        return _export(self, export, **options)

    @functools.wraps(export_device)
    def __dlpack_device__(self):
        return _DLPACK_CPU if _platform_of(self) == platform else export_device(self)

    __dlpack__._exports = platform
    array_type.__dlpack__ = __dlpack__
    array_type.__dlpack_device__ = __dlpack_device__


def _platform_of(array):
    devices = array.devices()
    return next(iter(devices)).platform if len(devices) == 1 else None


def _export(array, export, *, stream=None, max_version=None, dl_device=None, copy=None):
    import jax
    import numpy as np

    if stream is not None:
        raise BufferError("arrays of the platform halo have no streams; pass stream=None")
    if dl_device is not None and tuple(dl_device) != _DLPACK_CPU:
        raise BufferError(f"arrays of the platform halo are exported to the device (1, 0), not to {tuple(dl_device)}")
    # Consumers that do not say a version cannot learn that memory is read-only, and NumPy cannot export bfloat16 and
    # its like: both get a copy, on JAX's CPU.
    if max_version is not None and not copy and np.dtype(array.dtype).kind in _NUMPY_KINDS:
        return np.asarray(array).__dlpack__(max_version=max_version)
    if copy is False:
        raise BufferError(f"exporting {array.dtype} without a copy needs a consumer of DLPack 1.0 and an element type "
                          "of NumPy; pass copy=None")
    on_cpu = jax.device_put(array, jax.local_devices(backend="cpu")[0])
    return export(on_cpu, max_version=max_version)
