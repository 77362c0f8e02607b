#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "bindings/c/halo.h"
#include "bindings/c/testing.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string LoadError(absl::string_view contents, const halo_load_options* options = nullptr) {
  halo_module* module = reinterpret_cast<halo_module*>(1);
  const std::string outcome = Outcome(halo_module_load(contents.data(), contents.size(), options, &module));
  EXPECT_EQ(module, nullptr);
  return outcome;
}

std::string ShapeText(const halo_shape* shape) {
  char* text = nullptr;
  EXPECT_EQ(Outcome(halo_shape_to_string(shape, &text)), "");
  return TakeText(text);
}

TEST(Version, IsThatOfTheHeader) {
  EXPECT_EQ(halo_abi_version(), HALO_ABI_VERSION);
  EXPECT_EQ(std::string(halo_version()), std::to_string(HALO_VERSION_MAJOR) + "." + std::to_string(HALO_VERSION_MINOR) +
                                             "." + std::to_string(HALO_VERSION_PATCH));
}

TEST(Status, NullIsSuccess) {
  EXPECT_EQ(halo_status_code(nullptr), HALO_OK);
  EXPECT_STREQ(halo_status_message(nullptr), "");
  halo_status_free(nullptr);
  halo_free(nullptr);
  EXPECT_STREQ(halo_code_name(HALO_INVALID_ARGUMENT), "INVALID_ARGUMENT");
  EXPECT_STREQ(halo_code_name(HALO_UNAVAILABLE), "UNAVAILABLE");
  EXPECT_STREQ(halo_code_name(-1), "UNKNOWN");
  EXPECT_STREQ(halo_code_name(99), "UNKNOWN");
}

TEST(ElementType, HasNameAndSize) {
  EXPECT_STREQ(halo_element_type_name(HALO_BF16), "bf16");
  EXPECT_STREQ(halo_element_type_name(HALO_F6E2M3FN), "f6e2m3fn");
  EXPECT_STREQ(halo_element_type_name(-1), "invalid");
  EXPECT_STREQ(halo_element_type_name(1000), "invalid");
  EXPECT_EQ(halo_element_type_from_name("c128"), HALO_C128);
  EXPECT_EQ(halo_element_type_from_name("f8e8m0fnu"), HALO_F8E8M0FNU);
  EXPECT_EQ(halo_element_type_from_name("float"), HALO_TYPE_INVALID);
  EXPECT_EQ(halo_element_type_from_name(nullptr), HALO_TYPE_INVALID);
  EXPECT_EQ(halo_element_type_size(HALO_PRED), 1u);
  EXPECT_EQ(halo_element_type_size(HALO_S4), 1u);
  EXPECT_EQ(halo_element_type_size(HALO_C64), 8u);
  EXPECT_EQ(halo_element_type_size(HALO_TUPLE), 0u);
  EXPECT_EQ(halo_element_type_size(77), 0u);
}

TEST(Module, TellsItsProgramShape) {
  const OwnedModule module = LoadOrDie(R"(HloModule pair, replica_count=2
ENTRY entry {
  x = f32[2,<=3] parameter(0)
  n = s32[] parameter(1)
  inner = (s32[], s32[]) tuple(n, n)
  ROOT all = (f32[2,<=3], (s32[], s32[])) tuple(x, inner)
}
)");
  EXPECT_STREQ(halo_module_name(module.get()), "pair");
  EXPECT_STREQ(halo_module_format(module.get()), "HLO text");
  EXPECT_EQ(halo_module_warning_count(module.get()), 0u);
  EXPECT_EQ(halo_module_warning(module.get(), 0), nullptr);
  EXPECT_EQ(halo_module_instruction_count(module.get()), 4);
  EXPECT_EQ(halo_module_replica_count(module.get()), 2);
  EXPECT_EQ(halo_module_partition_count(module.get()), 1);
  ASSERT_EQ(halo_module_parameter_count(module.get()), 2u);
  EXPECT_STREQ(halo_module_parameter_name(module.get(), 0), "x");
  EXPECT_STREQ(halo_module_parameter_name(module.get(), 1), "n");
  EXPECT_EQ(halo_module_parameter_name(module.get(), 2), nullptr);
  EXPECT_EQ(halo_module_parameter_shape(module.get(), 2), nullptr);
  const halo_shape* const x = halo_module_parameter_shape(module.get(), 0);
  EXPECT_EQ(halo_shape_element_type(x), HALO_F32);
  ASSERT_EQ(halo_shape_rank(x), 2u);
  EXPECT_EQ(halo_shape_dimensions(x)[0], 2);
  EXPECT_EQ(halo_shape_dimensions(x)[1], 3);
  EXPECT_FALSE(halo_shape_is_dynamic_dimension(x, 0));
  EXPECT_TRUE(halo_shape_is_dynamic_dimension(x, 1));
  EXPECT_FALSE(halo_shape_is_dynamic_dimension(x, 2));
  EXPECT_EQ(halo_shape_byte_size(x), 24u);
  EXPECT_EQ(halo_shape_tuple_size(x), 0u);
  EXPECT_EQ(halo_shape_tuple_element(x, 0), nullptr);
  const halo_shape* const n = halo_module_parameter_shape(module.get(), 1);
  EXPECT_EQ(halo_shape_rank(n), 0u);
  EXPECT_EQ(halo_shape_dimensions(n), nullptr);
  ASSERT_EQ(halo_module_result_count(module.get()), 2u);
  EXPECT_STREQ(halo_module_result_name(module.get(), 0), "x");
  EXPECT_STREQ(halo_module_result_name(module.get(), 1), "inner");
  EXPECT_EQ(halo_module_result_name(module.get(), 2), nullptr);
  EXPECT_EQ(ShapeText(halo_module_result_shape(module.get(), 0)), "f32[2,<=3]");
  const halo_shape* const inner = halo_module_result_shape(module.get(), 1);
  EXPECT_EQ(ShapeText(inner), "(s32[], s32[])");
  EXPECT_EQ(halo_shape_element_type(inner), HALO_TUPLE);
  EXPECT_EQ(halo_shape_tuple_size(inner), 2u);
  EXPECT_EQ(halo_shape_element_type(halo_shape_tuple_element(inner, 1)), HALO_S32);
  EXPECT_EQ(halo_shape_tuple_element(inner, 2), nullptr);
  EXPECT_EQ(halo_module_result_shape(module.get(), 2), nullptr);
}

