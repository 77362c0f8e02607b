"""Dependencies that a library is linked with but whose headers are nobody else's business."""

def _linked_only_impl(ctx):
    merged = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    return [CcInfo(linking_context = merged.linking_context)]

# What depends on it is linked with `deps` and does not see their headers, so that a change to one of them compiles
# nothing above again.
linked_only = rule(
    implementation = _linked_only_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
)
