// What is not StableHLO text, with the messages.
#include <string>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/text_testing.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace stablehlo {
namespace {

// The message of the first error without its lines of text.
std::string Message(absl::string_view text) {
  const std::string error = ErrorOf(text);
  return error.substr(0, error.find('\n'));
}
// Of an operation in a function with the arguments %a: tensor<4xf32> and %s: tensor<f32>.
std::string OperationMessage(absl::string_view operation) {
  return Message(absl::StrCat("func.func @f(%a: tensor<4xf32>, %s: tensor<f32>) {\n", operation, "\n}"));
}

TEST(Errors, ShowThePlace) {
  EXPECT_EQ(ErrorOf("module {\n  %0 = stablehlo.addd %0, %0 : tensor<f32>\n}"),
            "2:8: error: unknown operation 'stablehlo.addd'; did you mean 'stablehlo.add'?\n"
            "  %0 = stablehlo.addd %0, %0 : tensor<f32>\n"
            "       ^");
  TextOptions options;
  options.file_name = "f.mlir";
  EXPECT_EQ(ParseModule("", options).status().message(),
            "f.mlir:1:1: error: expected a module or a function, found the end of the text\n\n^");
}

TEST(Errors, OfValues) {
  EXPECT_EQ(OperationMessage("%0 = stablehlo.add %a, %7 : tensor<4xf32>"),
            "2:24: error: the value '%7' is not defined before this place");
  EXPECT_EQ(OperationMessage("%a = stablehlo.negate %s : tensor<f32>"), "2:1: error: the value '%a' is defined twice");
  EXPECT_EQ(OperationMessage("%0 = stablehlo.negate %a#1 : tensor<f32>"),
            "2:26: error: the value '%a' has only 1 parts");
  EXPECT_EQ(OperationMessage("%0 = stablehlo.negate %a : tensor<3xf32>"),
            "2:23: error: this value has the type tensor<4xf32>, but the operation says tensor<3xf32>");
  EXPECT_EQ(OperationMessage("%0:2 = stablehlo.negate %a : tensor<4xf32>"),
            "2:1: error: stablehlo.negate has 1 results here, but 2 are named");
  EXPECT_EQ(OperationMessage("%0 = stablehlo.add %a : tensor<4xf32>"),
            "2:6: error: stablehlo.add has 2 operands, found 1");
  EXPECT_EQ(OperationMessage("func.func @g() { %0 = stablehlo.negate %a : tensor<4xf32> }"),
            "2:40: error: the value '%a' is not defined before this place");
  EXPECT_EQ(OperationMessage("%0 = \"stablehlo.negate\"(%a) : () -> tensor<4xf32>"),
            "2:31: error: expected 1 types, one for each operand, found 0");
}

TEST(Errors, OfTypes) {
  EXPECT_EQ(Message("func.func private @f(tensor<2xf31>)"),
            "1:31: error: expected a type such as f32, i32 or tensor<2x3xf32>, found 'f31'");
  EXPECT_EQ(Message("func.func private @f(tensor<2>)"), "1:30: error: expected 'x' after a dimension");
  EXPECT_EQ(Message("func.func private @f(tensor<99999999999999999999xf32>)"),
            "1:29: error: this dimension does not fit in 64 bits");
  EXPECT_EQ(Message("func.func private @f(tensor<2xtuple<>>)"), "1:31: error: expected an element type, found tuple<>");
  EXPECT_EQ(
      Message("func.func private @f(!foo.bar)"),
      "1:22: error: the type '!foo.bar' is neither an alias that is defined before nor a type that Halo knows, such "
      "as !stablehlo.token, !stablehlo.future<...> or !quant.uniform<...>");
  EXPECT_EQ(Message("func.func private @f(!quant.uniform<i8<-200:5>:f32, 1.0>)"),
            "1:40: error: expected limits in order from -128 to 127");
  EXPECT_EQ(Message("func.func private @f(!quant.uniform<i99:f32, 1.0>)"),
            "1:37: error: expected a storage type of up to 32 bits such as i8 or u8, found 'i99'");
}

TEST(Errors, OfConstants) {
  const auto message = [](absl::string_view value) { return Message(absl::StrCat("%0 = stablehlo.constant ", value)); };
  EXPECT_EQ(message("dense<[1, 2, 3]> : tensor<2xi32>"),
            "1:39: error: expected 2 parts in dimension 0 of tensor<2xi32>, found 3");
  EXPECT_EQ(message("dense<[[1, 2], [3]]> : tensor<2x2xi32>"),
            "1:42: error: expected 2 parts in dimension 1 of tensor<2x2xi32>, found 1");
  EXPECT_EQ(message("dense<[1]> : tensor<i32>"), "1:31: error: more brackets than tensor<i32> has dimensions");
  EXPECT_EQ(message("dense<[1]> : tensor<1x1xi32>"),
            "1:32: error: expected '[', because tensor<1x1xi32> has 2 dimensions, found '1'");
  EXPECT_EQ(message("dense<> : tensor<2xi32>"), "1:31: error: found 0 elements for tensor<2xi32>");
  EXPECT_EQ(message("dense<1> : tensor<0xi32>"), "1:32: error: found an element for tensor<0xi32>, which has none");
  EXPECT_EQ(message("dense<256> : tensor<2xi8>"), "1:31: error: 256 is not a number of tensor<2xi8>");
  EXPECT_EQ(message("dense<-1> : tensor<2xui8>"), "1:32: error: -1 is not a number of tensor<2xui8>");
  EXPECT_EQ(
      message("dense<1> : tensor<f32>"),
      "1:31: error: expected a number with a dot, or its bits such as 0x7FC00000, because the type is tensor<f32>");
  EXPECT_EQ(message("dense<1.0> : tensor<i32>"), "1:31: error: expected an integer, because the type is tensor<i32>");
  EXPECT_EQ(message("dense<\"0x00\"> : tensor<2xf32>"),
            "1:31: error: found 1 bytes for a constant tensor<2xf32>, whose elements have 4 bytes each");
  EXPECT_EQ(message("dense<\"0x0G\"> : tensor<1xi8>"), "1:35: error: expected a hexadecimal digit");
  EXPECT_EQ(message("dense<1.0> : tensor<?xf32>"),
            "1:38: error: expected a tensor type without '?', found tensor<?xf32>");
  EXPECT_EQ(message("dense<1.0> : tensor<f80>"), "1:31: error: constants of the type tensor<f80> are not supported");
  EXPECT_EQ(message("dense<1.0"), "1:30: error: this bracket is not closed");
  // A tensor may claim any size: the elements are one.
  EXPECT_EQ(message("dense<1.0> : tensor<4611686018427387904xf32>"), "no error");
}

TEST(Errors, OfAttributes) {
  EXPECT_EQ(Message("module attributes {a = 1 : i64, a = 2 : i64} {}"), "1:20: error: the attribute 'a' is duplicated");
  EXPECT_EQ(Message("module attributes {a = #stablehlo<precision LOW>} {}"),
            "1:45: error: expected one of DEFAULT, HIGH, HIGHEST, found 'LOW'");
  EXPECT_EQ(Message("module attributes {a = #stablehlo.foo<>} {}"),
            "1:24: error: the dialect stablehlo does not have an attribute 'foo'");
  EXPECT_EQ(Message("module attributes {a = #b} {}"), "1:24: error: the alias '#b' is not defined before this place");
  EXPECT_EQ(Message("module attributes {a = #stablehlo.channel_handle<handle = 1, handle = 1>} {}"),
            "1:62: error: the field handle is duplicated");
  EXPECT_EQ(Message("module attributes {a = 128 : si8} {}"), "1:24: error: 128 is not a number of the type si8");
  EXPECT_EQ(Message("module attributes {a = 1 : f32} {}"),
            "1:24: error: expected a number with a dot, or its bits such as 0x7FC00000, because the type is f32");
  EXPECT_EQ(Message("module attributes {a = \"x} {}"), "1:24: error: this string does not end");
  EXPECT_EQ(Message("module attributes {a = \"\\x\"} {}"),
            "1:25: error: expected \\n, \\t, \\\", \\\\ or two hexadecimal digits after the backslash");
  EXPECT_EQ(Message("module {} loc(#loc1)"), "1:15: error: the location '#loc1' is not defined");
  EXPECT_EQ(Message("module {} loc(#a)\n#a = loc(callsite(#b at #b))\n#b = loc(\"x\"(#a))"),
            "2:6: error: the location #a is a part of itself");
}

TEST(Errors, OfForms) {
  EXPECT_EQ(OperationMessage("%0 = stablehlo.iota dimension = 0 : tensor<4xi32>"),
            "2:21: error: expected 'dim', found 'dimension'");
  EXPECT_EQ(OperationMessage("%0 = stablehlo.sort %a : tensor<4xf32>"),
            "2:6: error: expected the generic form \"stablehlo.sort\"(...) of this operation");
  EXPECT_EQ(OperationMessage("%0 = stablehlo.reduce(%a init: %s) applies stablehlo.subtract across dimensions = [0] : "
                             "(tensor<4xf32>, tensor<f32>) -> tensor<f32>"),
            "2:44: error: expected an operation that commutes, one of stablehlo.add, stablehlo.multiply, "
            "stablehlo.maximum, stablehlo.minimum, stablehlo.and, stablehlo.or, stablehlo.xor, found "
            "'stablehlo.subtract'");
  EXPECT_EQ(OperationMessage("%0 = stablehlo.reduce_precision %a, format = x : tensor<4xf32>"),
            "2:46: error: expected a format such as e5m10, found 'x'");
  EXPECT_EQ(OperationMessage("%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, f]x[i]->[b, f], window = {} : "
                             "(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"),
            "2:50: error: the dimensions 'i' and 'o' must both be there");
  EXPECT_EQ(Message("module {"), "1:9: error: expected an operation, found the end of the text");
  EXPECT_EQ(Message("module } {"), "1:8: error: expected '{', found '}'");
  EXPECT_EQ(Message("func.func @f(%a: i32, i32) {}"), "1:23: error: either all arguments have names, or none has one");
  EXPECT_EQ(Message("func.func @f(i32) {}"), "1:1: error: the arguments of a function with a body need names");
  EXPECT_EQ(Message("\x80"), "1:1: error: this character has no meaning here");
}

TEST(Errors, OfTooMuchNesting) {
  const auto repeat = [](absl::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) absl::StrAppend(&all, text);
    return all;
  };
  EXPECT_THAT(Message(absl::StrCat("module attributes {a = ", repeat("[", 100000))),
              ::testing::EndsWith("error: nested deeper than 300 levels"));
  EXPECT_THAT(Message(absl::StrCat("func.func private @f(", repeat("tuple<", 100000))),
              ::testing::EndsWith("error: nested deeper than 300 levels"));
  EXPECT_THAT(Message(repeat("module {", 100000)), ::testing::EndsWith("error: nested deeper than 300 levels"));
  EXPECT_THAT(Message(absl::StrCat("module {} loc(", repeat("\"x\"(", 100000))),
              ::testing::EndsWith("error: nested deeper than 300 levels"));
  EXPECT_THAT(Message(absl::StrCat("module attributes {a = #x.y<", repeat("<", 100000))),
              ::testing::EndsWith("error: this bracket is not closed"));
}