TEST(Module, ComesBackFromEveryForm) {
  const OwnedModule module = LoadOrDie(kAdd);
  for (const halo_proto_encoding encoding : {HALO_PROTO_BINARY, HALO_PROTO_TEXT}) {
    char* data = nullptr;
    size_t size = 0;
    ASSERT_EQ(Outcome(halo_module_to_proto(module.get(), encoding, &data, &size)), "");
    const OwnedModule again = LoadOrDie(absl::string_view(data, size));
    halo_free(data);
    EXPECT_STREQ(halo_module_format(again.get()), encoding == HALO_PROTO_BINARY ? "binary protobuf" : "text protobuf");
    EXPECT_STREQ(halo_module_parameter_name(again.get(), 1), "y");
  }
  for (const halo_text_style style : {HALO_TEXT_LONG, HALO_TEXT_SHORT, HALO_TEXT_CANONICAL}) {
    halo_print_options options = HALO_PRINT_OPTIONS_INIT;
    options.style = style;
    options.without_metadata = 1;
    char* text = nullptr;
    size_t size = 0;
    ASSERT_EQ(Outcome(halo_module_to_text(module.get(), &options, &text, &size)), "");
    EXPECT_EQ(size, std::string(text).size());
    EXPECT_THAT(text, AllOf(StartsWith("HloModule add_two"), HasSubstr("add(")));
    LoadOrDie(TakeText(text));
  }
  char* text = nullptr;
  ASSERT_EQ(Outcome(halo_module_to_text(module.get(), nullptr, &text, nullptr)), "");
  EXPECT_THAT(TakeText(text), HasSubstr("%sum"));
}

TEST(Module, ComesFromStableHlo) {
  const OwnedModule module = LoadOrDie(R"(module @twice {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %x, %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})");
  EXPECT_STREQ(halo_module_name(module.get()), "twice");
  EXPECT_STREQ(halo_module_format(module.get()), "StableHLO text");
  EXPECT_STREQ(halo_module_parameter_name(module.get(), 0), "x");
}

TEST(Module, WarnsOfWhatASnapshotHoldsBesides) {
  char* data = nullptr;
  size_t size = 0;
  ASSERT_EQ(Outcome(halo_module_to_proto(LoadOrDie(kAdd).get(), HALO_PROTO_TEXT, &data, &size)), "");
  const OwnedModule module =
      LoadOrDie("hlo { hlo_module { " + TakeText(data) + " } } arguments { shape { element_type: F32 } f32s: 1 }");
  ASSERT_EQ(halo_module_warning_count(module.get()), 1u);
  EXPECT_STREQ(halo_module_warning(module.get(), 0), "the arguments and results that the snapshot holds are left out");
  EXPECT_EQ(halo_module_warning(module.get(), 1), nullptr);
}

TEST(Module, ElidesLargeConstantsIfAsked) {
  const OwnedModule module =
      LoadOrDie("HloModule m\nENTRY e { ROOT c = s32[12] constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) }");
  halo_print_options options = HALO_PRINT_OPTIONS_INIT;
  options.elide_large_constants = 1;
  char* text = nullptr;
  ASSERT_EQ(Outcome(halo_module_to_text(module.get(), &options, &text, nullptr)), "");
  EXPECT_THAT(TakeText(text), HasSubstr("constant({...})"));
}

