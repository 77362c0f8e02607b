#include "tests/random_nnef2/direct_evaluator.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef2/evaluation/evaluator.h"
#include "tests/random_nnef2/direct_intrinsics.h"
#include "tests/random_nnef2/direct_statement.h"
#include "tests/random_nnef2/known_extents.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef2 {
namespace {

using TensorPtr = std::shared_ptr<const DirectTensor>;

class DirectRun {
 public:
  DirectRun(const ComposedGraph& graph, const DirectArguments& arguments)
      : graph_(graph), arguments_(arguments), tensors_(graph.tensors.size()), iterations_(arguments.max_iterations) {}

  absl::StatusOr<DirectResults> Run() {
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

 private:
  // The numbers of the tensors of a pack, as many as there are at run time.
  std::vector<int> TensorsIn(const Value& value) const {
    std::vector<int> numbers;
    if (value.is_null) return numbers;
    const absl::optional<int64_t> length = value.length == nullptr ? absl::nullopt : extents_.ValueOf(value.length);
    for (const Scalar& item : value.items) {
      if (length.has_value() && static_cast<int64_t>(numbers.size()) >= *length) break;
      numbers.push_back(static_cast<int>(item.integer));
    }
    return numbers;
  }

  // --- what is fed ---

  absl::Status TakeInputs() {
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

  absl::Status TakeInput(size_t number, const DirectTensor& fed) {
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

  absl::Status CheckWhatIsKnown() const {
    for (const RunTimeCheck& check : graph_.checks) {
      const absl::optional<int64_t> holds = extents_.ValueOf(check.condition);
      if (holds.has_value() && *holds == 0) {
        return ClassifiedError(check.error_class, absl::StrCat(PlaceText(check.position), check.message));
      }
    }
    return absl::OkStatus();
  }

  // A tensor that is computed or fed, or a constant, whose extents may be known by now only.
  const TensorPtr& Get(int64_t number) {
    TensorPtr& tensor = tensors_[static_cast<size_t>(number)];
    const ComposedTensor& described = graph_.tensors[static_cast<size_t>(number)];
    if (described.kind == ComposedTensor::Kind::kConstant) tensor = MakeConstant(described);
    return tensor;
  }

  TensorPtr MakeConstant(const ComposedTensor& constant) const {
    DirectTensor tensor;
    tensor.base = constant.element.base;
    if (!FindExtents(constant.shape, &tensor.extents)) return nullptr;
    for (const Scalar& value : constant.values) {
      tensor.elements.push_back(value.kind == Scalar::Kind::kReal ? static_cast<double>(static_cast<float>(value.real))
                                                                  : static_cast<double>(value.integer));
    }
    tensor.elements.resize(static_cast<size_t>(VolumeOf(tensor.extents)),
                           tensor.elements.empty() ? 0 : tensor.elements[0]);
    return std::make_shared<DirectTensor>(std::move(tensor));
  }

  bool FindExtents(const Shape& shape, std::vector<int64_t>* extents) const {
    for (const Scalar& extent : shape) {
      const absl::optional<int64_t> value = extents_.ValueOf(extent);
      if (!value.has_value()) return false;
      extents->push_back(*value);
    }
    return true;
  }

  // --- operations ---

  absl::Status RunOperations(const std::vector<ComposedOperation>& operations) {
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

  // Stores a result. Extents that it brings become known, with each iteration of a loop again.
  absl::Status Store(size_t number, TensorPtr tensor) {
    const Shape& shape = graph_.tensors[number].shape;
    for (size_t d = 0; d < shape.size(); ++d) {
      const Symbolic* const symbol = shape[d].symbolic;
      const bool is_symbol = symbol != nullptr && symbol->kind == Symbolic::Kind::kSymbol;
      if (is_symbol) extents_.Set(symbol, tensor->extents[d]);
    }
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape.size() != tensor->extents.size() || extents_.ValueOf(shape[d]) != tensor->extents[d]) {
        return absl::InternalError(absl::StrCat("'", graph_.tensors[number].name, "' has the shape [",
                                                absl::StrJoin(tensor->extents, ","),
                                                "], which is not the composed one"));
      }
    }
    tensors_[number] = std::move(tensor);
    return absl::OkStatus();
  }

  // The names of an operator with what is known by now; tensors get numbers of the frame.
  absl::Status EnterFrame(const ComposedOperation& operation, DirectFrame* frame, std::vector<DirectTensor>* copies) {
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

  void AddTensors(absl::string_view name, const Value& value, DirectFrame* frame, std::vector<DirectTensor>* copies) {
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

  static int AddTensor(DirectTensor* tensor, const ElementType& element, DirectFrame* frame) {
    TensorFacts facts;
    facts.element = element;
    facts.has_extents = true;
    for (const int64_t extent : tensor->extents) facts.extents.push_back(Scalar::Int(extent));
    frame->tensors.push_back(tensor);
    return frame->workspace->AddTensor(std::move(facts));
  }

  // Helpers of reals that dynamic extents determine have no value while the graph is composed.
  static absl::Status EvaluateHelpers(const Definition& definition, DirectFrame* frame) {
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

  static size_t CountTensors(const ComposedOperation& operation) {
    size_t count = 0;
    for (const Value& input : operation.inputs) count += input.items.size();
    for (const Value& output : operation.outputs) count += output.items.size();
    for (const auto& own : operation.tensors) count += own.second.items.size();
    return count;
  }

  absl::Status RunPrimitive(const ComposedOperation& operation) {
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

  static void Round(DirectTensor* tensor) {
    if (tensor->base != BaseType::kReal) return;
    for (double& element : tensor->elements) element = static_cast<double>(static_cast<float>(element));
  }

  absl::Status RunOneIntrinsic(const ComposedOperation& operation) {
    DirectFrame frame;
    std::vector<DirectTensor> copies;
    copies.reserve(CountTensors(operation));
    RETURN_IF_ERROR(EnterFrame(operation, &frame, &copies));
    std::vector<const DirectTensor*> inputs(frame.tensors.begin(), frame.tensors.end());
    ASSIGN_OR_RETURN(std::vector<DirectTensor> results,
                     RunIntrinsic(*operation.bound->definition, frame.scope, inputs));
    for (size_t i = 0; i < results.size(); ++i) {
      Round(&results[i]);
      RETURN_IF_ERROR(Store(static_cast<size_t>(operation.outputs[i].item().integer),
                            std::make_shared<DirectTensor>(std::move(results[i]))));
    }
    return absl::OkStatus();
  }

  // --- control flow ---

  absl::StatusOr<bool> RunCondition(const ComposedRegion& region) {
    RETURN_IF_ERROR(RunOperations(region.operations));
    return Get(region.results[0].item().integer)->elements[0] != 0;
  }

  absl::Status RunBranch(const ComposedOperation& operation) {
    const ComposedBranch& branch = *operation.branch;
    size_t chosen = 0;
    for (; chosen < branch.conditions.size(); ++chosen) {
      ASSIGN_OR_RETURN(const bool holds, RunCondition(branch.conditions[chosen]));
      if (holds) break;
    }
    const ComposedRegion& region = branch.consequents[chosen];
    RETURN_IF_ERROR(RunOperations(region.operations));
    for (size_t i = 0; i < operation.outputs.size(); ++i) {
      for (size_t k = 0; k < operation.outputs[i].items.size(); ++k) {
        RETURN_IF_ERROR(
            Store(static_cast<size_t>(operation.outputs[i].items[k].integer), Get(region.results[i].items[k].integer)));
      }
    }
    return absl::OkStatus();
  }

  // How many iterations there may be at most; none: the condition alone ends the loop.
  absl::StatusOr<absl::optional<int64_t>> CountOf(const ComposedLoop& loop) {
    absl::optional<int64_t> count = loop.count;
    for (const ComposedLoop::Scan& scan : loop.scans) count = static_cast<int64_t>(TensorsIn(scan.pack).size());
    if (loop.count.has_value() && count.has_value()) count = std::min(*count, *loop.count);
    if (!loop.count_tensor.has_value()) return count;
    const int64_t wanted = static_cast<int64_t>(Get(*loop.count_tensor)->elements[0]);
    if (!loop.scans.empty() && wanted > *count) {
      return ClassifiedError(ErrorClass::kRuntimeBound,
                             absl::StrCat("a loop runs ", wanted, " times, and its packs have ", *count, " tensors"));
    }
    return absl::optional<int64_t>(wanted);
  }

  void SetLocals(const ComposedLoop& loop, const std::vector<TensorPtr>& carried) {
    for (size_t i = 0; i < carried.size(); ++i) tensors_[static_cast<size_t>(loop.carried[i].local)] = carried[i];
  }

  absl::Status RunLoop(const ComposedOperation& operation) {
    const ComposedLoop& loop = *operation.loop;
    ASSIGN_OR_RETURN(const absl::optional<int64_t> count, CountOf(loop));
    std::vector<TensorPtr> carried;
    for (const ComposedLoop::Carried& variable : loop.carried) {
      carried.push_back(Get(variable.initial));
    }
    std::vector<std::vector<TensorPtr>> scanned(operation.outputs.size() - carried.size());
    int64_t i = 0;
    for (; !count.has_value() || i < *count; ++i) {
      if (--iterations_ < 0) return absl::ResourceExhaustedError("a loop has too many iterations");
      SetLocals(loop, carried);
      for (const ComposedLoop::Scan& scan : loop.scans) {
        const TensorPtr item = Get(scan.pack.items[static_cast<size_t>(i)].integer);
        tensors_[static_cast<size_t>(scan.local)] = item;
      }
      if (loop.index.has_value()) {
        tensors_[static_cast<size_t>(*loop.index)] =
            std::make_shared<DirectTensor>(DirectTensor{BaseType::kInt, {}, {static_cast<double>(i)}});
      }
      if (loop.condition.has_value() && !loop.tests_after) {
        ASSIGN_OR_RETURN(const bool goes_on, RunCondition(*loop.condition));
        if (!goes_on) break;
      }
      RETURN_IF_ERROR(RunOperations(loop.body.operations));
      for (size_t k = 0; k < loop.body.results.size(); ++k) {
        const TensorPtr& result = Get(loop.body.results[k].item().integer);
        if (k < carried.size()) {
          carried[k] = result;
        } else {
          scanned[k - carried.size()].push_back(result);
        }
      }
      if (loop.condition.has_value() && loop.tests_after) {
        SetLocals(loop, carried);
        ASSIGN_OR_RETURN(const bool goes_on, RunCondition(*loop.condition));
        if (!goes_on) {
          ++i;
          break;
        }
      }
    }
    return StoreLoop(operation, carried, scanned);
  }

  absl::Status StoreLoop(const ComposedOperation& operation, const std::vector<TensorPtr>& carried,
                         const std::vector<std::vector<TensorPtr>>& scanned) {
    for (size_t k = 0; k < carried.size(); ++k) {
      RETURN_IF_ERROR(Store(static_cast<size_t>(operation.outputs[k].item().integer), carried[k]));
    }
    for (size_t k = 0; k < scanned.size(); ++k) {
      const Value& pack = operation.outputs[carried.size() + k];
      if (pack.length != nullptr) extents_.Set(pack.length, static_cast<int64_t>(scanned[k].size()));
      for (size_t i = 0; i < scanned[k].size(); ++i) {
        RETURN_IF_ERROR(Store(static_cast<size_t>(pack.items[i].integer), scanned[k][i]));
      }
    }
    return absl::OkStatus();
  }

  const ComposedGraph& graph_;
  const DirectArguments& arguments_;
  KnownExtents extents_;
  std::vector<TensorPtr> tensors_;  // by number
  int64_t iterations_;
};

}  // namespace

absl::StatusOr<DirectResults> RunDirectly(const ComposedGraph& graph, const DirectArguments& arguments) {
  return DirectRun(graph, arguments).Run();
}

}  // namespace nnef2
}  // namespace xla
