// Arrays so large that threads share a line of them, that they are cut into pieces, or that stores go past the caches.
// They are hidden from other moves, for which they would take too long, and rare.
#include <algorithm>
#include <memory>
#include <vector>

#include "tests/random_modules/moves.h"
#include "tests/random_modules/usual_instructions.h"

namespace xla {
namespace {

constexpr int64_t kLongLines[] = {65535, 65536, 65537, 70001, 100000, 131072};

// Whole numbers in no order: multiples of a number, of which the type keeps the low bits.
Value Scrambled(Scope& scope, PrimitiveType type, absl::Span<const int64_t> sizes, int64_t dimension) {
  const Value start = scope.Fresh(ArrayShape(U32, {}), DataClass::kAny);
  Value x = scope.Iota(U32, sizes, dimension);
  scope.Forget(x);
  for (const HloOpcode opcode : {HloOpcode::kAdd, HloOpcode::kMultiply}) {
    const Value other = opcode == HloOpcode::kAdd ? scope.Broadcast(start, sizes, {}) : scope.Splat(x.shape(), 40503);
    x = scope.Binary(opcode, x, other);
    scope.Forget(other);
    scope.Forget(x);
  }
  // Positive, and few enough bits that there are equal ones.
  const double kept = scope.random().Chance(50) ? 17 : 12;
  const Value shift = scope.Splat(x.shape(), kept);
  x = scope.Binary(HloOpcode::kShiftRightLogical, x, shift);
  scope.Forget(shift);
  scope.Forget(x);
  if (type == U32) return x;
  x = scope.Convert(x, type);
  scope.Forget(x);
  return x;
}

HloComputation* LessOfFirst(Scope& scope, PrimitiveType type, absl::Span<const PrimitiveType> others, bool ascending) {
  Scope comparator(&scope.state(), "comparator", Scope::Kind::kFusion, 9);
  const Value a = comparator.Parameter(Shape::Scalar(type), Facts::Exact(), "a");
  const Value b = comparator.Parameter(Shape::Scalar(type), Facts::Exact(), "b");
  for (const PrimitiveType other : others) {
    comparator.Parameter(Shape::Scalar(other), Facts::Exact(), "c");
    comparator.Parameter(Shape::Scalar(other), Facts::Exact(), "d");
  }
  return comparator.Finish(comparator.Compare(ascending ? ComparisonDirection::kLt : ComparisonDirection::kGt, a, b,
                                              /*total_order=*/IsFloat(type)));
}

// By the first array, with others beside it.
void SortLongLinesIdiom(Scope& scope) {
  if (scope.depth() > 0 || !scope.random().Chance(25)) return;
  RandomSource& random = scope.random();
  static constexpr PrimitiveType kKeys[] = {F32, S32, U16, F64, BF16, U32};
  static constexpr PrimitiveType kOthers[] = {S32, C128, U8, F64, U16};
  const int64_t length = random.Pick(kLongLines);
  const DimensionVector sizes = random.Chance(70) ? DimensionVector{length} : DimensionVector{length, 2};
  const Value key = Scrambled(scope, random.Pick(kKeys), sizes, 0);
  std::vector<Value> operands = {key};
  std::vector<PrimitiveType> others;
  for (int64_t i = random.Between(0, 2); i > 0; --i) {
    others.push_back(random.Pick(kOthers));
    operands.push_back(Scrambled(scope, others.back(), sizes, 0));
  }
  const bool alone = others.empty();
  const Value sorted = scope.Add(
      HloOpcode::kSort, operands, Facts::Exact(),
      {MakeAttributes<SortAttributes>([](auto& a) { a.dimension = 0, a.is_stable = true; }), absl::nullopt,
       {LessOfFirst(scope, key.type(), others, random.Chance(70))}});
  if (alone) return scope.Hide(sorted);
  for (size_t i = 0; i < operands.size(); ++i) {
    scope.Hide(scope.GetTupleElement(sorted, static_cast<int64_t>(i), Facts::Exact()));
  }
}

// Of few long lines, which are cut into pieces, or of lines of any length.
void TopKOfLongLinesIdiom(Scope& scope) {
  if (scope.depth() > 0 || !scope.random().Chance(40)) return;
  RandomSource& random = scope.random();
  static constexpr PrimitiveType kTypes[] = {F32, F32, BF16, S32, S8, U8, S64, F64, U16};
  static constexpr int64_t kBest[] = {1, 2, 8, 9, 16, 17, 100, 1000};
  const int64_t length = random.Chance(50) ? 131072 + random.Between(0, 9) : random.Between(1, 40000);
  const DimensionVector sizes = {random.Between(1, length > 100'000 ? 1 : 3), length};
  const PrimitiveType type = random.Pick(kTypes);
  const Value x = Scrambled(scope, type, sizes, 1);
  const int64_t k = std::min(random.Pick(kBest), length);
  const bool largest = random.Chance(70);
  Value top;
  if (random.Chance(50)) {
    const bool crossed = random.Chance(50);
    Scope comparator(&scope.state(), "better", Scope::Kind::kNested, 9);
    const Value a = comparator.Parameter(Shape::Scalar(type), Facts::Exact(), "a");
    const Value b = comparator.Parameter(Shape::Scalar(type), Facts::Exact(), "b");
    HloComputation* const better = comparator.Finish(
        comparator.Compare(crossed == largest ? ComparisonDirection::kLt : ComparisonDirection::kGt, crossed ? b : a,
                           crossed ? a : b, /*total_order=*/IsFloat(type)));
    top = scope.Add(HloOpcode::kCustomCall, {x}, Facts::Exact(),
                    {MakeAttributes<CustomCallAttributes>([](auto& c) { c.custom_call_target = "TopK"; }),
                     Shape::Tuple({ArrayShape(type, {sizes[0], k}), ArrayShape(S32, {sizes[0], k})}),
                     {better}});
  } else {
    top = scope.Add(HloOpcode::kTopK, {x}, Facts::Exact(), {MakeAttributes<TopKAttributes>([&](auto& a) {
                      a.k = k;
                      a.largest = largest;
                    })});
  }
  scope.GetTupleElement(top, 0, Facts::Exact());
  scope.GetTupleElement(top, 1, Facts::Exact());
}

// Results of a little more than what is stored past the caches.
void StreamedResultIdiom(Scope& scope) {
  if (scope.depth() > 0 || !scope.random().Chance(8)) return;
  RandomSource& random = scope.random();
  static constexpr PrimitiveType kTypes[] = {C128, C128, F64, S64, C64};
  const PrimitiveType type = random.Pick(kTypes);
  constexpr int64_t kStreamed = int64_t{12} << 20;
  const int64_t columns = random.Pick(std::vector<int64_t>{3, 64, 1000, 1001, 4096});
  const int64_t rows = kStreamed / ByteWidth(type) / columns + random.Between(1, 5);
  switch (random.Below(5)) {
    case 0: {
      // A parameter that is a result, too.
      const Value x = scope.Fresh(ArrayShape(type, {rows, columns}), DataClass::kSmall);
      scope.Hide(x);
      if (random.Chance(50)) scope.Hide(scope.Copy(x));
      return;
    }
    case 1: {
      const Value row = scope.Fresh(ArrayShape(type, {columns}), DataClass::kSmall);
      return scope.Hide(scope.Broadcast(row, {rows, columns}, {1}));
    }
    case 2: {
      const Value column = scope.Fresh(ArrayShape(type, {rows}), DataClass::kSmall);
      scope.Hide(scope.Broadcast(column, {rows, columns}, {0}));
      return scope.Hide(column);
    }
    case 3: {
      const Value numbers = scope.Iota(type, {rows, columns}, random.Below(2));
      const Value next = scope.Binary(HloOpcode::kAdd, numbers, scope.Splat(numbers.shape(), 1));
      scope.Forget(numbers);
      return scope.Hide(next);
    }
    default: {
      // Elements of two arrays in turn.
      const Value x = scope.Iota(type, {rows * columns / 2, 1}, 0), one = scope.Splat(x.shape(), 1);
      scope.Hide(scope.Concatenate(std::vector<Value>{x, one}, 1));
      scope.Forget(x);
      return scope.Forget(one);
    }
  }
}

// Sums of so many elements that several threads take part, and copies and transposes of as many.
void SharedArrayIdiom(Scope& scope) {
  if (scope.depth() > 0 || !scope.random().Chance(50)) return;
  RandomSource& random = scope.random();
  static constexpr PrimitiveType kTypes[] = {F32, F32, S32, U8, BF16, F64, C64};
  const PrimitiveType type = random.Pick(kTypes);
  const int64_t columns = random.Pick(std::vector<int64_t>{1, 3, 32, 65, 500});
  const int64_t rows = random.Between(30'000, 90'000) / columns;
  const Value x = scope.Fresh(ArrayShape(type, {rows, columns}), DataClass::kCount);
  scope.Hide(x);
  switch (random.Below(4)) {
    case 0:
      scope.Hide(scope.Transpose(x, {1, 0}));
      return;
    case 1:
      scope.Hide(scope.Reverse(x, {random.Below(2)}));
      return;
    case 2:
      scope.Hide(scope.Slice(x, {{rows / 3, rows, 2}, {0, columns, 1}}));
      return;
    default: {
      if (!IsInt(type) && 4.0 * static_cast<double>(rows * columns) > WholeNumberLimit(ComplexComponentType(type))) return;
      const int64_t along = random.Below(3);
      Reduced(scope, HloOpcode::kAdd, x, along == 2 ? DimensionVector{0, 1} : DimensionVector{along});
    }
  }
}

}  // namespace

absl::Span<const Move> LargeArrayIdioms() {
  static constexpr Move kMoves[] = {
      {"sort long lines", 1, 0, &SortLongLinesIdiom},
      {"top-k of long lines", 1, 0, &TopKOfLongLinesIdiom},
      {"streamed result", 1, 0, &StreamedResultIdiom},
      {"shared array", 1, 0, &SharedArrayIdiom},
  };
  return kMoves;
}

}  // namespace xla
