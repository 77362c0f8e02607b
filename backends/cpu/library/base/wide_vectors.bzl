"""Innermost loops for processors with wide vectors, chosen at run time (vector_extensions.h)."""

load("@rules_cc//cc:defs.bzl", "cc_library")

_FLAGS = {
    "avx2": [
        "-mavx2",
        "-mfma",
        "-mf16c",
    ],
    "avx512": [
        "-mavx512f",
        "-mavx512bw",
        "-mavx512dq",
        "-mavx512vl",
        "-mavx2",
        "-mfma",
        "-mf16c",
    ],
}

def wide_vector_kernels(name, hdrs, copts = []):
    """NAME_avx2 and NAME_avx512, of NAME_avx2.cc and NAME_avx512.cc.

    Args:
      name: of the kernels
      hdrs: what both sources include of their folder
      copts: besides the flags of the instruction set
    """
    for extension, flags in _FLAGS.items():
        cc_library(
            name = name + "_" + extension,
            srcs = hdrs + ["%s_%s.cc" % (name, extension)],
            copts = flags + copts,
            visibility = ["//visibility:private"],
            deps = ["//backends/cpu/library/base:vector_loops"],
        )
