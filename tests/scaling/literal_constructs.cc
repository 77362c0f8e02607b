// Constants: large, many, nested.
#include "tests/scaling/constructs.h"

namespace xla {
namespace {

void Array(ProgramText& program, const char* type, int64_t n, absl::FunctionRef<std::string(int64_t i)> element) {
  program.Result(program.Add(type, "[", n, "] constant({", Listed(n, element), "})"));
}

void Floats(ProgramText& program, int64_t n) {
  Array(program, "f32", n, [](int64_t i) { return absl::StrCat(0.37 * static_cast<double>(i) - 5); });
}

void Integers(ProgramText& program, int64_t n) {
  Array(program, "s64", n, [](int64_t i) { return absl::StrCat(i * 7919); });
}

void Bools(ProgramText& program, int64_t n) {
  Array(program, "pred", n, [](int64_t i) { return i % 3 == 0 ? "true" : "false"; });
}

void ComplexNumbers(ProgramText& program, int64_t n) {
  Array(program, "c64", n, [](int64_t i) { return absl::StrCat("(", i, ", -", i, ".5)"); });
}

void Nibbles(ProgramText& program, int64_t n) {
  Array(program, "s4", n, [](int64_t i) { return absl::StrCat(i % 16 - 8); });
}

void NarrowFloats(ProgramText& program, int64_t n) {
  Array(program, "f8e4m3fn", n, [](int64_t i) { return absl::StrCat(i % 7, ".5"); });
}

void NanPayloads(ProgramText& program, int64_t n) {
  Array(program, "f32", n, [](int64_t i) { return absl::StrCat("nan(0x", absl::Hex(1 + i % 4095), ")"); });
}

void Matrix(ProgramText& program, int64_t n) {
  program.Result(program.Add("f32[", n, ",4] constant({", Repeated(n, "{1, 2.5, -3, 4e-5}"), "})"));
}

void SmallConstants(ProgramText& program, int64_t n) {
  std::string sum = program.Parameter("f32[2]");
  for (int64_t i = 0; i < n; ++i) {
    const std::string c = program.Add("f32[2] constant({", i, ", 1})");
    sum = program.Add("f32[2] add(", sum, ", ", c, ")");
  }
  program.Result(sum);
}

void TupleConstant(ProgramText& program, int64_t n) {
  program.Result(program.Add("(", Repeated(n, "f32[2]"), ") constant((", Repeated(n, "{1, 2}"), "))"));
}

void DeepTupleConstant(ProgramText& program, int64_t n) {
  std::string shape = "f32[]", value = "1";
  for (int64_t i = 0; i < n; ++i) {
    shape = absl::StrCat("(", shape, ")");
    value = absl::StrCat("(", value, ")");
  }
  program.Result(program.Add(shape, " constant(", value, ")"));
}

void LongNumbers(ProgramText& program, int64_t n) {
  program.Result(program.Add("f32[] constant(0.", std::string(n, '3'), ")"));
}

}  // namespace

absl::Span<const Construct> LiteralConstructs() {
  static constexpr Construct kConstructs[] = {
      {"floats", "an array of n floats", 20000, Floats},
      {"integers", "an array of n integers", 20000, Integers},
      {"bools", "an array of n predicates", 20000, Bools},
      {"complex-numbers", "an array of n complex numbers", 10000, ComplexNumbers},
      {"nibbles", "an array of n 4-bit integers", 20000, Nibbles},
      {"narrow-floats", "an array of n 8-bit floats", 20000, NarrowFloats},
      {"nan-payloads", "an array of n NaNs with payloads", 20000, NanPayloads},
      {"matrix", "n rows in braces", 5000, Matrix},
      {"small-constants", "n small constants, all different", 1000, SmallConstants},
      {"tuple-constant", "a constant with n elements", 2000, TupleConstant},
      {"deep-tuple-constant", "a constant that is a tuple n deep", 20, DeepTupleConstant},
      {"long-number", "a number of n digits", 50000, LongNumbers},
  };
  return kConstructs;
}

}  // namespace xla
