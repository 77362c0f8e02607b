// Composer: walks over the components of a graph and of all operators that it invokes.
#ifndef BUILDERS_NNEF2_COMPOSITION_COMPOSER_H_
#define BUILDERS_NNEF2_COMPOSITION_COMPOSER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "builders/nnef2/composition/bind_operator.h"
#include "builders/nnef2/composition/compose_graph.h"
#include "builders/nnef2/composition/simulate_quantization.h"
#include "builders/nnef2/evaluation/evaluator.h"

namespace xla {
namespace nnef2 {

class Composer {
 public:
  Composer(const std::shared_ptr<const Program>& program, const Signatures& signatures, Diagnostics* diagnostics);

  bool Run(const Definition& graph, const ComposeOptions& options);
  ComposedGraph Take() { return std::move(graph_); }

 private:
  // The components of a block: of which definition, in which scope, under which names.
  struct Frame {
    const Definition* definition = nullptr;
    Scope* scope = nullptr;
    // "main.G.block1.": what names of this block begin with.
    std::string path;
    // Whether tensors that are neither variables nor constants can be named from outside.
    bool is_public = false;
    // A composite of one component passes its own label on.
    bool passes_label = false;
    // Inside a block of components, names are not those of outputs.
    bool is_region = false;
    bool is_update = false;
    // Whether the operator has a name, which its variables need.
    bool has_label = true;
    std::vector<ComposedOperation>* operations = nullptr;
  };

  bool Fail(ErrorClass error_class, const Frame& frame, const Span& span, std::string message, absl::string_view rule,
            std::string suggestion = "");

  // --- the graph itself (compose_graph.cc) ---
  bool BindGraph(const Definition& graph, const ComposeOptions& options, std::shared_ptr<BoundOperator>* bound);
  bool ReadAttributes(const Definition& graph, const ComposeOptions& options, ResolvedInvocation* resolved);
  bool Quantize(const Definition& definition, const Frame& frame);
  bool QuantizeTensor(const Quantization& entry, const Frame& frame);
  // The tensor that an entry names, with its whole name; nullptr after an error. One of the definition's own that is
  // not given is null.
  const Value* FindQuantized(const Name& tensor, const Frame& frame, std::string* name);
  // The operations that round `tensors`, to be inserted when all others are there.
  bool AddQuantizationSteps(const Quantization& entry, const Value& tensors, ResolvedInvocation resolved,
                            const Frame& frame);

  // --- the inputs of the main graph (compose_inputs.cc) ---
  bool CheckInputNames(const Definition& graph, const ComposeOptions& options);
  bool CreateInput(const Definition& graph, const Parameter& input, const ComposeOptions& options, Scope* scope,
                   Value* value);
  bool CheckInputExtents(const Definition& graph, const Parameter& input, Scope* scope);
  bool CheckSameBound(const Definition& graph, const Span& span, const ExpressionPtr& bound, const AffineForm* form,
                      const Scope& scope);
  // The number of tensors of an input; of a pack whose length varies the greatest, and *length.
  bool CountTensors(const Definition& graph, const Parameter& input, Scope* scope, int64_t* count,
                    const Symbolic** length);
  // The length of a pack that is not known yet: a symbol below its bound.
  bool CreateLength(const Definition& graph, const Parameter& input, Scope* scope, const Symbolic** length);
  bool BindLength(const Definition& graph, const Parameter& input, const Symbolic* length, Scope* scope);
  bool CheckVaryingPack(const Definition& graph, const Parameter& input, const Value& value);
  bool ReplaceExtents(const Parameter& input, const Shape& extents, int64_t count, const Symbolic* length, Scope* scope,
                      Value* value);

  // --- tensors (compose_tensors.cc) ---
  int NewTensor(ComposedTensor::Kind kind, const ElementType& element, Shape shape);
  // `position`: where the values are given. Ints that are too wide at run time are reported.
  int NewConstant(const Position& position, const ElementType& element, Shape shape, std::vector<Scalar> values);
  const Shape& ShapeOf(int tensor) const { return graph_.tensors[tensor].shape; }
  // A pack of tensors, or one.
  Value TensorValue(const ElementType& element, bool is_pack, const std::vector<int>& tensors);
  // Scalars as constants of rank 0.
  Value Materialize(const Position& position, const Value& value, const ElementType& element);
  void NameTensors(const Frame& frame, absl::string_view name, const Value& value, bool is_accessible);
  bool CreateConstants(const Frame& frame);
  bool CreateConstant(const Frame& frame, const Parameter& constant, const Shape& shape, int item, int* tensor);
  bool EvaluateFormula(const Frame& frame, const Parameter& constant, const Shape& shape, std::vector<Scalar>* values);
  bool CreateVariables(const Frame& frame);
  // Whether two shapes are the same, extents by extents.
  bool SameShape(const Shape& a, const Shape& b);

