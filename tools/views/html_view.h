// A module as one HTML file for a browser: no network, nothing beside it.
#ifndef TOOLS_VIEWS_HTML_VIEW_H_
#define TOOLS_VIEWS_HTML_VIEW_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/views/instruction_cost.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// The page: html/viewer.html with the style, the scripts and the data of the verified `module` put in. Nothing in the
// module can end or change the script: its data is JSON without a `<`. An error once a limit of `resources`, which may
// be nullptr, has been reached.
absl::StatusOr<std::string> ModuleToHtml(const HloModule& module, const CostFunction& cost,
                                         const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // TOOLS_VIEWS_HTML_VIEW_H_
