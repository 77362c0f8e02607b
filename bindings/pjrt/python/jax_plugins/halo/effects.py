"""What jax.effects_barrier waits for."""


def report_failures_once():
    """Makes a barrier forget what it has waited for also if that has failed.

    JAX keeps the tokens of programs with callbacks until they are all ready. On its own CPU none of these fails,
    because such a program fails in the call; here it runs asynchronously, and every later barrier, and the end of the
    process, would report one failure again.
    """
    from jax._src import dispatch

    forget_failures(dispatch.RuntimeTokenSet, dispatch.runtime_tokens)


def forget_failures(token_set, example):
    """The same for a class like JAX's RuntimeTokenSet, of which `example` is one."""
    for needed in ("current_tokens", "output_runtime_tokens", "clear", "block_until_ready"):
        getattr(example, needed)

    def block_until_ready(self):
        failures = []
        for token in (*self.current_tokens.values(), *self.output_runtime_tokens.values()):
            try:
                token.block_until_ready()
            except Exception as failure:
                failures.append(failure)
        self.clear()
        if failures:
            raise failures[0]

    token_set.block_until_ready = block_until_ready
