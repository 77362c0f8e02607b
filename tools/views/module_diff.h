// What is different between two modules, whatever their instructions are called.
#ifndef TOOLS_VIEWS_MODULE_DIFF_H_
#define TOOLS_VIEWS_MODULE_DIFF_H_

#include <string>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

struct DiffOptions {
  bool color = false;                          // escape sequences of terminals
  int64_t context = 2;                         // so many instructions that are the same around those that are not
  const ResourceContext* resources = nullptr;  // limits; nullptr: none
};

struct ModuleDiff {
  bool same = true;
  // For people: computation by computation what was removed (-), added (+) and changed (- and +, with what about it),
  // and how much of each there is.
  std::string text;
};

// Compares two verified modules. Computations are paired from the entries on, instructions within them by what they
// compute, then by what they are computed from and used by, and only then by name. Names, ids, metadata and the order
// of instructions make no difference. Takes time in proportion to the modules' size. An error once a limit has been
// reached.
absl::StatusOr<ModuleDiff> DiffModules(const HloModule& a, const HloModule& b, const DiffOptions& options = {});

}  // namespace xla

#endif  // TOOLS_VIEWS_MODULE_DIFF_H_