TEST(Module, IsReadFromAFile) {
  const std::string path = testing::TempDir() + "/add.hlo";
  std::ofstream(path) << kAdd;
  halo_module* module = nullptr;
  ASSERT_EQ(Outcome(halo_module_load_file(path.c_str(), nullptr, &module)), "");
  EXPECT_STREQ(halo_module_name(module), "add_two");
  halo_module_free(module);
  std::ofstream(path) << "HloModule m\nENTRY e { ROOT c = f99[] constant(1) }";
  EXPECT_THAT(Outcome(halo_module_load_file(path.c_str(), nullptr, &module)),
              AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("add.hlo:2:")));
  EXPECT_EQ(module, nullptr);
  EXPECT_THAT(Outcome(halo_module_load_file("no/such/file.hlo", nullptr, &module)),
              AllOf(StartsWith("NOT_FOUND: "), HasSubstr("no/such/file.hlo")));
}

TEST(Module, ErrorsSayWhereTheyAre) {
  EXPECT_THAT(LoadError("HloModule m\nENTRY e {\n  ROOT c = f32[2] nothing()\n}\n"),
              AllOf(StartsWith("INVALID_ARGUMENT: <memory>:3:"), HasSubstr("^")));
  halo_load_options options = HALO_LOAD_OPTIONS_INIT;
  options.name = "net";
  EXPECT_THAT(LoadError("HloModule m\nENTRY e {", &options), StartsWith("INVALID_ARGUMENT: net:"));
  EXPECT_THAT(LoadError(""), StartsWith("INVALID_ARGUMENT: "));
  EXPECT_EQ(LoadError(absl::string_view("\x08\xff\x00", 3)),
            "INVALID_ARGUMENT: <memory>: not recognized as HLO text, StableHLO text or bytecode, or a HloModuleProto, "
            "HloProto or HloSnapshot, binary or text");
  EXPECT_THAT(LoadError("entry_computation_name: 5"), StartsWith("INVALID_ARGUMENT: "));
  EXPECT_THAT(LoadError(absl::string_view("\0\0\0\0", 4)), StartsWith("INVALID_ARGUMENT: "));
}

TEST(Module, IsVerifiedUnlessToldNot) {
  constexpr char kWrong[] = "HloModule m\nENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[3] negate(a)\n}\n";
  EXPECT_THAT(LoadError(kWrong), AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("f32[3]")));
  halo_load_options options = HALO_LOAD_OPTIONS_INIT;
  options.unverified = 1;
  halo_module* read = nullptr;
  ASSERT_EQ(Outcome(halo_module_load(kWrong, sizeof(kWrong) - 1, &options, &read)), "");
  const OwnedModule module(read);
  EXPECT_THAT(Outcome(halo_module_verify(module.get())), StartsWith("INVALID_ARGUMENT: "));
  const OwnedClient client = ClientOrDie();
  halo_executable* executable = nullptr;
  EXPECT_THAT(Outcome(halo_client_compile(client.get(), module.get(), nullptr, &executable)),
              AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("f32[3]")));
  EXPECT_EQ(executable, nullptr);
  EXPECT_EQ(Outcome(halo_module_verify(LoadOrDie(kAdd).get())), "");
}

TEST(Module, IsOneOfSeveral) {
  constexpr char kTwo[] =
      "HloModule first\nENTRY e { ROOT c = s32[] constant(1) }\n// -----\n"
      "HloModule second\nENTRY e { ROOT c = s32[] constant(2) }\n";
  EXPECT_EQ(LoadError(kTwo),
            "INVALID_ARGUMENT: options.module: the file has 2 modules (first, second); choose one by its name or its "
            "number from 0");
  halo_load_options options = HALO_LOAD_OPTIONS_INIT;
  for (const char* choice : {"second", "1"}) {
    options.module = choice;
    halo_module* module = nullptr;
    ASSERT_EQ(Outcome(halo_module_load(kTwo, sizeof(kTwo) - 1, &options, &module)), "");
    EXPECT_STREQ(halo_module_name(module), "second");
    halo_module_free(module);
  }
  options.module = "secnd";
  EXPECT_THAT(LoadError(kTwo, &options), HasSubstr("did you mean 'second'?"));
}

