// What fusions do with their products, by a library's epilogue, against the evaluator.
#include "backends/cpu/library/product_fusion.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "backends/cpu/library/convolution_program.h"
#include "backends/cpu/library/product_program.h"
#include "backends/cpu/library/program_testing.h"

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
  // An operand that is computed first.
  const auto prologue =
      ModuleFromText(Fusion("  x = f32[70,80] parameter(0)\n  q = s8[80,90] parameter(1)\n", "x, q",
                            "  y = f32[80,90] convert(q)\n"
                            "  ROOT d = f32[70,90] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
                            "f32[70,90]"));
  EXPECT_EQ(nullptr, FindProduct(*prologue->entry()->root()));
}

}  // namespace
}  // namespace xla
