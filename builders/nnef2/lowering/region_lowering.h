// RegionLowering: the operations of a graph, or of the body of a branch or a loop, as one HLO computation.
//
// Computations see nothing of those around them, so that a region gets what it uses from outside as parts of its
// parameter: arrays, the arrays that stand for packs of loops, and the values of dynamic extents. Out of it go its
// results, extents that it has made, and its checks.
#ifndef BUILDERS_NNEF2_LOWERING_REGION_LOWERING_H_
#define BUILDERS_NNEF2_LOWERING_REGION_LOWERING_H_

#include <map>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "builders/nnef2/lowering/lower_graph.h"
#include "builders/nnef2/lowering/nest_lowering.h"
#include "builders/nnef2/lowering/region_uses.h"

namespace xla {
namespace nnef2 {

// What all regions of a graph share.
struct GraphLowering {
  const ComposedGraph& graph;
  const LowerOptions& options;
  RegionUsesOf uses;
  RegionChecks checks;
};

class RegionLowering : public NestLowering {
 public:
  // Both outlive it.
  RegionLowering(GraphLowering* context, ComputationBuilder* builder) : context_(*context), builder_(*builder) {}

  ComputationBuilder& builder() override { return builder_; }
  const ComposedTensor& tensor(int number) const override { return context_.graph.tensors[number]; }
  XlaOp Array(int number) override;
  XlaOp Stacked(const std::vector<int>& numbers) override;
  XlaOp Extent(const Scalar& extent) override;
  PrimitiveType TypeOf(BaseType type) const override;

  void SetArray(int tensor, XlaOp array) { arrays_.insert_or_assign(tensor, array); }
  // Of a symbol.
  void SetExtent(int symbol, XlaOp size) { symbols_.insert_or_assign(symbol, size); }
  // The array of tensors that are numbered one after the other, stacked along a new first dimension.
  void SetPack(const std::vector<int>& tensors, XlaOp array) {
    packs_.insert_or_assign(tensors.front(), Pack{array, static_cast<int64_t>(tensors.size())});
  }
  bool HasArray(int tensor) const { return arrays_.count(tensor) > 0; }
  bool KnowsExtent(const Scalar& extent) const;
  xla::Shape ShapeOf(int tensor) const {
    return xla::Shape::Array(TypeOf(context_.graph.tensors[tensor].element.base), BoundsOf(tensor));
  }

  absl::Status LowerOperations(const std::vector<ComposedOperation>& operations);
  // The region's own checks, once its operations are lowered; nullptr is the graph.
  void MakeChecks(const ComposedRegion* region);
  // By number: what holds, pred[].
  const std::map<int, XlaOp>& checks() const { return checks_; }

 private:
  // What a region uses of this one, as the parts of a tuple.
  struct Captures {
    std::vector<int> tensors;
    std::vector<int> packs;  // by the first tensor
    std::vector<int> symbols;
    std::vector<int> extent_packs;  // by the first symbol
    std::vector<XlaOp> values;      // of all of them
  };
  Captures Capture(const RegionUses& uses);
  void Receive(const Captures& captures, absl::Span<const XlaOp> values);

  absl::Status LowerOperation(const ComposedOperation& operation);
  absl::Status LowerPrimitive(const ComposedOperation& operation);
  // Lowers nests[*next], and those after it that go together with it; *next: the one after them.
  absl::Status LowerNests(const std::vector<StatementNest>& nests, int* next, std::map<int, XlaOp>* outputs);
  void NameOutputs(const ComposedOperation& operation);
  // --- arrays and extents (region_values.cc), with the functions of NestLowering ---
  XlaOp ConstantOf(const ComposedTensor& tensor);
  // --- extents ---
  bool KnowsSymbol(int symbol) const;
  XlaOp ExtentOfIteration(int symbol);
  // Once what it is computed from has a value.
  XlaOp EmitNode(const Symbolic& node);
  XlaOp EmitPolynomial(const Symbolic& node);
  // --- branches and loops (lower_control.cc) ---
  absl::Status LowerBranch(const ComposedOperation& operation);
  absl::Status LowerCondition(const ComposedRegion& region, XlaOp* condition);
  absl::Status LowerConsequent(const ComposedOperation& operation, const ComposedRegion& region,
                               const Captures& captures, const xla::Shape& operand, const std::vector<int>& checks,
                               XlaComputation* computation);
  // The symbols that the outputs of a branch introduce.
  std::vector<int> NewSymbols(const ComposedOperation& operation) const;
  absl::Status LowerLoop(const ComposedOperation& operation);
  struct LoopState;
  XlaOp LoopLimit(const ComposedOperation& operation);
  absl::Status LowerBody(const ComposedOperation& operation, const LoopState& state, XlaComputation* body);
  void SetLocals(const ComposedLoop& loop, absl::Span<const XlaOp> scans, XlaOp index);
  // --- operators without a body (lower_intrinsics.cc) ---
  absl::Status LowerIntrinsic(const ComposedOperation& operation);

  GraphLowering& context_;
  ComputationBuilder& builder_;
  absl::flat_hash_map<int, XlaOp> arrays_;   // by tensor
  absl::flat_hash_map<int, XlaOp> symbols_;  // by the id of any expression
  // Packs that loops make, and inputs whose length varies: the first tensor, the array that holds all of them, and
  // their number.
  struct Pack {
    XlaOp array;
    int64_t size = 0;
  };
  std::map<int, Pack> packs_;
  // The extents that the iterations of a loop made, s32[iterations], by the symbol of the first.
  std::map<int, Pack> extent_packs_;
  std::map<std::vector<int>, XlaOp> stacked_;
  // The outputs of the operation that is being lowered, whose arrays change.
  absl::flat_hash_set<int> assigned_;
  std::map<int, XlaOp> checks_;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LOWERING_REGION_LOWERING_H_
