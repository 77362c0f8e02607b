// Modules that a test builds itself, and the values that they compute.
#ifndef PASSES_BASE_BUILT_MODULE_H_
#define PASSES_BASE_BUILT_MODULE_H_

#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "passes/base/instruction_builder.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/verifier/verifier.h"

namespace xla {

// A module whose entry computation is under construction.
class BuiltModule {
 public:
  BuiltModule() : module_("built"), entry_(NewComputation(&module_, "entry")), build(entry_) {
    module_.set_entry(entry_);
  }

  HloModule& operator*() { return module_; }
  HloModule* operator->() { return &module_; }
  HloComputation* entry() { return entry_; }

  // What the tuple of `results` evaluates to, which becomes the root. The test fails if the module is not valid.
  std::vector<Literal> Evaluate(absl::Span<HloInstruction* const> results) {
    entry_->set_root(build.Tuple(results));
    EXPECT_TRUE(build.status().ok()) << build.status();
    module_.Tidy();
    const absl::Status verified = VerifyModule(module_);
    EXPECT_TRUE(verified.ok()) << verified;
    if (!verified.ok()) return std::vector<Literal>(results.size());
    const auto evaluator = Evaluator::Create(module_);
    auto value = evaluator.ok() ? (*evaluator)->RunOne({}) : evaluator.status();
    EXPECT_TRUE(value.ok()) << value.status();
    return value.ok() ? value->TakeElements() : std::vector<Literal>(results.size());
  }
  // The elements of one array.
  template <typename T>
  std::vector<T> ElementsOf(HloInstruction* result) {
    const Literal value = Evaluate({result})[0];
    return std::vector<T>(value.span<T>().begin(), value.span<T>().end());
  }

 private:
  HloModule module_;
  HloComputation* const entry_;

 public:
  InstructionBuilder build;
};

}  // namespace xla

#endif  // PASSES_BASE_BUILT_MODULE_H_
