#include "passes/base/pass_context.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace xla {

namespace {

constexpr struct {
  absl::string_view name;
  unsigned group;
} kGroups[] = {{"reassociate", kReassociate},
               {"no-nans", kNoNans},
               {"no-signed-zeros", kNoSignedZeros},
               {"approximate", kApproximate},
               {"contract", kContract}};

}  // namespace

absl::StatusOr<unsigned> ParseFastMath(absl::string_view name) {
  if (name == "all") return kAllFastMath;
  for (const auto& group : kGroups) {
    if (group.name == name) return group.group;
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown group of fast math '", name, "'; expected ",
                                                 absl::StrJoin(FastMathNames(kAllFastMath), ", "), " or all"));
}

std::vector<std::string> FastMathNames(unsigned groups) {
  std::vector<std::string> names;
  for (const auto& group : kGroups) {
    if ((groups & group.group) != 0) names.emplace_back(group.name);
  }
  return names;
}

absl::string_view PassContext::Option(absl::string_view name) const {
  const auto found = options_.find(std::string(name));
  return found == options_.end() ? absl::string_view() : found->second;
}

int64_t PassContext::IntOption(absl::string_view name) const {
  int64_t value = 0;
  return absl::SimpleAtoi(Option(name), &value) ? value : 0;
}

bool PassContext::BoolOption(absl::string_view name) const { return Option(name) == "true"; }

std::vector<std::string> PassContext::ListOption(absl::string_view name) const {
  return absl::StrSplit(Option(name), '+', absl::SkipEmpty());
}

int64_t PassContext::max_instructions() const {
  static const ResourceContext* const kDefault = new ResourceContext(ResourceLimits(), "optimizing the program");
  return (resources == nullptr ? kDefault : resources)->MaxInstructions(instructions_at_start_);
}

void PassContext::CountRewriteOf(absl::string_view rule, const HloInstruction& instruction) {
  CountRewrite(rule);
  ++numbered_rewrites_;
  if (max_rewrites >= 0) last_rewrite_ = absl::StrCat(rule, " at ", instruction.ToShortString());
}

void PassContext::Explain(const HloInstruction& instruction, std::string text) {
  explanations_.push_back({pass_, instruction.name(), std::move(text)});
}

void PassContext::Warn(std::string text) { warnings_.push_back(absl::StrCat("pass ", pass_, ": ", text)); }

StepWatch::~StepWatch() {
  const absl::Duration taken = absl::Now() - start_;
  if (taken < absl::Seconds(1)) return;
  context_.Warn(
      absl::StrCat("the step at ", name_, " took ", absl::FormatDuration(absl::Trunc(taken, absl::Milliseconds(1)))));
}

void PassContext::StartPass(std::string pass, PassOptionValues options) {
  pass_ = std::move(pass);
  options_ = std::move(options);
  counts_.clear();
  numbered_rewrites_ = 0;
  last_rewrite_.clear();
}

}  // namespace xla
