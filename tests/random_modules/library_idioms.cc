// Products and convolutions of the sizes at which libraries, tiles and threads come in, with whole numbers, so that
// every bit counts. They are large beside everything else in a random module, and therefore rare.
#include <algorithm>
#include <memory>
#include <vector>

#include "tests/random_modules/moves.h"

namespace xla {
namespace {

// Products that the interpreter has to add up: mostly so many at most, now and then the second number.
constexpr double kUsualWork = 300'000;
constexpr double kMostWork = 2'000'000;

double WorkLimit(Scope& scope) {
  // Within loops it is done again and again.
  if (scope.depth() > 0) return kUsualWork / 10;
  return scope.random().Chance(4) ? kMostWork : kUsualWork;
}

// Beside the widths of vectors and tiles, and one off.
int64_t Size(RandomSource& random, int64_t most) {
  static constexpr int64_t kSizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  12, 15, 16,  17,
                                       23, 24, 31, 32, 33, 47, 48, 63, 64, 65, 96, 127, 128};
  int64_t size = random.Pick(kSizes);
  while (size > most) size = (size + 1) / 2;
  return std::max<int64_t>(1, size);
}

struct ProductTypes {
  PrimitiveType lhs, rhs;
  PrimitiveType result;
};

ProductTypes ChooseTypes(RandomSource& random) {
  static constexpr ProductTypes kTypes[] = {
      {F32, F32, F32},    {F32, F32, F32},   {F32, F32, F32}, {F32, F32, F32}, {F16, F16, F16},   {F16, F16, F32},
      {F16, F16, F16},    {BF16, BF16, F32}, {BF16, BF16, BF16}, {BF16, BF16, BF16}, {S8, S8, S32}, {S8, S8, S32},
      {S8, U8, S32},      {U8, S8, S32},     {U8, U8, S32},   {U8, U8, U32},   {F64, F64, F64},   {S32, S32, S32},
      {C64, C64, C64},    {F32, BF16, F32},  {F32, S8, F32},  {F32, U8, F32},  {F32, F16, F32},   {C128, C128, C128}};
  return random.Pick(kTypes);
}

// Small whole numbers; 0 and 1 where sums of others would be too large for the type to hold.
DataClass FactorClass(RandomSource& random, PrimitiveType result, double terms) {
  // Sums of integers wrap.
  if (IsInt(result) && random.Chance(60)) return DataClass::kAny;
  const double limit = WholeNumberLimit(ComplexComponentType(result)) / (IsComplex(result) ? 2 : 1);
  return terms * 9 <= limit ? DataClass::kSmall : DataClass::kCount;
}

Value Factor(Scope& scope, PrimitiveType type, absl::Span<const int64_t> sizes, DataClass data_class) {
  const Shape shape = ArrayShape(type, sizes);
  return scope.random().Chance(25) ? scope.Constant(shape, data_class) : scope.Fresh(shape, data_class);
}

// Facts of a sum of products; nullopt if nothing can be said about it.
absl::optional<Facts> SumOfProducts(const ProductTypes& types, double terms, const Value& lhs, const Value& rhs) {
  const Facts product = ProductFacts(lhs.facts, rhs.facts, types.result);
  if (IsInt(types.result)) return SumFacts(types.result, terms, product);
  const double parts = terms * (IsComplex(types.result) ? 2 : 1);
  if (!MaySum(types.result, parts, product)) return absl::nullopt;
  return SumFacts(types.result, parts, product);
}

// What layers do after a product, which libraries take with it.
void AddEpilogue(Scope& scope, Value x, int64_t feature) {
  if (!x.facts.exact || !x.facts.bounded || scope.random().Chance(50)) return;
  // As quantized layers do it.
  if (x.type() == S32) x = scope.Convert(x, F32);
  if (!IsFloat(x.type())) return;
  const DimensionVector sizes = ToVector(x.dimensions());
  if (scope.random().Chance(70)) {
    const Value bias = scope.Fresh(ArrayShape(x.type(), {sizes[feature]}), DataClass::kSmall);
    x = scope.Binary(HloOpcode::kAdd, x, scope.Broadcast(bias, sizes, {feature}));
  }
  if (scope.random().Chance(60)) x = scope.Binary(HloOpcode::kMaximum, x, scope.Splat(x.shape(), 0));
  if (scope.random().Chance(20)) scope.Binary(HloOpcode::kAdd, x, scope.Fresh(x.shape(), DataClass::kSmall));
}

struct DotSizes {
  int64_t batch, m, k, n;
};

// A matrix of which a vector reads several tiles, or a sum so long that tiles have a part of it each.
DotSizes ChooseLargeDotSizes(RandomSource& random) {
  if (random.Chance(60)) {
    return {1, random.Chance(70) ? 1 : random.Between(2, 4), random.Between(2500, 4500), random.Between(90, 140)};
  }
  return {1, random.Between(64, 80), random.Between(4096, 5000), random.Between(64, 70)};
}

// Matrices of any shape; few rows and many columns; vectors, and sums so long that they are cut; many small matrices.
DotSizes ChooseDotSizes(RandomSource& random, double most) {
  const auto at_most = [&](double used) { return static_cast<int64_t>(std::max(1.0, most / used)); };
  DotSizes s = {1, 1, 1, 1};
  switch (random.Below(10)) {
    case 0:
      s.m = random.Between(16, 40);
      s.k = random.Pick(std::vector<int64_t>{16, 32, 33, 48});
      s.n = std::min<int64_t>(random.Pick(std::vector<int64_t>{256, 257, 320, 512}),
                              at_most(static_cast<double>(s.m * s.k)));
      return s;
    case 1:
      s.m = random.Chance(50) ? 1 : random.Between(2, 9);
      s.k = std::min<int64_t>(random.Pick(std::vector<int64_t>{100, 1000, 2000, 4097, 16385, 40000}),
                              at_most(static_cast<double>(s.m)));
      s.n = std::min<int64_t>(random.Pick(std::vector<int64_t>{1, 3, 16, 64, 70, 1000}),
                              at_most(static_cast<double>(s.m * s.k)));
      if (random.Chance(30)) std::swap(s.m, s.n);
      return s;
    case 2:
      s.m = Size(random, 33), s.k = Size(random, 33), s.n = Size(random, 33);
      s.batch = std::min<int64_t>(random.Between(4, 70), at_most(static_cast<double>(s.m * s.k * s.n)));
      return s;
    case 3:
      s.m = random.Between(250, 300), s.k = random.Between(1, 5), s.n = random.Between(1, 5);
      if (random.Chance(30)) std::swap(s.m, s.n);
      return s;
    default:
      s.batch = random.Chance(70) ? 1 : random.Between(2, 5);
      s.k = Size(random, 128);
      s.m = Size(random, at_most(static_cast<double>(s.batch * s.k)));
      s.n = Size(random, at_most(static_cast<double>(s.batch * s.k * s.m)));
      return s;
  }
}

void LibraryDotIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  const ProductTypes types = ChooseTypes(random);
  const bool is_large = scope.depth() == 0 && !IsComplex(types.result) && random.Chance(3);
  const auto [batch, m, k, n] = is_large ? ChooseLargeDotSizes(random) : ChooseDotSizes(random, WorkLimit(scope));
  const DataClass data_class = FactorClass(random, types.result, static_cast<double>(k));
  DotAttributes attributes;
  const bool has_batch = batch > 1 || random.Chance(15);
  const int64_t first = has_batch ? 1 : 0;
  // Either operand may lie transposed.
  const bool lhs_turned = random.Chance(30), rhs_turned = random.Chance(40);
  DimensionVector lhs_sizes = {lhs_turned ? k : m, lhs_turned ? m : k};
  DimensionVector rhs_sizes = {rhs_turned ? n : k, rhs_turned ? k : n};
  attributes.lhs_contracting_dims = {first + (lhs_turned ? 0 : 1)};
  attributes.rhs_contracting_dims = {first + (rhs_turned ? 1 : 0)};
  DimensionVector result = {m, n};
  if (has_batch) {
    attributes.lhs_batch_dims = attributes.rhs_batch_dims = {0};
    for (DimensionVector* sizes : {&lhs_sizes, &rhs_sizes, &result}) sizes->insert(sizes->begin(), batch);
  }
  const Value lhs = Factor(scope, types.lhs, lhs_sizes, data_class);
  const Value rhs = Factor(scope, types.rhs, rhs_sizes, data_class);
  const absl::optional<Facts> facts = SumOfProducts(types, static_cast<double>(k), lhs, rhs);
  if (!facts.has_value()) return;
  const Value product =
      scope.Add(HloOpcode::kDot, {lhs, rhs}, *facts,
                {std::make_unique<DotAttributes>(attributes), ArrayShape(types.result, result)});
  AddEpilogue(scope, product, product.rank() - 1);
}

