// Arrays that lie in memory in another order than row-major, and what keeps or changes that.
#include <memory>
#include <vector>

#include "tests/random_modules/moves.h"

namespace xla {
namespace {

Shape InOrder(const Shape& shape, absl::Span<const int64_t> minor_to_major) {
  Shape result = shape.WithoutLayout();
  Layout layout;
  layout.minor_to_major.assign(minor_to_major.begin(), minor_to_major.end());
  result.set_layout(std::move(layout));
  return result;
}

Value Operand(Scope& scope) {
  const absl::optional<Value> found = scope.Find(
      [](const Value& value) { return IsStaticArray(value) && value.rank() >= 2 && value.shape().ElementCount() <= 4096; });
  if (found.has_value() && scope.random().Chance(60)) return *found;
  static constexpr PrimitiveType kTypes[] = {F32, S32, U8, F64, BF16, C64, PRED};
  return scope.Fresh(ArrayShape(scope.random().Pick(kTypes), scope.Dimensions(2, 4)), DataClass::kAny);
}

// A copy into another order, something that is done in it, and by chance the way back.
void OtherOrderIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  const Value x = Operand(scope);
  const std::vector<int64_t> order = scope.Permutation(x.rank());
  Value y = scope.Add(HloOpcode::kCopy, {x}, x.facts, {nullptr, InOrder(x.shape(), order)});
  if (random.Chance(60)) {
    static constexpr const char* kTargets[] = {"LayoutConstraint", "Sharding", "MoveToHost", "annotate_device_placement"};
    const char* const target = random.Pick(kTargets);
    const Shape shape = InOrder(x.shape(), random.Chance(50) ? order : scope.Permutation(x.rank()));
    y = scope.Add(HloOpcode::kCustomCall, {y}, x.facts,
                  {MakeAttributes<CustomCallAttributes>([&](auto& a) { a.custom_call_target = target; }), shape});
  }
  if (random.Chance(40) && !IsComplex(x.type())) y = scope.Reverse(y, {random.Below(x.rank())});
  if (random.Chance(50)) scope.Add(HloOpcode::kCopy, {y}, x.facts, {nullptr, ArrayShape(x.type(), x.dimensions())});
}

// A constant that lies in another order.
void ConstantInOtherOrderIdiom(Scope& scope) {
  const Value constant = scope.Constant(ArrayShape(scope.random().Chance(50) ? F32 : S32, scope.Dimensions(2, 3)),
                                        DataClass::kAny);
  const Value copy = scope.Add(HloOpcode::kCopy, {constant}, constant.facts,
                               {nullptr, InOrder(constant.shape(), scope.Permutation(constant.rank()))});
  scope.Transpose(copy, scope.Permutation(copy.rank()));
}

// An order between two of which neither needs the other's result.
void ControlEdgeIdiom(Scope& scope) {
  if (scope.kind() == Scope::Kind::kFusion) return;
  const Value x = scope.Array(), y = scope.Array();
  const Value first = scope.Copy(x);
  const Value second = scope.Copy(y);
  second.instruction->AddControlPredecessor(first.instruction);
}

}  // namespace

absl::Span<const Move> LayoutIdioms() {
  static constexpr Move kMoves[] = {
      {"another order in memory", 3, 1, &OtherOrderIdiom},
      {"constant in another order", 1, 1, &ConstantInOtherOrderIdiom},
      {"control edge", 2, 1, &ControlEdgeIdiom},
  };
  return kMoves;
}

}  // namespace xla
