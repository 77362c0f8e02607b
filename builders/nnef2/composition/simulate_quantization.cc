#include "builders/nnef2/composition/simulate_quantization.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace xla {
namespace nnef2 {
namespace {

// Walks over the operations in the order in which they run. Regions are nested no deeper than invocations are.
class Inserter {
 public:
  explicit Inserter(std::vector<QuantizationSteps> steps) {
    for (QuantizationSteps& entry : steps) steps_.emplace(entry.tensor, std::move(entry));
  }

  void Run(ComposedGraph* graph) {
    std::vector<ComposedOperation> operations;
    for (size_t i = 0; i < graph->tensors.size(); ++i) {
      const ComposedTensor::Kind kind = graph->tensors[i].kind;
      const bool is_there_at_first = kind == ComposedTensor::Kind::kInput || kind == ComposedTensor::Kind::kConstant ||
                                     kind == ComposedTensor::Kind::kVariable;
      if (is_there_at_first) AppendSteps(static_cast<int>(i), &operations);
    }
    AppendRewritten(std::move(graph->operations), &operations);
    graph->operations = std::move(operations);
    for (Value& output : graph->outputs) Replace(&output);
    // The variable itself keeps its number: what is stored is the new value.
    for (VariableUpdate& update : graph->updates) Replace(&update.value);
  }

 private:
  void AppendSteps(int tensor, std::vector<ComposedOperation>* operations) {
    const auto found = steps_.find(tensor);
    if (found == steps_.end()) return;
    for (ComposedOperation& operation : found->second.operations) operations->push_back(std::move(operation));
    rounded_.emplace(tensor, found->second.rounded);
    steps_.erase(found);
  }

  void AppendSteps(const Value& value, std::vector<ComposedOperation>* operations) {
    if (!value.type.is_tensor || value.is_null) return;
    for (const Scalar& item : value.items) AppendSteps(static_cast<int>(item.integer), operations);
  }

  void AppendRewritten(std::vector<ComposedOperation> from, std::vector<ComposedOperation>* operations) {
    for (ComposedOperation& operation : from) {
      for (Value& input : operation.inputs) Replace(&input);
      for (auto& tensor : operation.tensors) Replace(&tensor.second);
      if (operation.branch != nullptr) operation.branch = Rewritten(*operation.branch);
      if (operation.loop != nullptr) operation.loop = Rewritten(*operation.loop);
      const std::vector<Value> outputs = operation.outputs;
      operations->push_back(std::move(operation));
      for (const Value& output : outputs) AppendSteps(output, operations);
    }
  }

  // `locals`: tensors that exist when the region begins.
  void Rewrite(ComposedRegion* region, const std::vector<int>& locals) {
    std::vector<ComposedOperation> operations;
    for (const int local : locals) AppendSteps(local, &operations);
    AppendRewritten(std::move(region->operations), &operations);
    region->operations = std::move(operations);
    for (Value& result : region->results) Replace(&result);
  }

  std::shared_ptr<const ComposedBranch> Rewritten(ComposedBranch branch) {
    for (size_t i = 0; i < branch.consequents.size(); ++i) {
      if (i < branch.conditions.size()) Rewrite(&branch.conditions[i], {});
      Rewrite(&branch.consequents[i], {});
    }
    return std::make_shared<const ComposedBranch>(std::move(branch));
  }

  std::shared_ptr<const ComposedLoop> Rewritten(ComposedLoop loop) {
    std::vector<int> locals;
    for (ComposedLoop::Carried& carried : loop.carried) {
      Replace(&carried.initial);
      locals.push_back(carried.local);
    }
    for (ComposedLoop::Scan& scan : loop.scans) {
      Replace(&scan.pack);
      locals.push_back(scan.local);
    }
    if (loop.count_tensor.has_value()) Replace(&*loop.count_tensor);
    // The condition sees the locals of the loop as they come: what they are rounded to belongs to the body.
    if (loop.condition.has_value()) Rewrite(&*loop.condition, {});
    Rewrite(&loop.body, locals);
    return std::make_shared<const ComposedLoop>(std::move(loop));
  }

  void Replace(int* tensor) const {
    const auto found = rounded_.find(*tensor);
    if (found != rounded_.end()) *tensor = found->second;
  }

  void Replace(Value* value) const {
    if (!value->type.is_tensor || value->is_null) return;
    for (Scalar& item : value->items) {
      const auto found = rounded_.find(static_cast<int>(item.integer));
      if (found != rounded_.end()) item = Scalar::Tensor(found->second);
    }
  }

  absl::flat_hash_map<int, QuantizationSteps> steps_;  // not inserted yet
  absl::flat_hash_map<int, int> rounded_;
};

}  // namespace

void InsertQuantization(std::vector<QuantizationSteps> steps, ComposedGraph* graph) {
  Inserter(std::move(steps)).Run(graph);
}

}  // namespace nnef2
}  // namespace xla