// An operand of few bits that is brought to f32: scaled by groups along k, by columns or as a whole, less a zero point.
// The same once more as an operand that lies transposed.
void DequantizedDotIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  static constexpr PrimitiveType kTypes[] = {S8, U8, S4, U4, S16, S8};
  const bool is_large = scope.depth() == 0 && random.Chance(25);
  const int64_t group = random.Pick(std::vector<int64_t>{1, 4, 8, 16, 32});
  const int64_t groups = is_large ? random.Between(16, 32) : random.Between(1, 4);
  const int64_t k = group * groups, n = is_large ? random.Between(200, 1100) : Size(random, 128);
  int64_t m = random.Chance(50) ? 1 : Size(random, 64);
  while (m > 1 && static_cast<double>(m * k * n) > WorkLimit(scope)) m = (m + 1) / 2;
  const bool turned = random.Chance(50);
  const DimensionVector grouped = turned ? DimensionVector{n, groups, group} : DimensionVector{groups, group, n};
  const DimensionVector flat = turned ? DimensionVector{n, k} : DimensionVector{k, n};
  const Value stored = scope.Fresh(ArrayShape(random.Pick(kTypes), flat), DataClass::kSmall);
  Value weights = scope.Convert(stored, F32);
  for (const HloOpcode opcode : {HloOpcode::kSubtract, HloOpcode::kMultiply}) {
    if (random.Chance(30)) continue;
    switch (random.Below(4)) {
      case 0:
        weights = scope.Binary(opcode, weights, scope.Splat(weights.shape(), 2));
        break;
      case 1: {
        const int64_t along = random.Below(2);
        const Value each = scope.Fresh(ArrayShape(F32, {flat[along]}), DataClass::kCount);
        weights = scope.Binary(opcode, weights, scope.Broadcast(each, flat, {along}));
        break;
      }
      default: {
        const Value of_group = scope.Fresh(
            ArrayShape(F32, turned ? DimensionVector{n, groups} : DimensionVector{groups, n}), DataClass::kCount);
        const Value spread =
            scope.Broadcast(of_group, grouped, turned ? DimensionVector{0, 1} : DimensionVector{0, 2});
        if (random.Chance(50)) {
          weights = scope.Binary(opcode, weights, scope.Reshape(spread, flat));
        } else {
          weights = scope.Reshape(scope.Binary(opcode, scope.Reshape(weights, grouped), spread), flat);
        }
      }
    }
  }
  const Value x = scope.Fresh(ArrayShape(F32, {m, k}), DataClass::kSmall);
  const absl::optional<Facts> facts = SumOfProducts({F32, F32, F32}, static_cast<double>(k), x, weights);
  if (!facts.has_value()) return;
  scope.Add(HloOpcode::kDot, {x, weights}, *facts, {MakeAttributes<DotAttributes>([&](auto& a) {
              a.lhs_contracting_dims = {1};
              a.rhs_contracting_dims = {turned ? 1 : 0};
            })});
}