  // --- components (compose_components.cc) ---
  bool ComposeBody(const BoundOperator& bound, Frame frame, std::vector<Value>* outputs);
  // `fresh`: what the extents that the outputs introduce are.
  bool CheckOutput(const BoundOperator& bound, size_t i, const Frame& frame, const Value& value,
                   absl::flat_hash_map<const Symbolic*, Scalar>* fresh);
  bool ComposeComponents(const std::vector<Component>& components, const Frame& frame);
  bool ComposeComponent(const Component& component, const Frame& frame);
  bool ComposeCallable(const Callable& callable, const Component& component, const Frame& frame,
                       std::vector<Value>* results);
  bool ComposeRegion(const Callable& callable, const Component& component, const Frame& frame,
                     std::vector<Value>* results);
  bool Invoke(const Invocation& invocation, const Name& label, const Component& component, const Frame& frame,
              std::vector<Value>* results);
  bool InvokeBound(const std::shared_ptr<const BoundOperator>& bound, std::vector<Value> inputs, Frame callee,
                   const Position& position, std::vector<Value>* results);
  bool CheckLowered(const ComposedOperation& operation);
  bool CreateOwnTensors(const BoundOperator& bound, Frame frame, ComposedOperation* operation);
  std::shared_ptr<const BoundOperator> Bind(const ResolvedInvocation& resolved, const Position& position);
  std::string KeyOf(const ResolvedInvocation& resolved) const;
  // What the names inside of an invocation begin with; *has_label: whether it has a name of its own.
  std::string PathOf(const Name& label, const Component& component, const Frame& frame, bool* has_label) const;
  bool AssignResults(const Component& component, std::vector<Value> values, const Frame& frame);
  bool AssignItem(const ResultItem& item, Value value, const Frame& frame);
  bool CheckItem(const ResultItem& item, const Value& value, const Frame& frame);
  bool HasVaryingLength(const ResultItem& item, const Value& value, const Frame& frame);

  // --- control flow (compose_control.cc) ---
  bool ComposeBranch(const Component& component, const Frame& frame, std::vector<Value>* results);
  // The value of a condition that is known while composing; none: a tensor.
  bool DecideCondition(const Callable& condition, const Frame& frame, absl::optional<bool>* decided);
  bool ComposeInto(const Callable& callable, const Component& component, const Frame& outer, Scope* scope,
                   ComposedRegion* region);
  bool CheckCondition(const Callable& condition, const Frame& frame, const ComposedRegion& region);
  bool MergeResults(const Component& component, const Frame& frame, const std::vector<ComposedRegion>& branches,
                    std::vector<Value>* results);
  bool ComposeLoop(const Component& component, const Frame& frame, std::vector<Value>* results);
  struct LoopState {
    std::vector<Value> carried;  // the initial values
    std::vector<Value> scans;
    absl::optional<int64_t> count;  // known while composing
    absl::optional<int> count_tensor;
    absl::optional<int64_t> length;  // of the packs
  };
  bool StartLoop(const Loop& loop, const Component& component, const Frame& frame, LoopState* state);
  bool StartCarried(const Carried& carried, const Frame& frame, LoopState* state);
  bool ReadCount(const Loop& loop, const Frame& frame, LoopState* state);
  bool UnrollLoop(const Component& component, const Frame& frame, const LoopState& state, std::vector<Value>* results);
  bool BuildLoop(const Component& component, const Frame& frame, const LoopState& state, std::vector<Value>* results);
  bool CheckCarried(const Component& component, const Frame& frame, const std::vector<Value>& results,
                    const LoopState& state);
  // The results of a loop, as they are outside. `first_inside`: ids of symbols that the body introduces begin there.
  Value CarriedResult(const Value& value);
  Value ScanResult(const Value& value, int64_t count, int first_inside, ComposedLoop* loop);

  std::shared_ptr<const Program> program_;
  const Signatures& signatures_;
  ComposedGraph graph_;
  Workspace& workspace_;
  // By scoped name.
  struct NamedTensor {
    Value value;
    bool is_accessible = false;
  };
  std::map<std::string, NamedTensor> names_;
  absl::flat_hash_map<std::string, std::shared_ptr<const BoundOperator>> bound_;
  // Whose statements of @lower have been checked.
  absl::flat_hash_set<const BoundOperator*> lowered_;
  bool simulates_quantization_ = false;
  std::vector<QuantizationSteps> quantization_steps_;
  // Invocations, blocks and expressions that have been composed.
  int64_t num_operations_ = 0;
  // Invocations and blocks that are being composed.
  class Nesting {
   public:
    explicit Nesting(int* depth) : depth_(*depth) { ++depth_; }
    ~Nesting() { --depth_; }

   private:
    int& depth_;
  };
  int nesting_ = 0;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_COMPOSITION_COMPOSER_H_
