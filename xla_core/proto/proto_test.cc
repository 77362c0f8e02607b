// Reading and writing modules as protobuf. Modules are given in protobuf's text form, which names the fields as XLA
// does.
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/proto/sharding_message.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kF32x2[] = "shape { element_type: F32 dimensions: 2 layout { minor_to_major: 0 } }";
constexpr char kScalar[] = "shape { element_type: F32 layout { } }";
constexpr char kToken[] = "shape { element_type: TOKEN }";

// A module whose entry computation, number 1, has these instructions; the last field of the text is its root_id.
std::string ModuleText(absl::string_view instructions, int root_id, absl::string_view before = "") {
  return absl::StrCat("name: \"m\" entry_computation_name: \"main\" entry_computation_id: 1\n", before,
                      "computations { name: \"main\" id: 1 root_id: ", root_id, "\n", instructions, "}\n",
                      "host_program_shape { result { element_type: F32 } }\n");
}

std::string Instruction(absl::string_view name, absl::string_view opcode, absl::string_view shape, int id,
                        absl::string_view rest = "") {
  return absl::StrCat("instructions { name: \"", name, "\" opcode: \"", opcode, "\" ", shape, " id: ", id, " ", rest,
                      " }\n");
}

HloProtoContents MustRead(absl::string_view contents) {
  absl::StatusOr<HloProtoContents> read = ReadHloProto(contents);
  EXPECT_TRUE(read.ok()) << read.status();
  return read.ok() ? *std::move(read) : HloProtoContents{};
}

std::string ErrorOf(absl::string_view contents) {
  absl::StatusOr<HloProtoContents> read = ReadHloProto(contents);
  return read.ok() ? "no error" : std::string(read.status().message());
}

std::string MustWrite(const HloModule& module, ProtoEncoding encoding = ProtoEncoding::kBinary,
                      HloProtoKind kind = HloProtoKind::kModule) {
  absl::StatusOr<std::string> written = WriteHloProto(module, encoding, kind);
  EXPECT_TRUE(written.ok()) << written.status();
  return written.ok() ? *written : "";
}

const HloInstruction* Find(const HloModule& module, absl::string_view name) {
  for (const auto& instruction : module.entry()->instructions()) {
    if (instruction->name() == name) return instruction.get();
  }
  ADD_FAILURE() << "no instruction " << name;
  return nullptr;
}

// A module with one instruction of every opcode, each with the attributes of a default-constructed struct.
std::unique_ptr<HloModule> ModuleOfAllOpcodes() {
  auto module = std::make_unique<HloModule>("all_opcodes");
  HloComputation* callee = module->AddComputation(std::make_unique<HloComputation>("callee"));
  HloComputation* main = module->AddComputation(std::make_unique<HloComputation>("main"));
  for (HloComputation* computation : {callee, main}) {
    auto parameter =
        std::make_unique<HloInstruction>(HloOpcode::kParameter, computation->name() + ".p", Shape::Array(F32, {2, 3}));
    parameter->set_attributes(std::make_unique<ParameterAttributes>());
    computation->set_root(computation->AddInstruction(std::move(parameter)));
  }
  for (HloOpcode opcode : AllOpcodes()) {
    if (opcode == HloOpcode::kParameter) continue;
    const OpDefinition& op = GetOp(opcode);
    auto instruction =
        std::make_unique<HloInstruction>(opcode, absl::StrCat(HloOpcodeName(opcode), ".1"), Shape::Array(F32, {2, 3}));
    for (int i = 0; i < std::max(op.min_operands, 1); ++i) instruction->AddOperand(main->root());
    if (op.make_attributes != nullptr) instruction->set_attributes(op.make_attributes());
    for (size_t i = 0; i < op.called_computations.size(); ++i) instruction->AddCalledComputation(callee);
    main->AddInstruction(std::move(instruction));
  }
  callee->set_is_fusion_computation(true);
  module->set_entry(main);
  // An invalid distribution is the default of rng, and cannot be stored.
  for (const auto& instruction : main->instructions()) {
    if (instruction->opcode() == HloOpcode::kRng) {
      instruction->mutable_attributes<RngAttributes>().distribution = RandomDistribution::kNormal;
    }
  }
  return module;
}