// ---- Convolutions

struct Image {
  int64_t batch, features, outputs, groups;
  int spatial;
  DimensionVector sizes;  // of the spatial dimensions
  Window window;
};

int64_t OutputSize(int64_t size, const WindowDimension& w) {
  const int64_t dilated = size > 0 ? (size - 1) * w.base_dilation + 1 : 0;
  const int64_t padded = dilated + w.padding_low + w.padding_high;
  const int64_t reach = (w.size - 1) * w.window_dilation + 1;
  return padded < reach ? 0 : (padded - reach) / w.stride + 1;
}

// Strides that leave rows over, rows cut off by negative padding, and holes of dilations are as likely as layers
// without.
WindowDimension ChooseWindow(RandomSource& random) {
  WindowDimension w;
  w.size = random.Pick(std::vector<int64_t>{1, 1, 1, 2, 3, 3, 5});
  if (random.Chance(50)) w.stride = random.Between(2, 4);
  const bool same = random.Chance(40);
  w.padding_low = same ? w.size / 2 : random.Chance(40) ? random.Between(-2, 3) : 0;
  w.padding_high = same ? w.size / 2 : random.Chance(40) ? random.Between(-2, 3) : 0;
  if (random.Chance(15)) w.base_dilation = random.Between(2, 3);
  if (random.Chance(15)) w.window_dilation = random.Between(2, 3);
  w.window_reversal = random.Chance(8);
  return w;
}

