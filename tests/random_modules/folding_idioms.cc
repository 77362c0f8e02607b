// Reductions, windows, running sums and scatters of so many elements that loops are cut into tiles, folds into chunks and
// long windows are put together from shorter ones. Rare, because the interpreter takes its time with them.
#include <algorithm>
#include <memory>
#include <vector>

#include "tests/random_modules/moves.h"
#include "tests/random_modules/reductions.h"

namespace xla {
namespace {

// Elements that are read, windows counted with all that they hold: mostly so many at most, now and then the second
// number.
constexpr int64_t kUsualWork = 60'000;
constexpr int64_t kMostWork = 600'000;
constexpr int64_t kMostElements = 40'000;

int64_t WorkLimit(Scope& scope) {
  // Within loops it is done again and again.
  if (scope.depth() > 0) return kUsualWork / 10;
  return scope.random().Chance(10) ? kMostWork : kUsualWork;
}

// A size of one dimension among others that leave room for `most`.
int64_t Size(RandomSource& random, int64_t most) {
  static constexpr int64_t kSizes[] = {2, 3, 5, 7, 8, 16, 17, 31, 64, 65, 100, 128, 200, 257, 700, 1024, 3000, 9000, 20011};
  int64_t size = random.Pick(kSizes);
  while (size > most) size = (size + 1) / 2;
  return std::max<int64_t>(1, size);
}

DimensionVector Sizes(RandomSource& random, int64_t most) {
  const int rank = static_cast<int>(random.Between(1, 4));
  DimensionVector sizes;
  for (int d = 0; d < rank; ++d) {
    sizes.push_back(d + 1 == rank && random.Chance(50) ? std::min<int64_t>(most, random.Between(1000, kMostElements))
                                                       : Size(random, most));
    most /= sizes.back();
    if (most == 0) break;
  }
  for (size_t d = sizes.size(); d > 1; --d) std::swap(sizes[d - 1], sizes[random.Below(static_cast<int64_t>(d))]);
  return sizes;
}

PrimitiveType ChooseType(RandomSource& random) {
  static constexpr PrimitiveType kTypes[] = {F32, F32, F32, F32,  BF16, BF16, F16, F64, S32,
                                             S32, S8,  U8,  U16, PRED, C64,  S64, S4,  F8E4M3FN};
  return random.Pick(kTypes);
}

// Ordinary numbers have sums that are not exact, any numbers have none that can be compared.
DataClass ChooseDataClass(RandomSource& random) {
  static constexpr DataClass kClasses[] = {DataClass::kSmall, DataClass::kSmall, DataClass::kCount, DataClass::kPositive,
                                           DataClass::kAny};
  return random.Pick(kClasses);
}

// A large array: a parameter, or what is computed from one and so may be fused with what reads it.
Value LargeArray(Scope& scope, absl::Span<const int64_t> sizes) {
  RandomSource& random = scope.random();
  const PrimitiveType type = ChooseType(random);
  Value x = scope.Fresh(ArrayShape(type, sizes), ChooseDataClass(random));
  if (!x.facts.exact || IsComplex(type) || type == PRED) return x;
  if (random.Chance(20)) x = scope.Unary(random.Chance(50) || !IsSignedInt(type) ? HloOpcode::kNegate : HloOpcode::kAbs, x);
  if (random.Chance(15)) x = scope.Transpose(x, scope.Permutation(x.rank()));
  if (random.Chance(25) && (IsFloat(type) || IsInt(type)) && x.facts.bounded) {
    x = scope.Convert(x, IsFloat(type) ? (random.Chance(70) ? F32 : F64) : S32);
  }
  if (random.Chance(10) && x.rank() > 1) {
    // Lower dimensions are read again and again.
    const int64_t d = random.Below(x.rank());
    const Value row = scope.Fresh(ArrayShape(x.type(), {x.dimension(static_cast<int>(d))}), DataClass::kSmall);
    if (IsFloat(x.type()) || IsInt(x.type())) {
      x = scope.Binary(HloOpcode::kMaximum, x, scope.Broadcast(row, x.dimensions(), {d}));
    }
  }
  return x;
}

// ---- Reductions

std::unique_ptr<Attributes> DimensionsOf(const DimensionVector& dimensions) {
  return MakeAttributes<DimensionsAttributes>([&](auto& a) { a.dimensions = dimensions; });
}

DimensionVector SomeDimensions(RandomSource& random, int rank) {
  DimensionVector dimensions;
  while (dimensions.empty()) {
    for (int64_t d = 0; d < rank; ++d) {
      if (random.Chance(55)) dimensions.push_back(d);
    }
  }
  return dimensions;
}

double TermsOf(const Value& x, const DimensionVector& dimensions) {
  double terms = 1;
  for (const int64_t d : dimensions) terms *= static_cast<double>(x.dimension(static_cast<int>(d)));
  return terms;
}

void LargeReduceIdiom(Scope& scope) {
  const Value x = LargeArray(scope, Sizes(scope.random(), std::min(WorkLimit(scope), kMostElements)));
  const DimensionVector dimensions = SomeDimensions(scope.random(), x.rank());
  // Several over the same dimensions may become one nest.
  for (int64_t i = scope.random().Between(1, 2); i > 0; --i) {
    const absl::optional<Reduction> reduction = ChooseReduction(scope, x, TermsOf(x, dimensions));
    if (!reduction.has_value()) return;
    const Value result = scope.Add(HloOpcode::kReduce, {x, reduction->init}, reduction->facts,
                                   {DimensionsOf(dimensions), absl::nullopt, {reduction->reducer}});
    if (scope.random().Chance(30) && reduction->facts.exact && IsFloat(x.type())) scope.Unary(HloOpcode::kNegate, result);
  }
}

void LargeArgMaxIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  const DimensionVector sizes = Sizes(random, std::min(WorkLimit(scope), kMostElements));
  static constexpr PrimitiveType kTypes[] = {F32, F32, BF16, F16, S32, U8, F64};
  const PrimitiveType type = random.Pick(kTypes);
  const ArgReduction reduction = ChooseArgReduction(scope, type);
  DataClass data_class = random.Chance(50) ? DataClass::kSmall : DataClass::kOrdinary;
  if ((reduction.takes_nans || IsInt(type)) && random.Chance(50)) data_class = DataClass::kAny;
  const Value x = scope.Fresh(ArrayShape(type, sizes), data_class);
  const int64_t d = random.Below(x.rank());
  // Indices count along the dimension, or are themselves made of something smaller.
  const Value indices = random.Chance(50) ? scope.Iota(S32, sizes, d)
                                          : scope.Broadcast(scope.Iota(S32, {sizes[d]}, 0), sizes, {d});
  const Value tuple = scope.Add(HloOpcode::kReduce, {x, indices, reduction.init, scope.Scalar(S32, 0)},
                                Facts::Exact(), {DimensionsOf({d}), absl::nullopt, {reduction.reducer}});
  if (random.Chance(50)) scope.GetTupleElement(tuple, 0, Facts::Exact());
  scope.GetTupleElement(tuple, 1, Facts::Whole(0, static_cast<double>(x.dimension(static_cast<int>(d)))));
}

// ---- Windows

void AddReduceWindow(Scope& scope, const Value& x, const Window& window, double terms) {
  const absl::optional<Reduction> reduction = ChooseReduction(scope, x, terms);
  if (!reduction.has_value()) return;
  Facts facts = reduction->facts;
  // A window may lie in the padding altogether.
  if (facts.bounded) facts = Either(facts, reduction->init.facts);
  facts.nan_bits = false;
  scope.Add(HloOpcode::kReduceWindow, {x, reduction->init}, facts,
            {MakeAttributes<WindowAttributes>([&](auto& a) { a.window = window; }),
             absl::nullopt,
             {reduction->reducer}});
}

WindowDimension LongWindow(RandomSource& random, int64_t size) {
  WindowDimension w;
  w.size = random.Between(2, std::max<int64_t>(2, std::min<int64_t>(size, random.Chance(70) ? 70 : 1000)));
  if (random.Chance(50)) w.size = std::max(w.size, std::min<int64_t>(size, 50));
  if (random.Chance(40)) w.stride = random.Between(2, random.Chance(70) ? 5 : 40);
  if (random.Chance(50)) {
    w.padding_low = random.Between(-2, w.size);
    w.padding_high = random.Between(-2, w.size);
  }
  if (random.Chance(15)) w.base_dilation = random.Between(2, 3);
  if (random.Chance(15) && w.stride == 1) w.window_dilation = random.Between(2, 3);
  return w;
}

void LongWindowIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  const int64_t most = WorkLimit(scope);
  const Value x = LargeArray(scope, Sizes(random, most / (random.Chance(60) ? 60 : 12)));
  Window window;
  int64_t held = 1;
  const int64_t first = random.Below(x.rank());
  for (int d = 0; d < x.rank(); ++d) {
    WindowDimension dimension;
    const int64_t room = most / std::max<int64_t>(1, x.shape().ElementCount()) / held;
    if ((d == first || random.Chance(40)) && x.dimension(d) > 1 && room > 1) {
      dimension = LongWindow(random, x.dimension(d));
      dimension.size = std::min(dimension.size, room);
      held *= dimension.size;
    }
    window.dimensions.push_back(dimension);
  }
  AddReduceWindow(scope, x, window, static_cast<double>(held));
}

