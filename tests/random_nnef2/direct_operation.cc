// Operations: what is invoked, with the tensors and names that it sees.
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef2/evaluation/evaluator.h"
#include "tests/random_nnef2/direct_intrinsics.h"
#include "tests/random_nnef2/direct_run.h"
#include "tests/random_nnef2/direct_statement.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef2 {

absl::Status DirectRun::RunOperations(const std::vector<ComposedOperation>& operations) {
  for (const ComposedOperation& operation : operations) {
    switch (operation.kind) {
      case ComposedOperation::Kind::kPrimitive:
        RETURN_IF_ERROR(RunPrimitive(operation));
        break;
      case ComposedOperation::Kind::kIntrinsic:
        RETURN_IF_ERROR(RunOneIntrinsic(operation));
        break;
      case ComposedOperation::Kind::kBranch:
        RETURN_IF_ERROR(RunBranch(operation));
        break;
      case ComposedOperation::Kind::kLoop:
        RETURN_IF_ERROR(RunLoop(operation));
        break;
    }
  }
  return absl::OkStatus();
}

absl::Status DirectRun::Store(size_t number, TensorPtr tensor) {
  const Shape& shape = graph_.tensors[number].shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    const Symbolic* const symbol = shape[d].symbolic;
    const bool is_symbol = symbol != nullptr && symbol->kind == Symbolic::Kind::kSymbol;
    if (is_symbol) extents_.Set(symbol, tensor->extents[d]);
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape.size() != tensor->extents.size() || extents_.ValueOf(shape[d]) != tensor->extents[d]) {
      return absl::InternalError(absl::StrCat("'", graph_.tensors[number].name, "' has the shape [",
                                              absl::StrJoin(tensor->extents, ","), "], which is not the composed one"));
    }
  }
  tensors_[number] = std::move(tensor);
  return absl::OkStatus();
}

absl::Status DirectRun::EnterFrame(const ComposedOperation& operation, DirectFrame* frame,
                                   std::vector<DirectTensor>* copies) {
  const Definition& definition = *operation.bound->definition;
  frame->source = definition.source;
  frame->workspace = std::make_unique<Workspace>(/*is_definition=*/false, &frame->diagnostics);
  frame->scope.types = operation.bound->scope.types;
  for (const auto& entry : operation.bound->scope.values) {
    frame->scope.values.emplace(entry.first, extents_.Resolve(entry.second));
  }
  for (size_t i = 0; i < operation.inputs.size(); ++i) {
    AddTensors(definition.inputs[i].name.text, operation.inputs[i], frame, copies);
  }
  for (const auto& own : operation.tensors) AddTensors(own.first, own.second, frame, copies);
  return EvaluateHelpers(definition, frame);
}

void DirectRun::AddTensors(absl::string_view name, const Value& value, DirectFrame* frame,
                           std::vector<DirectTensor>* copies) {
  Value local = value;
  local.length = nullptr;
  local.items.clear();
  for (const int number : TensorsIn(value)) {
    copies->push_back(*Get(number));
    local.items.push_back(Scalar::Tensor(AddTensor(&copies->back(), value.type.element, frame)));
  }
  if (local.items.empty() && !local.type.is_pack) local.is_null = true;
  frame->scope.values.insert_or_assign(name, std::move(local));
}

int DirectRun::AddTensor(DirectTensor* tensor, const ElementType& element, DirectFrame* frame) {
  TensorFacts facts;
  facts.element = element;
  facts.has_extents = true;
  for (const int64_t extent : tensor->extents) facts.extents.push_back(Scalar::Int(extent));
  frame->tensors.push_back(tensor);
  return frame->workspace->AddTensor(std::move(facts));
}

absl::Status DirectRun::EvaluateHelpers(const Definition& definition, DirectFrame* frame) {
  for (const Using& helper : definition.helpers) {
    if (helper.is_list) continue;
    Value& value = frame->scope.values[helper.items[0].names[0].text];
    bool is_known = value.has_items;
    for (const Scalar& item : value.items) is_known = is_known && (item.is_known() || value.type.is_tensor);
    if (is_known) continue;
    Value again = Evaluator(frame->workspace.get(), frame->source, &frame->scope).Evaluate(*helper.value);
    if (again.is_error) return frame->diagnostics.ToStatus();
    frame->scope.values[helper.items[0].names[0].text] = std::move(again);
  }
  return absl::OkStatus();
}

size_t DirectRun::CountTensors(const ComposedOperation& operation) {
  size_t count = 0;
  for (const Value& input : operation.inputs) count += input.items.size();
  for (const Value& output : operation.outputs) count += output.items.size();
  for (const auto& own : operation.tensors) count += own.second.items.size();
  return count;
}

absl::Status DirectRun::RunPrimitive(const ComposedOperation& operation) {
  const Definition& definition = *operation.bound->definition;
  DirectFrame frame;
  std::vector<DirectTensor> copies;
  copies.reserve(CountTensors(operation));  // the frame points to them
  RETURN_IF_ERROR(EnterFrame(operation, &frame, &copies));
  for (size_t i = 0; i < operation.outputs.size(); ++i) {
    for (const int number : TensorsIn(operation.outputs[i])) {
      DirectTensor output;
      output.base = graph_.tensors[static_cast<size_t>(number)].element.base;
      if (!FindExtents(graph_.tensors[static_cast<size_t>(number)].shape, &output.extents)) {
        return absl::UnimplementedError("a body does not say what the extent of its output is");
      }
      output.elements.assign(static_cast<size_t>(VolumeOf(output.extents)), 0);
      tensors_[static_cast<size_t>(number)] = std::make_shared<DirectTensor>(std::move(output));
    }
    AddTensors(definition.outputs[i].name.text, operation.outputs[i], &frame, &copies);
  }
  absl::flat_hash_set<DirectTensor*> assigned;
  for (const Lowering& lowering : definition.lowerings) {
    RETURN_IF_ERROR(RunStatement(&frame, lowering, &assigned, &iterations_));
  }
  for (size_t i = 0; i < operation.outputs.size(); ++i) {
    const Value& local = frame.scope.values[definition.outputs[i].name.text];
    const std::vector<int> numbers = TensorsIn(operation.outputs[i]);
    for (size_t k = 0; k < numbers.size(); ++k) {
      DirectTensor result = *frame.tensors[static_cast<size_t>(local.items[k].integer)];
      Round(&result);
      RETURN_IF_ERROR(Store(static_cast<size_t>(numbers[k]), std::make_shared<DirectTensor>(std::move(result))));
    }
  }
  return absl::OkStatus();
}

void DirectRun::Round(DirectTensor* tensor) {
  if (tensor->base != BaseType::kReal) return;
  for (double& element : tensor->elements) element = static_cast<double>(static_cast<float>(element));
}

absl::Status DirectRun::RunOneIntrinsic(const ComposedOperation& operation) {
  DirectFrame frame;
  std::vector<DirectTensor> copies;
  copies.reserve(CountTensors(operation));
  RETURN_IF_ERROR(EnterFrame(operation, &frame, &copies));
  std::vector<const DirectTensor*> inputs(frame.tensors.begin(), frame.tensors.end());
  ASSIGN_OR_RETURN(std::vector<DirectTensor> results, RunIntrinsic(*operation.bound->definition, frame.scope, inputs));
  for (size_t i = 0; i < results.size(); ++i) {
    Round(&results[i]);
    RETURN_IF_ERROR(Store(static_cast<size_t>(operation.outputs[i].item().integer),
                          std::make_shared<DirectTensor>(std::move(results[i]))));
  }
  return absl::OkStatus();
}

}  // namespace nnef2
}  // namespace xla
