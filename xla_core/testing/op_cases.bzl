"""op_cases: a test of the op cases in files (README.md)."""

load("@rules_cc//cc:defs.bzl", "cc_test")

def op_cases(name, srcs, **kwargs):
    """A test that runs the cases of all files; `bazel run TARGET -- --update` rewrites what they expect.

    Args:
      name: of the target, usually "cases_test" (not "cases": that is the folder).
      srcs: the files, usually glob(["cases/*.hlo"]).
      **kwargs: whatever else a test may have.
    """
    cc_test(
        name = name,
        size = kwargs.pop("size", "small"),
        args = ["$(rootpath %s)" % src for src in srcs],
        data = srcs,
        deps = ["//xla_core/testing:run_op_cases"],
        **kwargs
    )
