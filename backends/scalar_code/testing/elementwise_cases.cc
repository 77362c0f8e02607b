#include "backends/scalar_code/testing/elementwise_cases.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "absl/strings/str_cat.h"
#include "backends/kernel_ir/kernel_builder.h"
#include "backends/kernel_ir/kernel_interpreter.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ops/convert_elements.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

std::vector<PrimitiveType> ElementTypes() {
  std::vector<PrimitiveType> types;
  for (int i = 0; i < kNumPrimitiveTypes; ++i) {
    const auto type = static_cast<PrimitiveType>(i);
    if (IsArrayType(type)) types.push_back(type);
  }
  return types;
}

// Numbers whose bits are likely to be trouble, and others.
std::vector<uint64_t> Patterns(int bits, std::mt19937_64& random) {
  std::vector<uint64_t> patterns;
  if (bits <= 8) {
    for (uint64_t i = 0; i < uint64_t{1} << bits; ++i) patterns.push_back(i);
    return patterns;
  }
  for (int i = 0; i < bits; ++i) {
    patterns.push_back(uint64_t{1} << i);
    patterns.push_back((uint64_t{1} << i) - 1);
    patterns.push_back(~(uint64_t{1} << i));
    patterns.push_back(~uint64_t{0} << i);
  }
  for (int i = 0; i < 64; ++i) patterns.push_back(random());
  return patterns;
}

std::vector<double> UsualNumbers() {
  std::vector<double> numbers = {0,    -0.0,    1,      -1,        0.5,  -0.5,     1.5,      -1.5, 2,    -2,   2.5,
                                 3,    4,       10,     -10,       100,  127,      128,      -128, -129, 255,  256,
                                 1e-3, -1e-3,   1e5,    -1e5,      1e10, 88.7,     88.8,     -87,  -103, -104, 709.7,
                                 -745, 1e-40,   -1e-40, 0.1,       0.3,  0.9,      0.99,     1.01, -0.9, 3.14, 1.571,
                                 1e-8, -1.0e-8, 1e300,  6.2831853, NAN,  INFINITY, -INFINITY};
  return numbers;
}

// n elements of a real type.
std::vector<char> RealElements(PrimitiveType type, int64_t n, std::mt19937_64& random) {
  const int width = ByteWidth(type);
  std::vector<char> bytes(n * width);
  const std::vector<uint64_t> patterns = Patterns(type == PRED ? 1 : BitWidth(type), random);
  const std::vector<double> numbers = UsualNumbers();
  std::normal_distribution<double> normal;
  for (int64_t i = 0; i < n; ++i) {
    char* const at = bytes.data() + i * width;
    const int choice = static_cast<int>(random() % 4);
    if (!IsFloat(type) || choice == 0) {
      const uint64_t pattern = patterns[random() % patterns.size()];
      std::memcpy(at, &pattern, width);
      if (IsSubByte(type) && IsInt(type)) WrapSubByteElements(type, 1, at);
      continue;
    }
    const double number = choice == 1 ? numbers[random() % numbers.size()] : normal(random) * (choice == 2 ? 1 : 20);
    ConvertElements(F64, type, 1, &number, at);
  }
  return bytes;
}

std::vector<char> Elements(PrimitiveType type, int64_t n, std::mt19937_64& random) {
  if (IsComplex(type)) return RealElements(ComplexComponentType(type), 2 * n, random);
  return RealElements(type, n, random);
}

using MakeValue = std::function<KernelValue(KernelBuilder&, absl::Span<const KernelValue>)>;

