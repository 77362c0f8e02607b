// What fusions do with their products, by a library's epilogue, against the evaluator.
#include "backends/cpu/library/product_fusion.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "backends/cpu/library/convolution/convolution_program.h"
#include "backends/cpu/library/product/product_program.h"
#include "backends/cpu/library/program_testing.h"
#include "passes/analyses/strided_dot.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

constexpr char kDot[] = "d = f32[70,90] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";

std::string Fusion(const std::string& parameters, const std::string& arguments, const std::string& body,
                   const std::string& result) {
  return absl::StrCat("HloModule m\nf {\n", parameters, body, "}\nENTRY e {\n", parameters, "  ROOT r = ", result,
                      " fusion(", arguments, "), kind=kOutput, calls=f\n}\n");
}

void Check(const std::string& text, size_t steps) {
  SCOPED_TRACE(text);
  TestRun test(text);
  const HloInstruction* const product = FindProduct(test.root());
  ASSERT_NE(nullptr, product);
  auto epilogue = FindEpilogue(test.root(), *product);
  ASSERT_TRUE(epilogue.has_value());
  EXPECT_EQ(steps, epilogue->steps.size());
  std::unique_ptr<TiledProgram> program;
  if (product->opcode() == HloOpcode::kDot) {
    auto made = MakeDotProgram(*product);
    ASSERT_TRUE(made.ok()) << made.status();
    program = *std::move(made);
  } else {
    auto made = MakeConvolutionProgram(*product);
    ASSERT_TRUE(made.ok()) << made.status();
    program = *std::move(made);
  }
  ASSERT_TRUE(program->SetEpilogue(std::make_shared<ProductEpilogue>(epilogue->steps, epilogue->columns)));
  test.Check(*program, epilogue->arguments);
}

int64_t ParameterNumber(const HloInstruction& parameter) { return parameter.attributes<ParameterAttributes>().number; }

// f32 parameters x[m,k], y[k,n], and z: what the epilogue reads.
std::string Products(int64_t m, int64_t k, int64_t n, const std::string& z) {
  return absl::StrCat("  x = f32[", m, ",", k, "] parameter(0)\n  y = f32[", k, ",", n, "] parameter(1)\n  z = ", z,
                      " parameter(2)\n");
}

TEST(ProductFusion, BiasAndRelu) {
  for (const int64_t m : {1, 7, 300}) {
    for (const int64_t n : {1, 40, 333}) {
      for (const int64_t k : {3, 200, 9000}) {
        if (m * n * k > 30'000'000) continue;
        const std::string shape = absl::StrCat("f32[", m, ",", n, "]");
        Check(Fusion(Products(m, k, n, absl::StrCat("f32[", n, "]")), "x, y, z",
                     absl::StrCat("  d = ", shape, " dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
                                  "  b = ", shape, " broadcast(z), dimensions={1}\n  s = ", shape, " add(d, b)\n",
                                  "  c = f32[] constant(0)\n  o = ", shape, " broadcast(c), dimensions={}\n",
                                  "  ROOT m = ", shape, " maximum(s, o)\n"),
                     shape),
              2);
      }
    }
  }
}

TEST(ProductFusion, ResidualScaleAndClamp) {
  Check(Fusion(Products(70, 80, 90, "f32[70,90]"), "x, y, z",
               absl::StrCat("  ", kDot,
                            "  c = f32[] constant(0.125)\n  o = f32[70,90] broadcast(c), dimensions={}\n"
                            "  s = f32[70,90] multiply(d, o)\n  t = f32[70,90] subtract(z, s)\n"
                            "  l = f32[] constant(-1)\n  h = f32[] constant(2)\n"
                            "  ROOT m = f32[70,90] clamp(l, t, h)\n"),
               "f32[70,90]"),
        4);
}

// Rows and columns that fill neither tiles nor panels.
TEST(ProductFusion, OfNarrowNumbers) {
  Check(Fusion("  x = bf16[300,200] parameter(0)\n  y = bf16[200,333] parameter(1)\n  z = f32[333] parameter(2)\n"
               "  w = f32[300,333] parameter(3)\n",
               "x, y, z, w",
               "  d = f32[300,333] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
               "  b = f32[300,333] broadcast(z), dimensions={1}\n  s = f32[300,333] add(d, b)\n"
               "  ROOT t = f32[300,333] multiply(s, w)\n",
               "f32[300,333]"),
        2);
}

TEST(ProductFusion, Convolution) {
  Check(Fusion("  x = f32[2,30,30,16] parameter(0)\n  y = f32[3,3,16,40] parameter(1)\n  z = f32[40] parameter(2)\n"
               "  w = f32[2,30,30,40] parameter(3)\n",
               "x, y, z, w",
               "  c = f32[2,30,30,40] convolution(x, y), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f\n"
               "  b = f32[2,30,30,40] broadcast(z), dimensions={3}\n  s = f32[2,30,30,40] add(c, b)\n"
               "  ROOT t = f32[2,30,30,40] add(s, w)\n",
               "f32[2,30,30,40]"),
        2);
}

TEST(ProductFusion, WhatIsLeftToOthers) {
  const auto rest = ModuleFromText(Fusion(Products(70, 80, 90, "f32[70,90]"), "x, y, z",
                                          absl::StrCat("  ", kDot, "  ROOT t = f32[70,90] tanh(d)\n"), "f32[70,90]"));
  const HloInstruction* const product = FindProduct(*rest->entry()->root());
  ASSERT_NE(nullptr, product);
  EXPECT_FALSE(FindEpilogue(*rest->entry()->root(), *product).has_value());
}

