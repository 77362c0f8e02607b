#include "backends/autopsy/difference.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "passes/analyses/exactness.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Of the arrays of the result.
absl::StatusOr<std::vector<bool>> ExactLeaves(const HloModule& module, const ResourceContext* resources) {
  ExactnessOptions options;
  options.may_round = BackendsMayRound;
  ASSIGN_OR_RETURN(const ExactOutputs outputs, FindExactOutputs(module, resources, options));
  const std::vector<Shape> shapes = LeafShapes({module.entry()->root()->shape()});
  std::vector<bool> exact;
  for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
    if (shapes[leaf].IsArray()) exact.push_back(outputs.results[leaf]);
  }
  return exact;
}

bool AreSame(const std::vector<Literal>& got, const std::vector<Literal>& want) {
  for (size_t i = 0; i < got.size(); ++i) {
    if (!HaveSameBytes(got[i], want[i]) && !CompareArrays(got[i], want[i], SameBits()).matches()) return false;
  }
  return true;
}

}  // namespace

Tolerance SameBits() {
  Tolerance tolerance;
  tolerance.zero_sign = true;
  return tolerance;
}

bool HaveSameBytes(const Literal& a, const Literal& b) {
  return a.size_bytes() == b.size_bytes() && !a.has_dynamic_sizes() && !b.has_dynamic_sizes() &&
         std::memcmp(a.untyped_data(), b.untyped_data(), static_cast<size_t>(a.size_bytes())) == 0;
}

absl::StatusOr<Judgement> JudgeDifference(const HloModule& module, const std::vector<Literal>& arguments,
                                          const std::vector<Literal>& got, const std::vector<Literal>& want,
                                          const JudgeOptions& options) {
  Judgement judgement;
  if (got.size() != want.size()) {
    judgement.kind = Judgement::Kind::kReal;
    judgement.text = absl::StrCat("there are ", got.size(), " results, expected ", want.size());
    return judgement;
  }
  if (AreSame(got, want)) return judgement;
  const ResourceContext* const resources = options.rounding.resources;
  ASSIGN_OR_RETURN(const std::vector<bool> exact, ExactLeaves(module, resources));
  if (exact.size() != want.size()) return absl::InternalError("the results are not those of the program");
  judgement.kind = Judgement::Kind::kRounded;
  for (size_t i = 0; i < got.size(); ++i) {
    const bool is_exact = !options.is_inexact && exact[i];
    const bool wants_bits = is_exact || options.is_strict;
    const Tolerance tolerance = wants_bits ? SameBits() : DefaultTolerance(want[i].shape().element_type());
    const Comparison comparison = CompareArrays(got[i], want[i], tolerance);
    if (comparison.matches()) continue;
    const std::string name = options.name ? options.name(i) : absl::StrCat("out", i);
    judgement.text = DescribeComparison(name, comparison, got[i], want[i]);
    judgement.kind = Judgement::Kind::kReal;
    if (is_exact) return judgement;
  }
  if (judgement.kind == Judgement::Kind::kRounded) return judgement;
  const absl::StatusOr<RoundingVerdict> rounding = JudgeRounding(module, arguments, got, want, options.rounding);
  RETURN_IF_ERROR(CheckResources(resources));
  if (!rounding.ok()) {
    judgement.kind = Judgement::Kind::kUnjudged;
    absl::StrAppend(&judgement.text, "\nwhether rounding explains it cannot be told: ", rounding.status().message());
    return judgement;
  }
  if (rounding->explains) judgement.kind = Judgement::Kind::kRounded;
  absl::StrAppend(&judgement.text, "\n", rounding->ToString());
  return judgement;
}

}  // namespace xla