// z[i] = value(x[i], y[i] ...)
ElementwiseCase MakeCase(std::string name, absl::Span<const PrimitiveType> operands, PrimitiveType result, int max_ulp,
                         const MakeValue& value) {
  KernelBuilder b(name);
  std::vector<int> inputs;
  for (const PrimitiveType type : operands) {
    inputs.push_back(b.AddBuffer(absl::StrCat("x", inputs.size()), type, kElementwiseCount, KernelBuffer::Use::kRead));
  }
  const int output = b.AddBuffer("z", result, kElementwiseCount, KernelBuffer::Use::kWrite);
  b.Phase(1, [&](KernelValue) {
    b.For(b.Index(kElementwiseCount), LoopSchedule::kVector, true, [&](KernelValue i) {
      std::vector<KernelValue> loaded;
      for (const int input : inputs) loaded.push_back(b.Load(input, i));
      b.Store(output, i, value(b, loaded));
    });
  });
  return {std::move(name), std::move(b).Finish(), max_ulp};
}

// The distance in units in the last place; NaN of any kind is NaN. -1: not comparable.
template <typename Bits>
int64_t UlpDistance(const char* a, const char* b, int bits) {
  Bits x = 0;
  Bits y = 0;
  std::memcpy(&x, a, sizeof(x));
  std::memcpy(&y, b, sizeof(y));
  const auto order = [&](Bits v) {
    const uint64_t sign = uint64_t{1} << (bits - 1);
    const int64_t magnitude = static_cast<int64_t>(v & (sign - 1));
    return (v & sign) != 0 ? -magnitude : magnitude;
  };
  return std::abs(order(x) - order(y));
}

bool IsNanElement(PrimitiveType type, const char* at) {
  if (!IsFloat(type)) return false;
  double value;
  ConvertElements(type, F64, 1, at, &value);
  if (type == F4E2M1FN || type == F6E2M3FN || type == F6E3M2FN) return false;
  return std::isnan(value);
}

// "" if equal enough. Zeros of unequal sign are not equal.
std::string RealDifference(PrimitiveType type, const char* got, const char* want, int max_ulp) {
  const int width = ByteWidth(type);
  if (std::memcmp(got, want, width) == 0) return "";
  const bool is_nan = IsNanElement(type, want);
  if (is_nan && IsNanElement(type, got)) return "";
  uint64_t got_bits = 0;
  uint64_t want_bits = 0;
  std::memcpy(&got_bits, got, width);
  std::memcpy(&want_bits, want, width);
  const std::string text = absl::StrCat("got ", absl::Hex(got_bits), ", want ", absl::Hex(want_bits));
  if (!IsFloat(type) || is_nan || IsNanElement(type, got) || max_ulp == 0) return text;
  const uint64_t magnitude = (uint64_t{1} << (BitWidth(type) - 1)) - 1;
  if ((got_bits & magnitude) == 0 && (want_bits & magnitude) == 0) return text;
  const int64_t distance = width == 8   ? UlpDistance<uint64_t>(got, want, 64)
                           : width == 4 ? UlpDistance<uint32_t>(got, want, 32)
                           : width == 2 ? UlpDistance<uint16_t>(got, want, 16)
                                        : UlpDistance<uint8_t>(got, want, BitWidth(type));
  return distance <= max_ulp ? "" : absl::StrCat(text, ", ", distance, " ulp");
}

std::string HexOf(const std::vector<char>& bytes, int64_t i, int width) {
  std::string text;
  for (int b = width - 1; b >= 0; --b) {
    absl::StrAppend(&text, absl::Hex(static_cast<unsigned char>(bytes[i * width + b]), absl::kZeroPad2));
  }
  return text;
}

}  // namespace

std::vector<ElementwiseCase> RowCases() {
  std::vector<ElementwiseCase> cases;
  for (const HloOpcode opcode : AllOpcodes()) {
    const ElementwiseRow* const row = FindElementwiseRow(opcode);
    if (row == nullptr) continue;
    for (const PrimitiveType type : ElementTypes()) {
      if ((ElementClassOf(type) & row->classes) == 0) continue;
      const std::vector<PrimitiveType> operands(row->arity, type);
      cases.push_back(MakeCase(absl::StrCat(HloOpcodeName(opcode), " of ", PrimitiveTypeName(type)), operands,
                               ElementwiseResultType(*row, type), row->max_ulp,
                               [&](KernelBuilder& b, absl::Span<const KernelValue> x) {
                                 return x.size() == 1 ? b.Unary(opcode, x[0]) : b.Binary(opcode, x[0], x[1]);
                               }));
      cases.back().opcode = opcode;
    }
  }
  return cases;
}

