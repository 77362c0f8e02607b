"""The parts of XLA's FFI and of the PJRT C API that Python needs, by ctypes: registering handlers, and call frames.

The structs follow the public headers xla/ffi/api/c_api.h (version 0.3, in jaxlib/include) and the FFI extension of
the PJRT C API; comments there explain the fields. Pointers to structs that are not looked into are c_void_p.
"""
import ctypes

API_VERSION = (0, 3)
STAGE_EXECUTE = 3
INVALID_ARGUMENT = 3
INTERNAL = 13

_METADATA_EXTENSION = 1  # of a call frame
_FFI_EXTENSION = 5  # of the PJRT API
_FIRST_PJRT_FUNCTION = 40  # bytes into PJRT_Api


class Extension(ctypes.Structure):
    """The head of every extension, of FFI and of PJRT."""


Extension._fields_ = [
    ("struct_size", ctypes.c_size_t),
    ("type", ctypes.c_int),
    ("next", ctypes.POINTER(Extension)),
]


class ApiVersion(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
    ]


class ErrorCreateArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("message", ctypes.c_char_p),
        ("code", ctypes.c_int),
    ]


class Api(ctypes.Structure):
    """XLA_FFI_Api, as far as handlers here call it."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("version", ApiVersion),
        ("internal_api", ctypes.c_void_p),
        ("error_create", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ErrorCreateArgs))),
    ]


class Buffer(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("dtype", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int64),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    ]


class Buffers(ctypes.Structure):
    """XLA_FFI_Args and XLA_FFI_Rets, whose only type is a buffer."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("types", ctypes.POINTER(ctypes.c_int)),
        ("buffers", ctypes.POINTER(ctypes.POINTER(Buffer))),
    ]

    def __iter__(self):
        return (self.buffers[i].contents for i in range(self.size))


class ByteSpan(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Scalar(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("value", ctypes.c_void_p)]


class Attributes(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("types", ctypes.POINTER(ctypes.c_int)),
        ("names", ctypes.POINTER(ctypes.POINTER(ByteSpan))),
        ("values", ctypes.POINTER(ctypes.c_void_p)),
    ]

    _SCALAR = 3

    def integer64(self, name):
        """The 64-bit integer attribute of this name. KeyError, with the names there are, if there is none."""
        names = []
        for i in range(self.size):
            span = self.names[i].contents
            names.append(ctypes.string_at(span.data, span.size).decode())
            if names[-1] == name and self.types[i] == self._SCALAR:
                scalar = ctypes.cast(self.values[i], ctypes.POINTER(Scalar)).contents
                if scalar.dtype in (DTYPE_S64, DTYPE_U64):
                    return ctypes.cast(scalar.value, ctypes.POINTER(ctypes.c_int64)).contents.value
        raise KeyError(f"the call has no 64-bit integer attribute {name}; its attributes are {names}")


class CallFrame(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.POINTER(Extension)),
        ("api", ctypes.POINTER(Api)),
        ("context", ctypes.c_void_p),
        ("stage", ctypes.c_int),
        ("arguments", Buffers),
        ("results", Buffers),
        ("attributes", Attributes),
        ("future", ctypes.c_void_p),
    ]


class Metadata(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("version", ApiVersion),
        ("traits", ctypes.c_uint32),
        ("state_type_id", ctypes.c_int64),
    ]


class MetadataExtension(ctypes.Structure):
    _fields_ = [("base", Extension), ("metadata", ctypes.POINTER(Metadata))]


Handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(CallFrame))

DTYPE_TOKEN = 17
DTYPE_S64 = 5
DTYPE_U64 = 9
_DTYPE_NAMES = {
    1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32", 9: "uint64",
    10: "float16", 11: "float32", 12: "float64", 15: "complex64", 16: "bfloat16", 18: "complex128",
    19: "float8_e5m2", 20: "float8_e4m3fn", 21: "int4", 22: "uint4", 23: "float8_e4m3b11fnuz", 24: "float8_e5m2fnuz",
    25: "float8_e4m3fnuz", 26: "int2", 27: "uint2", 28: "float8_e4m3", 29: "float8_e3m4", 30: "int1", 31: "uint1",
    32: "float4_e2m1fn", 33: "float8_e8m0fnu",
}  # yapf: disable


def numpy_dtype(code):
    """NumPy's element type for an XLA_FFI_DataType; those below a byte have a byte per element in memory, too."""
    import ml_dtypes
    import numpy as np

    name = _DTYPE_NAMES.get(code)
    if name is None:
        raise TypeError(f"NumPy has no element type for number {code} of XLA_FFI_DataType")
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def numpy_view(buffer):
    """An array on the memory of a Buffer, which must not outlive the call."""
    import numpy as np

    dims = tuple(buffer.dims[i] for i in range(buffer.rank))
    dtype = numpy_dtype(buffer.dtype)
    count = int(np.prod(dims, dtype=np.int64))
    if count == 0 or not buffer.data:
        return np.empty(dims, dtype)
    memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(buffer.data)
    return np.frombuffer(memory, dtype, count).reshape(dims)


