"""JAX's persistent compilation cache, which JAX itself uses on platforms of known names only."""
import functools


def allow(platform="halo"):
    """Makes compilation_cache.is_cache_used answer for `platform` as it answers for a platform that JAX knows."""
    from jax._src import compilation_cache

    asked = compilation_cache.is_cache_used
    if getattr(asked, "_answers_for", None) == platform:
        return

    @functools.wraps(asked)
    def is_cache_used(backend):
        return asked(_AsCpu(backend) if getattr(backend, "platform", None) == platform else backend)

    is_cache_used._answers_for = platform
    compilation_cache.is_cache_used = is_cache_used


class _AsCpu:
    """A client under the name of a platform whose programs JAX keeps."""

    platform = "cpu"

    def __init__(self, client):
        self._client = client

    def __getattr__(self, name):
        return getattr(self._client, name)
