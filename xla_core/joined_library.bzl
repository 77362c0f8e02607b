"""Libraries, tests and programs whose sources are compiled several at a time.

The sources of a folder include nearly the same headers, and reading those costs the compiler more than the sources
do. A unit holds several sources and reads their headers once.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

# Sources of one unit. More would leave a core idle at the end of a build, and a change to one source compiles its unit.
_SOURCES_PER_UNIT = 16

# The unit holds the sources themselves, not includes of them: a source that was an input of its library would be one of
# all libraries above, which a cache would not know any more after each change.
_JOIN = """
for source in "${@:2}"; do
  printf '#line 1 "%s"\\n' "$source"
  cat "$source"
  echo
done >"$1"
"""

def _unit_impl(ctx):
    sources = [source for source in ctx.files.srcs if source.extension == "cc"]
    part, parts = ctx.attr.part, ctx.attr.parts
    sources = sources[len(sources) * part // parts:len(sources) * (part + 1) // parts]
    ctx.actions.run_shell(
        inputs = sources,
        outputs = [ctx.outputs.out],
        command = _JOIN,
        arguments = [ctx.outputs.out.path] + [source.path for source in sources],
        mnemonic = "JoinSources",
    )

_unit = rule(
    implementation = _unit_impl,
    attrs = {
        "out": attr.output(mandatory = True),
        # The unit is part number `part` of `parts` equal ones of the sources, which stay in their order: neighbors
        # often include the same headers.
        "part": attr.int(),
        "parts": attr.int(mandatory = True),
        "srcs": attr.label_list(allow_files = [".cc", ".h"]),
    },
)

def _headers_impl(ctx):
    return [DefaultInfo(files = depset([file for file in ctx.files.srcs if file.extension == "h"]))]

_headers = rule(
    implementation = _headers_impl,
    attrs = {"srcs": attr.label_list(allow_files = [".cc", ".h"])},
)

def _units(name, srcs, parts, testonly):
    units = []
    for part in range(parts):
        unit = "%s_unit_%d" % (name, part + 1)
        _unit(name = unit, testonly = testonly, srcs = srcs, part = part, parts = parts, out = unit + ".cc")
        units.append(unit + ".cc")
    return units

def _joined(rule, name, srcs, apart, groups, deps, kwargs):
    testonly = kwargs.get("testonly", rule == cc_test)
    sources = [source for source in srcs if source.endswith(".cc") and source not in apart]
    others = [source for source in srcs if source not in sources]
    units = _units(name, sources, (len(sources) + _SOURCES_PER_UNIT - 1) // _SOURCES_PER_UNIT, testonly)
    for i, group in enumerate(groups):
        units += _units("%s_group_%d" % (name, i + 1), [group], groups[group], testonly)
    if groups:
        _headers(name = name + "_headers", testonly = testonly, srcs = groups.keys())
        others.append(name + "_headers")
    rule(
        name = name,
        srcs = select({
            "//xla_core:sources_apart": srcs + groups.keys(),
            "//conditions:default": others + units,
        }),
        deps = deps,
        **kwargs
    )

def joined_cc_library(name, srcs, apart = [], groups = {}, deps = [], **kwargs):
    """A cc_library that compiles several of its sources at a time.

    Names of one source, also those in unnamed namespaces, must not be those of another.

    Args:
      name: of the library
      srcs: sources, and headers that only they include
      apart: those of the sources that are compiled alone
      groups: file groups of other packages with more sources, and the number of units to make of each
      deps: as those of a cc_library
      **kwargs: what else a cc_library takes
    """
    _joined(cc_library, name, srcs, apart, groups, deps, kwargs)

def joined_cc_test(name, srcs, apart = [], groups = {}, deps = [], **kwargs):
    """A cc_test, as joined_cc_library is a cc_library."""
    _joined(cc_test, name, srcs, apart, groups, deps, kwargs)

def joined_cc_binary(name, srcs, apart = [], groups = {}, deps = [], **kwargs):
    """A cc_binary, as joined_cc_library is a cc_library."""
    _joined(cc_binary, name, srcs, apart, groups, deps, kwargs)
