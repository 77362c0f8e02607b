// The flags of hlo-opt that look at modules and cut them up, and what they do.
#ifndef TOOLS_VIEWS_VIEW_FLAGS_H_
#define TOOLS_VIEWS_VIEW_FLAGS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/shared/flag_table.h"
#include "tools/views/mesh_cost_view.h"
#include "tools/views/reduce_command.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

struct ViewFlags {
  std::string extract;
  bool split_input_file = false;
  bool cost = false;
  MeshCostFlags mesh_cost;
  bool diff = false;
  ReduceFlags reduce;
  // XLA's own spellings.
  std::string format;
  std::string stage;
  bool emit_proto = false;
  bool list_stages = false;
};

// Adds the topics that hold them.
void AddViewFlags(FlagTable* table, ViewFlags* flags);

// What XLA's spellings mean: sets *to, the value of --to, if one of them names an output form. InvalidArgument, for the
// command line, if they name one that is not there or contradict each other.
absl::Status ApplyXlaSpellings(const ViewFlags& flags, std::string* to);

// The values of --to that are views, in the order of the help.
const std::vector<std::string>& ViewForms();
bool IsViewForm(absl::string_view form);

struct ViewOptions {
  bool elide_constants = false;
  bool metadata = true;
  const ResourceContext* resources = nullptr;  // limits; nullptr: none
};

// The verified `module` in the view `form`. An error once a limit has been reached.
absl::StatusOr<std::string> ModuleAsView(const HloModule& module, absl::string_view form, const ViewOptions& options);

// What --extract leaves of the module. The result is not verified. Errors: those of the flag and of ExtractModule.
absl::StatusOr<std::unique_ptr<HloModule>> Extracted(const HloModule& module, const ViewFlags& flags);

}  // namespace xla

#endif  // TOOLS_VIEWS_VIEW_FLAGS_H_