TEST(HloProto, KeepsEveryOpcodeAndItsAttributes) {
  const std::unique_ptr<HloModule> module = ModuleOfAllOpcodes();
  const HloProtoContents read = MustRead(MustWrite(*module));
  ASSERT_NE(read.module, nullptr);
  EXPECT_THAT(read.warnings, IsEmpty());
  const auto written = module->entry()->instructions();
  const auto got = read.module->entry()->instructions();
  ASSERT_EQ(written.size(), got.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i]->ToShortString(), written[i]->ToShortString());
    EXPECT_EQ(got[i]->called_computations().size(), written[i]->called_computations().size());
    if (written[i]->raw_attributes() != nullptr) {
      EXPECT_TRUE(AttributesEqual(*got[i]->raw_attributes(), *written[i]->raw_attributes())) << got[i]->name();
    }
  }
}

TEST(HloProto, BinaryAndTextAndBothKindsOfFileHoldTheSame) {
  const std::unique_ptr<HloModule> module = ModuleOfAllOpcodes();
  const std::string bytes = MustWrite(*module);
  for (HloProtoKind kind : {HloProtoKind::kModule, HloProtoKind::kHloProto}) {
    for (ProtoEncoding encoding : {ProtoEncoding::kBinary, ProtoEncoding::kText}) {
      const std::string file = MustWrite(*module, encoding, kind);
      EXPECT_EQ(DetectHloFormat(file),
                encoding == ProtoEncoding::kBinary ? HloFileFormat::kProtoBinary : HloFileFormat::kProtoText);
      HloProtoContents read = MustRead(file);
      ASSERT_NE(read.module, nullptr);
      EXPECT_EQ(read.kind, kind);
      EXPECT_TRUE(MustWrite(*read.module) == bytes);
    }
  }
}

TEST(HloProto, DetectsFormats) {
  EXPECT_EQ(DetectHloFormat("HloModule m\nENTRY e { ROOT a = f32[] parameter(0) }"), HloFileFormat::kHloText);
  EXPECT_EQ(DetectHloFormat("\n\nhlo_module { a = f32[] parameter(0) }"), HloFileFormat::kHloText);
  EXPECT_EQ(DetectHloFormat("// text\n%e (a: f32[]) -> f32[] {"), HloFileFormat::kHloText);
  EXPECT_EQ(DetectHloFormat("# a dump\nhlo_module {\n  name: \"m\"\n}"), HloFileFormat::kProtoText);
  EXPECT_EQ(DetectHloFormat("name: \"m\""), HloFileFormat::kProtoText);
  EXPECT_EQ(DetectHloFormat(absl::string_view("\x0a\x01m\x12\x00", 5)), HloFileFormat::kProtoBinary);
  EXPECT_EQ(DetectHloFormat("\x0a\xff"), HloFileFormat::kProtoBinary);
  EXPECT_EQ(DetectHloFormat("\xff\xff"), HloFileFormat::kUnknown);
  EXPECT_EQ(DetectHloFormat("\x7f\x45LF"), HloFileFormat::kUnknown);
  // Damaged text, of which the parser says where.
  EXPECT_EQ(DetectHloFormat("\xEF\xBB\xBFHloModule m"), HloFileFormat::kHloText);
  EXPECT_EQ(DetectHloFormat(absl::string_view("HloModule m\n\0", 13)), HloFileFormat::kHloText);
}

TEST(HloProto, WhileHasItsBodyFirst) {
  const std::string computations =
      absl::StrCat("computations { name: \"body\" id: 7 root_id: 1 ", Instruction("b", "parameter", kF32x2, 1), "}\n",
                   "computations { name: \"cond\" id: 8 root_id: 1 ", Instruction("c", "parameter", kF32x2, 1), "}\n");
  const HloProtoContents read = MustRead(
      ModuleText(absl::StrCat(Instruction("p", "parameter", kF32x2, 1),
                              Instruction("w", "while", kF32x2, 2, "operand_ids: 1 called_computation_ids: [7, 8]")),
                 2, computations));
  const HloInstruction* loop = Find(*read.module, "w");
  EXPECT_EQ(loop->called_computation(0)->name(), "cond");
  EXPECT_EQ(loop->called_computation(1)->name(), "body");
}

