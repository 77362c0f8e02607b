#include "tests/layering/layers.h"

namespace xla {

const std::vector<Layer>& ProjectLayers() {
  static const auto* const layers = new std::vector<Layer>{
      {"xla_core/support", {}},
      {"xla_core/types", {"xla_core/support"}},
      {"xla_core/ir", {"xla_core/types"}},
      {"xla_core/ops", {"xla_core/ir"}},
      {"xla_core/verifier", {"xla_core/ops"}},
      {"xla_core/text", {"xla_core/ops"}},
      {"xla_core/proto", {"xla_core/ops"}},
      {"xla_core/literal_io", {"xla_core/ops"}},
      {"xla_core/program_file", {"xla_core/text", "xla_core/proto"}},
      {"xla_core/evaluator", {"xla_core/verifier", "xla_core/text", "xla_core/proto", "xla_core/literal_io"}},

      // The execution interface is apart from the rest of backends, because builders see it and nothing else there.
      {"backends/event.h", {"xla_core/evaluator"}},
      {"backends/options.h", {"xla_core/evaluator"}},
      {"backends/report.h", {"xla_core/evaluator"}},
      {"backends/registry.h", {"backends/options.h"}},
      {"backends/backend.h", {"backends/event.h", "backends/options.h", "backends/registry.h", "backends/report.h"}},
      {"passes/analyses", {"xla_core/evaluator"}},
      {"passes/base", {"passes/analyses"}},
      {"passes/check", {"passes/base"}},
      {"passes/cleaning", {"passes/base"}},
      {"passes/loops", {"passes/cleaning"}},
      {"passes/algebra", {"passes/base"}},
      {"passes/expanding", {"passes/base"}},
      {"passes/precision", {"passes/base"}},
      {"passes/fusing", {"passes/base"}},
      {"passes/memory", {"passes/base"}},
      {"passes",
       {"passes/check", "passes/cleaning", "passes/loops", "passes/algebra", "passes/expanding", "passes/precision",
        "passes/fusing", "passes/memory"}},
      {"passes/testing", {"passes"}},
      {"backends", {"backends/backend.h", "passes"}},
      {"backends/kernel_ir", {"backends"}},
      {"backends/host", {"backends"}},
      {"backends/loading", {"xla_core/support"}},
      {"backends/interpreter", {"backends/host"}},
      {"backends/cpu", {"backends/host", "backends/kernel_ir"}},
      {"backends/vulkan", {"backends/kernel_ir"}},
      {"backends/replicated", {"backends"}},

      {"builders/computation_builder", {"xla_core/evaluator"}},
      {"builders/webnn", {"builders/computation_builder", "backends/backend.h"}},
      {"builders/nnef1", {"builders/computation_builder", "backends/backend.h"}},
      {"builders/nnef2", {"builders/computation_builder", "backends/backend.h"}},

      // The constants of the C interface, such as the version.
      {"bindings/c/halo.h", {}},
      {"tools",
       {"bindings/c/halo.h", "xla_core/program_file", "backends/interpreter", "backends/cpu", "backends/loading",
        "backends/vulkan", "backends/replicated", "builders/webnn", "builders/nnef1", "builders/nnef2"}},
      {"bindings",
       {"bindings/c/halo.h", "xla_core/program_file", "backends/interpreter", "backends/cpu", "backends/vulkan",
        "backends/replicated", "builders/webnn", "builders/nnef1", "builders/nnef2"}},
      {"examples", {"bindings"}},
      {"docs", {"builders/webnn", "builders/nnef1", "passes/testing"}},
      {"tests", {"tools", "bindings"}},
  };
  return *layers;
}

}  // namespace xla
