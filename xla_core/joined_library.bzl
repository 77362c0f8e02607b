"""Libraries, tests and programs whose sources are compiled several at a time.

The sources of a folder include nearly the same headers, and reading those costs the compiler more than the sources
do. A unit includes several sources and reads their headers once.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

# Sources of one unit. More would leave a core idle at the end of a build, and a change to one source compiles its unit.
_SOURCES_PER_UNIT = 8

def _unit_impl(ctx):
    lines = ["#include \"%s/%s\"\n" % (source.owner.package, source.owner.name) for source in ctx.files.srcs]
    ctx.actions.write(ctx.outputs.out, "".join(lines))

_unit = rule(
    implementation = _unit_impl,
    attrs = {
        "out": attr.output(mandatory = True),
        "srcs": attr.label_list(allow_files = [".cc"]),
    },
)

def _joined(rule, name, srcs, apart, deps, kwargs):
    sources = [source for source in srcs if source.endswith(".cc") and source not in apart]
    others = [source for source in srcs if source not in sources]
    count = (len(sources) + _SOURCES_PER_UNIT - 1) // _SOURCES_PER_UNIT
    units = []
    for i in range(count):
        out = "%s_unit_%d.cc" % (name, i + 1)
        _unit(
            name = "%s_unit_%d" % (name, i + 1),
            testonly = kwargs.get("testonly", rule == cc_test),
            # Neighbors are alike: names that begin with the same words.
            srcs = sources[len(sources) * i // count:len(sources) * (i + 1) // count],
            out = out,
        )
        units.append(out)
    cc_library(
        name = name + "_sources",
        testonly = kwargs.get("testonly", rule == cc_test),
        textual_hdrs = sources,
        visibility = ["//visibility:private"],
    )
    rule(
        name = name,
        srcs = select({
            "//xla_core:sources_apart": srcs,
            "//conditions:default": others + units,
        }),
        deps = deps + [name + "_sources"],
        **kwargs
    )

def joined_cc_library(name, srcs, apart = [], deps = [], **kwargs):
    """A cc_library that compiles several of its sources at a time.

    Names of one source, also those in unnamed namespaces, must not be those of another.

    Args:
      name: of the library
      srcs: sources, and headers that only they include
      apart: those of the sources that are compiled alone
      deps: as those of a cc_library
      **kwargs: what else a cc_library takes
    """
    _joined(cc_library, name, srcs, apart, deps, kwargs)

def joined_cc_test(name, srcs, apart = [], deps = [], **kwargs):
    """A cc_test, as joined_cc_library is a cc_library."""
    _joined(cc_test, name, srcs, apart, deps, kwargs)

def joined_cc_binary(name, srcs, apart = [], deps = [], **kwargs):
    """A cc_binary, as joined_cc_library is a cc_library."""
    _joined(cc_binary, name, srcs, apart, deps, kwargs)
