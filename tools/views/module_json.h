// A module as JSON, for programs that look at HLO. docs/hlo_json.md describes every field.
#ifndef TOOLS_VIEWS_MODULE_JSON_H_
#define TOOLS_VIEWS_MODULE_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/views/instruction_cost.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

struct JsonOptions {
  bool elide_large_constants = false;  // values of more than ten elements become "{...}"
  bool metadata = true;
  int indent = 0;                              // 0: all on one line
  CostFunction cost;                           // empty: no costs
  const ResourceContext* resources = nullptr;  // limits; nullptr: none
};

// An error once a limit has been reached.
absl::StatusOr<std::string> ModuleToJson(const HloModule& module, const JsonOptions& options = {});

}  // namespace xla

#endif  // TOOLS_VIEWS_MODULE_JSON_H_