TEST(HloProto, MissingNumbersMeanTheirDefaults) {
  const HloProtoContents read =
      MustRead(ModuleText(absl::StrCat(Instruction("p", "parameter", kF32x2, 1),
                                       Instruction("c", "custom-call", kF32x2, 2, "custom_call_target: \"t\""),
                                       Instruction("e", "compare", "shape { element_type: PRED dimensions: 2 }", 3,
                                                   "operand_ids: [1, 1] comparison_direction: \"LT\""),
                                       Instruction("r", "all-reduce", kF32x2, 4, "operand_ids: 1 all_reduce_id: 9"),
                                       Instruction("k", "constant", kF32x2, 5)),
                          2));
  const auto& call = Find(*read.module, "c")->attributes<CustomCallAttributes>();
  EXPECT_EQ(call.feature_group_count, 1);
  EXPECT_EQ(call.api_version, CustomCallApiVersion::kOriginal);
  EXPECT_EQ(Find(*read.module, "e")->attributes<CompareAttributes>().type, ComparisonType::kFloat);
  EXPECT_EQ(Find(*read.module, "r")->attributes<AllReduceAttributes>().channel_id, 9);
  EXPECT_EQ(Find(*read.module, "k")->attributes<ConstantAttributes>().literal, nullptr);
}

// XLA writes no 0, and a negative one for none.
TEST(HloProto, ChannelsAreGivenFrom0On) {
  const HloProtoContents read =
      MustRead(ModuleText(absl::StrCat(Instruction("p", "parameter", kF32x2, 1),
                                       Instruction("a", "all-to-all", kF32x2, 2, "operand_ids: 1"),
                                       Instruction("b", "all-to-all", kF32x2, 3, "operand_ids: 1 channel_id: 0"),
                                       Instruction("c", "all-to-all", kF32x2, 4, "operand_ids: 1 channel_id: -1")),
                          2));
  EXPECT_EQ(Find(*read.module, "a")->collective_attributes().channel_id, absl::nullopt);
  EXPECT_EQ(Find(*read.module, "b")->collective_attributes().channel_id, 0);
  EXPECT_EQ(Find(*read.module, "c")->collective_attributes().channel_id, absl::nullopt);
}

TEST(HloProto, ReadsInstructionsOf2017) {
  const std::string pair =
      "shape { element_type: TUPLE tuple_shapes { element_type: F32 dimensions: 2 } tuple_shapes { element_type: S32 } "
      "}";
  const HloProtoContents read = MustRead(ModuleText(
      absl::StrCat(
          Instruction("p", "parameter", kF32x2, 1), Instruction("q", "parameter", pair, 2, "parameter_number: 1"),
          Instruction("b", "parameter", "shape { element_type: PRED }", 3, "parameter_number: 2"),
          Instruction("gt", "greater-than", "shape { element_type: PRED dimensions: 2 }", 4, "operand_ids: [1, 1]"),
          Instruction("sum", "cross-replica-sum", kF32x2, 5, "operand_ids: 1"),
          Instruction("t", "trace", kF32x2, 6, "operand_ids: 1"),
          Instruction("s", "tuple-select", pair, 7, "operand_ids: [3, 2, 2]"), Instruction("in", "infeed", kF32x2, 8),
          Instruction("out", "outfeed", pair, 9, "operand_ids: 8"),
          Instruction("d", "dot", kScalar, 10, "operand_ids: [8, 1]")),
      10));
  EXPECT_EQ(Find(*read.module, "gt")->attributes<CompareAttributes>().direction, ComparisonDirection::kGt);
  EXPECT_EQ(Find(*read.module, "sum")->called_computation(0)->root()->opcode(), HloOpcode::kAdd);
  EXPECT_EQ(Find(*read.module, "s")->ToShortString(), "s = (f32[2], s32[]) tuple(s.0, s.1)");
  EXPECT_EQ(Find(*read.module, "s.1")->ToShortString(), "s.1 = s32[] select(b, s.1.on_true, s.1.on_false)");
  EXPECT_EQ(Find(*read.module, "in.infeed")->ToShortString(), "in.infeed = (f32[2], token[]) infeed(in.token)");
  EXPECT_EQ(Find(*read.module, "in")->ToShortString(), "in = f32[2] get-tuple-element(in.infeed)");
  EXPECT_EQ(Find(*read.module, "out")->ToShortString(), "out = token[] outfeed(in, out.token)");
  EXPECT_THAT(Find(*read.module, "d")->attributes<DotAttributes>().lhs_contracting_dims, ElementsAre(0));
}