// A sum and a maximum at once, of integers.
void AddPairWindow(Scope& scope, const Value& like, const Window& window) {
  const PrimitiveType type = scope.random().Chance(70) ? S32 : U8;
  const Value x = scope.Fresh(ArrayShape(type, like.dimensions()), DataClass::kAny);
  const Value y = scope.random().Chance(50) ? x : scope.Fresh(x.shape(), DataClass::kAny);
  const Value zero = scope.Scalar(type, 0);
  const Value tuple = scope.Add(HloOpcode::kReduceWindow, {x, y, zero, zero}, Facts::Exact(),
                                {MakeAttributes<WindowAttributes>([&](auto& a) { a.window = window; }),
                                 absl::nullopt,
                                 {SumAndMaximum(scope, type)}});
  scope.GetTupleElement(tuple, 0, Facts::Exact());
  scope.GetTupleElement(tuple, 1, Facts::Exact());
}

// Windows that all begin where a dimension does, or end there: as many as it has elements, fewer or more.
void RunningSumIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  DimensionVector sizes = {random.Chance(50) ? random.Between(16, 70) : random.Between(100, 700)};
  const int64_t room = std::max<int64_t>(1, WorkLimit(scope) * 2 / (sizes[0] * sizes[0]));
  for (int64_t i = random.Below(3); i > 0; --i) {
    sizes.insert(sizes.begin() + random.Below(static_cast<int64_t>(sizes.size()) + 1), Size(random, room));
  }
  const Value x = LargeArray(scope, sizes);
  const auto longest = std::max_element(x.dimensions().begin(), x.dimensions().end());
  Window window;
  window.dimensions.resize(x.rank());
  WindowDimension& w = window.dimensions[longest - x.dimensions().begin()];
  const bool from_the_end = random.Chance(35);
  int64_t& before = from_the_end ? w.padding_high : w.padding_low;
  w.size = *longest;
  before = *longest - 1;
  if (random.Chance(30)) before += random.Between(1, 9);  // the first windows hold nothing
  if (random.Chance(30)) {                                // the last ones hold everything
    const int64_t more = random.Between(1, 9);
    w.size += more;
    before += more;
    (from_the_end ? w.padding_low : w.padding_high) = more;
  }
  if (random.Chance(15)) return AddPairWindow(scope, x, window);
  AddReduceWindow(scope, x, window, static_cast<double>(w.size));
}

