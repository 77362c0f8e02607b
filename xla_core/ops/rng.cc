// Random numbers from the state of the run, which each use advances.
//   distribution=rng_uniform: operands a, b; numbers in [a, b) for floats and integers, any value for pred unless a and
//     b agree. Where b does not exceed a, all numbers are a.
//   distribution=rng_normal: operands mean and standard deviation; floats only.
//   Operands are scalars of the result's element type.
// HLO leaves the generator to the implementation. Here element 2i and 2i + 1 come from the i-th Philox counter from the
// state on, keyed by the run's seed, so that a seed gives the same numbers on every run and any number of threads.
// Errors: InvalidArgument if an operand is not a scalar of the result's type, or if the distribution does not have it.
// Source: StableHLO spec, section `rng`; XLA operation semantics, section `RngUniform`.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/counter_random.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/wide_elements.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

// Integers and pred have a uniform distribution only; complex numbers have neither.
void VerifyRng(const HloInstruction& instruction, Violations& violations) {
  const Shape& result = instruction.shape();
  if (!result.IsArray()) return violations.Add(absl::StrCat("the result must be an array, got ", result.ToString()));
  const PrimitiveType type = result.element_type();
  for (int i = 0; i < 2; ++i) {
    const Shape& operand = instruction.operand(i)->shape();
    if (operand.IsScalarOf(type)) continue;
    violations.Add(absl::StrCat("operand ", i, " must be a scalar of the result's element type, ",
                                PrimitiveTypeName(type), "[], got ", operand.ToString()));
  }
  const RandomDistribution distribution = instruction.attributes<RngAttributes>().distribution;
  if (distribution == RandomDistribution::kInvalid) {
    violations.Add("distribution must be rng_uniform or rng_normal");
  } else if (distribution == RandomDistribution::kNormal && !IsFloat(type)) {
    violations.Add(absl::StrCat("rng_normal needs floats, got ", result.ToString()));
  } else if (IsComplex(type)) {
    violations.Add(absl::StrCat("rng_uniform needs floats, integers or pred, got ", result.ToString()));
  }
}

// The explicit bits of a float's significand.
int MantissaBits(PrimitiveType type) {
  if (type == F64) return 52;
  if (type == F32) return 23;
  return FormatOf(NarrowFormatOf(type)).mantissa_bits;
}

// The value as the type would hold it.
double RoundTo(PrimitiveType type, double value) {
  if (type == F64) return value;
  if (type == F32) return static_cast<float>(value);
  return DecodeNarrow(NarrowFormatOf(type), EncodeNarrow(NarrowFormatOf(type), value));
}

double UniformFloat(PrimitiveType type, uint64_t bits, double a, double b) {
  if (!(a < b)) return a;
  const int mantissa_bits = std::max(1, MantissaBits(type));
  const double fraction = std::ldexp(static_cast<double>(bits >> (64 - mantissa_bits)), -mantissa_bits);
  const double value = a + (b - a) * fraction;
  // Rounding may reach b, which is not in the interval.
  return RoundTo(type, value) < b ? value : a;
}

uint64_t UniformInteger(bool is_signed, uint64_t bits, uint64_t a, uint64_t b) {
  const bool empty = is_signed ? static_cast<int64_t>(b) <= static_cast<int64_t>(a) : b <= a;
  return empty ? a : a + bits % (b - a);
}

// Box-Muller: two independent normal numbers from two uniform ones, the first of which is not zero.
std::pair<double, double> NormalPair(uint64_t bits0, uint64_t bits1) {
  constexpr double kTwoPi = 6.28318530717958647692;
  const double u0 = std::ldexp(static_cast<double>((bits0 >> 11) + 1), -53);
  const double u1 = std::ldexp(static_cast<double>(bits1 >> 11), -53);
  const double radius = std::sqrt(-2 * std::log(u0));
  return {radius * std::cos(kTwoPi * u1), radius * std::sin(kTwoPi * u1)};
}

// Fills the result from pairs of 64 random bits; make_pair gives two elements.
template <typename Wide, typename MakePair>
absl::Status Fill(Literal& result, EvalContext& context, const MakePair& make_pair) {
  const int64_t count = result.element_count();
  const int64_t pairs = CeilDiv(count, 2);
  const auto state = context.AdvanceRngState(static_cast<uint64_t>(pairs));
  const Counter128 counter{state.first, state.second};
  const uint64_t key = context.seed();
  WideStore store{result.shape().element_type(), result.untyped_mutable_data()};
  store.integers_are_signed = IsSignedInt(store.type);
  constexpr int64_t kPairsPerTask = 2048;
  return context.ParallelFor(pairs, kPairsPerTask, [&](int64_t begin, int64_t end) {
    std::vector<Wide> values(2 * (end - begin));
    for (int64_t i = begin; i < end; ++i) {
      const auto words = Philox4x32(key, counter + static_cast<uint64_t>(i));
      const std::pair<Wide, Wide> pair =
          make_pair(words[0] | uint64_t{words[1]} << 32, words[2] | uint64_t{words[3]} << 32);
      values[2 * (i - begin)] = pair.first;
      values[2 * (i - begin) + 1] = pair.second;
    }
    WriteWide(store, values.data(), 2 * begin, std::min(2 * end, count) - 2 * begin);
  });
}

template <typename Wide>
std::pair<Wide, Wide> Parameters(OperandValues& operands) {
  Wide values[2];
  for (int i = 0; i < 2; ++i) {
    ReadWide(operands[i].shape().element_type(), operands[i].untyped_data(), 0, 1, &values[i]);
  }
  return {values[0], values[1]};
}

// Fill gives two 64-bit words for two elements, since NormalPair makes two numbers from two words.
absl::StatusOr<Literal> EvaluateRng(const HloInstruction& instruction, OperandValues& operands, EvalContext& context) {
  ASSIGN_OR_RETURN(Literal result, context.Allocate(instruction.shape()));
  const PrimitiveType type = instruction.shape().element_type();
  if (instruction.attributes<RngAttributes>().distribution == RandomDistribution::kNormal) {
    const auto [mean, deviation] = Parameters<double>(operands);
    RETURN_IF_ERROR(Fill<double>(result, context, [&, m = mean, d = deviation](uint64_t bits0, uint64_t bits1) {
      const auto pair = NormalPair(bits0, bits1);
      return std::make_pair(m + d * pair.first, m + d * pair.second);
    }));
  } else if (IsFloat(type)) {
    const auto [low, high] = Parameters<double>(operands);
    RETURN_IF_ERROR(Fill<double>(result, context, [&, a = low, b = high](uint64_t bits0, uint64_t bits1) {
      return std::make_pair(UniformFloat(type, bits0, a, b), UniformFloat(type, bits1, a, b));
    }));
  } else {
    const auto [low, high] = Parameters<uint64_t>(operands);
    // Of pred, [false, true) would hold nothing but false.
    const uint64_t limit = type == PRED && low != high ? 2 : high;
    const uint64_t first = type == PRED && low != high ? 0 : low;
    RETURN_IF_ERROR(Fill<uint64_t>(result, context, [&](uint64_t bits0, uint64_t bits1) {
      const bool is_signed = IsSignedInt(type);
      return std::make_pair(UniformInteger(is_signed, bits0, first, limit),
                            UniformInteger(is_signed, bits1, first, limit));
    }));
  }
  return result;
}

}  // namespace

OpDefinition Define_kRng() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.make_attributes = &MakeAttributes<RngAttributes>;
  op.verify = &VerifyRng;
  op.evaluate = &EvaluateRng;
  return op;
}

}  // namespace xla