TEST(HloProto, FindsInstructionsByTheLowBitsOfIds) {
  const std::string text = R"(
    name: "m" entry_computation_id: 3
    computations {
      name: "main" id: 3 root_id: 12884901889
      instructions { name: "p" opcode: "parameter" shape { element_type: F32 } id: 12884901888 }
      instructions { name: "n" opcode: "negate" shape { element_type: F32 } id: 12884901889 operand_ids: 0 }
    }
    host_program_shape { parameters { element_type: F32 } result { element_type: F32 } })";
  EXPECT_EQ(MustRead(text).module->entry()->root()->ToShortString(), "n = f32[] negate(p)");
}

TEST(HloProto, TheEntryIsTheComputationOfItsId) {
  const auto text = [](absl::string_view id) {
    return absl::StrCat(R"(name: "m" entry_computation_name: "main" entry_computation_id: )", id, R"(
    computations {
      name: "f" id: 3 root_id: 1
      instructions { name: "p" opcode: "parameter" shape { element_type: F32 } id: 1 }
    }
    computations {
      name: "main" id: 4 root_id: 1
      instructions { name: "q" opcode: "parameter" shape { element_type: F32 } id: 1 }
    }
    host_program_shape { parameters { element_type: F32 } result { element_type: F32 } })");
  };
  EXPECT_EQ(MustRead(text("3")).module->entry()->name(), "f");
  // As in old files.
  EXPECT_EQ(MustRead(text("0")).module->entry()->name(), "main");
  for (const absl::string_view id : {"5", "-1", "4294967300"}) {
    EXPECT_EQ(ReadHloProto(text(id)).status().message(),
              absl::StrCat("the entry computation 'main' (id ", id, ") is none of the module's computations"));
  }
}

TEST(HloProto, ScheduleOrdersInstructions) {
  const std::string text =
      absl::StrCat(ModuleText(absl::StrCat(Instruction("a", "parameter", kF32x2, 1),
                                           Instruction("b", "parameter", kF32x2, 2, "parameter_number: 1")),
                              2),
                   "schedule { sequences { key: 1 value { instruction_ids: [2, 1] } } }\n");
  const HloProtoContents read = MustRead(text);
  EXPECT_TRUE(read.module->config().is_scheduled);
  EXPECT_EQ(read.module->entry()->instructions()[0]->name(), "b");
  EXPECT_EQ(ErrorOf(absl::StrReplaceAll(text, {{"[2, 1]", "[2, 2]"}})),
            "computation main: the schedule names id 2 twice, or the computation has no such instruction");
}

