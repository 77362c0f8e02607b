"""lazy_library: a library of the system that is loaded when a program needs it, not when the program starts.

Callers use the library's own headers, and call `load_function`, which they declare as `absl::Status NAME();` in namespace
xla, before the first of its functions. Behind the name of each function is one instruction: a jump to the address that
was found.
"""

load("@rules_cc//cc:defs.bzl", "cc_library")

_SOURCE = """// Written by lazy_library.bzl.
#include "xla_core/support/system_library.h"

extern "C" {{
__attribute__((visibility("hidden"))) void* halo_{name}_functions[] = {{
{addresses}
}};
}}

namespace xla {{

absl::Status {load_function}() {{
  static auto* const library = new LazyLibrary("{soname}", "{package}", {{
{functions}
  }});
  return library->Load();
}}

}}  // namespace xla

{jumps}
"""

def _jump(name, table, index):
    return """asm(".text\\n.globl {name}\\n.hidden {name}\\n.type {name}, @function\\n"
    "{name}: jmp *halo_{table}_functions+{offset}(%rip)\\n.size {name}, .-{name}\\n");""".format(
        name = name,
        table = table,
        offset = 8 * index,
    )

def _lazy_source_impl(ctx):
    name, names = ctx.attr.table, ctx.attr.functions
    source = ctx.actions.declare_file(ctx.label.name + ".cc")
    ctx.actions.write(source, _SOURCE.format(
        name = name,
        load_function = ctx.attr.load_function,
        soname = ctx.attr.soname,
        package = ctx.attr.package,
        addresses = "\n".join(["    reinterpret_cast<void*>(&halo_function_is_not_loaded),"] * len(names)),
        functions = "\n".join(['    {"%s", &halo_%s_functions[%d]},' % (names[i], name, i) for i in range(len(names))]),
        jumps = "\n".join([_jump(names[i], name, i) for i in range(len(names))]),
    ))
    return [DefaultInfo(files = depset([source]))]

_lazy_source = rule(
    implementation = _lazy_source_impl,
    attrs = {
        "functions": attr.string_list(mandatory = True),
        "load_function": attr.string(mandatory = True),
        "package": attr.string(mandatory = True),
        "soname": attr.string(mandatory = True),
        "table": attr.string(mandatory = True),
    },
)

def _compiled_with_and_linked_impl(ctx):
    return [CcInfo(
        compilation_context = ctx.attr.headers[CcInfo].compilation_context,
        linking_context = ctx.attr.calls[CcInfo].linking_context,
    )]

_compiled_with_and_linked = rule(
    implementation = _compiled_with_and_linked_impl,
    attrs = {
        "calls": attr.label(mandatory = True, providers = [CcInfo]),
        "headers": attr.label(mandatory = True, providers = [CcInfo]),
    },
)

def lazy_library(name, soname, package, load_function, functions):
    """Defines the library `name`, whose headers are in one of the compiler's own folders.

    Args:
      name: of the target.
      soname: what programs ask the system for.
      package: the Debian package that has it, for the error when it is missing.
      load_function: the C++ function that loads it.
      functions: those that are called; what is missing here is an error of linking.
    """
    _lazy_source(
        name = name + "_source",
        functions = functions,
        load_function = load_function,
        package = package,
        soname = soname,
        table = name,
        visibility = ["//visibility:private"],
    )
    cc_library(
        name = name + "_calls",
        srcs = [name + "_source"],
        visibility = ["//visibility:private"],
        deps = [
            "@absl//:status",
            "@halo//xla_core/support:system_library",
        ],
    )
    cc_library(
        name = name + "_headers",
        visibility = ["//visibility:private"],
    )
    _compiled_with_and_linked(
        name = name,
        calls = name + "_calls",
        headers = name + "_headers",
    )
