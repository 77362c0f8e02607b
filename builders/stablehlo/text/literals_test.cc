// Types, attributes, constants and locations.
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "builders/stablehlo/ir/attribute_values.h"
#include "builders/stablehlo/text/text_testing.h"

namespace xla {
namespace stablehlo {
namespace {

// A declaration of a function with one argument of the type.
std::string Declaration(absl::string_view type) {
  return absl::StrCat("module {\n  func.func private @f(", type, ")\n}\n");
}

TEST(Types, ArePrintedAsTheyAreRead) {
  for (const char* type :
       {"tensor<f32>", "tensor<2x?x0xf8E4M3B11FNUZ>", "tensor<*xbf16>", "tensor<0x4xcomplex<f64>>",
        "tensor<?x2xi4, #stablehlo.bounds<6, ?>>", "tuple<tensor<i1>, tuple<>>", "!stablehlo.token",
        "!stablehlo.future<tensor<ui2>, tensor<f4E2M1FN>>", "memref<2xf32>", "(tensor<i8>) -> (i1, index)", "none",
        "() -> ()", "tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>",
        "tensor<4x2x!quant.uniform<u8<1:200>:f32:1, {5.000000e-01:128, 2.500000e-01}>>", "tensor<2xf8E8M0FNU>",
        "tensor<si8>", "tensor<2xi3>", "tensor<tf32>", "tensor<2x3xf32, \"encoding\">"}) {
    ExpectPrintsSame(Declaration(type));
  }
  ExpectPrintsAs("!t = tensor< 4 x f32 >\nfunc.func private @f(!t)", Declaration("tensor<4xf32>"));
}

std::string Constant(absl::string_view value) {
  return absl::StrCat("module {\n  %0 = stablehlo.constant ", value, "\n}\n");
}

TEST(Constants, ArePrintedAsTheyAreRead) {
  for (const char* value :
       {"dense<1.000000e+00> : tensor<2x3xf32>", "dense<[[1, 2], [-3, 4]]> : tensor<2x2xi8>",
        "dense<> : tensor<0x3xf32>", "dense<[0x7FC00000, 0xFF800000, -0.000000e+00, 1.41421354]> : tensor<4xf32>",
        "dense<0x7FF8000000000001> : tensor<f64>", "dense<(1.000000e+00,-2.500000e+00)> : tensor<3xcomplex<f32>>",
        "dense<[true, false]> : tensor<2xi1>", "dense<[-8, 7]> : tensor<2xi4>", "dense<[15, 0]> : tensor<2xui4>",
        "dense<18446744073709551615> : tensor<ui64>", "dense<[3.000000e+00, -5.000000e-01]> : tensor<2xf4E2M1FN>",
        "dense<5> : tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>", "dense<0.69314718055994529> : tensor<f64>",
        "dense<1.000000e+10> : tensor<f64>", "dense<[[3]]> : tensor<1x1xindex>",
        "dense<1.2345678806304933e-05> : tensor<f64>"}) {
    ExpectPrintsSame(Constant(value));
  }
}

TEST(Constants, HaveSeveralSpellings) {
  ExpectPrintsAs(Constant("dense<[0x01, 255]> : tensor<2xi8>"), Constant("dense<[1, -1]> : tensor<2xi8>"));
  ExpectPrintsAs(Constant("dense<\"0x0000803F00000040\"> : tensor<2xf32>"),
                 Constant("dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>"));
  ExpectPrintsAs(Constant("dense<\"0x0000803F\"> : tensor<9xf32>"), Constant("dense<1.000000e+00> : tensor<9xf32>"));
  // One byte for each truth value, or one for eight.
  ExpectPrintsAs(Constant("dense<\"0x0001\"> : tensor<2xi1>"), Constant("dense<[false, true]> : tensor<2xi1>"));
  ExpectPrintsAs(
      Constant("dense<\"0x0502\"> : tensor<10xi1>"),
      Constant("dense<[true, false, true, false, false, false, false, false, false, true]> : tensor<10xi1>"));
  ExpectPrintsAs(Constant("dense<\"0x0F01\"> : tensor<2xi4>"), Constant("dense<[-1, 1]> : tensor<2xi4>"));
  ExpectPrintsAs(Constant("dense<[0, 1]> : tensor<2xi1>"), Constant("dense<[false, true]> : tensor<2xi1>"));
  ExpectPrintsAs(Constant("dense<1.0> : tensor<1xf32>"), Constant("dense<[1.000000e+00]> : tensor<1xf32>"));
}

TEST(Constants, OfManyElementsAreBytes) {
  std::string values = "0";
  std::string bytes = "00";
  for (int i = 1; i < 120; ++i) {
    absl::StrAppend(&values, ", -", i % 8);
    absl::StrAppend(&bytes, "0", absl::Hex((16 - i % 8) % 16));
  }
  for (char& c : bytes) c = absl::ascii_toupper(c);
  ExpectPrintsAs(Constant(absl::StrCat("dense<[", values, "]> : tensor<120xi4>")),
                 Constant(absl::StrCat("dense<\"0x", bytes, "\"> : tensor<120xi4>")));
}

TEST(Constants, AreKeptAsALiteralHasThem) {
  const std::unique_ptr<Module> module = Parsed(Constant("dense<[-1, 2]> : tensor<2xi4>"));
  const Block& block = module->block(module->region(module->operation(module->root()).regions[0]).blocks[0]);
  const Attribute& value = module->attribute(module->operation(block.operations[0]).attribute("value"));
  EXPECT_EQ(value.data, absl::string_view("\xff\x02", 2));
  EXPECT_FALSE(value.is_splat);
}

TEST(Constants, ComeFromResources) {
  ExpectPrintsSame(R"(module {
  %0 = stablehlo.constant dense_resource<weights> : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040",
      "odd name": "0x01000000"
    }
  }
#-}
)");
  const std::unique_ptr<Module> module = Parsed(R"(module {}
{-# dialect_resources: { builtin: { k: "0x10000000FF" }, other: { k: "0x00" } }, external_resources: { x: { y: true } } #-})");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->FindResource("k")->data, "\xff");
  EXPECT_EQ(module->FindResource("k")->alignment, 16);
  EXPECT_EQ(module->resource_keys().size(), 1);
}

TEST(Attributes, ArePrintedAsTheyAreRead) {
  ExpectPrintsSame(
      R"(module @"a name" attributes {a = true, b = 3 : i64, c = 1.500000e+00 : f32, d = "q\22\\\0A", d.e = @x::@"y z", e = [1 : i64, {}], f, g = tensor<f32>, h = array<i64: 1, -2>, i = array<i1: true>, j = array<f32>, k = #unknown.thing<a, "b>", [1]>, "odd name" = #stablehlo<transpose NO_TRANSPOSE>, s = -5 : i8, u = 200 : ui8} {
}
)");
  ExpectReadsAgain(
      "#map = #stablehlo.channel_handle<type = 1>\nmodule attributes {a = #map, b = 0x7FC00000 : f32, c = 255 : i8} "
      "{}");
  const std::unique_ptr<Module> module = Parsed(
      "#c = #stablehlo.conv<raw input_batch_dimension = 1, output_spatial_dimensions = [2]>\nmodule attributes {c = "
      "#c} {}");
  ASSERT_NE(module, nullptr);
  const AttributeId c = module->operation(module->root()).attribute("c");
  EXPECT_EQ(IntegerValue(*module, FieldOf(*module, c, "input_batch_dimension")), 1);
  EXPECT_EQ(IntegerValue(*module, FieldOf(*module, c, "output_batch_dimension")), 0);
}

TEST(Locations, MayNameAliasesThatComeLater) {
  const absl::string_view text = R"(#loc1 = loc("x"(#loc))
module {
  func.func @main(%a: tensor<f32> loc("a")) {
    %0 = stablehlo.negate %a : tensor<f32> loc(#loc4)
    %1 = stablehlo.negate %a : tensor<f32> loc(callsite(#loc1 at "f.py":5:6 to :20))
    %2 = stablehlo.negate %a : tensor<f32> loc(fused<"m">["g", unknown])
    return loc("f.py":1:2 to 3:4)
  } loc(#loc)
} loc(#loc)
#loc = loc("file.py":3:4)
#loc4 = loc(callsite(#loc1 at #loc5))
#loc5 = loc("later")
)";
  const std::unique_ptr<Module> module = Parsed(text);
  ASSERT_NE(module, nullptr);
  PrintOptions options;
  options.with_locations = true;
  CompareOptions compare;
  compare.with_locations = true;
  for (const bool is_generic : {false, true}) {
    options.is_generic = is_generic;
    const std::unique_ptr<Module> again = Parsed(PrintModule(*module, options));
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(FirstDifference(*module, *again, compare), "");
  }
  const Location& root = module->location(module->operation(module->root()).location);
  EXPECT_EQ(root.text, "file.py");
  EXPECT_EQ(root.line, 3);
}

TEST(Locations, MayBeLongChains) {
  std::string text = "module {} loc(#l20000)\n#l0 = loc(\"x\")\n";
  // Each names the one after it, so that reading them in order would nest.
  for (int i = 20000; i > 0; --i) absl::StrAppend(&text, "#l", i, " = loc(callsite(#l0 at #l", i - 1, "))\n");
  const std::unique_ptr<Module> module = Parsed(text);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->location_count(), 20001);
}

TEST(Operations, KnowTheirPlaces) {
  const std::unique_ptr<Module> module =
      Parsed("// comment\nmodule {\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n}");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->operation(module->root()).line, 2);
  EXPECT_EQ(module->operation({0}).line, 3);
  EXPECT_EQ(module->operation({0}).column, 3);
}

TEST(Modules, MayBeSeveralInAFile) {
  const absl::string_view text =
      "module @a {}\n// -----\n// nothing\n// -----\nfunc.func private @f()\n// ----- x\n\n%0 = q";
  const auto modules = ParseModules(text.substr(0, text.rfind("%0")));
  ASSERT_TRUE(modules.ok());
  EXPECT_EQ(modules->size(), 2);
  EXPECT_EQ((*modules)[1]->operation({0}).line, 5);
  EXPECT_EQ(ParseModules(text).status().message(), "8:6: error: unknown operation 'q'\n%0 = q\n     ^");
  EXPECT_EQ(ParseModules("// nothing").status().message(), "the text has no module");
}

}  // namespace
}  // namespace stablehlo
}  // namespace xla
