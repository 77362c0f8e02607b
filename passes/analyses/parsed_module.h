// Modules and their parts, by text and by name, for tests.
#ifndef PASSES_ANALYSES_PARSED_MODULE_H_
#define PASSES_ANALYSES_PARSED_MODULE_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {

// A verified module, which lives as long as this object. The test ends if the text is not such a module.
class ParsedModule {
 public:
  explicit ParsedModule(absl::string_view text) {
    auto parsed = ParseHloModule(text);
    if (!parsed.ok()) ADD_FAILURE() << parsed.status();
    module_ = parsed.ok() ? *std::move(parsed) : std::make_unique<HloModule>("broken");
    const absl::Status verified = VerifyModule(*module_);
    if (!verified.ok()) ADD_FAILURE() << verified;
  }

  HloModule& operator*() const { return *module_; }
  HloModule* operator->() const { return module_.get(); }
  // The instruction (or computation) of that name in the whole module. It must exist.
  HloInstruction& At(absl::string_view name) const {
    for (const auto& computation : module_->computations()) {
      for (const auto& instruction : computation->instructions()) {
        if (instruction->name() == name) return *instruction;
      }
    }
    ADD_FAILURE() << "no instruction " << name;
    return *module_->entry()->root();
  }
  HloComputation& Computation(absl::string_view name) const {
    for (const auto& computation : module_->computations()) {
      if (computation->name() == name) return *computation;
    }
    ADD_FAILURE() << "no computation " << name;
    return *module_->entry();
  }

 private:
  std::unique_ptr<HloModule> module_;
};

}  // namespace xla

#endif  // PASSES_ANALYSES_PARSED_MODULE_H_