// The dot of a fusion, one of whose operands the steps compute from integers.
void CheckDequantizing(const std::string& text, const std::string& kind, size_t steps) {
  SCOPED_TRACE(text);
  TestRun test(text);
  const HloInstruction* const dot = FindProduct(test.root());
  ASSERT_NE(nullptr, dot);
  EXPECT_FALSE(HasOperandsInMemory(*dot));
  auto prologue = FindPrologue(*dot);
  ASSERT_TRUE(prologue.has_value());
  EXPECT_EQ(steps, prologue->steps.size());
  StridedDot strides = *StridedDotOf(*dot);
  if (prologue->dequantized == 0) strides = Transposed(strides);
  const HloInstruction& other = *dot->operand(1 - prologue->dequantized);
  const auto program =
      MakeDequantizingProgram(strides, {other.shape().element_type(), prologue->type, dot->shape().element_type()},
                              std::make_shared<ProductPrologue>(prologue->steps));
  ASSERT_NE(nullptr, program);
  EXPECT_EQ(kind, program->kind());
  test.CheckDequantizing(*program, static_cast<int>(ParameterNumber(*ParameterBehind(&other))),
                         static_cast<int>(ParameterNumber(*prologue->stored)), prologue->arguments);
}

// x[m,k] times what `body` makes, as y, of q[k,n], or of q[n,k], and of the further parameters.
std::string Dequantizing(int64_t m, int64_t k, int64_t n, bool by_rows, const std::string& type,
                         const std::string& more, const std::string& arguments, const std::string& body) {
  const std::string matrix = by_rows ? absl::StrCat("[", k, ",", n, "]") : absl::StrCat("[", n, ",", k, "]");
  return Fusion(absl::StrCat("  x = f32[", m, ",", k, "] parameter(0)\n  q = ", type, matrix, " parameter(1)\n", more),
                absl::StrCat("x, q", arguments),
                absl::StrCat("  c = f32", matrix, " convert(q)\n", body, "  ROOT d = f32[", m, ",", n,
                             "] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={", by_rows ? 0 : 1, "}\n"),
                absl::StrCat("f32[", m, ",", n, "]"));
}

TEST(ProductFusion, IntegersBecomeFloats) {
  for (const char* type : {"s8", "u8", "s4", "u4", "s16"}) {
    for (const int64_t m : {1, 3, 40}) {
      const bool is_vector = m == 1 && std::string(type) != "s16";
      for (const bool by_rows : {true, false}) {
        // A number for each column, and a zero point.
        CheckDequantizing(
            Dequantizing(m, 300, 170, by_rows, type, "  s = f32[170] parameter(2)\n", ", s",
                         by_rows ? "  b = f32[300,170] broadcast(s), dimensions={1}\n  z = f32[] constant(3)\n"
                                   "  o = f32[300,170] broadcast(z), dimensions={}\n  t = f32[300,170] subtract(c, o)\n"
                                   "  y = f32[300,170] multiply(t, b)\n"
                                 : "  b = f32[170,300] broadcast(s), dimensions={0}\n  z = f32[] constant(3)\n"
                                   "  o = f32[170,300] broadcast(z), dimensions={}\n  t = f32[170,300] subtract(c, o)\n"
                                   "  y = f32[170,300] multiply(b, t)\n"),
            is_vector ? "vector" : "packed", 2);
      }
    }
  }
}

TEST(ProductFusion, NumbersForGroups) {
  for (const int64_t m : {1, 5, 200}) {
    const std::string kind = m == 1 ? "vector" : "packed";
    CheckDequantizing(Dequantizing(m, 256, 1100, true, "s4", "  s = f32[8,1100] parameter(2)\n", ", s",
                                   "  r = f32[8,32,1100] reshape(c)\n"
                                   "  b = f32[8,32,1100] broadcast(s), dimensions={0,2}\n"
                                   "  t = f32[8,32,1100] multiply(r, b)\n  y = f32[256,1100] reshape(t)\n"),
                      kind, 1);
    CheckDequantizing(Dequantizing(m, 256, 90, false, "s8", "  s = f32[90,4] parameter(2)\n", ", s",
                                   "  r = f32[90,4,64] reshape(c)\n"
                                   "  b = f32[90,4,64] broadcast(s), dimensions={0,1}\n"
                                   "  t = f32[90,4,64] multiply(r, b)\n  y = f32[90,256] reshape(t)\n"),
                      kind, 1);
  }
}

TEST(ProductFusion, MatrixOnTheLeft) {
  CheckDequantizing(
      Fusion("  q = s8[70,300] parameter(0)\n  x = f32[300] parameter(1)\n  s = f32[70] parameter(2)\n", "q, x, s",
             "  c = f32[70,300] convert(q)\n  b = f32[70,300] broadcast(s), dimensions={0}\n"
             "  y = f32[70,300] multiply(c, b)\n"
             "  ROOT d = f32[70] dot(y, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
             "f32[70]"),
      "vector", 1);
}

TEST(ProductFusion, OperandsThatKernelsCompute) {
  const auto module = ModuleFromText(Dequantizing(3, 30, 17, true, "s8", "  s = f32[3,17] parameter(2)\n", ", s",
                                                  "  e = f32[30,17] exponential(c)\n  y = f32[30,17] negate(e)\n"));
  const HloInstruction* const dot = FindProduct(*module->entry()->root());
  ASSERT_NE(nullptr, dot);
  EXPECT_FALSE(HasOperandsInMemory(*dot));
  EXPECT_FALSE(FindPrologue(*dot).has_value());
}

}  // namespace
}  // namespace xla
