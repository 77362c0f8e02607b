"""Gives the platform `halo` the rules by which JAX lowers operations for CPUs.

On a platform that it does not know JAX cannot lower eigenvalues, Schur forms and other decompositions at all, and it
expands others into loops. For CPUs it writes calls of LAPACK, which Halo has (docs/custom_calls.md).
"""
# Primitives whose rule for CPUs replaces none or a longer one. The others of JAX's table work around what XLA's CPU
# compiler lacks, so that Halo takes the general rules: dot_general, conv_general_dilated, select_and_scatter_add.
CPU_RULES = frozenset((
    "bcsr_dot_general", "check", "cholesky", "csr_spmm", "csr_spmv", "debug_callback", "debug_print", "eig", "eigh",
    "geqp3", "geqrf", "hessenberg", "householder_product", "lu", "ormqr", "random_gamma", "schur", "spsolve", "svd",
    "threefry2x32", "triangular_solve", "tridiagonal", "tridiagonal_solve"))  # yapf: disable


class RulesOfCpu(dict):
    """The rules of one platform: its own, else those of CPUs for the primitives of CPU_RULES.

    Modules such as jax.experimental.sparse register their rules when they are imported, often after this plugin. So
    the table of CPUs is asked at each look-up rather than copied.
    """

    def __init__(self, own, cpu):
        super().__init__(own)
        self._cpu = cpu

    def __contains__(self, primitive):
        return super().__contains__(primitive) or self._is_of_cpu(primitive)

    def __missing__(self, primitive):
        if self._is_of_cpu(primitive):
            return self._cpu[primitive]
        raise KeyError(primitive)

    def get(self, primitive, default=None):
        return self[primitive] if primitive in self else default

    def _is_of_cpu(self, primitive):
        return getattr(primitive, "name", None) in CPU_RULES and primitive in self._cpu


def use_cpu_lowerings(platform="halo"):
    """Lets `platform` fall back to JAX's rules for CPUs."""
    from jax._src.interpreters import mlir

    tables = mlir._platform_specific_lowerings
    tables[platform] = RulesOfCpu(tables[platform], tables["cpu"])


def allow_donation(platform="halo"):
    """Lets jit pass on that arguments are donated; elsewhere JAX drops it with a warning."""
    from jax._src.interpreters import mlir

    if platform not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(platform)
