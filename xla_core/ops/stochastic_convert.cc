// stochastic-convert: converts floats to a narrower type, rounding up or down at random.
//
//   operand T[d0..dn], T a float; random U[d0..dn], U the unsigned integer of T's width; result V[d0..dn], V an integer
//   or floating type
// The value lies between two neighbours in V, a fraction f of the way from the one nearer to zero. It is rounded away
// from zero if f exceeds the random bits read as a fraction in [0, 1), else towards zero. Values that V holds stay.
// Integers saturate and take NaN to 0; a float beyond V's largest value overflows as in convert. Source: XLA's
// hlo_evaluator.cc, which knows integer results only; floats follow the same rule here.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/convert_elements.h"
#include "xla_core/ops/elementwise_kernel.h"
#include "xla_core/ops/elementwise_op.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

constexpr int64_t kDrawnAtOnce = 256;

// `fraction` in [0, 1), `random` of `random_bits` bits.
bool RoundsAwayFromZero(double fraction, uint64_t random, int random_bits) {
  return random < static_cast<uint64_t>(std::ldexp(fraction, random_bits));
}

// low and high: the limits of the integer type.
template <typename Int>
Int ToInt(double x, uint64_t random, int random_bits, Int low, Int high) {
  if (x != x) return 0;
  if (x >= static_cast<double>(high)) return high;
  if (x <= static_cast<double>(low)) return low;
  const double magnitude = std::trunc(std::fabs(x));
  const bool away = RoundsAwayFromZero(std::fabs(x) - magnitude, random, random_bits);
  const double rounded = magnitude + (away ? 1 : 0);
  return static_cast<Int>(x < 0 ? -rounded : rounded);
}

// f32 or a narrow format, by the patterns of its non-negative values.
class Grid {
 public:
  explicit Grid(PrimitiveType type) : type_(type) {
    max_ = type == F32 ? std::numeric_limits<float>::max() : TraitsOf(NarrowFormatOf(type)).max;
  }
  double max() const { return max_; }
  double Value(uint32_t bits) const {
    if (type_ != F32) return DecodeNarrow(NarrowFormatOf(type_), bits);
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  // The largest value that is at most `magnitude`, which is at most max().
  uint32_t Floor(double magnitude) const {
    const uint32_t nearest = Nearest(magnitude);
    return Value(nearest) > magnitude && nearest > 0 ? nearest - 1 : nearest;
  }

 private:
  uint32_t Nearest(double magnitude) const {
    if (type_ != F32) return EncodeNarrow(NarrowFormatOf(type_), magnitude);
    const float value = static_cast<float>(magnitude);
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  }

  PrimitiveType type_;
  double max_;
};

// x rounded to a value of the grid; unchanged if there is none, for convert to overflow.
double ToGrid(const Grid& grid, double x, uint64_t random, int random_bits) {
  const double magnitude = std::fabs(x);
  if (!(magnitude < grid.max())) return x;
  const uint32_t floor = grid.Floor(magnitude);
  const double below = grid.Value(floor);
  // f8e8m0fnu has no zero, and what is below its least number neither: the former is NaN there.
  if (!(below < magnitude)) return x;
  const double above = grid.Value(floor + 1);
  const bool away = RoundsAwayFromZero((magnitude - below) / (above - below), random, random_bits);
  return std::copysign(away ? above : below, x);
}

void ToInts(PrimitiveType to, int64_t n, const double* x, const uint64_t* random, int random_bits, void* dst) {
  DispatchInt(to, [&](auto tag) {
    using Int = TagType<decltype(tag)>;
    const int unused_bits = static_cast<int>(sizeof(Int)) * 8 - BitWidth(to);
    const Int low = static_cast<Int>(std::numeric_limits<Int>::min() >> unused_bits);
    const Int high = static_cast<Int>(std::numeric_limits<Int>::max() >> unused_bits);
    for (int64_t i = 0; i < n; ++i) static_cast<Int*>(dst)[i] = ToInt(x[i], random[i], random_bits, low, high);
  });
}

void ToFloats(PrimitiveType to, int64_t n, double* x, const uint64_t* random, int random_bits, void* dst) {
  if (to != F64) {
    const Grid grid(to);
    for (int64_t i = 0; i < n; ++i) x[i] = ToGrid(grid, x[i], random[i], random_bits);
  }
  ConvertElements(F64, to, n, x, dst);
}

// The random bits have the width of the operand; they decide how often a number is rounded up.
absl::StatusOr<Shape> InferShapeOfStochasticConvert(const HloInstruction& instruction) {
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& random = instruction.operand(1)->shape();
  const PrimitiveType to = instruction.shape().element_type();
  if (!IsFloat(operand.element_type())) {
    return absl::InvalidArgumentError(
        absl::StrCat("operand 0 must be an array of floating elements, got ", operand.ToString()));
  }
  if (!IsUnsignedInt(random.element_type()) || BitWidth(random.element_type()) != BitWidth(operand.element_type())) {
    return absl::InvalidArgumentError(absl::StrCat("the random bits must be unsigned integers of ",
                                                   BitWidth(operand.element_type()), " bits, as wide as operand 0 (",
                                                   operand.ToString(), "), got ", random.ToString()));
  }
  if (!IsInt(to) && !IsFloat(to)) {
    return absl::InvalidArgumentError(absl::StrCat("the result must be an array of integer or floating elements, got ",
                                                   instruction.shape().ToString()));
  }
  ASSIGN_OR_RETURN(Shape shape, MergeDimensions(operand, random, "operands"));
  shape.set_element_type(to);
  return shape;
}

}  // namespace

// Goes through double and 64-bit words kDrawnAtOnce elements at a time, for any pair of types.
void StochasticConvertLoop(const LoopParameters& parameters, int64_t n, const void* const* inputs, void* result) {
  const PrimitiveType from = parameters.from;
  const PrimitiveType to = parameters.to;
  const int random_bits = BitWidth(from);
  const PrimitiveType random_type = ByteWidth(from) == 1 ? U8 : ByteWidth(from) == 2 ? U16 : from == F32 ? U32 : U64;
  double x[kDrawnAtOnce];
  uint64_t random[kDrawnAtOnce];
  for (int64_t begin = 0; begin < n; begin += kDrawnAtOnce) {
    const int64_t count = std::min(kDrawnAtOnce, n - begin);
    ConvertElements(from, F64, count, static_cast<const char*>(inputs[0]) + begin * ByteWidth(from), x);
    ConvertElements(random_type, U64, count, static_cast<const char*>(inputs[1]) + begin * ByteWidth(from), random);
    char* const dst = static_cast<char*>(result) + begin * ByteWidth(to);
    if (IsInt(to)) {
      ToInts(to, count, x, random, random_bits, dst);
    } else {
      ToFloats(to, count, x, random, random_bits, dst);
    }
  }
}

OpDefinition Define_kStochasticConvert() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.infer_shape = &InferShapeOfStochasticConvert;
  op.evaluate = &EvaluateElementwise;
  return op;
}

}  // namespace xla
