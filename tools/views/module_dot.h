// A module as a graph for Graphviz.
#ifndef TOOLS_VIEWS_MODULE_DOT_H_
#define TOOLS_VIEWS_MODULE_DOT_H_

#include <string>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// DOT text of the verified `module`: a cluster for each computation, fused computations within that of their fusion,
// instructions as nodes, operands as edges that carry their shapes, calls of other computations as dashed edges. An
// error once a limit of `resources`, which may be nullptr, has been reached.
absl::StatusOr<std::string> ModuleToDot(const HloModule& module, const ResourceContext* resources = nullptr);

// `text` inside double quotes, as dot shows it: quotes, backslashes and entities stand for themselves, bytes that are
// not UTF-8 become U+FFFD.
std::string DotQuoted(absl::string_view text);

}  // namespace xla

#endif  // TOOLS_VIEWS_MODULE_DOT_H_