// ---- Scatters

// Updates by rows of an array: of `columns` elements each, or single elements.
void ManyUpdatesIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  const int64_t most = std::min(WorkLimit(scope) / 4, kMostElements);
  const bool has_columns = random.Chance(50);
  const int64_t columns = has_columns ? Size(random, 300) : 1;
  const int64_t rows = random.Between(1, random.Chance(60) ? 30 : 600);
  const int64_t updates = std::max<int64_t>(1, random.Chance(60) ? most / columns : random.Between(1, 600));
  static constexpr PrimitiveType kTypes[] = {F32, F32, F32, BF16, F16, S32, U8, F64, S64, PRED, C64};
  const PrimitiveType type = random.Pick(kTypes);
  const DataClass data_class = random.Chance(70) ? DataClass::kSmall : ChooseDataClass(random);
  const Shape array = has_columns ? ArrayShape(type, {rows, columns}) : ArrayShape(type, {rows});
  const Shape update = has_columns ? ArrayShape(type, {updates, columns}) : ArrayShape(type, {updates});
  const Value x = scope.Fresh(array, data_class), u = scope.Fresh(update, data_class);
  // Some updates lie outside of the array, and change nothing.
  const Value wild = scope.Fresh(ArrayShape(S32, {updates, 1}), DataClass::kAny);
  const Value indices =
      random.Chance(15) ? wild
                        : scope.Binary(HloOpcode::kRemainder, wild,
                                       scope.Splat(wild.shape(), static_cast<double>(rows + random.Below(2))));
  const Value both = scope.Splat(x.shape(), 0);
  Value known = x;
  known.facts = Either(Either(x.facts, u.facts), both.facts);
  const absl::optional<Reduction> combiner = ChooseReduction(scope, known, static_cast<double>(updates) + 1);
  if (!combiner.has_value()) return;
  Facts facts = Either(combiner->facts, x.facts);
  facts.nan_bits = false;
  scope.Add(HloOpcode::kScatter, {x, indices, u}, facts,
            {MakeAttributes<ScatterAttributes>([&](auto& a) {
               if (has_columns) a.update_window_dims = {1};
               a.inserted_window_dims = {0};
               a.scatter_dims_to_operand_dims = {0};
               a.index_vector_dim = 1;
             }),
             absl::nullopt,
             {combiner->reducer}});
}

}  // namespace

absl::Span<const Move> FoldingIdioms() {
  static constexpr Move kMoves[] = {
      {"large reduce", 2, 1, &LargeReduceIdiom},   {"large argmax", 1, 1, &LargeArgMaxIdiom},
      {"long windows", 2, 1, &LongWindowIdiom},    {"running sum", 1, 1, &RunningSumIdiom},
      {"many updates", 2, 1, &ManyUpdatesIdiom},
  };
  return kMoves;
}

}  // namespace xla
