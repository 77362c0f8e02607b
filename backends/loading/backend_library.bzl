"""backend_library: a backend as a shared library, which a program loads when somebody asks for that backend."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _sort_linked(ctx):
    """What the backend's dependencies link, by where it goes.

    Args:
      ctx: of the rule.
    Returns: a struct of lists: `inside` the library, `outside` of it in the program, `shared` by both, which is the
      flags for libraries of the system.
    """
    folder = ctx.attr.backend.label.package
    libraries = [library.label for library in ctx.attr.libraries]
    inside, outside, shared = [], [], []
    for linked in ctx.attr.backend[CcInfo].linking_context.linker_inputs.to_list():
        owner = linked.owner
        if owner in libraries:
            inside.append(linked)
        elif owner.workspace_name != ctx.label.workspace_name:
            shared.append(linked)
        elif owner.package == folder or owner.package.startswith(folder + "/"):
            inside.append(linked)
        else:
            outside.append(linked)
    return struct(inside = inside, outside = outside, shared = shared)

def _linking_context(linker_inputs):
    return cc_common.create_linking_context(linker_inputs = depset(linker_inputs, order = "topological"))

def _backend_library_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    linked = _sort_linked(ctx)
    library = cc_common.link(
        actions = ctx.actions,
        name = ctx.label.name,
        feature_configuration = cc_common.configure_features(
            ctx = ctx,
            cc_toolchain = toolchain,
            requested_features = ctx.features,
            unsupported_features = ctx.disabled_features,
        ),
        cc_toolchain = toolchain,
        output_type = "dynamic_library",
        linking_contexts = [_linking_context(linked.inside + linked.shared)],
    ).library_to_link.resolved_symlink_dynamic_library

    # What the library takes from the program, and nothing in the program itself may need, is linked into the program:
    # the library's undefined symbols with our namespace in them, as options of the linker.
    wanted = ctx.actions.declare_file(ctx.label.name + ".wanted")
    ctx.actions.run_shell(
        inputs = depset([library], transitive = [toolchain.all_files]),
        outputs = [wanted],
        command = "'%s' -D --undefined-only '%s' | sed -n 's/^ *U \\([^@]*xla[^@]*\\)$/-u \\1/p' > '%s'" %
                  (toolchain.nm_executable, library.path, wanted.path),
        mnemonic = "WantedSymbols",
        progress_message = "Listing what %s takes from the program" % library.short_path,
    )
    for_program = cc_common.create_linker_input(
        owner = ctx.label,
        user_link_flags = depset(["-rdynamic", "-Wl,@" + wanted.path]),
        additional_inputs = depset([wanted]),
    )
    return [
        DefaultInfo(files = depset([library]), runfiles = ctx.runfiles([library])),
        CcInfo(linking_context = _linking_context([for_program] + linked.outside + linked.shared)),
    ]

backend_library = rule(
    doc = "Links libNAME.so; to be among the deps and the data of what the program links.",
    implementation = _backend_library_impl,
    attrs = {
        "backend": attr.label(
            doc = "The library has what is in its folder and those below.",
            mandatory = True,
            providers = [CcInfo],
        ),
        "libraries": attr.label_list(
            doc = "Libraries of the system that only the backend uses: the program is linked without them.",
            providers = [CcInfo],
        ),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
    incompatible_use_toolchain_transition = True,
    fragments = ["cpp"],
)
