// OperationDefinition: one row of the operation table, which is all there is to know about a standard operation.
//
// The language reads the declaration (parameters, types, defaults, generic), the expansion of fragments asks for the
// shapes of results, lowering for HLO, and the documentation and the fuzzer read the rows. An operation is added by
// adding its row to a file of operations/ (README.md).
#ifndef BUILDERS_NNEF1_OPERATION_H_
#define BUILDERS_NNEF1_OPERATION_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/nnef1/graph.h"
#include "builders/nnef1/value.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace nnef1 {

// A node whose arguments have the types of the declaration, and whose operands have known extents. The accessors take
// the parameter's name and abort on a name that the declaration lacks or that has another type: a row's own mistake.
class OperationCall {
 public:
  OperationCall(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  const Graph& graph() const { return graph_; }
  const Node& node() const { return node_; }
  const Value& argument(absl::string_view name) const;

  int64_t integer(absl::string_view name) const { return argument(name).integer(); }
  double scalar(absl::string_view name) const { return argument(name).scalar(); }
  bool logical(absl::string_view name) const { return argument(name).logical(); }
  const std::string& string(absl::string_view name) const { return argument(name).string(); }
  std::vector<int64_t> integers(absl::string_view name) const;
  std::vector<std::pair<int64_t, int64_t>> integer_pairs(absl::string_view name) const;

  // Tensor parameters.
  const Tensor& tensor(absl::string_view name) const { return graph_.tensors[argument(name).tensor().id]; }
  const Extents& extents(absl::string_view name) const { return *tensor(name).extents; }
  int64_t rank(absl::string_view name) const { return static_cast<int64_t>(extents(name).size()); }
  // Of an array of tensors.
  std::vector<const Tensor*> tensors(absl::string_view name) const;
  // The value of a literal or of a `constant` operand, which then may be folded into the operation (clamp's bounds, a
  // bias of 0.0, indices); nullopt for everything else, variables included. One number: all items are that.
  absl::optional<Value> ConstantOf(absl::string_view name) const;

 private:
  const Graph& graph_;
  const Node& node_;
};

// Numbers of NNEF's types in HLO.
struct NumberTypes {
  PrimitiveType scalar = F32;  // or F64, F16, BF16
  PrimitiveType integer = S64;
  PrimitiveType Of(Primitive primitive) const;  // logical: PRED
};

// A condition on data that only a run can tell (E6, diagnostics.h): a PRED[] value that must come out true.
struct RuntimeCheck {
  XlaOp holds;
  std::string message;  // "graph.nnef:7:3: gather: an index is outside 0..9 (the extent of axis 0)"
};

// A node as it becomes HLO. Errors stick to the ComputationBuilder.
class LoweringCall : public OperationCall {
 public:
  // `values`: one for each tensor of the graph, invalid where nothing has given it yet.
  LoweringCall(const Graph& graph, const Node& node, ComputationBuilder* builder, const NumberTypes& types,
               absl::Span<const XlaOp> values, std::vector<RuntimeCheck>* checks)
      : OperationCall(graph, node), builder_(builder), types_(types), values_(values), checks_(checks) {}

  ComputationBuilder& builder() const { return *builder_; }
  const NumberTypes& types() const { return types_; }
  // The operand for a tensor parameter, of element type types().Of(...) and of exactly its extents.
  XlaOp operand(absl::string_view name) const { return values_[argument(name).tensor().id]; }
  std::vector<XlaOp> operands(absl::string_view name) const;  // of an array of tensors
  // What inference gave for result `i`, arrays spelled out.
  const Extents& result_extents(int i = 0) const;
  // `holds` must come out true in each run. The message gets the place and the name of the operation in front.
  void AddCheck(XlaOp holds, absl::string_view message) const;

 private:
  ComputationBuilder* builder_;
  NumberTypes types_;
  absl::Span<const XlaOp> values_;
  std::vector<RuntimeCheck>* checks_;
};

// The extents of the results of a node, arrays spelled out.
using Inferred = absl::StatusOr<std::vector<Extents>>;

// One row of the operation table: how an operation is declared, which extents its results have, and how it is
// lowered.
struct OperationDefinition {
  // The declaration in NNEF, as the specification prints it, with a body where the specification defines a compound by
  // one: "fragment relu( x: tensor<scalar> ) -> ( y: tensor<scalar> );". The name, the parameters and the results are
  // read from it once, by the parser of the language.
  std::string declaration;
  // The section of NNEF 1.0.4 that defines it: "4.3.1".
  absl::string_view section;

  // For an operation whose result is an array (split, unstack, copy_n), the number of extents is its length. Errors:
  // InvalidArgument, "axes: expected ..., got ..." (operations/wrong_argument.h); the caller adds position, class (E3),
  // name of the operation, section and the chain of calls.
  // nullptr with a body in the declaration: the body is expanded and asked instead.
  Inferred (*infer)(const OperationCall& call) = nullptr;
  // Writes it as HLO: one value for each extents of `infer`. nullptr with a body: expanded. nullptr without one: its
  // values are parameters, or data that the graph does not have (external, variable).
  // An operation with a body and both functions is kept as one node, and the body is its definition in "print
  // flattened" and in the documentation.
  std::vector<XlaOp> (*lower)(const LoweringCall& call) = nullptr;
};

// All rows: the 118 standard operations and `softabs`. Fixed order: that of the specification.
absl::Span<const OperationDefinition> OperationTable();

// Each group of rows, one function for each file of operations/.
std::vector<OperationDefinition> IntroductionOperations();   // external, constant, variable, update
std::vector<OperationDefinition> ElementwiseOperations();    // unary, binary, select, simplifiers
std::vector<OperationDefinition> SlidingWindowOperations();  // conv, deconv, box, debox, argmax_pool, sample, desample
std::vector<OperationDefinition> ResamplingOperations();     // nearest_downsample ... multilinear_upsample
std::vector<OperationDefinition> ReduceOperations();
std::vector<OperationDefinition> ShapeOperations();   // reshape ... cast
std::vector<OperationDefinition> RegionOperations();  // avg_roi_pool ... max_roi_align
std::vector<OperationDefinition> LinearOperations();  // matmul, linear, separable_conv, separable_deconv
std::vector<OperationDefinition> ActivationOperations();
std::vector<OperationDefinition> PoolingOperations();
std::vector<OperationDefinition> NormalizationOperations();
std::vector<OperationDefinition> QuantizationOperations();
std::vector<OperationDefinition> MiscellaneousOperations();  // copy_n, add_n, moments

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_OPERATION_H_
