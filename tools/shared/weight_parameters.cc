#include "tools/shared/weight_parameters.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla_core/literal_io/leaves.h"

namespace xla {
namespace {

bool IsWeight(const JsonValue& spec) {
  const JsonValue* const role = spec.Find("role");
  return role != nullptr && role->AsString() != nullptr && *role->AsString() == "weight";
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> ParseWeightNumbers(absl::string_view text, int64_t parameter_count,
                                                        absl::string_view other_values) {
  std::vector<int64_t> weights;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(part, '-');
    int64_t first = 0, last = 0;
    if (ends.size() > 2 || !absl::SimpleAtoi(ends.front(), &first) || !absl::SimpleAtoi(ends.back(), &last) ||
        first < 0 || last < first) {
      return absl::InvalidArgumentError(
          absl::StrCat("--weights: expected numbers of parameters such as 3-160 or 0,2,5-7, or ", other_values,
                       ", got '", text, "'"));
    }
    if (last >= parameter_count) {
      return absl::InvalidArgumentError(
          absl::StrCat("--weights: there is no parameter ", last, ", the program has ", parameter_count));
    }
    for (int64_t i = first; i <= last; ++i) weights.push_back(i);
  }
  std::sort(weights.begin(), weights.end());
  weights.erase(std::unique(weights.begin(), weights.end()), weights.end());
  return weights;
}

std::vector<int64_t> WeightsByRole(const JsonValue& inputs, const std::vector<Shape>& parameters) {
  const JsonValue* list = inputs.AsObject() == nullptr ? &inputs : inputs.Find("inputs");
  if (list == nullptr || list->AsArray() == nullptr) return {};
  if (!list->AsArray()->empty() && list->AsArray()->front().AsArray() != nullptr) list = &list->AsArray()->front();
  const JsonValue::Array& specs = *list->AsArray();
  std::vector<int64_t> weights;
  size_t next = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    bool is_weight = true, has_arrays = false;
    for (const Shape& leaf : LeafShapes({parameters[i]})) {
      if (!leaf.IsArray()) continue;
      has_arrays = true;
      is_weight = is_weight && next < specs.size() && IsWeight(specs[next]);
      ++next;
    }
    if (has_arrays && is_weight) weights.push_back(static_cast<int64_t>(i));
  }
  return weights;
}

}  // namespace xla
