// InstructionBuilder: adds instructions to a computation, each with the shape that its row of the op table infers.
#ifndef PASSES_BASE_INSTRUCTION_BUILDER_H_
#define PASSES_BASE_INSTRUCTION_BUILDER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/types/literal.h"

namespace xla {

// The computation must be in a module. Instructions are appended: HloComputation::Tidy, which the runner calls, moves
// them in front of their users. The first operation that is not allowed makes status() an Internal error; from then on
// results mean nothing (but are never null), and the pass returns the status. Results have no layout unless an
// operation says otherwise; broadcasting is never implicit.
class InstructionBuilder {
 public:
  // What is added carries the metadata of `origin`, which may be nullptr.
  explicit InstructionBuilder(HloComputation* computation, const HloInstruction* origin = nullptr);

  HloComputation* computation() const { return computation_; }
  HloModule* module() const { return computation_->parent(); }
  const absl::Status& status() const { return status_; }
  // Takes over the error of a builder for another computation; the first error stays.
  void UpdateStatus(const absl::Status& status) {
    if (status_.ok()) status_ = status;
  }
  const HloInstruction* origin() const { return origin_; }

  // ---- Any operation. The shape is inferred, or given where the op table cannot infer it.
  HloInstruction* Make(HloOpcode opcode, absl::Span<HloInstruction* const> operands,
                       std::unique_ptr<Attributes> attributes = nullptr, absl::Span<HloComputation* const> called = {});
  HloInstruction* MakeOfShape(HloOpcode opcode, const Shape& shape, absl::Span<HloInstruction* const> operands,
                              std::unique_ptr<Attributes> attributes = nullptr,
                              absl::Span<HloComputation* const> called = {});
  // `like` with other operands (as many or more): same opcode, attributes, called computations; the shape is inferred
  // again if the op table can, else that of `like`.
  HloInstruction* MakeLike(const HloInstruction& like, absl::Span<HloInstruction* const> operands);

  // ---- Values
  HloInstruction* Parameter(int64_t number, const Shape& shape);
  HloInstruction* Constant(Literal literal);
  // A scalar; the value is rounded to the type as HLO's convert does.
  HloInstruction* Scalar(PrimitiveType type, int64_t value);
  HloInstruction* ScalarFloat(PrimitiveType type, double value);
  HloInstruction* Zero(PrimitiveType type) { return Scalar(type, 0); }
  HloInstruction* One(PrimitiveType type) { return Scalar(type, 1); }
  // A constant scalar broadcast to the dimensions of `shape` (a bare scalar if it has none).
  HloInstruction* Splat(const Shape& shape, int64_t value);
  HloInstruction* SplatFloat(const Shape& shape, double value);
  HloInstruction* Splat(const Shape& shape, Literal scalar);
  HloInstruction* Iota(const Shape& shape, int64_t dimension);

  // ---- Elementwise
  HloInstruction* Unary(HloOpcode opcode, HloInstruction* x) { return Make(opcode, {x}); }
  HloInstruction* Binary(HloOpcode opcode, HloInstruction* x, HloInstruction* y) { return Make(opcode, {x, y}); }
  HloInstruction* Add(HloInstruction* x, HloInstruction* y) { return Binary(HloOpcode::kAdd, x, y); }
  HloInstruction* Sub(HloInstruction* x, HloInstruction* y) { return Binary(HloOpcode::kSubtract, x, y); }
  HloInstruction* Mul(HloInstruction* x, HloInstruction* y) { return Binary(HloOpcode::kMultiply, x, y); }
  HloInstruction* Div(HloInstruction* x, HloInstruction* y) { return Binary(HloOpcode::kDivide, x, y); }
  HloInstruction* And(HloInstruction* x, HloInstruction* y) { return Binary(HloOpcode::kAnd, x, y); }
  HloInstruction* Or(HloInstruction* x, HloInstruction* y) { return Binary(HloOpcode::kOr, x, y); }
  HloInstruction* Xor(HloInstruction* x, HloInstruction* y) { return Binary(HloOpcode::kXor, x, y); }
  HloInstruction* Not(HloInstruction* x) { return Unary(HloOpcode::kNot, x); }
  HloInstruction* Max(HloInstruction* x, HloInstruction* y) { return Binary(HloOpcode::kMaximum, x, y); }
  HloInstruction* Min(HloInstruction* x, HloInstruction* y) { return Binary(HloOpcode::kMinimum, x, y); }
  // With the comparison that is usual for the type.
  HloInstruction* Compare(ComparisonDirection direction, HloInstruction* x, HloInstruction* y);
  HloInstruction* CompareAs(ComparisonDirection direction, ComparisonType type, HloInstruction* x, HloInstruction* y);
  HloInstruction* Select(HloInstruction* predicate, HloInstruction* on_true, HloInstruction* on_false);
  HloInstruction* Clamp(HloInstruction* low, HloInstruction* x, HloInstruction* high);
  // The operand itself if it has the type already.
  HloInstruction* Convert(HloInstruction* x, PrimitiveType type);
  HloInstruction* BitcastConvert(HloInstruction* x, const Shape& shape);

