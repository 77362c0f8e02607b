// What a module costs, as a table for people.
#ifndef TOOLS_VIEWS_COST_TABLE_H_
#define TOOLS_VIEWS_COST_TABLE_H_

#include <cstdint>
#include <string>

#include "tools/views/instruction_cost.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Costs of the verified `module` in a run: in all, by opcode, and of the `top` instructions that cost most; the
// largest first, by bytes, then by flops. Instructions within fusions, reducers and the like count as part of what
// calls them.
std::string CostTable(const HloModule& module, const CostFunction& cost, int64_t top);

}  // namespace xla

#endif  // TOOLS_VIEWS_COST_TABLE_H_
