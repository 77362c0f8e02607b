"""Tests that every client of backend.h passes."""

load("@rules_cc//cc:defs.bzl", "cc_test")

def client_test(name, backend, deps):
    """The tests of buffers, executions and threads, for the backend of this name.

    Args:
      name: of the test
      backend: as it is registered
      deps: what links it
    """
    cc_test(
        name = name,
        size = "medium",
        srcs = [
            "//backends/testing:buffer_test.cc",
            "//backends/testing:execution_test.cc",
            "//backends/testing:threads_test.cc",
        ],
        local_defines = ["HALO_TESTED_BACKEND=\\\"%s\\\"" % backend],
        deps = deps + [
            "//backends:backend",
            "//backends/testing:test_programs",
            "//passes/partitioning:shardings",
            "//xla_core/support:status_macros",
            "@absl//:strings",
            "@absl//:time",
            "@syslibs//:gmock_main",
        ],
    )