double WorkOf(const Image& image) {
  double work = static_cast<double>(image.batch * image.features * image.outputs);
  for (int s = 0; s < image.spatial; ++s) {
    const WindowDimension& w = image.window.dimensions[s];
    work *= static_cast<double>(w.size * OutputSize(image.sizes[s], w));
  }
  return work;
}

// Half of `number`, at least 1. False if it was 1 already.
bool Halve(int64_t& number) {
  if (number == 1) return false;
  number = (number + 1) / 2;
  return true;
}

// A layer of a network: several images, with as many features as vectors have lanes.
Image ChooseLayer(RandomSource& random) {
  Image image;
  image.batch = random.Pick(std::vector<int64_t>{1, 4, 5, 8, 8, 9, 16, 16, 17});
  image.groups = 1;
  image.features = random.Pick(std::vector<int64_t>{3, 8, 16, 16, 16, 32});
  image.outputs = random.Pick(std::vector<int64_t>{8, 16, 16, 16, 24, 32});
  image.spatial = random.Chance(80) ? 2 : static_cast<int>(random.Between(1, 3));
  for (int s = 0; s < image.spatial; ++s) {
    image.window.dimensions.push_back(ChooseWindow(random));
    image.sizes.push_back(random.Between(3, image.spatial == 3 ? 5 : 10));
  }
  return image;
}

// Any numbers, groups of features among them.
Image ChooseOddLayer(RandomSource& random) {
  Image image;
  image.batch = random.Pick(std::vector<int64_t>{1, 1, 2, 3, 4, 8, 16});
  image.groups = random.Chance(70) ? 1 : random.Pick(std::vector<int64_t>{2, 3, 8});
  image.features = image.groups > 1 && random.Chance(50) ? 1 : Size(random, 64);
  image.outputs = image.groups * (image.groups > 1 && random.Chance(60) ? 1 : Size(random, 64 / image.groups));
  image.spatial = static_cast<int>(random.Pick(std::vector<int64_t>{1, 2, 2, 2, 2, 3}));
  for (int s = 0; s < image.spatial; ++s) {
    image.window.dimensions.push_back(ChooseWindow(random));
    image.sizes.push_back(random.Between(2, image.spatial == 3 ? 6 : 16));
  }
  return image;
}

// Images become smaller, then their features fewer, until the work is no more than `most`.
Image ChooseImage(RandomSource& random, double most) {
  Image image = random.Chance(60) ? ChooseLayer(random) : ChooseOddLayer(random);
  while (WorkOf(image) > most) {
    int64_t& size = image.sizes[random.Below(image.spatial)];
    if (size > 3 && Halve(size)) continue;
    const bool fewer = image.groups == 1 && random.Chance(50) && image.outputs > 8 ? Halve(image.outputs)
                                                                                    : Halve(image.features);
    if (fewer || Halve(image.batch)) continue;
    image.window.dimensions.assign(image.spatial, WindowDimension());
    image.outputs = image.groups;
    break;
  }
  return image;
}