TEST(Module, NullAndWrongHandlesAreErrors) {
  halo_module* module = nullptr;
  EXPECT_EQ(Outcome(halo_module_load(nullptr, 5, nullptr, &module)),
            "INVALID_ARGUMENT: halo_module_load: data is NULL");
  EXPECT_EQ(Outcome(halo_module_load(kAdd, sizeof(kAdd) - 1, nullptr, nullptr)),
            "INVALID_ARGUMENT: halo_module_load: module is NULL");
  EXPECT_EQ(Outcome(halo_module_load_file(nullptr, nullptr, &module)),
            "INVALID_ARGUMENT: halo_module_load_file: path is NULL");
  EXPECT_EQ(Outcome(halo_module_verify(nullptr)), "INVALID_ARGUMENT: halo_module_verify: module is NULL");
  const OwnedClient client = ClientOrDie();
  auto* const no_module = reinterpret_cast<halo_module*>(client.get());
  EXPECT_EQ(Outcome(halo_module_verify(no_module)),
            "INVALID_ARGUMENT: halo_module_verify: module is no halo_module, or was freed");
  halo_module_free(no_module);  // does nothing
  EXPECT_STREQ(halo_module_name(no_module), "");
  EXPECT_STREQ(halo_module_name(nullptr), "");
  EXPECT_EQ(halo_module_parameter_count(nullptr), 0u);
  EXPECT_EQ(halo_module_result_count(nullptr), 0u);
  EXPECT_EQ(halo_module_instruction_count(nullptr), 0);
  char* text = nullptr;
  size_t size = 0;
  EXPECT_THAT(Outcome(halo_module_to_text(nullptr, nullptr, &text, &size)), HasSubstr("module is NULL"));
  const OwnedModule good = LoadOrDie(kAdd);
  EXPECT_THAT(Outcome(halo_module_to_text(good.get(), nullptr, nullptr, nullptr)), HasSubstr("text is NULL"));
  EXPECT_THAT(Outcome(halo_module_to_proto(good.get(), HALO_PROTO_BINARY, &text, nullptr)), HasSubstr("size is NULL"));
  EXPECT_THAT(Outcome(halo_module_to_proto(good.get(), 7, &text, &size)), HasSubstr("encoding is 7"));
  halo_print_options options = HALO_PRINT_OPTIONS_INIT;
  options.style = 3;
  EXPECT_THAT(Outcome(halo_module_to_text(good.get(), &options, &text, &size)), HasSubstr("options.style is 3"));
}

TEST(Module, LimitsEndReading) {
  halo_cancellation* made = nullptr;
  ASSERT_EQ(Outcome(halo_cancellation_create(&made)), "");
  const OwnedCancellation cancellation(made);
  halo_load_options options = HALO_LOAD_OPTIONS_INIT;
  options.timeout_seconds = 1e-9;
  EXPECT_EQ(LoadError(kAdd, &options), "DEADLINE_EXCEEDED: the deadline passed while reading the program");
  options.timeout_seconds = 1000;
  options.cancellation = made;
  halo_module* module = nullptr;
  EXPECT_EQ(Outcome(halo_module_load(kAdd, sizeof(kAdd) - 1, &options, &module)), "");
  halo_module_free(module);
  halo_cancellation_cancel(made);
  EXPECT_EQ(LoadError(kAdd, &options), "CANCELLED: cancelled while reading the program");
  options.timeout_seconds = -1;
  EXPECT_THAT(LoadError(kAdd, &options), HasSubstr("timeout_seconds is -1"));
}

TEST(Options, AreReadByTheirSize) {
  halo_load_options uninitialised = {};
  EXPECT_EQ(LoadError(kAdd, &uninitialised),
            "INVALID_ARGUMENT: halo_module_load: options.struct_size is 0; initialise the struct with its "
            "HALO_..._INIT");
  uninitialised.struct_size = size_t{1} << 60;
  EXPECT_THAT(LoadError(kAdd, &uninitialised), HasSubstr("initialise the struct"));
  // Of a program that was compiled when there were fewer fields: what lies after is not looked at.
  halo_load_options old = HALO_LOAD_OPTIONS_INIT;
  old.struct_size = offsetof(halo_load_options, module);
  old.module = "no such module";
  halo_module* module = nullptr;
  EXPECT_EQ(Outcome(halo_module_load(kAdd, sizeof(kAdd) - 1, &old, &module)), "");
  halo_module_free(module);
  struct Newer {
    halo_load_options known;
    int64_t unknown;
  } newer = {HALO_LOAD_OPTIONS_INIT, 0};
  newer.known.struct_size = sizeof(Newer);
  EXPECT_EQ(Outcome(halo_module_load(kAdd, sizeof(kAdd) - 1, &newer.known, &module)), "");
  halo_module_free(module);
  newer.unknown = 1;
  EXPECT_THAT(LoadError(kAdd, &newer.known), AllOf(StartsWith("UNIMPLEMENTED: "), HasSubstr("newer halo.h")));
}

}  // namespace
}  // namespace xla
