"""Which platforms JAX starts."""


def keep_cpu(platform="halo"):
    """Adds JAX's own CPU, as the last choice, if `platform` is among the platforms that were asked for without it.

    Callbacks need it: JAX hands their arguments over as arrays of the platform `cpu`, so that what a callback computes
    does not wait for the device that waits for the callback. The default platform stays what it was.
    """
    import jax

    wanted = [name for name in (jax.config.jax_platforms or "").split(",") if name]
    if platform in wanted and "cpu" not in wanted:
        jax.config.update("jax_platforms", ",".join(wanted + ["cpu"]))
