#include "tests/random_nnef2/direct_evaluator.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/random_nnef2/direct_run.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef2 {

absl::StatusOr<DirectResults> DirectRun::Run() {
  RETURN_IF_ERROR(TakeInputs());
  RETURN_IF_ERROR(CheckWhatIsKnown());
  const absl::Status status = RunOperations(graph_.operations);
  // A check says better what is wrong.
  RETURN_IF_ERROR(CheckWhatIsKnown());
  RETURN_IF_ERROR(status);
  DirectResults results;
  for (const Value& output : graph_.outputs) {
    results.outputs.emplace_back();
    for (const int tensor : TensorsIn(output)) results.outputs.back().push_back(*Get(tensor));
  }
  for (const int variable : graph_.variables) {
    results.variables.emplace(graph_.tensors[variable].name, *Get(variable));
  }
  for (const VariableUpdate& update : graph_.updates) {
    for (size_t i = 0; i < update.variable.items.size(); ++i) {
      const size_t variable = static_cast<size_t>(update.variable.items[i].integer);
      results.variables[graph_.tensors[variable].name] = *Get(update.value.items[i].integer);
    }
  }
  return results;
}

std::vector<int> DirectRun::TensorsIn(const Value& value) const {
  std::vector<int> numbers;
  if (value.is_null) return numbers;
  const absl::optional<int64_t> length = value.length == nullptr ? absl::nullopt : extents_.ValueOf(value.length);
  for (const Scalar& item : value.items) {
    if (length.has_value() && static_cast<int64_t>(numbers.size()) >= *length) break;
    numbers.push_back(static_cast<int>(item.integer));
  }
  return numbers;
}

absl::Status DirectRun::TakeInputs() {
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    for (size_t k = 0; k < graph_.inputs[i].items.size(); ++k) {
      const size_t number = static_cast<size_t>(graph_.inputs[i].items[k].integer);
      if (i >= arguments_.inputs.size() || k >= arguments_.inputs[i].size()) {
        return absl::InvalidArgumentError("fewer inputs are fed than the graph has");
      }
      RETURN_IF_ERROR(TakeInput(number, arguments_.inputs[i][k]));
    }
  }
  for (const int variable : graph_.variables) {
    const auto found = arguments_.variables.find(graph_.tensors[variable].name);
    if (found == arguments_.variables.end()) {
      return ClassifiedError(ErrorClass::kData,
                             absl::StrCat("there is no variable '", graph_.tensors[variable].name, "'"));
    }
    RETURN_IF_ERROR(TakeInput(static_cast<size_t>(variable), found->second));
  }
  return absl::OkStatus();
}

absl::Status DirectRun::TakeInput(size_t number, const DirectTensor& fed) {
  const Shape& shape = graph_.tensors[number].shape;
  const auto fails = [&](ErrorClass error_class) {
    return ClassifiedError(error_class, absl::StrCat("'", graph_.tensors[number].name, "' is fed with the shape [",
                                                     absl::StrJoin(fed.extents, ","), "]"));
  };
  if (shape.size() != fed.extents.size()) return fails(ErrorClass::kRuntimeShape);
  for (size_t d = 0; d < shape.size(); ++d) {
    const Symbolic* const symbol = shape[d].symbolic;
    if (symbol != nullptr && symbol->kind == Symbolic::Kind::kSymbol && !extents_.Knows(symbol)) {
      if (fed.extents[d] > symbol->upper) return fails(ErrorClass::kRuntimeBound);
      extents_.Set(symbol, fed.extents[d]);
    }
    if (extents_.ValueOf(shape[d]) != fed.extents[d]) return fails(ErrorClass::kRuntimeShape);
  }
  tensors_[number] = std::make_shared<DirectTensor>(fed);
  return absl::OkStatus();
}

absl::Status DirectRun::CheckWhatIsKnown() const {
  for (const RunTimeCheck& check : graph_.checks) {
    const absl::optional<int64_t> holds = extents_.ValueOf(check.condition);
    if (holds.has_value() && *holds == 0) {
      return ClassifiedError(check.error_class, absl::StrCat(PlaceText(check.position), check.message));
    }
  }
  return absl::OkStatus();
}

const DirectRun::TensorPtr& DirectRun::Get(int64_t number) {
  TensorPtr& tensor = tensors_[static_cast<size_t>(number)];
  const ComposedTensor& described = graph_.tensors[static_cast<size_t>(number)];
  if (described.kind == ComposedTensor::Kind::kConstant) tensor = MakeConstant(described);
  return tensor;
}

DirectRun::TensorPtr DirectRun::MakeConstant(const ComposedTensor& constant) const {
  DirectTensor tensor;
  tensor.base = constant.element.base;
  if (!FindExtents(constant.shape, &tensor.extents)) return nullptr;
  for (const Scalar& item : constant.values) {
    const bool varies = item.kind == Scalar::Kind::kSymbolic;
    const Scalar value = varies ? extents_.Resolve(Value::Of(constant.element, item)).item() : item;
    tensor.elements.push_back(value.kind == Scalar::Kind::kReal ? static_cast<double>(static_cast<float>(value.real))
                                                                : static_cast<double>(value.integer));
  }
  tensor.elements.resize(static_cast<size_t>(VolumeOf(tensor.extents)),
                         tensor.elements.empty() ? 0 : tensor.elements[0]);
  return std::make_shared<DirectTensor>(std::move(tensor));
}

bool DirectRun::FindExtents(const Shape& shape, std::vector<int64_t>* extents) const {
  for (const Scalar& extent : shape) {
    const absl::optional<int64_t> value = extents_.ValueOf(extent);
    if (!value.has_value()) return false;
    extents->push_back(*value);
  }
  return true;
}

absl::StatusOr<DirectResults> RunDirectly(const ComposedGraph& graph, const DirectArguments& arguments) {
  return DirectRun(graph, arguments).Run();
}

}  // namespace nnef2
}  // namespace xla