// 2^40 elements in forty lines.
TEST(Errors, OfAliasesThatStandForTooMuch) {
  std::string types = "!t0 = tuple<tensor<f32>>\n";
  std::string attributes = "#a0 = [1, 2]\n";
  for (int i = 1; i <= 40; ++i) {
    absl::StrAppend(&types, "!t", i, " = tuple<!t", i - 1, ", !t", i - 1, ">\n");
    absl::StrAppend(&attributes, "#a", i, " = [#a", i - 1, ", #a", i - 1, "]\n");
  }
  const std::string message =
      "error: with its aliases written out, the text up to here is more than 100 times as long as it is";
  EXPECT_THAT(Message(types), ::testing::EndsWith(message));
  EXPECT_THAT(Message(attributes), ::testing::EndsWith(message));
}

TEST(Errors, OfResources) {
  EXPECT_EQ(Message("module {}\n{-# dialect_resources: { builtin: { k: \"0x00\" } } #-}"),
            "2:40: error: expected a string of 0x, eight digits for the alignment and two digits for each byte");
  EXPECT_EQ(Message("module {}\n{-# dialect_resources: { builtin: { k: \"0x01000000\", k: \"0x01000000\" } } #-}"),
            "2:57: error: the resource 'k' is duplicated");
}

TEST(Errors, OfLimits) {
  ResourceLimits limits;
  limits.timeout = absl::ZeroDuration();
  const ResourceContext resources(limits, "testing");
  TextOptions options;
  options.resources = &resources;
  EXPECT_EQ(ParseModule("module {}", options).status().code(), absl::StatusCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace stablehlo
}  // namespace xla
