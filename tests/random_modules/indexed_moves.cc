// Operations that find elements by indices: dynamic-slice, dynamic-update-slice, gather, scatter.
#include <algorithm>
#include <vector>

#include "tests/random_modules/moves.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

// One start for each dimension; most are in range.
std::vector<Value> StartIndices(Scope& scope, const Shape& array, const Shape& window) {
  static constexpr PrimitiveType kIndexTypes[] = {S32, S32, S32, S32, U32, S64, U8, S8};
  const PrimitiveType type = scope.random().Pick(kIndexTypes);
  std::vector<Value> starts;
  for (int d = 0; d < array.rank(); ++d) {
    const int64_t room = array.dimension(d) - window.dimension(d);
    if (type == S32) {
      starts.push_back(scope.Index(std::max<int64_t>(room, 0), scope.random().Chance(50)));
    } else if (scope.random().Chance(50)) {
      starts.push_back(scope.Scalar(type, static_cast<double>(scope.random().Between(0, room))));
    } else {
      starts.push_back(scope.Like(Shape::Scalar(type), DataClass::kCount));
    }
  }
  return starts;
}

Shape SmallerShape(Scope& scope, const Value& x) {
  Shape shape = ArrayShape(x.type(), x.dimensions());
  for (int d = 0; d < x.rank(); ++d) {
    if (scope.random().Chance(65))
      shape.set_dimension(d, scope.random().Between(scope.random().Chance(5) ? 0 : std::min<int64_t>(1, x.dimension(d)),
                                                    x.dimension(d)));
  }
  return shape;
}

void DynamicSliceMove(Scope& scope) {
  const Value x = scope.Array();
  const Shape window = SmallerShape(scope, x);
  std::vector<Value> operands = StartIndices(scope, x.shape(), window);
  operands.insert(operands.begin(), x);
  scope.Add(HloOpcode::kDynamicSlice, operands, x.facts,
            {MakeAttributes<DynamicSliceAttributes>([&](auto& a) { a.slice_sizes = ToVector(window.dimensions()); })});
}

void DynamicUpdateSliceMove(Scope& scope) {
  const Value x = scope.Array();
  const Value update = scope.Like(SmallerShape(scope, x));
  std::vector<Value> operands = StartIndices(scope, x.shape(), update.shape());
  operands.insert(operands.begin(), {x, update});
  scope.Add(HloOpcode::kDynamicUpdateSlice, operands, Either(x.facts, update.facts));
}

// The numbers that gather and scatter have in common.
struct IndexedWindows {
  DimensionVector window_sizes;     // of each operand dimension
  DimensionVector dropped;          // collapsed or inserted
  DimensionVector batching;         // operand dimensions
  DimensionVector index_batching;   // and those of the indices that go with them
  DimensionVector start_index_map;  // operand dimensions
  DimensionVector index_sizes;      // shape of the indices
  int64_t index_vector_dim = 0;
  DimensionVector batch_sizes;   // of the indices without index_vector_dim
  DimensionVector kept_windows;  // sizes of the window dimensions that are not dropped
};

IndexedWindows ChooseWindows(Scope& scope, const Value& x) {
  RandomSource& random = scope.random();
  IndexedWindows windows;
  std::vector<int64_t> others;
  for (int64_t d = 0; d < x.rank(); ++d) {
    const int64_t size = x.dimension(static_cast<int>(d));
    if (windows.batching.empty() && size > 0 && x.rank() > 1 && random.Chance(12)) {
      windows.batching.push_back(d);
      windows.window_sizes.push_back(1);
      continue;
    }
    others.push_back(d);
    if (size > 0 && random.Chance(45)) {
      windows.dropped.push_back(d);
      windows.window_sizes.push_back(1);
    } else {
      windows.window_sizes.push_back(random.Chance(40) ? size : random.Between(std::min<int64_t>(1, size), size));
      windows.kept_windows.push_back(windows.window_sizes.back());
    }
  }
  for (int64_t i : scope.Permutation(static_cast<int64_t>(others.size()))) {
    if (windows.start_index_map.empty() || random.Chance(50)) windows.start_index_map.push_back(others[i]);
  }
  if (random.Chance(60)) std::sort(windows.start_index_map.begin(), windows.start_index_map.end());
  for (int64_t i = random.Below(3); i > 0; --i) windows.batch_sizes.push_back(random.Between(1, 4));
  int64_t batching_at = -1;
  if (!windows.batching.empty()) {
    batching_at = random.Below(static_cast<int64_t>(windows.batch_sizes.size()) + 1);
    windows.batch_sizes.insert(windows.batch_sizes.begin() + batching_at,
                               x.dimension(static_cast<int>(windows.batching[0])));
  }
  windows.index_sizes = windows.batch_sizes;
  const int64_t rank = static_cast<int64_t>(windows.batch_sizes.size());
  windows.index_vector_dim = random.Chance(60) ? rank : random.Between(0, rank);
  const int64_t vector_size = static_cast<int64_t>(windows.start_index_map.size());
  if (vector_size != 1 || windows.index_vector_dim != rank || random.Chance(60)) {
    windows.index_sizes.insert(windows.index_sizes.begin() + windows.index_vector_dim, vector_size);
  }
  if (batching_at >= 0)
    windows.index_batching.push_back(batching_at + (batching_at >= windows.index_vector_dim ? 1 : 0));
  return windows;
}