  // ---- Data movement
  // Operand dimension i becomes dimension dimensions[i] of the result.
  HloInstruction* Broadcast(HloInstruction* x, absl::Span<const int64_t> result_dimensions,
                            absl::Span<const int64_t> dimensions);
  // A scalar to the dimensions of `shape`.
  HloInstruction* BroadcastScalar(HloInstruction* scalar, const Shape& shape);
  // The operand itself if it has these dimensions already.
  HloInstruction* Reshape(HloInstruction* x, absl::Span<const int64_t> dimensions);
  HloInstruction* Transpose(HloInstruction* x, absl::Span<const int64_t> permutation);
  HloInstruction* Reverse(HloInstruction* x, absl::Span<const int64_t> dimensions);
  // strides may be empty: all 1.
  HloInstruction* Slice(HloInstruction* x, absl::Span<const int64_t> starts, absl::Span<const int64_t> limits,
                        absl::Span<const int64_t> strides = {});
  HloInstruction* SliceInDim(HloInstruction* x, int64_t dimension, int64_t start, int64_t limit, int64_t stride = 1);
  HloInstruction* Pad(HloInstruction* x, HloInstruction* value, PaddingConfig padding);
  HloInstruction* Concatenate(absl::Span<HloInstruction* const> operands, int64_t dimension);
  HloInstruction* DynamicSlice(HloInstruction* x, absl::Span<HloInstruction* const> starts,
                               absl::Span<const int64_t> sizes);
  HloInstruction* DynamicUpdateSlice(HloInstruction* x, HloInstruction* update,
                                     absl::Span<HloInstruction* const> starts);

  // ---- Reductions, products
  HloInstruction* Reduce(HloInstruction* x, HloInstruction* init, absl::Span<const int64_t> dimensions,
                         HloComputation* reducer);
  // The reducer is `opcode` on scalars, see ScalarComputation.
  HloInstruction* Reduce(HloInstruction* x, HloInstruction* init, absl::Span<const int64_t> dimensions,
                         HloOpcode opcode);
  // Several arrays at once; the result is a tuple unless there is one.
  HloInstruction* ReduceAll(absl::Span<HloInstruction* const> arrays, absl::Span<HloInstruction* const> inits,
                            absl::Span<const int64_t> dimensions, HloComputation* reducer);
  HloInstruction* ReduceWindow(absl::Span<HloInstruction* const> arrays, absl::Span<HloInstruction* const> inits,
                               Window window, HloComputation* reducer);
  HloInstruction* Dot(HloInstruction* lhs, HloInstruction* rhs, DotAttributes attributes);
  HloInstruction* Convolution(const Shape& shape, HloInstruction* lhs, HloInstruction* rhs,
                              ConvolutionAttributes attributes);

  // ---- Sorting and indexing
  HloInstruction* Sort(absl::Span<HloInstruction* const> arrays, int64_t dimension, bool is_stable,
                       HloComputation* comparator);
  HloInstruction* Gather(HloInstruction* x, HloInstruction* indices, GatherAttributes attributes);
  HloInstruction* Scatter(absl::Span<HloInstruction* const> arrays, HloInstruction* indices,
                          absl::Span<HloInstruction* const> updates, ScatterAttributes attributes,
                          HloComputation* combiner);

  // ---- Tuples and calls
  HloInstruction* Tuple(absl::Span<HloInstruction* const> elements);
  HloInstruction* GetTupleElement(HloInstruction* tuple, int64_t index);
  HloInstruction* Call(HloComputation* callee, absl::Span<HloInstruction* const> operands);
  HloInstruction* While(HloComputation* condition, HloComputation* body, HloInstruction* init);

 private:
  HloInstruction* Append(std::unique_ptr<HloInstruction> instruction, const absl::StatusOr<Shape>& shape);

  HloComputation* computation_;
  const HloInstruction* origin_;
  absl::Status status_;
};

// A computation (x T[], y T[]) -> opcode(x, y) of the module: the one that is there, else a new one.
HloComputation* ScalarComputation(HloModule* module, HloOpcode opcode, PrimitiveType type);
// A new computation without instructions; its name is made from `name`.
HloComputation* NewComputation(HloModule* module, absl::string_view name);

}  // namespace xla

#endif  // PASSES_BASE_INSTRUCTION_BUILDER_H_
