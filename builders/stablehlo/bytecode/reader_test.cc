#include "builders/stablehlo/bytecode/reader.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "builders/stablehlo/bytecode/testing/artifact_writer.h"
#include "builders/stablehlo/text/printer.h"
#include "gmock/gmock.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace stablehlo {
namespace {

using testing::HasSubstr;

std::string TextOf(const std::string& file, bool with_locations = false) {
  BytecodeOptions options;
  options.file_name = "f.mlirbc";
  const auto module = ReadBytecode(file, options);
  if (!module.ok()) return std::string(module.status().message());
  PrintOptions print;
  print.with_locations = with_locations;
  return PrintModule(**module, print);
}

// A module whose only operation is a function that returns its argument, with one part that differs.
class OneFunction {
 public:
  OneFunction() {
    module_ = writer.AddOperationName("builtin", "module");
    func_ = writer.AddOperationName("vhlo", "func_v1");
    returns_ = writer.AddOperationName("vhlo", "return_v1");
    const int f32 = writer.AddType("vhlo", Varint(4));
    tensor = writer.AddType("vhlo", Varint(20) + Numbers({}) + Varint(f32));
    const std::string one = Numbers({static_cast<uint64_t>(tensor)});
    const int function = writer.AddType("vhlo", Varint(8) + one + one);
    unknown = writer.AddAttribute("builtin", Varint(15));
    const int none = writer.AddAttribute("vhlo", Varint(1) + Numbers({}));
    const int type = writer.AddAttribute("vhlo", Varint(17) + Varint(function));
    const int name = writer.AddText("main");
    const int visibility = writer.AddText("");
    properties_ = writer.AddProperties(Varint(none) + Varint(type) + Varint(none) + Varint(name) + Varint(visibility));
  }

  // Of an operation: its name, and what it has.
  std::string Head(int name, char mask) const { return Varint(name) + mask + Varint(unknown); }
  std::string Return(uint64_t value) const { return Head(returns_, '\4') + Numbers({value}); }
  // The function's body, after its argument, is these operations.
  std::string Write(const std::vector<std::string>& operations, uint64_t values = 1) {
    std::string body = Flagged(operations.size(), true) + Varint(1) + Flagged(tensor, false) + '\0';
    for (const std::string& operation : operations) body += operation;
    const std::string region = Varint(1) + Varint(values) + body;
    const std::string func = Head(func_, '\x50') + Varint(properties_) + Flagged(1, true) + Section(4, region);
    const std::string outer = Varint(1) + Varint(0) + Flagged(1, false) + func;
    writer.ir = Flagged(1, false) + Head(module_, '\x10') + Flagged(1, true) + Section(4, outer);
    return writer.Write();
  }

  ArtifactWriter writer;
  int tensor;
  int unknown;

