// Finds the pass of a backend's pipeline that changes what a program computes with given arguments.
#ifndef BACKENDS_AUTOPSY_PASS_SEARCH_H_
#define BACKENDS_AUTOPSY_PASS_SEARCH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/autopsy/difference.h"
#include "backends/options.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

struct PassSearchOptions {
  std::string pipeline;
  CompileOptions compile;  // as the backend compiles the module
  std::vector<std::vector<Literal>> infeed;
  int threads = 1;
  JudgeOptions judging;
  const ResourceContext* resources = nullptr;
};

struct WrongPass {
  std::string pass;     // "": none is wrong
  std::string rewrite;  // the rule and the instruction, if they are known
  std::string text;     // all about it, for people
  PassOptionValues options;
  unsigned fast_math = kExact;
  std::unique_ptr<HloModule> before;
  std::unique_ptr<HloModule> after;
  int64_t checked = 0;           // passes that changed the program
  std::string unchecked_reason;  // "": all of these were compared
};

bool HasPipeline(absl::string_view name);

// Runs the pipeline on the verified module as the backend does, with a check around each pass. A pass that changes
// results by what rounding explains is not accused. Errors of passes, and of limits.
absl::StatusOr<WrongPass> FindWrongPass(const HloModule& module, const std::vector<std::vector<Literal>>& arguments,
                                        const PassSearchOptions& options);

// Whether the pass that was found changes what this verified module computes with these arguments, too.
absl::StatusOr<bool> PassChanges(const WrongPass& finding, const HloModule& module,
                                 const std::vector<Literal>& arguments, const JudgeOptions& judging);

// "NAME:OPTION=VALUE", for --passes.
std::string PassWithOptions(const WrongPass& finding);

}  // namespace xla

#endif  // BACKENDS_AUTOPSY_PASS_SEARCH_H_
