// The table of all passes. Each folder of passes passes in its rows; --help, --list-passes, pipelines and documentation
// read them here.
#ifndef PASSES_PASS_TABLE_H_
#define PASSES_PASS_TABLE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/base/pass.h"

namespace xla {

// All passes, by folder and in the order in which the folders list them.
const std::vector<const Pass*>& AllPasses();
// nullptr if there is none of that name.
const Pass* FindPass(absl::string_view name);

}  // namespace xla

#endif  // PASSES_PASS_TABLE_H_