 private:
  int module_;
  int func_;
  int returns_;
  int properties_;
};

TEST(ReadBytecode, ReadsOperationsWithTheirLocations) {
  EXPECT_EQ(TextOf(NegationArtifact(2), /*with_locations=*/true), R"(module {
  func.func public @main(%0: tensor<f32> loc(#loc0)) -> tensor<f32> {
    %1 = stablehlo.negate %0 : tensor<f32> loc(#loc1)
    %2 = stablehlo.negate %1 : tensor<f32> loc(#loc2)
    return %2 : tensor<f32> loc(#loc0)
  } loc(#loc0)
} loc(#loc0)
#loc0 = loc(unknown)
#loc1 = loc("model.py":1:1)
#loc2 = loc("model.py":2:1)
)");
}

TEST(ReadBytecode, RefusesEveryPartOfAFile) {
  const std::string file = NegationArtifact(3);
  ASSERT_THAT(TextOf(file), HasSubstr("module {"));
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_THAT(TextOf(file.substr(0, size)), HasSubstr("f.mlirbc: offset ")) << size;
  }
}

TEST(ReadBytecode, TakesAnyByteInAnyPlace) {
  const std::string file = NegationArtifact(3);
  for (size_t i = 0; i < file.size(); ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = file;
      changed[i] = static_cast<char>(byte);
      TextOf(changed);
    }
  }
}

TEST(ReadBytecode, NamesThePlaceOfAnError) {
  EXPECT_EQ(TextOf("ML"),
            "f.mlirbc: offset 0 in the file: expected MLIR bytecode, which begins with the bytes 4D 4C EF 52");
  EXPECT_EQ(
      TextOf("ML\xEFR" + Varint(99)),
      "f.mlirbc: offset 4 in the file: expected a bytecode version from 0 to 6, found 99; export the program for an "
      "older version");
  const std::string begin = "ML\xEFR" + Varint(6) + "StableHLO_v1.0.0" + '\0';
  EXPECT_EQ(TextOf(begin),
            "f.mlirbc: offset 22 in the file: section 0 (strings) is missing; the file may have been cut off");
  EXPECT_EQ(TextOf(begin + Section(0, Varint(0)) + Section(0, Varint(0))),
            "f.mlirbc: offset 25 in the file: section 0 (strings) is duplicated");
  EXPECT_EQ(
      TextOf(begin + '\4' + Varint(uint64_t{1} << 60)),
      "f.mlirbc: offset 22 in the file: section 4 (IR) has 1152921504606846976 bytes, but only 0 are left; the file "
      "may have been cut off");
  OneFunction program;
  EXPECT_THAT(TextOf(program.Write({program.Return(7)})),
              HasSubstr("in section 4 (IR): expected the number of a value below 1, found 7"));
}

TEST(ReadBytecode, TellsOtherBytecodeFromArtifacts) {
  OneFunction program;
  program.writer.producer = "MLIR23.0.0git";
  EXPECT_THAT(TextOf(program.Write({program.Return(0)})),
              HasSubstr("this is MLIR bytecode that 'MLIR23.0.0git' has written, not a portable artifact of StableHLO; "
                        "write the program with stablehlo.serialize_portable_artifact or as text"));
  program.writer.producer = "StableHLO_v0.8.0";
  EXPECT_THAT(TextOf(program.Write({program.Return(0)})),
              HasSubstr("this artifact is of version 0.8.0; Halo reads those from 0.9.0"));
}

TEST(ReadBytecode, KnowsTheVersionsOfOperations) {
  OneFunction program;
  const auto error = [&](absl::string_view name) {
    OneFunction one;
    const int operation = one.writer.AddOperationName("vhlo", name);
    return TextOf(one.Write({one.Head(operation, '\0'), one.Return(0)}));
  };
  EXPECT_THAT(error("fold_v1"), HasSubstr("unknown operation 'vhlo.fold_v1'; Halo reads VHLO up to version 1.20.0, and "
                                          "this artifact has 1.17.0: export the program for an older version"));
  EXPECT_THAT(error("tan_v1"), HasSubstr("the operation 'vhlo.tan_v1' is in VHLO from version 1.4.0 to 1.9.0, but this "
                                         "artifact has 1.17.0"));
  EXPECT_THAT(error("transpose_v1"),
              HasSubstr("the operation stablehlo.transpose requires the attribute 'permutation'"));
}

TEST(ReadBytecode, ComparesTheNumberOfValues) {
  OneFunction program;
  EXPECT_THAT(TextOf(program.Write({program.Return(0)}, /*values=*/2)),
              HasSubstr("this region announces 2 values, but has 1"));
  EXPECT_THAT(TextOf(program.Write({program.Return(0)}, /*values=*/0)),
              HasSubstr("this region has more values than it announces"));
  EXPECT_THAT(TextOf(program.Write({program.Return(1)}, /*values=*/2)),
              HasSubstr("the value 1 is not defined before this place"));
}

TEST(ReadBytecode, TakesCastsForTheirOperands) {
  OneFunction program;
  const int cast = program.writer.AddOperationName("builtin", "unrealized_conversion_cast");
  const int f32 = program.writer.AddType("builtin", Varint(5));
  const int tensor = program.writer.AddType("builtin", Varint(13) + Numbers({}) + Varint(f32));
  const std::string to_builtin = program.Head(cast, '\6') + Numbers({static_cast<uint64_t>(tensor)}) + Numbers({0});
  EXPECT_THAT(TextOf(program.Write({to_builtin, program.Return(1)}, /*values=*/2)),
              HasSubstr("    return %0 : tensor<f32>\n"));
  const std::string to_scalar = program.Head(cast, '\6') + Numbers({static_cast<uint64_t>(f32)}) + Numbers({0});
  EXPECT_THAT(TextOf(program.Write({to_scalar, program.Return(1)}, /*values=*/2)),
              HasSubstr("expected a cast of one value to the type that it has"));
}

// The attributes of a module are read whether an operation has them or not.
std::string ErrorOfAttributes(const std::vector<std::string>& encodings, absl::string_view dialect = "vhlo") {
  OneFunction program;
  for (const std::string& encoding : encodings) program.writer.AddAttribute(dialect, encoding);
  const std::string text = TextOf(program.Write({program.Return(0)}));
  return text.substr(0, 6) == "module" ? "" : text;
}
constexpr int kFirst = 5;  // the number of the first attribute that a test adds

TEST(ReadBytecode, RefusesWrongAttributes) {
  EXPECT_THAT(ErrorOfAttributes({Varint(99)}), HasSubstr("the dialect vhlo does not have a code 99 of an attribute"));
  EXPECT_THAT(ErrorOfAttributes({Varint(3) + Varint(6)}),
              HasSubstr("expected a number of a comparison_direction from 0 to 5, found 6"));
  EXPECT_THAT(ErrorOfAttributes({Varint(2) + Varint(1) + Varint(0)}),
              HasSubstr("expected the end of this attribute or type, found 1 more bytes"));
  EXPECT_THAT(ErrorOfAttributes({Varint(1) + Numbers({kFirst})}),
              HasSubstr("this attribute or type is a part of itself"));
  EXPECT_THAT(ErrorOfAttributes({Varint(1) + Varint(1000000)}),
              HasSubstr("expected 1000000 attributes, found only 0 bytes for them"));
  // A constant f32 of 3 bytes.
  EXPECT_THAT(ErrorOfAttributes({Varint(15) + Varint(1) + Blob("abc")}),
              HasSubstr("found 3 bytes for a constant of 1 elements, each of which has 4"));
}

TEST(ReadBytecode, LimitsTheDepthOfAttributesButNotOfLocations) {
  std::vector<std::string> lists = {Varint(1) + Numbers({})};
  std::vector<std::string> locations = {Varint(15)};
  for (uint64_t i = 0; i < 100000; ++i) {
    if (i < 200) lists.push_back(Varint(1) + Numbers({kFirst + i}));
    // Each refers to the one after it, so that the first one needs all of them.
    locations.push_back(Varint(10) + Varint(kFirst) + Varint(i == 99999 ? kFirst : kFirst + i + 2));
  }
  EXPECT_THAT(ErrorOfAttributes(lists), HasSubstr("attributes and types nest more than 90 deep"));
  EXPECT_EQ(ErrorOfAttributes(locations, "builtin"), "");
}

TEST(ReadBytecode, ReadsWhatCollectivesOfShardyWorkAlong) {
  OneFunction program;
  ArtifactWriter& writer = program.writer;
  const auto number = [](int attribute) { return static_cast<uint64_t>(attribute); };
  const int axis = writer.AddAttribute("sdy", Varint(4) + Varint(number(writer.AddString("a"))) + Varint(0));
  const int list = writer.AddAttribute("sdy", Varint(11) + Numbers({number(axis)}));
  const int lists = writer.AddAttribute("sdy", Varint(12) + Numbers({number(list), number(list)}));
  const int param =
      writer.AddAttribute("sdy", Varint(13) + Numbers({number(axis)}) + SignedVarint(1) + SignedVarint(0));
  const int params = writer.AddAttribute("sdy", Varint(14) + Numbers({number(param)}));
  std::string fields = Varint(1) + Varint(3);
  for (const auto& [name, value] :
       {std::make_pair("a", list), std::make_pair("b", lists), std::make_pair("c", params)}) {
    fields += Varint(number(writer.AddAttribute("builtin", Varint(2) + Varint(number(writer.AddString(name)))))) +
              Varint(number(value));
  }
  const int dictionary = writer.AddAttribute("builtin", fields);
  const int name = writer.AddOperationName("vhlo", "replica_id_v1");
  EXPECT_THAT(TextOf(program.Write({program.Head(name, '\1') + Varint(number(dictionary)), program.Return(0)})),
              HasSubstr(R"({a = #sdy<axis_ref_list{"a"}>, b = #sdy<list_of_axis_ref_lists[{"a"}, {"a"}]>, )"
                        R"(c = #sdy<all_to_all_param_list[{"a"}: 1->0]>})"));
}

// Twenty bytes an attribute, each with ten times the one before: written out, more than there is memory.
TEST(ReadBytecode, LimitsWhatAttributesStandFor) {
  OneFunction program;
  int last = program.writer.AddAttribute("vhlo", Varint(1) + Numbers({}));
  for (int i = 0; i < 20; ++i) {
    last = program.writer.AddAttribute("vhlo",
                                       Varint(1) + Numbers(std::vector<uint64_t>(10, static_cast<uint64_t>(last))));
  }
  const int name = program.writer.AddAttribute("builtin", Varint(2) + Varint(program.writer.AddString("a")));
  const int dictionary = program.writer.AddAttribute("builtin", Varint(1) + Varint(1) + Varint(name) + Varint(last));
  EXPECT_THAT(TextOf(program.Write({program.Return(0)})), HasSubstr("module {"));
  const int token = program.writer.AddOperationName("vhlo", "replica_id_v1");
  EXPECT_THAT(TextOf(program.Write({program.Head(token, '\1') + Varint(dictionary), program.Return(0)})),
              HasSubstr("with its attributes and types written out, the program up to here is more than 100 times as "
                        "long as the file"));
}

TEST(ReadBytecode, ObeysLimits) {
  auto cancellation = std::make_shared<Cancellation>();
  cancellation->Cancel();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext cancelled(limits, "testing");
  BytecodeOptions options;
  options.resources = &cancelled;
  EXPECT_EQ(ReadBytecode(NegationArtifact(10), options).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace stablehlo
}  // namespace xla
