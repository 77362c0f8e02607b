#include "builders/nnef_common/fed_inputs.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "builders/nnef_common/diagnostics.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/dynamic_sizes.h"

namespace xla {
namespace nnef {
namespace {

std::vector<int64_t> ExtentsOf(const Literal& array) {
  std::vector<int64_t> extents;
  for (int i = 0; i < array.shape().rank(); ++i) extents.push_back(array.dynamic_size(i));
  return extents;
}

// Whether only bounds keep the array from being a value of `wanted`.
bool IsAboveBounds(const std::vector<int64_t>& extents, const Shape& wanted) {
  if (static_cast<int>(extents.size()) != wanted.rank()) return false;
  for (int i = 0; i < wanted.rank(); ++i) {
    if (!wanted.is_dynamic_dimension(i) && extents[i] != wanted.dimension(i)) return false;
  }
  return true;
}

// Values of static dimensions are as they are: a copy shares the data.
absl::StatusOr<Literal> FitInput(const LoweredModel& model, size_t i, const Shape& wanted, const Literal& input) {
  const std::vector<int64_t> extents = input.shape().IsArray() ? ExtentsOf(input) : std::vector<int64_t>();
  const bool has_type = input.shape().IsArray() && input.shape().element_type() == wanted.element_type();
  if (!has_type || !DimensionsFit(extents, wanted) || (!wanted.IsDynamic() && input.has_dynamic_sizes())) {
    const bool is_above = has_type && IsAboveBounds(extents, wanted) && wanted.IsDynamic();
    return ClassifiedError(is_above ? model.format->bound_error : model.format->fed_error,
                           absl::StrCat("input '", model.input_names[i], "': expected ", wanted.ToString(), ", got ",
                                        input.shape().ToString()));
  }
  if (!wanted.IsDynamic()) return input;
  if (!input.has_dynamic_sizes()) return PadToBounds(input, wanted);
  ASSIGN_OR_RETURN(const Literal cut, CutToDynamicSizes(input));
  return PadToBounds(cut, wanted);
}

}  // namespace

absl::StatusOr<std::vector<Literal>> FitInputs(const LoweredModel& model, absl::Span<const Shape> parameters,
                                               absl::Span<const Literal> inputs) {
  if (inputs.size() != model.input_names.size()) {
    return ClassifiedError(model.format->fed_error,
                           absl::StrCat("expected ", model.input_names.size(), " inputs, got ", inputs.size()));
  }
  std::vector<Literal> arguments;
  std::vector<std::vector<int64_t>> extents;
  for (size_t i = 0; i < inputs.size(); ++i) {
    ASSIGN_OR_RETURN(Literal argument, FitInput(model, i, parameters[i], inputs[i]));
    extents.push_back(ExtentsOf(argument));
    arguments.push_back(std::move(argument));
  }
  if (model.check_extents != nullptr) RETURN_IF_ERROR(model.check_extents(extents));
  return arguments;
}

}  // namespace nnef
}  // namespace xla
