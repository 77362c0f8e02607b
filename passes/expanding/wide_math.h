// WideMath: arithmetic that loses less than f32's, for expansions of what the interpreter computes in f64. It is done
// in f64, or, for devices that have none, in pairs of f32.
//
// A pair is the sum of a number and of what rounding has lost of it: 48 bits or so, in the range of f32. The number
// alone is the pair rounded to f32, except by chance: pairs of infinities and NaN are these and zero. What is lost of
// numbers near the least normal one may be less than f32 can hold.
//
//   const WideMath math(build, WideForm::kPairs);
//   const WideArray x = math.From(operand);
//   HloInstruction* const root = math.Round(math.Sqrt(math.Add(math.Mul(x, x), y)), F32);
#ifndef PASSES_EXPANDING_WIDE_MATH_H_
#define PASSES_EXPANDING_WIDE_MATH_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/pass_context.h"

namespace xla {

// f64; pairs of f32; f32 as it is, for those who would rather be fast.
enum class WideForm : uint8_t { kDoubles, kPairs, kSingles };

// Of a pass's option `arithmetic`, which is "f64", "f32-pairs" or "f32"; else CheckWideForm is InvalidArgument.
absl::Status CheckWideForm(const PassContext& context);
WideForm WideFormOf(const PassContext& context);
// Whether the form has all numbers of the type: those of f32 have not all f64.
bool HoldsType(WideForm form, PrimitiveType type);

struct WideArray {
  HloInstruction* high = nullptr;  // f64, c128; of pairs and singles f32, c64
  HloInstruction* low = nullptr;   // of pairs, the same shape; nullptr: zero

  const Shape& shape() const { return high->shape(); }
};

// Both arrays of an operation have the same dimensions.
class WideMath {
 public:
  WideMath(InstructionBuilder& build, WideForm form) : build_(build), form_(form) {}

  InstructionBuilder& build() const { return build_; }
  WideForm form() const { return form_; }

  // Exactly. The form holds its type.
  WideArray From(HloInstruction* x) const;
  HloInstruction* Round(const WideArray& x, PrimitiveType type) const { return build_.Convert(x.high, type); }
  // Of the dimensions and the type of x.
  WideArray SplatLike(const WideArray& x, double value) const;
  // The low part as an array.
  HloInstruction* Low(const WideArray& x) const;

  // ---- What moves elements: `move` is called for each part.
  template <typename Move>
  static WideArray Each(const WideArray& x, const Move& move) {
    return {move(x.high), x.low == nullptr ? nullptr : move(x.low)};
  }
  WideArray Select(HloInstruction* condition, const WideArray& on_true, const WideArray& on_false) const;
  WideArray DynamicUpdateSlice(const WideArray& x, const WideArray& update,
                               absl::Span<HloInstruction* const> starts) const;

  // ---- Complex numbers; of real ones, the number itself.
  WideArray Real(const WideArray& x) const;
  WideArray Imaginary(const WideArray& x) const;  // of complex numbers only
  WideArray Complex(const WideArray& real, const WideArray& imaginary) const;
  WideArray Conjugate(const WideArray& x) const;

  // ---- Arithmetic. Negate, Add, Sub, OverReal and the sum of products take complex numbers too.
  WideArray Negate(const WideArray& x) const;
  WideArray Abs(const WideArray& x) const;
  WideArray Add(const WideArray& x, const WideArray& y) const;
  WideArray Sub(const WideArray& x, const WideArray& y) const;
  WideArray Mul(const WideArray& x, const WideArray& y) const;
  WideArray Div(const WideArray& x, const WideArray& y) const;
  WideArray Sqrt(const WideArray& x) const;
  WideArray Rsqrt(const WideArray& x) const;
  // x / y for real y.
  WideArray OverReal(const WideArray& x, const WideArray& y) const;
  WideArray Sum(const WideArray& x, absl::Span<const int64_t> dimensions) const;
  // Of matrices: batch x a x b times batch x b x c, or, with `rhs_transposed`, batch x c x b.
  WideArray MultiplyMatrices(const WideArray& lhs, const WideArray& rhs, bool rhs_transposed) const;

 private:
  // A number of a pair, ready to be multiplied: high is upper + lower, of 12 bits each.
  struct Factor {
    HloInstruction* high;
    HloInstruction* upper;
    HloInstruction* lower;
    HloInstruction* low;  // as in WideArray
  };

  bool in_pairs() const { return form_ == WideForm::kPairs; }
  WideArray AddPairs(const WideArray& x, const WideArray& y) const;
  WideArray Normalized(HloInstruction* high, HloInstruction* rest) const;
  Factor FactorOf(const WideArray& x) const;
  HloInstruction* LostOfProduct(HloInstruction* product, const Factor& x, const Factor& y) const;
  WideArray Product(const Factor& x, const Factor& y) const;
  WideArray SumOfProducts(const WideArray& lhs, const WideArray& rhs, bool rhs_transposed) const;
  // x + y of low parts, or of what is to be one.
  HloInstruction* AddLow(HloInstruction* x, HloInstruction* y) const;

  InstructionBuilder& build_;
  const WideForm form_;
};

}  // namespace xla

#endif  // PASSES_EXPANDING_WIDE_MATH_H_
