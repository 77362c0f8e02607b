"""Halo's public interface: the headers that programs outside may include, by the library to depend on, `@halo//:NAME`.

Whatever is not listed here is Halo's own and may change without notice. //tests/public_headers compiles each header alone.
"""

PUBLIC_LIBRARIES = {
    # Writing programs in C++.
    "computation_builder": struct(
        library = "//builders/computation_builder",
        headers = [
            "builders/computation_builder/computation_builder.h",
            "builders/computation_builder/constants.h",
            "builders/computation_builder/operation_options.h",
            "builders/computation_builder/scalar_computations.h",
            "builders/computation_builder/source_location.h",
            "builders/computation_builder/xla_computation.h",
            "builders/computation_builder/xla_op.h",
            "xla_core/ops/literal_util.h",
        ],
    ),
    "computation_builder_lib": struct(
        library = "//builders/computation_builder/lib",
        headers = [
            "builders/computation_builder/lib/activations.h",
            "builders/computation_builder/lib/comparators.h",
            "builders/computation_builder/lib/cumulative.h",
            "builders/computation_builder/lib/loops.h",
            "builders/computation_builder/lib/math.h",
            "builders/computation_builder/lib/matrix.h",
            "builders/computation_builder/lib/one_hot.h",
            "builders/computation_builder/lib/pooling.h",
            "builders/computation_builder/lib/prng.h",
            "builders/computation_builder/lib/qr.h",
            "builders/computation_builder/lib/reductions.h",
            "builders/computation_builder/lib/self_adjoint_eig.h",
            "builders/computation_builder/lib/slicing.h",
            "builders/computation_builder/lib/solve.h",
            "builders/computation_builder/lib/sorting.h",
            "builders/computation_builder/lib/take.h",
        ],
    ),
    # StableHLO programs as HLO.
    "stablehlo": struct(
        library = "//builders/stablehlo",
        headers = ["builders/stablehlo/parse_stablehlo.h"],
    ),
    # WebNN in C++; runs on the backends below.
    "webnn": struct(
        library = "//builders/webnn",
        headers = [
            "builders/webnn/array_buffer.h",
            "builders/webnn/context.h",
            "builders/webnn/descriptor.h",
            "builders/webnn/edition.h",
            "builders/webnn/enums.h",
            "builders/webnn/errors.h",
            "builders/webnn/graph.h",
            "builders/webnn/graph_builder.h",
            "builders/webnn/number.h",
            "builders/webnn/operand.h",
            "builders/webnn/options.h",
            "builders/webnn/tensor.h",
            "builders/webnn/value.h",
        ],
    ),
    # Models in NNEF 1: read, written as HLO, run cycle by cycle on the backends below.
    "nnef1": struct(
        library = "//builders/nnef1",
        headers = [
            "builders/nnef1/containers/container.h",
            "builders/nnef1/containers/model_format.h",
            "builders/nnef1/containers/tensor_file.h",
            "builders/nnef1/declaration.h",
            "builders/nnef1/diagnostics.h",
            "builders/nnef1/document.h",
            "builders/nnef1/graph.h",
            "builders/nnef1/model/model.h",
            "builders/nnef1/model/session.h",
            "builders/nnef1/operation.h",
            "builders/nnef1/value.h",
            "builders/nnef_common/containers/container.h",
            "builders/nnef_common/containers/tensor_file.h",
            "builders/nnef_common/diagnostics.h",
            "builders/nnef_common/lowered_model.h",
            "builders/nnef_common/model_format.h",
            "builders/nnef_common/session.h",
        ],
    ),
    # Models in NNEF 2: read, written as HLO, run cycle by cycle on the backends below.
    "nnef2": struct(
        library = "//builders/nnef2:nnef2",
        headers = [
            "builders/nnef2/checking/check_program.h",
            "builders/nnef2/checking/program.h",
            "builders/nnef2/checking/signature.h",
            "builders/nnef2/composition/compose_graph.h",
            "builders/nnef2/composition/composed_graph.h",
            "builders/nnef2/diagnostics.h",
            "builders/nnef2/evaluation/value.h",
            "builders/nnef2/evaluation/workspace.h",
            "builders/nnef2/model/model.h",
            "builders/nnef2/model/session.h",
            "builders/nnef2/symbolic/symbol_table.h",
            "builders/nnef2/syntax_tree.h",
            "builders/nnef_common/containers/container.h",
            "builders/nnef_common/diagnostics.h",
            "builders/nnef_common/lowered_model.h",
            "builders/nnef_common/model_format.h",
            "builders/nnef_common/session.h",
        ],
    ),
    # Running programs, and the backends that can: depend on those that you want, and GetClient finds them by name.
    "backend": struct(
        library = "//backends:backend",
        headers = [
            "backends/backend.h",
            "backends/collectives.h",
            "backends/event.h",
            "backends/literal_execution.h",
            "backends/options.h",
            "backends/registry.h",
            "backends/report.h",
        ],
    ),
    "interpreter": struct(
        library = "//backends/interpreter",
        headers = [],
    ),
    # Needs LLVM and oneDNN. Levels are CompileOptions::optimization_level, CompileOptions::settings are listed in
    # backends/cpu/compile_settings.h.
    "cpu": struct(
        library = "//backends/cpu",
        headers = [],
    ),
    # Opens libvulkan when a client is made. ClientOptions::settings and CompileOptions::settings are listed in
    # docs/vulkan.md.
    "vulkan": struct(
        library = "//backends/vulkan",
        headers = ["backends/exported_memory.h"],
    ),
    # Over one of these: programs for several devices, in one or several processes.
    # ClientOptions::settings are listed in its header.
    "replicated": struct(
        library = "//backends/replicated",
        headers = [
            "backends/replicated/process_group.h",
            "backends/replicated/replicated_client.h",
        ],
    ),
    # Arguments and results of programs that CompileOptions::spmd cuts.
    "shardings": struct(
        library = "//passes/partitioning:shardings",
        headers = ["passes/partitioning/entry_shards.h"],
    ),
    "custom_call": struct(
        library = "//xla_core/ops:custom_call",
        headers = [
            "xla_core/ops/custom_call_registry.h",
            "xla_core/ops/ffi_attributes.h",
        ],
    ),
    # The same from C, linked statically.
    "halo_c": struct(
        library = "//bindings/c:halo",
        headers = ["bindings/c/halo.h"],
    ),
    # Values and programs as data.
    "types": struct(
        library = "//xla_core/types",
        headers = [
            "xla_core/types/literal.h",
            "xla_core/types/narrow_types.h",
            "xla_core/types/primitive_type.h",
            "xla_core/types/shape.h",
        ],
    ),
    "ir": struct(
        library = "//xla_core/ir",
        headers = [
            "xla_core/ir/attributes.h",
            "xla_core/ir/hlo_computation.h",
            "xla_core/ir/hlo_instruction.h",
            "xla_core/ir/hlo_module.h",
            "xla_core/ir/opcode.h",
        ],
    ),
    "verifier": struct(
        library = "//xla_core/verifier",
        headers = ["xla_core/verifier/verifier.h"],
    ),
    # Reading and writing them.
    "text": struct(
        library = "//xla_core/text",
        headers = [
            "xla_core/text/parser.h",
            "xla_core/text/printer.h",
        ],
    ),
    "proto": struct(
        library = "//xla_core/proto",
        headers = ["xla_core/proto/hlo_proto.h"],
    ),
    "literal_io": struct(
        library = "//xla_core/literal_io",
        headers = [
            "xla_core/literal_io/compare_literals.h",
            "xla_core/literal_io/format_literal.h",
            "xla_core/literal_io/input_spec.h",
            "xla_core/literal_io/npy.h",
            "xla_core/literal_io/npz.h",
        ],
    ),
    # Limits of what is asked for.
    "resource_context": struct(
        library = "//xla_core/support:resource_context",
        headers = [
            "xla_core/support/cancellation.h",
            "xla_core/support/resource_context.h",
        ],
    ),
    # ASSIGN_OR_RETURN and RETURN_IF_ERROR, which Abseil keeps to itself.
    "status_macros": struct(
        library = "//xla_core/support:status_macros",
        headers = ["xla_core/support/status_macros.h"],
    ),
}
