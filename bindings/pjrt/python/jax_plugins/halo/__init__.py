"""Makes Halo a platform of JAX: JAX_PLATFORMS=halo python train.py

JAX finds this package by its place in the namespace package `jax_plugins` or by its entry point, and calls
`initialize` before it starts the first backend. What JAX offers to a plugin only through its private modules is in
the other modules here, each access guarded: in a version of JAX that lacks one, a warning says what will not work,
and everything else does. docs/jax.md of Halo describes options and limits.
"""
import logging
import os

__version__ = "0.1.0"

PLATFORM = "halo"
LIBRARY = "pjrt_c_api_halo_plugin.so"
# JAX versions (major, minor) that this package was tested with.
TESTED_VERSIONS = ((0, 6), (0, 8), (0, 9), (0, 10))

_logger = logging.getLogger(__name__)


def library_path():
    """The path of the plugin: that of HALO_PJRT_LIBRARY, or of the library beside this file."""
    return os.environ.get("HALO_PJRT_LIBRARY") or os.path.join(os.path.dirname(os.path.abspath(__file__)), LIBRARY)


def initialize():
    """Registers the platform `halo`. JAX calls it once in every process that uses JAX, so nothing in it raises."""
    from jax_plugins.halo import compatibility

    path = library_path()
    if not os.path.exists(path):
        _logger.warning("halo: there is no %s; install the wheel again, or set HALO_PJRT_LIBRARY", path)
        return
    compatibility.warn_of_unknown_version(TESTED_VERSIONS)
    api = None
    with compatibility.guarded("the platform halo"):
        api = _register(path)
    if api is not None:
        _extend_jax(api)


def _register(path):
    from jax._src import xla_bridge

    # Options, even if there are none, make JAX pass on those of jax_pjrt_client_create_options under jax.distributed,
    # too. The priority is above that of JAX's own CPU: an installed plugin is the default platform.
    return xla_bridge.register_plugin(PLATFORM, priority=400, library_path=path, options={})


def _extend_jax(api):
    from jax_plugins.halo import arrays, callbacks, compatibility, compilation_cache, effects, ffi, lowerings, platforms

    steps = (
        ("linear algebra and other lowerings of JAX for CPUs", lowerings.use_cpu_lowerings),
        ("donation of arguments", lowerings.allow_donation),
        ("callbacks into Python", lambda: callbacks.install(api)),
        ("barriers after a callback that failed", effects.report_failures_once),
        ("functions registered with jax.ffi", lambda: ffi.install_target_handler(api, PLATFORM)),
        ("JAX's persistent compilation cache", compilation_cache.allow),
        ("DLPack", arrays.allow_dlpack),
        ("JAX's own CPU beside Halo", platforms.keep_cpu),
    )
    # One by one: what a version of JAX lacks for one of them does not concern the others.
    for what, step in steps:
        with compatibility.guarded(what):
            step()