def answer_metadata(frame):
    """True if the frame only asks which version of the interface the handler speaks, which it then tells."""
    extension = frame.extension_start
    while extension:
        if extension.contents.type == _METADATA_EXTENSION:
            metadata = ctypes.cast(extension, ctypes.POINTER(MetadataExtension)).contents.metadata.contents
            metadata.version.major, metadata.version.minor = API_VERSION
            metadata.traits = 0
            return True
        extension = extension.contents.next
    return False


def make_error(frame, code, text):
    """An error for XLA, to be returned from a handler."""
    arguments = ErrorCreateArgs(0, None, text.encode("utf-8", "replace"), code)
    arguments.struct_size = ErrorCreateArgs.code.offset + ErrorCreateArgs.code.size
    return frame.api.contents.error_create(ctypes.byref(arguments))


# ---- The PJRT API, which JAX passes as a capsule.


class _RegisterHandlerArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("name_size", ctypes.c_size_t),
        ("handler", ctypes.c_void_p),
        ("platform", ctypes.c_char_p),
        ("platform_size", ctypes.c_size_t),
        ("traits", ctypes.c_int),
    ]


class _FfiExtension(ctypes.Structure):
    _fields_ = [
        ("base", Extension),
        ("type_register", ctypes.c_void_p),
        ("user_data_add", ctypes.c_void_p),
        ("register_handler", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_RegisterHandlerArgs))),
    ]


class _ErrorMessageArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("error", ctypes.c_void_p),
        ("message", ctypes.c_void_p),
        ("message_size", ctypes.c_size_t),
    ]


class _ErrorDestroyArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("error", ctypes.c_void_p),
    ]


def _capsule_address(capsule):
    """The pointer of a capsule of any name."""
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get_pointer(capsule, get_name(capsule))


def _pjrt_function(api, number, *arguments):
    """Function `number` of PJRT_Api, in the order of the header."""
    slot = ctypes.c_void_p.from_address(api + _FIRST_PJRT_FUNCTION + number * ctypes.sizeof(ctypes.c_void_p))
    return ctypes.CFUNCTYPE(None, *arguments)(slot.value)


def _take_message(api, error):
    """The text of a PJRT_Error, which is destroyed."""
    destroy = _pjrt_function(api, 0, ctypes.POINTER(_ErrorDestroyArgs))
    message_of = _pjrt_function(api, 1, ctypes.POINTER(_ErrorMessageArgs))
    message = _ErrorMessageArgs(ctypes.sizeof(_ErrorMessageArgs), None, error, None, 0)
    message_of(ctypes.byref(message))
    text = ctypes.string_at(message.message, message.message_size).decode("utf-8", "replace")
    destroy(ctypes.byref(_ErrorDestroyArgs(ctypes.sizeof(_ErrorDestroyArgs), None, error)))
    return text


def _find_ffi_extension(api):
    # PJRT_Api begins with struct_size and extension_start.
    extension = ctypes.cast(ctypes.c_void_p.from_address(api + 8).value, ctypes.POINTER(Extension))
    while extension:
        if extension.contents.type == _FFI_EXTENSION:
            return ctypes.cast(extension, ctypes.POINTER(_FfiExtension)).contents
        extension = extension.contents.next
    raise RuntimeError("the plugin has no FFI extension")


def address_of(function):
    """The address of a function of ctypes."""
    return ctypes.cast(function, ctypes.c_void_p).value


def register_handler(api_capsule, name, platform, handler, traits=0):
    """Registers the address `handler` of an XLA_FFI_Handler as the target `name` of `platform`. RuntimeError."""
    api = _capsule_address(api_capsule)
    encoded, encoded_platform = name.encode(), platform.encode()
    arguments = _RegisterHandlerArgs(0, encoded, len(encoded), handler, encoded_platform, len(encoded_platform), traits)
    arguments.struct_size = _RegisterHandlerArgs.traits.offset + _RegisterHandlerArgs.traits.size
    error = _find_ffi_extension(api).register_handler(ctypes.byref(arguments))
    if error:
        raise RuntimeError(f"cannot register the FFI target {name}: {_take_message(api, error)}")


def install_target_handler(api_capsule, platform):
    """Passes on what jax.ffi.register_ffi_target(..., platform=platform) registers, before and after this call."""
    try:
        from jaxlib import xla_client
    except ImportError:
        from jax._src.lib import xla_client

    def register(name, target, target_platform, api_version, traits=0):
        if isinstance(name, bytes):
            name = name.decode()
        if api_version != 1:
            raise NotImplementedError(
                f"{name}: Halo calls functions of the typed FFI only; register it with api_version=1, "
                f"got {api_version}")
        if isinstance(target, dict):
            others = sorted(stage for stage, function in target.items() if stage != "execute" and function is not None)
            if others or target.get("execute") is None:
                raise NotImplementedError(f"{name}: Halo calls the stage execute only, got {sorted(target)}")
            target = target["execute"]
        register_handler(api_capsule, name, target_platform, _capsule_address(target), int(traits or 0))

    xla_client.register_custom_call_handler(platform, register)
