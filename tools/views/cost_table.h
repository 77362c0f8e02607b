// What a module costs, as a table for people.
#ifndef TOOLS_VIEWS_COST_TABLE_H_
#define TOOLS_VIEWS_COST_TABLE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "tools/views/instruction_cost.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Costs of the verified `module` in a run: in all, by opcode, and of the `top` instructions that cost most; the
// largest first, by bytes, then by flops. Instructions within fusions, reducers and the like count as part of what
// calls them. An error once a limit of `resources`, which may be nullptr, has been reached.
absl::StatusOr<std::string> CostTable(const HloModule& module, const CostFunction& cost, int64_t top,
                                      const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // TOOLS_VIEWS_COST_TABLE_H_
