#include "passes/testing/check_simplification.h"

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/algebra/simplify_algebra.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

absl::StatusOr<bool> Simplify(HloModule& module, const std::string& fast_math, PassContext& context) {
  context.StartPass("simplify-algebra", {{"fast-math", fast_math}});
  return SimplifyAlgebra(module, context);
}

}  // namespace

std::string CheckSimplification(
    const HloModule& module, const std::vector<Literal>& arguments, const std::string& fast_math, RewriteCounts* counts,
    const std::function<std::string(const RunOutcome& got, const RunOutcome& want)>& difference) {
  EXPECT_TRUE(VerifyModule(module).ok()) << VerifyModule(module);
  const std::unique_ptr<HloModule> after = CloneModule(module);
  const auto report = [&](const std::string& what) {
    after->Tidy();
    return absl::StrCat(what, "\nbefore:\n", ModuleToString(module, PrintOptions::Short()), "after:\n",
                        ModuleToString(*after, PrintOptions::Short()));
  };
  PassContext context;
  const absl::StatusOr<bool> changed = Simplify(*after, fast_math, context);
  if (!changed.ok()) return report(std::string(changed.status().message()));
  after->Tidy();
  for (const auto& [rule, count] : context.counts()) (*counts)[rule] += count;
  if (!context.warnings().empty()) return report(context.warnings()[0]);
  if (const absl::Status status = VerifyModule(*after); !status.ok()) return report(std::string(status.message()));
  const RunOutcome want = RunForCheck(module, {arguments}, RunLimits());
  const RunOutcome got = RunForCheck(*after, {arguments}, RunLimits());
  EXPECT_TRUE(want.status.ok()) << want.status;
  if (!got.status.ok()) return report(std::string(got.status.message()));
  const std::string found = difference(got, want);
  if (!found.empty()) return report(found);
  const absl::StatusOr<bool> again = Simplify(*after, fast_math, context);
  if (!again.ok()) return report(std::string(again.status().message()));
  return *again ? report("a second run changes it") : "";
}

}  // namespace xla
