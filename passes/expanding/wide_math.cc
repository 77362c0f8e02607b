// Sums and products find what rounding has lost, after T. J. Dekker, A Floating-Point Technique for Extending the
// Available Precision (1971) and D. Knuth; M. Joldes, J.-M. Muller and V. Popescu (2017) have the bounds. They need
// sums and products that are rounded to nearest, and nothing that is left out or done in another order.
//
// A number is split by its bits, not by a product, so that the largest ones have no parts that overflow: the upper part
// is never more than the number.
#include "passes/expanding/wide_math.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace xla {
namespace {

// The upper 12 bits of an f32, its hidden one among them, with sign and exponent.
constexpr int64_t kUpperBits = 0xFFFFF000;

bool IsComplexArray(const WideArray& x) { return IsComplex(x.shape().element_type()); }

Shape OfType(const Shape& shape, PrimitiveType type) { return Shape::Array(type, shape.dimensions()); }

}  // namespace

absl::Status CheckWideForm(const PassContext& context) {
  const absl::string_view arithmetic = context.Option("arithmetic");
  if (arithmetic == "f64" || arithmetic == "f32-pairs" || arithmetic == "f32") return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("option arithmetic: expected f64, f32-pairs or f32, got '", arithmetic, "'"));
}

WideForm WideFormOf(const PassContext& context) {
  const absl::string_view arithmetic = context.Option("arithmetic");
  if (arithmetic == "f64") return WideForm::kDoubles;
  return arithmetic == "f32" ? WideForm::kSingles : WideForm::kPairs;
}

bool HoldsType(WideForm form, PrimitiveType type) {
  return form == WideForm::kDoubles || ComplexComponentType(type) != F64;
}

WideArray WideMath::From(HloInstruction* x) const {
  const bool is_complex = IsComplex(x->shape().element_type());
  if (form_ == WideForm::kDoubles) return {build_.Convert(x, is_complex ? C128 : F64), nullptr};
  return {build_.Convert(x, is_complex ? C64 : F32), nullptr};
}

// The low part is what f32 loses of the value.
WideArray WideMath::SplatLike(const WideArray& x, double value) const {
  const Shape shape = OfType(x.shape(), ComplexComponentType(x.shape().element_type()));
  const auto splat = [&](double part) {
    return build_.Convert(build_.SplatFloat(shape, part), x.shape().element_type());
  };
  if (!in_pairs()) return {splat(value), nullptr};
  const auto lost = value - static_cast<double>(static_cast<float>(value));
  return {splat(value), lost > 0 || lost < 0 ? splat(lost) : nullptr};
}

HloInstruction* WideMath::Low(const WideArray& x) const {
  return x.low != nullptr ? x.low : build_.Splat(x.shape(), 0);
}

WideArray WideMath::Select(HloInstruction* condition, const WideArray& on_true, const WideArray& on_false) const {
  HloInstruction* const high = build_.Select(condition, on_true.high, on_false.high);
  if (on_true.low == nullptr && on_false.low == nullptr) return {high, nullptr};
  return {high, build_.Select(condition, Low(on_true), Low(on_false))};
}

WideArray WideMath::DynamicUpdateSlice(const WideArray& x, const WideArray& update,
                                       absl::Span<HloInstruction* const> starts) const {
  HloInstruction* const high = build_.DynamicUpdateSlice(x.high, update.high, starts);
  if (x.low == nullptr && update.low == nullptr) return {high, nullptr};
  return {high, build_.DynamicUpdateSlice(Low(x), Low(update), starts)};
}

// ---- Complex numbers

WideArray WideMath::Real(const WideArray& x) const {
  if (!IsComplexArray(x)) return x;
  return Each(x, [&](HloInstruction* part) { return build_.Unary(HloOpcode::kReal, part); });
}

WideArray WideMath::Imaginary(const WideArray& x) const {
  return Each(x, [&](HloInstruction* part) { return build_.Unary(HloOpcode::kImag, part); });
}

WideArray WideMath::Complex(const WideArray& real, const WideArray& imaginary) const {
  HloInstruction* const high = build_.Binary(HloOpcode::kComplex, real.high, imaginary.high);
  if (real.low == nullptr && imaginary.low == nullptr) return {high, nullptr};
  return {high, build_.Binary(HloOpcode::kComplex, Low(real), Low(imaginary))};
}

WideArray WideMath::Conjugate(const WideArray& x) const {
  if (!IsComplexArray(x)) return x;
  return Each(x, [&](HloInstruction* part) {
    HloInstruction* const negated = build_.Unary(HloOpcode::kNegate, build_.Unary(HloOpcode::kImag, part));
    return build_.Binary(HloOpcode::kComplex, build_.Unary(HloOpcode::kReal, part), negated);
  });
}

// ---- Pairs of f32

