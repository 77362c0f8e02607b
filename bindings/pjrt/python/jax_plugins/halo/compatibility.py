"""Guards accesses to private parts of JAX, which differ from version to version."""
import contextlib
import logging

_logger = logging.getLogger("jax_plugins.halo")
_reported = set()


def warn_once(text):
    """Logs `text` as a warning, the first time only."""
    if text in _reported:
        return
    _reported.add(text)
    _logger.warning("halo: %s", text)


@contextlib.contextmanager
def guarded(what):
    """Turns an exception into one warning that `what` does not work with this version of JAX."""
    try:
        yield
    except Exception as error:  # Whatever a private module raises, other programs must go on.
        warn_once(f"{what} will not work with JAX {jax_version()}: {type(error).__name__}: {error}")


def jax_version():
    """What JAX calls its version; a text in any case."""
    try:
        import jax

        return jax.__version__
    except Exception as error:
        return f"of unknown version ({error})"


def warn_of_unknown_version(tested):
    """Warns if the version of JAX is not one of `tested`, pairs of major and minor number."""
    version = jax_version()
    try:
        major_minor = tuple(int(part) for part in version.split(".")[:2])
    except ValueError:
        major_minor = None
    if major_minor not in tested:
        known = ", ".join(".".join(map(str, pair)) for pair in tested)
        warn_once(f"JAX {version} has not been tested with this plugin (tested: {known}); what can work will work")