std::vector<ElementwiseCase> ConvertCases() {
  std::vector<ElementwiseCase> cases;
  for (const PrimitiveType from : ElementTypes()) {
    for (const PrimitiveType to : ElementTypes()) {
      if (!CanConvert(from, to)) continue;
      cases.push_back(MakeCase(absl::StrCat("convert ", PrimitiveTypeName(from), " to ", PrimitiveTypeName(to)), {from},
                               to, 0,
                               [&](KernelBuilder& b, absl::Span<const KernelValue> x) { return b.Convert(x[0], to); }));
    }
  }
  return cases;
}

// The second operand is as many random bits as the first one has.
std::vector<ElementwiseCase> StochasticConvertCases() {
  std::vector<ElementwiseCase> cases;
  for (const PrimitiveType from : ElementTypes()) {
    for (const PrimitiveType random : {U4, U8, U16, U32, U64}) {
      if (!IsFloat(from) || BitWidth(from) != BitWidth(random)) continue;
      for (const PrimitiveType to : ElementTypes()) {
        if (!IsFloat(to) && !IsInt(to)) continue;
        HloInstruction x(HloOpcode::kParameter, "x", Shape::Scalar(from));
        HloInstruction bits(HloOpcode::kParameter, "bits", Shape::Scalar(random));
        HloInstruction convert(HloOpcode::kStochasticConvert, "convert", Shape::Scalar(to));
        convert.AddOperand(&x);
        convert.AddOperand(&bits);
        cases.push_back(
            MakeCase(absl::StrCat("stochastic-convert ", PrimitiveTypeName(from), " to ", PrimitiveTypeName(to)),
                     {from, random}, to, 0, [&](KernelBuilder& b, absl::Span<const KernelValue> operands) {
                       return b.Elementwise(convert, operands);
                     }));
      }
    }
  }
  return cases;
}

std::vector<ElementwiseCase> CompareAndSelectCases() {
  std::vector<ElementwiseCase> cases;
  using D = ComparisonDirection;
  for (const PrimitiveType type : ElementTypes()) {
    const std::string of = absl::StrCat(" of ", PrimitiveTypeName(type));
    for (const D direction : {D::kEq, D::kNe, D::kGe, D::kGt, D::kLe, D::kLt}) {
      if (IsComplex(type) && direction != D::kEq && direction != D::kNe) continue;
      for (const bool total_order : {false, true}) {
        if (total_order && !IsFloat(type)) continue;
        cases.push_back(
            MakeCase(absl::StrCat("compare ", static_cast<int>(direction), total_order ? " totally" : "", of),
                     {type, type}, PRED, 0, [&](KernelBuilder& b, absl::Span<const KernelValue> x) {
                       return b.Compare(direction, x[0], x[1], total_order);
                     }));
      }
    }
    cases.push_back(
        MakeCase("select" + of, {PRED, type, type}, type, 0,
                 [&](KernelBuilder& b, absl::Span<const KernelValue> x) { return b.Select(x[0], x[1], x[2]); }));
  }
  return cases;
}

