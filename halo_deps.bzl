"""What a workspace needs to build Halo: `halo_deps()`, called by Halo's own WORKSPACE and by those that depend on it.

Every repository is a folder of the system (Debian 12 packages) or stands in Halo's tree: nothing is ever downloaded.
"""

def _stub_repository_impl(repository_ctx):
    folder = repository_ctx.path(repository_ctx.attr.build_file).dirname
    for entry in folder.readdir():
        repository_ctx.symlink(entry, entry.basename)

# A repository that is a folder of Halo's tree. (local_repository would want a path, which depends on where Halo lies.)
_stub_repository = repository_rule(
    implementation = _stub_repository_impl,
    attrs = {"build_file": attr.label(mandatory = True, doc = "The BUILD file at the top of the folder.")},
    local = True,
)

def _node_api_repository_impl(repository_ctx):
    found = repository_ctx.path("/usr/include/node/node_api.h").exists
    if not found:
        # buildifier: disable=print
        print("the headers of Node.js are not installed (Debian package libnode-dev): //bindings/node is left out")
    repository_ctx.file("BUILD.bazel", "")
    repository_ctx.file("found.bzl", "NODE_API_FOUND = %s\n" % found)

# Says whether the headers of Node.js are there (the package libnode-dev; other packages of Node.js bring them along).
_node_api_repository = repository_rule(
    implementation = _node_api_repository_impl,
    local = True,
)

def halo_deps():
    """Defines the repositories that Halo's BUILD files name. Those that the workspace has defined before stay as they are."""
    known = native.existing_rules()

    # Bazel's built-in rules ask for these three; the stubs answer with what is native to Bazel, so no network is
    # needed.
    for name in ["remote_coverage_tools", "rules_cc", "rules_java"]:
        if name not in known:
            _stub_repository(
                name = name,
                build_file = Label("//third_party/%s:BUILD.bazel" % name),
            )

    if "node_api" not in known:
        _node_api_repository(name = "node_api")

    # The libraries of the system.
    for name, build_file, path in [
        ("absl", "absl.BUILD", "/usr"),
        ("com_google_protobuf", "protobuf.BUILD", "/usr"),
        ("llvm19", "llvm.BUILD", "/usr/lib/llvm-19"),
        ("syslibs", "syslibs.BUILD", "/usr"),
    ]:
        if name not in known:
            native.new_local_repository(
                name = name,
                build_file = "@halo//third_party:" + build_file,
                path = path,
            )
