// Scope: one computation of a random module while it is made, and the values in it that further instructions may use.
#ifndef TESTS_RANDOM_MODULES_SCOPE_H_
#define TESTS_RANDOM_MODULES_SCOPE_H_

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "tests/random_modules/data_class.h"
#include "tests/random_modules/facts.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/random_source.h"

namespace xla {

struct Value {
  HloInstruction* instruction = nullptr;
  Facts facts;

  const Shape& shape() const { return instruction->shape(); }
  PrimitiveType type() const { return shape().element_type(); }
  int rank() const { return shape().rank(); }
  int64_t dimension(int d) const { return shape().dimension(d); }
  absl::Span<const int64_t> dimensions() const { return shape().dimensions(); }
};

// What the scopes of a module share.
struct ModuleState {
  explicit ModuleState(uint64_t seed) : random(seed) {}
  RandomSource random;
  bool functions_are_rounded = false;  // see RandomModuleOptions
  HloModule* module = nullptr;
  int64_t replicas = 1;
  int64_t partitions = 1;
  int64_t next_number = 0;
  int64_t next_channel = 1;
  // Of what infeeds read (effects.h).
  absl::optional<Shape> infeed_shape;
  // Something draws random numbers whose values are not certain, or advances the state they come from.
  bool draws_numbers = false;
  // Reducers that were made, so that instructions share some of them.
  std::vector<std::pair<std::pair<HloOpcode, PrimitiveType>, HloComputation*>> reducers;
};

// Attributes of type T, filled in by `fill`.
template <typename T, typename Fill>
std::unique_ptr<Attributes> MakeAttributes(const Fill& fill) {
  auto attributes = std::make_unique<T>();
  fill(*attributes);
  return attributes;
}

class Scope {
 public:
  // How much may be in it: which moves are made there.
  enum class Kind { kEntry, kNested, kFusion };

  Scope(ModuleState* state, const std::string& name, Kind kind, int depth);

  ModuleState& state() { return *state_; }
  RandomSource& random() { return state_->random; }
  Kind kind() const { return kind_; }
  int depth() const { return depth_; }
  int64_t instruction_count() const { return computation_->instruction_count(); }
  const HloComputation& computation() const { return *computation_; }

  // ---- Instructions. The shape is what the op table infers; ops whose text must write it need `shape`. Ends the
  // process with the rule's message if the instruction breaks one: the fault is in the caller.
  struct Extra {
    std::unique_ptr<Attributes> attributes;
    absl::optional<Shape> shape;
    std::vector<HloComputation*> calls;
  };
  Value Add(HloOpcode opcode, absl::Span<const Value> operands, const Facts& facts, Extra extra = {});
  Value Add(HloOpcode opcode, std::initializer_list<Value> operands, const Facts& facts, Extra extra = {}) {
    return Add(opcode, absl::MakeConstSpan(operands.begin(), operands.size()), facts, std::move(extra));
  }
  // `change` is asked about each instruction that is added, until it changes the operands of one and returns true; the
  // shape that is given for that one gets the dynamic dimensions that follow from them. nullptr ends it.
  using OperandChange =
      std::function<bool(HloOpcode opcode, const Attributes* attributes, std::vector<Value>* operands)>;
  void ChangeNextOperands(OperandChange change) { change_operands_ = std::move(change); }
  // The operations of elementwise.def, with the facts that follow.
  Value Unary(HloOpcode opcode, const Value& x);
  Value Binary(HloOpcode opcode, const Value& x, const Value& y);
  Value Compare(ComparisonDirection direction, const Value& x, const Value& y, bool total_order = false);
  Value Select(const Value& predicate, const Value& on_true, const Value& on_false);
  Value Convert(const Value& x, PrimitiveType type);
  Value Reshape(const Value& x, absl::Span<const int64_t> dimensions);
  Value Transpose(const Value& x, absl::Span<const int64_t> permutation);
  // dimensions[i]: the place of dimension i of x among `sizes`.
  Value Broadcast(const Value& x, absl::Span<const int64_t> sizes, absl::Span<const int64_t> dimensions);
  Value Slice(const Value& x, const std::vector<SliceRange>& ranges);
  Value Pad(const Value& x, const Value& value, const PaddingConfig& padding);
  Value Concatenate(absl::Span<const Value> operands, int64_t dimension);
  Value Reverse(const Value& x, absl::Span<const int64_t> dimensions);
  Value Iota(PrimitiveType type, absl::Span<const int64_t> dimensions, int64_t dimension);
  Value Copy(const Value& x);
  Value Tuple(absl::Span<const Value> elements);
  Value GetTupleElement(const Value& tuple, int64_t index, const Facts& facts);