TEST(HloProto, LiteralsAreInTheOrderOfTheirLayout) {
  const std::string text = ModuleText(
      Instruction("k", "constant", kF32x2, 1,
                  "literal { shape { element_type: S32 dimensions: [2, 3] layout { minor_to_major: [0, 1] } } "
                  "s32s: [1, 4, 2, 5, 3, 6] }"),
      1);
  const HloProtoContents read = MustRead(text);
  const auto& literal = *read.module->entry()->root()->attributes<ConstantAttributes>().literal;
  EXPECT_THAT(literal.span<int32_t>(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(MustWrite(*MustRead(MustWrite(*read.module)).module), MustWrite(*read.module));
  EXPECT_EQ(ErrorOf(absl::StrReplaceAll(text, {{"3, 6]", "3]"}})),
            "computation main: instruction k: field literal: literal s32[2,3] has 20 bytes of elements, expected 24");
}

// Of a megabyte and more: read from where they lie in the file.
template <typename T>
void ExpectLargeLiteralSurvives(PrimitiveType type, absl::Span<const int64_t> minor_to_major) {
  Shape shape = Shape::Array(type, {700, 2000});
  Layout layout;
  layout.minor_to_major.assign(minor_to_major.begin(), minor_to_major.end());
  shape.set_layout(layout);
  Literal literal = *Literal::Allocate(shape);
  for (int64_t i = 0; i < shape.ElementCount(); ++i) literal.mutable_data<T>()[i] = static_cast<T>(i * 7919 - 100000);
  HloModule module("m");
  HloComputation* main = module.AddComputation(std::make_unique<HloComputation>("main"));
  auto constant = std::make_unique<HloInstruction>(HloOpcode::kConstant, "c", shape);
  auto attributes = std::make_unique<ConstantAttributes>();
  attributes->literal = std::make_shared<const Literal>(literal);
  constant->set_attributes(std::move(attributes));
  main->set_root(main->AddInstruction(std::move(constant)));
  module.set_entry(main);

  const std::string bytes = MustWrite(module);
  const HloProtoContents read = MustRead(bytes);
  ASSERT_NE(read.module, nullptr);
  EXPECT_TRUE(read.module->entry()->root()->attributes<ConstantAttributes>().literal->BitwiseEquals(literal))
      << PrimitiveTypeName(type);
  EXPECT_EQ(MustWrite(*read.module), bytes);
}

TEST(HloProto, LargeLiteralsAreReadFromTheFile) {
  for (const std::vector<int64_t>& layout : {std::vector<int64_t>{1, 0}, std::vector<int64_t>{0, 1}}) {
    ExpectLargeLiteralSurvives<bool>(PRED, layout);
    ExpectLargeLiteralSurvives<int32_t>(S32, layout);
    ExpectLargeLiteralSurvives<uint64_t>(U64, layout);
    ExpectLargeLiteralSurvives<float>(F32, layout);
    ExpectLargeLiteralSurvives<uint8_t>(U8, layout);
  }
}

TEST(HloProto, LargeLiteralsMustHaveTheNumberOfElementsOfTheirShape) {
  const std::string shape = "shape { element_type: U8 dimensions: 1048576 layout { minor_to_major: 0 } }";
  const std::string ones(1 << 20, '1');
  const HloProtoContents read = MustRead(ModuleText(
      Instruction("c", "constant", shape, 1, absl::StrCat("literal { ", shape, " u8s: \"", ones, "\" }")), 1));
  ASSERT_NE(read.module, nullptr);
  // 1048576 as a varint is 80 80 40.
  const std::string wrong = absl::StrReplaceAll(
      MustWrite(*read.module), {{"\x80\x80\x40\x12", "\xff\xff\x3f\x12"}, {"\x80\x80\x40\x2a", "\xff\xff\x3f\x2a"}});
  EXPECT_THAT(ErrorOf(wrong), ::testing::HasSubstr("has 1048576 bytes of elements, expected 1048575"));
}

TEST(HloProto, ReadsSmallIntegersPackedAndUnpacked) {
  const auto read = [](absl::string_view bytes) {
    const HloProtoContents contents = MustRead(ModuleText(
        Instruction("k", "constant", kF32x2, 1,
                    absl::StrCat("literal { shape { element_type: S4 dimensions: 3 } s4s: \"", bytes, "\" }")),
        1));
    const auto values = contents.module->entry()->root()->attributes<ConstantAttributes>().literal->span<int8_t>();
    return std::vector<int>(values.begin(), values.end());
  };
  EXPECT_THAT(read("\\x8f\\x07"), ElementsAre(-1, -8, 7));
  EXPECT_THAT(read("\\x0f\\x08\\x07"), ElementsAre(-1, -8, 7));
}

TEST(HloProto, KeepsAnnotations) {
  const std::string rest = R"(
    metadata { op_name: "n" source_line: 3 stack_frame_id: 1 metadata_payload { id: 0 } }
    sharding { type: OTHER tile_assignment_dimensions: [2, 1] iota_reshape_dims: 2 iota_transpose_perm: 0 }
    frontend_attributes { map { key: "k" value: "v" } }
    backend_config_payload { id: 1 }
    statistics_viz { statistics { stat_name: "nan" stat_val: 0.5 } }
    result_accuracy { tolerance { rtol: 0.25 } }
    original_value { elements { original_array { instruction_name: "x" shape_index: 1 } } })";
  const std::string text = absl::StrCat(ModuleText(Instruction("p", "parameter", kF32x2, 1, rest), 1),
                                        "payloads: [\"first\", \"second\"]\n");
  const HloProtoContents once = MustRead(text);
  const HloProtoContents twice = MustRead(MustWrite(*once.module));
  for (const HloProtoContents* contents : {&once, &twice}) {
    const InstructionAnnotations& annotations = contents->module->entry()->root()->annotations();
    EXPECT_EQ(annotations.metadata.op_name, "n");
    EXPECT_EQ(annotations.metadata.metadata_payload, "first");
    EXPECT_THAT(annotations.sharding->iota->transpose_perm, IsEmpty());
    EXPECT_EQ(annotations.frontend_attributes.at("k"), "v");
    EXPECT_EQ(annotations.backend_config, "second");
    EXPECT_EQ(annotations.statistics->values[0].second, 0.5);
    EXPECT_EQ(annotations.result_accuracy.rtol, 0.25);
    EXPECT_EQ(annotations.original_value->array->instruction_name, "x");
  }
}

TEST(ShardingMessage, HoldsASharding) {
  // type: OTHER, tile_assignment_dimensions: [2, 1], tile_assignment_devices: [0, 1]
  const auto tiled = ParseShardingMessage(absl::string_view("\x08\x03\x1a\x02\x02\x01\x22\x02\x00\x01", 10));
  ASSERT_TRUE(tiled.ok()) << tiled.status();
  EXPECT_EQ(tiled->tile_dimensions, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(tiled->devices, (std::vector<int64_t>{0, 1}));
  const auto replicated = ParseShardingMessage("");
  ASSERT_TRUE(replicated.ok()) << replicated.status();
  EXPECT_EQ(replicated->type, Sharding::Type::kReplicated);
  EXPECT_EQ(ParseShardingMessage("\x1a\x05\x02").status().message(),
            "expected the bytes of an OpSharding, found 3 bytes that are not");
}

TEST(HloProto, KeepsTheHeaderOfTheModule) {
  HloProtoContents read = MustRead(ModuleText(Instruction("p", "parameter", kF32x2, 1), 1));
  HloModuleConfig& config = read.module->mutable_config();
  config.replica_count = 4;
  config.num_partitions = 2;
  config.input_output_alias = {{{}, 0, {}, true}};
  config.buffer_donors = {{0, {}}};
  config.alias_passthrough_params = true;
  config.allow_spmd_sharding_propagation_to_output = {true, false};
  config.debug_attributes = "{ }";
  config.entry_computation_layout = absl::nullopt;
  config.stack_frames.file_names = {"a.py"};
  config.origin_recovery_table = {{{"old", {}}, {"new", {1}}, "HloModule x"}};
  const HloProtoContents again = MustRead(MustWrite(*read.module));
  const HloModuleConfig& got = again.module->config();
  EXPECT_EQ(got.replica_count, 4);
  EXPECT_EQ(got.num_partitions, 2);
  EXPECT_EQ(got.input_output_alias, config.input_output_alias);
  EXPECT_EQ(got.buffer_donors, config.buffer_donors);
  EXPECT_TRUE(got.alias_passthrough_params);
  EXPECT_THAT(got.allow_spmd_sharding_propagation_to_output, ElementsAre(true, false));
  EXPECT_EQ(got.debug_attributes, "{ }");
  EXPECT_FALSE(got.entry_computation_layout.has_value());
  EXPECT_THAT(got.stack_frames.file_names, ElementsAre("a.py"));
  EXPECT_EQ(got.origin_recovery_table[0].module_text, "HloModule x");
}

TEST(HloProto, SnapshotsBringArgumentsAndResult) {
  const std::string module = ModuleText(Instruction("p", "parameter", kF32x2, 1), 1);
  const std::string literal = "{ shape { element_type: F32 dimensions: 2 } f32s: [1, 2] }";
  const HloProtoContents snapshot = MustRead(absl::StrCat("hlo { hlo_module { ", module, "} }\narguments ", literal,
                                                          "\nresult ", literal, "\nexecution_platform: \"Host\""));
  EXPECT_EQ(snapshot.kind, HloProtoKind::kSnapshot);
  EXPECT_THAT(snapshot.arguments[0][0].span<float>(), ElementsAre(1, 2));
  EXPECT_THAT(snapshot.result->span<float>(), ElementsAre(1, 2));
  EXPECT_EQ(snapshot.execution_platform, "Host");
  const HloProtoContents unoptimized =
      MustRead(absl::StrCat("hlo_module { ", module, "}\npartitions { arguments ", literal, " }"));
  EXPECT_EQ(unoptimized.kind, HloProtoKind::kUnoptimizedSnapshot);
  EXPECT_EQ(unoptimized.arguments.size(), 1u);
}

TEST(HloProto, DropsUnknownFieldsWithAWarning) {
  std::string bytes = MustWrite(*MustRead(ModuleText(Instruction("p", "parameter", kF32x2, 1), 1)).module);
  bytes += "\xf2\x01\x02hi";  // field 30
  EXPECT_THAT(MustRead(bytes).warnings,
              ElementsAre("dropped field 30 of HloModuleProto, which this reader does not know"));
  EXPECT_THAT(
      MustRead(ModuleText(Instruction("p", "parameter", kF32x2, 1, "new_field { a: 1 }"), 1)).warnings,
      ElementsAre("dropped what this reader does not know: Message type \"halo.hlo.HloInstructionProto\" has no field "
                  "named \"new_field\"."));
}

TEST(HloProto, RenamesWhatTextCouldNotName) {
  const HloProtoContents read = MustRead(ModuleText(Instruction("a b", "parameter", kF32x2, 1), 1));
  EXPECT_EQ(read.module->entry()->root()->name(), "a_b");
  EXPECT_THAT(read.warnings, ElementsAre("renamed instruction 'a b' to 'a_b': HLO text does not allow that name"));
}

TEST(HloProto, DeepTuplesNeitherFailNorOverflow) {
  Shape shape = Shape::Scalar(F32);
  for (int i = 0; i < Shape::kMaxNestingDepth; ++i) shape = Shape::Tuple({shape});
  HloModule module("deep");
  HloComputation* main = module.AddComputation(std::make_unique<HloComputation>("main"));
  auto parameter = std::make_unique<HloInstruction>(HloOpcode::kParameter, "p", shape);
  parameter->set_attributes(std::make_unique<ParameterAttributes>());
  main->set_root(main->AddInstruction(std::move(parameter)));
  module.set_entry(main);
  for (ProtoEncoding encoding : {ProtoEncoding::kBinary, ProtoEncoding::kText}) {
    EXPECT_TRUE(MustRead(MustWrite(module, encoding)).module->entry()->root()->shape() == shape);
  }
  main->root()->mutable_shape() = Shape::Tuple({shape});
  EXPECT_EQ(ErrorOf(MustWrite(module)), "computation main: instruction p: tuple nested deeper than 1000");
  std::string text = "name: \"m\" x ";
  for (int i = 0; i < 1000000; ++i) text += "{ x ";
  EXPECT_EQ(ErrorOf(text), "protobuf text nested deeper than 2000");
}

// The name of field 1 of field 3 of the module, twice as deep for each byte.
TEST(HloProto, DeepBinaryIsRefused) {
  std::string shape;
  for (int i = 0; i < 5000; ++i) {
    std::string outer = "\x22";  // tuple_shapes
    for (size_t size = shape.size(); true; size >>= 7) {
      outer += static_cast<char>((size & 0x7F) | (size >= 0x80 ? 0x80 : 0));
      if (size < 0x80) break;
    }
    shape = outer + shape;
  }
  const auto wrap = [](char tag, const std::string& bytes) {
    std::string out(1, tag);
    for (size_t size = bytes.size(); true; size >>= 7) {
      out += static_cast<char>((size & 0x7F) | (size >= 0x80 ? 0x80 : 0));
      if (size < 0x80) break;
    }
    return out + bytes;
  };
  const std::string file = wrap('\x1a', wrap('\x12', wrap('\x1a', shape)));
  EXPECT_EQ(ErrorOf(file).substr(0, 64), "not a valid HloModuleProto: computations[0].instructions[0].shap");
}

TEST(HloProto, RefusesWhatIsNoModule) {
  EXPECT_EQ(ErrorOf(""), "the file is empty; expected a HloModuleProto");
  EXPECT_EQ(ErrorOf("HloModule m"), "this is text, but not protobuf text; expected a HloModuleProto or HloProto");
  EXPECT_EQ(ErrorOf("\x7f\x45LF\x02"),
            "this is no program in HLO: it begins with the bytes 7f 45 4c 46; expected HLO text, or a HloModuleProto, "
            "HloProto or HloSnapshot, binary or text");
  EXPECT_EQ(ErrorOf("name: \"m"),
            "not a valid HloModuleProto in text form: line 1, column 9: Unexpected end of string.");
  EXPECT_EQ(ErrorOf("name: \"m\""), "the module has no computations");
  EXPECT_EQ(ErrorOf(std::string("\x0a\x02\xff\xfe", 4)), "not a valid HloModuleProto: name is no valid UTF-8");
  const std::string bytes = MustWrite(*MustRead(ModuleText(Instruction("p", "parameter", kF32x2, 1), 1)).module);
  // The last field, of two bytes, is the entry's id, which its name can replace.
  for (size_t size = 1; size < bytes.size() - 2; ++size) EXPECT_NE(ErrorOf(bytes.substr(0, size)), "no error") << size;
}

TEST(HloProto, ErrorsNameComputationAndInstruction) {
  const std::string p = Instruction("p", "parameter", kF32x2, 1);
  EXPECT_EQ(ErrorOf(ModuleText(p + Instruction("r", "adx", kF32x2, 2), 2)),
            "computation main: instruction r: unknown opcode 'adx'; did you mean 'add'?");
  EXPECT_EQ(ErrorOf(ModuleText(p + Instruction("r", "negate", kF32x2, 2, "operand_ids: 3"), 2)),
            "computation main: instruction r: refers to id 3 as operand, but no instruction before it in the "
            "computation has that id");
  EXPECT_EQ(ErrorOf(ModuleText(p + Instruction("r", "call", kF32x2, 2, "called_computation_ids: 9"), 2)),
            "computation main: instruction r: calls computation id 9, but no computation before this one has that id");
  EXPECT_EQ(ErrorOf(ModuleText(p + Instruction("r", "negate", "", 2, "operand_ids: 1"), 2)),
            "computation main: instruction r: the instruction has no shape");
  EXPECT_EQ(ErrorOf(ModuleText(p + Instruction("r", "negate", "shape { element_type: F32 dimensions: -1 }", 2), 2)),
            "computation main: instruction r: dimension 0 of an array has the negative size -1");
  EXPECT_EQ(ErrorOf(ModuleText(p + Instruction("r", "after-all", kToken, 1), 1)),
            "computation main: instruction r: has the id 1, which another instruction has already");
  EXPECT_EQ(ErrorOf(ModuleText(Instruction("p", "parameter", kF32x2, 1, "parameter_number: 7"), 1)),
            "computation main: p is parameter number 7, but there are 1 parameters, numbered from 0");
  EXPECT_EQ(ErrorOf(ModuleText(p + Instruction("s", "sort", kF32x2, 2, "operand_ids: 1 dimensions: [0, 1]"), 2)),
            "computation main: instruction s: field dimensions: has 2 entries, expected one");
  EXPECT_EQ(ErrorOf(ModuleText(p + Instruction("f", "fusion", kF32x2, 2, "fusion_kind: \"kMagic\""), 2)),
            "computation main: instruction f: field fusion_kind: unknown fusion kind 'kMagic'");
  EXPECT_EQ(ErrorOf(ModuleText("", 1)), "computation main: the computation has no instructions");
  EXPECT_EQ(ErrorOf(ModuleText(p, 5)),
            "computation main: refers to id 5 as root, but no instruction before it in the computation has that id");
}

TEST(HloProto, CannotStoreStringsThatAreNoUtf8) {
  const HloProtoContents read = MustRead(ModuleText(Instruction("p", "parameter", kF32x2, 1), 1));
  read.module->entry()->root()->mutable_annotations().metadata.op_name = "\xff";
  EXPECT_EQ(WriteHloProto(*read.module, ProtoEncoding::kBinary).status().message(),
            "cannot be stored as protobuf: computations[0].instructions[0].metadata.op_name is no valid UTF-8");
}

TEST(HloProto, EndsAtALimit) {
  const auto cancellation = std::make_shared<Cancellation>();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext resources(limits, "working");
  const std::string text = ModuleText(Instruction("p", "parameter", kF32x2, 1), 1);
  const std::string binary = MustWrite(*MustRead(text).module);
  EXPECT_TRUE(ReadHloProto(text, &resources).ok());
  const std::unique_ptr<HloModule> module = MustRead(text).module;
  cancellation->Cancel();
  for (const std::string& contents : {text, binary}) {
    EXPECT_EQ(ReadHloProto(contents, &resources).status(), absl::CancelledError("cancelled while reading the program"));
  }
  for (const ProtoEncoding encoding : {ProtoEncoding::kText, ProtoEncoding::kBinary}) {
    EXPECT_EQ(WriteHloProto(*module, encoding, HloProtoKind::kModule, &resources).status(),
              absl::CancelledError("cancelled while writing the program"));
  }
}

}  // namespace
}  // namespace xla