// A maximum or minimum with a number takes less than of two that are not known. And products and sums that round once.
std::vector<ElementwiseCase> BoundAndMultiplyAddCases() {
  std::vector<ElementwiseCase> cases;
  for (const PrimitiveType type : {F16, F32, F64}) {
    const std::string of = absl::StrCat(" of ", PrimitiveTypeName(type));
    for (const double number : {0.0, -0.0, 0.5, -static_cast<double>(INFINITY), static_cast<double>(NAN)}) {
      for (const HloOpcode opcode : {HloOpcode::kMaximum, HloOpcode::kMinimum}) {
        for (const bool is_first : {false, true}) {
          cases.push_back(MakeCase(absl::StrCat(HloOpcodeName(opcode), of, " and ", number), {type}, type, 0,
                                   [&](KernelBuilder& b, absl::Span<const KernelValue> x) {
                                     const KernelValue bound = b.Convert(b.Constant(Literal::Scalar(number)), type);
                                     return is_first ? b.Binary(opcode, bound, x[0]) : b.Binary(opcode, x[0], bound);
                                   }));
        }
      }
    }
    if (type == F16) continue;
    cases.push_back(
        MakeCase("multiply-add" + of, {type, type, type}, type, 0,
                 [&](KernelBuilder& b, absl::Span<const KernelValue> x) { return b.MultiplyAdd(x[0], x[1], x[2]); }));
  }
  return cases;
}

std::string ElementDifference(PrimitiveType type, const char* got, const char* want, int max_ulp) {
  if (!IsComplex(type)) return RealDifference(type, got, want, max_ulp);
  const PrimitiveType component = ComplexComponentType(type);
  const std::string real = RealDifference(component, got, want, max_ulp);
  const int width = ByteWidth(component);
  const std::string imaginary = RealDifference(component, got + width, want + width, max_ulp);
  return real + imaginary;
}

std::string ModulusDifference(PrimitiveType type, const char* got, const char* want) {
  const bool is_single = type == C64 || type == F32;
  const auto read = [&](const char* at) {
    std::complex<double> value;
    if (IsComplex(type)) {
      ConvertElements(type, C128, 1, at, &value);
    } else {
      double real;
      ConvertElements(type, F64, 1, at, &real);
      value = real;
    }
    return value;
  };
  const auto is_nan = [](std::complex<double> x) { return std::isnan(x.real()) || std::isnan(x.imag()); };
  const std::complex<double> a = read(got);
  const std::complex<double> b = read(want);
  if (a == b || (is_nan(a) && is_nan(b))) return "";
  const double relative = is_single ? 1e-5 : 1e-12;
  const double least = is_single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  const auto is_near = [&](double x, double y, double modulus) {
    return x == y || (std::isfinite(x) && std::abs(x - y) <= relative * modulus + least);
  };
  const double modulus = std::hypot(b.real(), b.imag());
  const bool is_finite = std::isfinite(modulus);
  // Beside an infinity the other part counts by itself.
  if (is_near(a.real(), b.real(), is_finite ? modulus : std::abs(b.real())) &&
      is_near(a.imag(), b.imag(), is_finite ? modulus : std::abs(b.imag()))) {
    return "";
  }
  return absl::StrCat("got ", a.real(), " + ", a.imag(), "i, want ", b.real(), " + ", b.imag(), "i");
}

absl::StatusOr<ElementwiseReference> InterpretElementwise(const Kernel& kernel, uint64_t seed) {
  ElementwiseReference reference;
  std::mt19937_64 random(seed);
  std::vector<void*> buffers;
  for (const KernelBuffer& buffer : kernel.buffers)
    reference.inputs.push_back(Elements(buffer.type, kElementwiseCount, random));
  for (std::vector<char>& input : reference.inputs) buffers.push_back(input.data());
  reference.want.resize(kElementwiseCount * ByteWidth(kernel.buffers.back().type));
  buffers.back() = reference.want.data();
  ASSIGN_OR_RETURN(const auto interpreter, KernelInterpreter::Create(kernel));
  RETURN_IF_ERROR(interpreter->Run(buffers));
  return reference;
}

std::string OperandsOf(const ElementwiseCase& tested, const ElementwiseReference& reference, int64_t i) {
  std::string operands;
  for (size_t k = 0; k + 1 < reference.inputs.size(); ++k) {
    absl::StrAppend(&operands, " ", HexOf(reference.inputs[k], i, ByteWidth(tested.kernel.buffers[k].type)));
  }
  return operands;
}

}  // namespace xla