HloInstruction* WideMath::AddLow(HloInstruction* x, HloInstruction* y) const {
  if (x == nullptr) return y;
  return y == nullptr ? x : build_.Add(x, y);
}

// high + rest, of which the rest is much smaller. One that is not finite counts nothing: then the number is not, or is
// the last one that is. Nor does one that is zero, which would take the sign from -0.
WideArray WideMath::Normalized(HloInstruction* high, HloInstruction* rest) const {
  const Shape& shape = high->shape();
  HloInstruction* const zero = build_.Splat(shape, 0);
  HloInstruction* const counts =
      build_.And(build_.Unary(HloOpcode::kIsFinite, rest), build_.Compare(ComparisonDirection::kNe, rest, zero));
  HloInstruction* const added = build_.Select(counts, rest, build_.SplatFloat(shape, -0.0));
  HloInstruction* const sum = build_.Add(high, added);
  HloInstruction* const lost = build_.Sub(added, build_.Sub(sum, high));
  return {sum, build_.Select(build_.Unary(HloOpcode::kIsFinite, lost), lost, zero)};
}

WideArray WideMath::AddPairs(const WideArray& x, const WideArray& y) const {
  HloInstruction* const sum = build_.Add(x.high, y.high);
  HloInstruction* const of_y = build_.Sub(sum, x.high);
  HloInstruction* const of_x = build_.Sub(sum, of_y);
  HloInstruction* const lost = build_.Add(build_.Sub(x.high, of_x), build_.Sub(y.high, of_y));
  return Normalized(sum, AddLow(lost, AddLow(x.low, y.low)));
}

WideMath::Factor WideMath::FactorOf(const WideArray& x) const {
  const Shape bits = OfType(x.shape(), U32);
  HloInstruction* const upper_bits = build_.And(build_.BitcastConvert(x.high, bits), build_.Splat(bits, kUpperBits));
  HloInstruction* const upper = build_.BitcastConvert(upper_bits, OfType(x.shape(), F32));
  return {x.high, upper, build_.Sub(x.high, upper), x.low};
}

// x * y less the product, of the high parts: exactly.
HloInstruction* WideMath::LostOfProduct(HloInstruction* product, const Factor& x, const Factor& y) const {
  HloInstruction* lost = build_.Sub(build_.Mul(x.upper, y.upper), product);
  lost = build_.Add(lost, build_.Mul(x.upper, y.lower));
  lost = build_.Add(lost, build_.Mul(x.lower, y.upper));
  return build_.Add(lost, build_.Mul(x.lower, y.lower));
}

WideArray WideMath::Product(const Factor& x, const Factor& y) const {
  HloInstruction* const product = build_.Mul(x.high, y.high);
  HloInstruction* lost = LostOfProduct(product, x, y);
  if (y.low != nullptr) lost = build_.Add(lost, build_.Mul(x.high, y.low));
  if (x.low != nullptr) lost = build_.Add(lost, build_.Mul(x.low, y.high));
  return Normalized(product, lost);
}

// ---- Arithmetic

WideArray WideMath::Negate(const WideArray& x) const {
  return Each(x, [&](HloInstruction* part) { return build_.Unary(HloOpcode::kNegate, part); });
}

WideArray WideMath::Abs(const WideArray& x) const {
  HloInstruction* const high = build_.Unary(HloOpcode::kAbs, x.high);
  if (x.low == nullptr) return {high, nullptr};
  HloInstruction* const is_negative = build_.Compare(ComparisonDirection::kLt, x.high, build_.Splat(x.shape(), 0));
  return {high, build_.Select(is_negative, build_.Unary(HloOpcode::kNegate, x.low), x.low)};
}

WideArray WideMath::Add(const WideArray& x, const WideArray& y) const {
  if (!in_pairs()) return {build_.Add(x.high, y.high), nullptr};
  if (!IsComplexArray(x)) return AddPairs(x, y);
  return Complex(AddPairs(Real(x), Real(y)), AddPairs(Imaginary(x), Imaginary(y)));
}

WideArray WideMath::Sub(const WideArray& x, const WideArray& y) const {
  if (!in_pairs()) return {build_.Sub(x.high, y.high), nullptr};
  return Add(x, Negate(y));
}

WideArray WideMath::Mul(const WideArray& x, const WideArray& y) const {
  if (!in_pairs()) return {build_.Mul(x.high, y.high), nullptr};
  return Product(FactorOf(x), FactorOf(y));
}

// The quotient in f32, and that of what it leaves.
WideArray WideMath::Div(const WideArray& x, const WideArray& y) const {
  HloInstruction* const quotient = build_.Div(x.high, y.high);
  if (!in_pairs()) return {quotient, nullptr};
  HloInstruction* const product = build_.Mul(quotient, y.high);
  HloInstruction* const lost = LostOfProduct(product, FactorOf({quotient, nullptr}), FactorOf(y));
  HloInstruction* rest = AddLow(build_.Sub(build_.Sub(x.high, product), lost), x.low);
  if (y.low != nullptr) rest = build_.Sub(rest, build_.Mul(quotient, y.low));
  return Normalized(quotient, build_.Div(rest, y.high));
}