Value Indices(Scope& scope, const IndexedWindows& windows) {
  static constexpr PrimitiveType kIndexTypes[] = {S32, S32, S32, S64, U32, U8, S8};
  const Shape shape = ArrayShape(scope.random().Pick(kIndexTypes), windows.index_sizes);
  if (scope.random().Chance(20)) return scope.Constant(shape, DataClass::kCount);
  return scope.Like(shape, scope.random().Chance(70) ? DataClass::kCount : DataClass::kAny);
}

// Sorted places for `windows` dimensions among `total`.
DimensionVector ChoosePlaces(Scope& scope, int64_t windows, int64_t total) {
  std::vector<int64_t> places = scope.Permutation(total);
  if (scope.random().Chance(50)) {
    // The usual form: window dimensions last.
    for (int64_t i = 0; i < windows; ++i) places[i] = total - windows + i;
  }
  places.resize(windows);
  std::sort(places.begin(), places.end());
  return ToVector(places);
}

// Array with a dimension of 1 or more in each place.
absl::optional<Value> IndexedArray(Scope& scope, bool exact) {
  absl::optional<Value> x = scope.Find([&](const Value& value) {
    return IsStaticArray(value) && value.rank() >= 1 && (value.facts.exact || !exact) &&
           value.shape().ElementCount() <= 256;
  });
  if (!x.has_value() || scope.random().Chance(10)) {
    x = scope.Fresh(ArrayShape(scope.ElementType(~0u), scope.Dimensions(1, 3)), scope.AnyDataClass());
  }
  return x;
}

void GatherMove(Scope& scope) {
  const Value x = *IndexedArray(scope, /*exact=*/false);
  const IndexedWindows windows = ChooseWindows(scope, x);
  if (windows.start_index_map.empty()) return;
  const Value indices = Indices(scope, windows);
  const int64_t kept = static_cast<int64_t>(windows.kept_windows.size());
  scope.Add(HloOpcode::kGather, {x, indices}, x.facts, {MakeAttributes<GatherAttributes>([&](auto& a) {
              a.offset_dims = ChoosePlaces(scope, kept, kept + static_cast<int64_t>(windows.batch_sizes.size()));
              a.collapsed_slice_dims = windows.dropped;
              a.start_index_map = windows.start_index_map;
              a.operand_batching_dims = windows.batching;
              a.start_indices_batching_dims = windows.index_batching;
              a.index_vector_dim = windows.index_vector_dim;
              a.slice_sizes = windows.window_sizes;
            })});
}

// How an update joins what is there; the second parameter replaces the first in the usual one.
HloComputation* Combiner(Scope& scope, PrimitiveType type) {
  std::vector<HloOpcode> opcodes = {HloOpcode::kAdd};
  if (!IsComplex(type)) opcodes.insert(opcodes.end(), {HloOpcode::kMaximum, HloOpcode::kMinimum});
  if (type != PRED && !IsComplex(type)) opcodes.push_back(HloOpcode::kSubtract);
  if (scope.random().Chance(50)) return ScalarComputation(scope.state(), scope.random().Pick(opcodes), type);
  Scope replace(&scope.state(), "replace", Scope::Kind::kFusion, 9);
  replace.Parameter(Shape::Scalar(type), Facts::Exact(), "old");
  return replace.Finish(replace.Parameter(Shape::Scalar(type), Facts::Exact(), "new"));
}

void ScatterMove(Scope& scope) {
  const Value x = *IndexedArray(scope, /*exact=*/true);
  const IndexedWindows windows = ChooseWindows(scope, x);
  if (windows.start_index_map.empty()) return;
  const Value indices = Indices(scope, windows);
  const int64_t kept = static_cast<int64_t>(windows.kept_windows.size());
  const int64_t rank = kept + static_cast<int64_t>(windows.batch_sizes.size());
  const DimensionVector places = ChoosePlaces(scope, kept, rank);
  DimensionVector update_sizes;
  for (int64_t d = 0, w = 0, b = 0; d < rank; ++d) {
    const bool is_window = std::binary_search(places.begin(), places.end(), d);
    update_sizes.push_back(is_window ? windows.kept_windows[w++] : windows.batch_sizes[b++]);
  }
  const Value updates = scope.Like(ArrayShape(x.type(), update_sizes));
  scope.Add(HloOpcode::kScatter, {x, indices, updates}, Facts::Exact(),
            {MakeAttributes<ScatterAttributes>([&](auto& a) {
               a.update_window_dims = places;
               a.inserted_window_dims = windows.dropped;
               a.scatter_dims_to_operand_dims = windows.start_index_map;
               a.input_batching_dims = windows.batching;
               a.scatter_indices_batching_dims = windows.index_batching;
               a.index_vector_dim = windows.index_vector_dim;
               a.unique_indices = ProductOf(windows.batch_sizes) <= 1 && scope.random().Chance(50);
             }),
             absl::nullopt,
             {Combiner(scope, x.type())}});
}

}  // namespace

absl::Span<const Move> IndexedMoves() {
  static constexpr Move kMoves[] = {
      {"dynamic-slice", 8, 2, &DynamicSliceMove},
      {"dynamic-update-slice", 8, 2, &DynamicUpdateSliceMove},
      {"gather", 8, 2, &GatherMove},
      {"scatter", 8, 1, &ScatterMove},
  };
  return kMoves;
}

}  // namespace xla