  // ---- Values out of nothing
  Value Parameter(const Shape& shape, const Facts& facts, const std::string& suffix);
  Value Constant(Literal literal, const Facts& facts);
  Value Constant(const Shape& shape, DataClass data_class);
  // The same number everywhere; wrapped or rounded to the type.
  Value Number(const Shape& shape, double number);
  Value Scalar(PrimitiveType type, double number) { return Number(Shape::Scalar(type), number); }
  // The number as a constant of this shape or as a broadcast scalar, by chance.
  Value Splat(const Shape& shape, double number);
  // A new parameter of the entry, or in other scopes a constant.
  Value Fresh(const Shape& shape, DataClass data_class);

  // ---- Values to use. Those that `wanted` accepts; later ones more often.
  using Wanted = std::function<bool(const Value&)>;
  absl::optional<Value> Find(const Wanted& wanted);
  // A static array of any kind, made if there is none.
  Value Array();
  // A static array that is exact and of one of these element classes (elementwise_table.h).
  Value ExactArray(unsigned classes);
  // Another value of this shape, exact; made by chance or if there is none.
  Value Like(const Shape& shape, DataClass preferred = DataClass::kAny);
  // An exact s32 in [0, limit]: a constant or bounded input. If `wild`, any s32.
  Value Index(int64_t limit, bool wild);
  // pred[...]
  Value Predicate(absl::Span<const int64_t> dimensions);
  // Nothing finds this value any more.
  void Forget(const Value& value);
  // The same, but it may still be a result.
  void Hide(const Value& value);

  // ---- Random choices
  PrimitiveType ElementType(unsigned classes);
  DimensionVector Dimensions(int min_rank, int max_rank);
  DataClass AnyDataClass();
  std::vector<int64_t> Permutation(int64_t n);

  // All arrays that nothing uses yet; then those that are used.
  std::vector<Value> Outputs();
  const std::vector<Value>& values() const { return values_; }
  // Makes `root` the root and hands the computation to the module.
  HloComputation* Finish(const Value& root);

  // Without touching the list of values: parameters and intermediate results of patterns may be remembered by hand.
  std::string NewName(const std::string& base);

 private:
  Value Elementwise(HloOpcode opcode, absl::Span<const Value> operands);
  Value AddWithDynamicOperands(HloOpcode opcode, absl::Span<const Value> operands, const Facts& facts, Extra extra);

  ModuleState* const state_;
  const Kind kind_;
  const int depth_;
  std::unique_ptr<HloComputation> computation_;
  std::vector<Value> values_;
  std::vector<Value> hidden_;
  int64_t parameters_ = 0;
  OperandChange change_operands_;
};

bool IsStaticArray(const Value& value);
// x [op] y of two scalars; shared by chance.
HloComputation* ScalarComputation(ModuleState& state, HloOpcode opcode, PrimitiveType type);
// Of the dimensions of a shape.
DimensionVector ToVector(absl::Span<const int64_t> dimensions);
// 0, 1, ..., n - 1
std::vector<int64_t> Identity(int64_t n);
int64_t ProductOf(absl::Span<const int64_t> sizes);
// With row-major layouts.
Shape ArrayShape(PrimitiveType type, absl::Span<const int64_t> dimensions);

}  // namespace xla

#endif  // TESTS_RANDOM_MODULES_SCOPE_H_