ConvolutionDimensionNumbers ChooseLabels(Scope& scope, int spatial) {
  ConvolutionDimensionNumbers labels;
  DimensionVector behind(spatial), between(spatial), before(spatial);
  for (int s = 0; s < spatial; ++s) before[s] = s, between[s] = s + 1, behind[s] = s + 2;
  const bool features_last = scope.random().Chance(65);
  labels.input_batch = labels.output_batch = 0;
  labels.input_feature = labels.output_feature = features_last ? spatial + 1 : 1;
  labels.input_spatial = labels.output_spatial = features_last ? between : behind;
  labels.kernel_input_feature = features_last ? spatial : 1;
  labels.kernel_output_feature = features_last ? spatial + 1 : 0;
  labels.kernel_spatial = features_last ? before : behind;
  if (scope.random().Chance(15)) {
    const std::vector<int64_t> order = scope.Permutation(spatial + 2);
    labels.input_batch = order[0];
    labels.input_feature = order[1];
    labels.input_spatial.assign(order.begin() + 2, order.end());
  }
  return labels;
}

void LibraryConvolutionIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  const Image image = ChooseImage(random, WorkLimit(scope));
  const ProductTypes types = ChooseTypes(random);
  ConvolutionAttributes a;
  a.window = image.window;
  a.feature_group_count = image.groups;
  a.dim_labels = ChooseLabels(scope, image.spatial);
  DimensionVector input(image.spatial + 2), kernel(image.spatial + 2);
  input[a.dim_labels.input_batch] = image.batch;
  input[a.dim_labels.input_feature] = image.features * image.groups;
  kernel[a.dim_labels.kernel_input_feature] = image.features;
  kernel[a.dim_labels.kernel_output_feature] = image.outputs;
  double terms = static_cast<double>(image.features);
  for (int s = 0; s < image.spatial; ++s) {
    const WindowDimension& w = image.window.dimensions[s];
    input[a.dim_labels.input_spatial[s]] = image.sizes[s];
    kernel[a.dim_labels.kernel_spatial[s]] = w.size;
    terms *= static_cast<double>(w.size);
  }
  const DataClass data_class = FactorClass(random, types.result, terms);
  const Value lhs = Factor(scope, types.lhs, input, data_class);
  const Value rhs = Factor(scope, types.rhs, kernel, data_class);
  absl::optional<Facts> facts = SumOfProducts(types, terms, lhs, rhs);
  if (!facts.has_value()) return;
  // Next to the edges there are fewer terms, down to none.
  if (facts->bounded) facts->low = std::min(facts->low, 0.0), facts->high = std::max(facts->high, 0.0);
  DimensionVector result(image.spatial + 2);
  result[a.dim_labels.output_batch] = image.batch;
  result[a.dim_labels.output_feature] = image.outputs;
  for (int s = 0; s < image.spatial; ++s) {
    result[a.dim_labels.output_spatial[s]] = OutputSize(image.sizes[s], image.window.dimensions[s]);
  }
  const int64_t feature = a.dim_labels.output_feature;
  const Value images = scope.Add(HloOpcode::kConvolution, {lhs, rhs}, *facts,
                                 {std::make_unique<ConvolutionAttributes>(a), ArrayShape(types.result, result)});
  AddEpilogue(scope, images, feature);
}

}  // namespace

absl::Span<const Move> LibraryIdioms() {
  static constexpr Move kMoves[] = {
      {"library dot", 4, 1, &LibraryDotIdiom},
      {"dequantized dot", 2, 1, &DequantizedDotIdiom},
      {"library convolution", 6, 1, &LibraryConvolutionIdiom},
  };
  return kMoves;
}

}  // namespace xla