// The root in f32, and half of what its square leaves over it. That of zero is zero, and nothing is left.
WideArray WideMath::Sqrt(const WideArray& x) const {
  HloInstruction* const root = build_.Unary(HloOpcode::kSqrt, x.high);
  if (!in_pairs()) return {root, nullptr};
  HloInstruction* const square = build_.Mul(root, root);
  const Factor factor = FactorOf({root, nullptr});
  HloInstruction* const lost = LostOfProduct(square, factor, factor);
  HloInstruction* const rest = AddLow(build_.Sub(build_.Sub(x.high, square), lost), x.low);
  return Normalized(root, build_.Div(rest, build_.Add(root, root)));
}

WideArray WideMath::Rsqrt(const WideArray& x) const {
  if (!in_pairs()) return {build_.Unary(HloOpcode::kRsqrt, x.high), nullptr};
  return Div(SplatLike(x, 1), Sqrt(x));
}

WideArray WideMath::OverReal(const WideArray& x, const WideArray& y) const {
  if (!IsComplexArray(x)) return Div(x, y);
  return Complex(Div(Real(x), y), Div(Imaginary(x), y));
}

WideArray WideMath::Sum(const WideArray& x, absl::Span<const int64_t> dimensions) const {
  HloInstruction* const zero = build_.Zero(x.shape().element_type());
  if (!in_pairs()) return {build_.Reduce(x.high, zero, dimensions, HloOpcode::kAdd), nullptr};
  HloComputation* const reducer = NewComputation(build_.module(), "sum_of_pairs");
  InstructionBuilder inside(reducer, build_.origin());
  const auto parameter = [&](int64_t i) { return inside.Parameter(i, Shape::Scalar(F32)); };
  HloInstruction* const high = parameter(0);
  HloInstruction* const low = parameter(1);
  HloInstruction* const next_high = parameter(2);
  const WideArray sum = WideMath(inside, form_).AddPairs({high, low}, {next_high, parameter(3)});
  reducer->set_root(inside.Tuple({sum.high, sum.low}));
  build_.UpdateStatus(inside.status());
  HloInstruction* const sums = build_.ReduceAll({x.high, Low(x)}, {zero, zero}, dimensions, reducer);
  return {build_.GetTupleElement(sums, 0), build_.GetTupleElement(sums, 1)};
}

// Of real pairs. Numbers are split before they are repeated.
WideArray WideMath::SumOfProducts(const WideArray& lhs, const WideArray& rhs, bool rhs_transposed) const {
  const int64_t batch = lhs.shape().dimension(0);
  const int64_t rows = lhs.shape().dimension(1);
  const int64_t terms = lhs.shape().dimension(2);
  const int64_t columns = rhs.shape().dimension(rhs_transposed ? 1 : 2);
  const auto repeated = [&](const Factor& x, bool is_lhs) {
    const auto repeat = [&](HloInstruction* part) -> HloInstruction* {
      if (part == nullptr) return nullptr;
      if (rhs_transposed) {
        return is_lhs ? build_.Broadcast(part, {batch, rows, columns, terms}, {0, 1, 3})
                      : build_.Broadcast(part, {batch, rows, columns, terms}, {0, 2, 3});
      }
      return is_lhs ? build_.Broadcast(part, {batch, rows, terms, columns}, {0, 1, 2})
                    : build_.Broadcast(part, {batch, rows, terms, columns}, {0, 2, 3});
    };
    return Factor{repeat(x.high), repeat(x.upper), repeat(x.lower), repeat(x.low)};
  };
  const WideArray products = Product(repeated(FactorOf(lhs), true), repeated(FactorOf(rhs), false));
  return Sum(products, {rhs_transposed ? 3 : 2});
}

WideArray WideMath::MultiplyMatrices(const WideArray& lhs, const WideArray& rhs, bool rhs_transposed) const {
  if (!in_pairs()) {
    DotAttributes attributes;
    attributes.lhs_batch_dims = {0};
    attributes.rhs_batch_dims = {0};
    attributes.lhs_contracting_dims = {2};
    attributes.rhs_contracting_dims = {rhs_transposed ? 2 : 1};
    return {build_.Dot(lhs.high, rhs.high, std::move(attributes)), nullptr};
  }
  const auto sum = [&](const WideArray& x, const WideArray& y) { return SumOfProducts(x, y, rhs_transposed); };
  if (!IsComplexArray(lhs)) return sum(lhs, rhs);
  const WideArray a = Real(lhs), b = Imaginary(lhs), c = Real(rhs), d = Imaginary(rhs);
  return Complex(Sub(sum(a, c), sum(b, d)), Add(sum(a, d), sum(b, c)));
}

}  // namespace xla
