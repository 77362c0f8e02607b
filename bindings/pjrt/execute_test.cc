// Programs: compiled, asked about, run, donated to, serialized.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bindings/pjrt/messages.pb.h"
#include "bindings/pjrt/test_client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kAddOne[] = R"(
module @add_one {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>) {
    %cst = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<3xf32>
    return %1 : tensor<3xf32>
  }
})";

constexpr char kDonate[] = R"(
module @donate {
  func.func public @main(%arg0: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>
    %1 = stablehlo.multiply %arg0, %arg1 : tensor<2xf32>
    return %0, %1 : tensor<2xf32>, tensor<2xf32>
  }
})";

// As jaxlib asks for it on one device.
std::string Options(int64_t partitions = 1, bool is_tupled = false) {
  ::halo::pjrt::CompileOptions options;
  options.set_parameter_is_tupled_arguments(is_tupled);
  auto* const build = options.mutable_build_options();
  build->set_num_replicas(1);
  build->set_num_partitions(partitions);
  build->set_use_spmd_partitioning(true);
  build->mutable_device_assignment()->set_replica_count(1);
  build->mutable_device_assignment()->set_computation_count(static_cast<int32_t>(partitions));
  for (int64_t p = 0; p < partitions; ++p) {
    build->mutable_device_assignment()->add_computations()->add_replica_device_ids(p);
  }
  build->add_allow_propagation_to_output(true);
  return options.SerializeAsString();
}

class ExecuteOfMinor : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Execute, ExecuteOfMinor, ::testing::Values(54, 70, 85, 100, 112, 200));

TEST_P(ExecuteOfMinor, RunsAProgram) {
  TestClient client(GetParam());
  TestProgram program;
  ASSERT_TRUE(client.Compile(kAddOne, "mlir", Options(), &program).ok());
  EXPECT_TRUE(client.AskAbout(program, 1).ok());
  PJRT_Buffer* const x = client.BufferOf({0, 1, 2}, {3});
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  ASSERT_TRUE(client.Execute(program, {{x}}, &outputs).ok());
  EXPECT_TRUE(client.Ready(outputs[0][0]).ok());
  EXPECT_THAT(client.Values(outputs[0][0]), ElementsAre(1, 2, 3));
  auto stats = client.Make<PJRT_Executable_GetCompiledMemoryStats_Args>();
  stats->executable = program.executable;
  ASSERT_TRUE(client.Call(client.api().PJRT_Executable_GetCompiledMemoryStats, stats).ok());
  EXPECT_EQ(stats->argument_size_in_bytes, 12);
  client.Destroy(x);
  client.Destroy(outputs[0][0]);
  client.Destroy(program);
}

TEST(Execute, MarksDonatedBuffersAsDeleted) {
  TestClient client;
  TestProgram program;
  ASSERT_TRUE(client.Compile(kDonate, "mlir", Options(), &program).ok());
  PJRT_Buffer* const x = client.BufferOf({1, 2}, {2});
  PJRT_Buffer* const y = client.BufferOf({3, 4}, {2});
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  ASSERT_TRUE(client.Execute(program, {{x, y}}, &outputs, {0}).ok());
  EXPECT_FALSE(client.IsDeleted(x));
  for (PJRT_Buffer* const output : outputs[0]) client.Destroy(output);
  // Pinned from outside, it stays.
  auto pin = client.Make<PJRT_Buffer_IncreaseExternalReferenceCount_Args>();
  pin->buffer = x;
  ASSERT_TRUE(client.Call(client.api().PJRT_Buffer_IncreaseExternalReferenceCount, pin).ok());
  ASSERT_TRUE(client.Execute(program, {{x, y}}, &outputs).ok());
  EXPECT_FALSE(client.IsDeleted(x));
  for (PJRT_Buffer* const output : outputs[0]) client.Destroy(output);
  auto unpin = client.Make<PJRT_Buffer_DecreaseExternalReferenceCount_Args>();
  unpin->buffer = x;
  ASSERT_TRUE(client.Call(client.api().PJRT_Buffer_DecreaseExternalReferenceCount, unpin).ok());
  EXPECT_EQ(client.Call(client.api().PJRT_Buffer_DecreaseExternalReferenceCount, unpin).message(),
            "PJRT_Buffer_DecreaseExternalReferenceCount: there are no external references");
  // In two places, it stays.
  ASSERT_TRUE(client.Execute(program, {{x, x}}, &outputs).ok());
  EXPECT_FALSE(client.IsDeleted(x));
  for (PJRT_Buffer* const output : outputs[0]) client.Destroy(output);
  ASSERT_TRUE(client.Execute(program, {{x, y}}, &outputs).ok());
  EXPECT_TRUE(client.IsDeleted(x));
  EXPECT_FALSE(client.IsDeleted(y));
  EXPECT_THAT(client.Values(outputs[0][0]), ElementsAre(4, 6));
  EXPECT_THAT(client.Values(outputs[0][1]), ElementsAre(3, 8));
  for (PJRT_Buffer* const output : outputs[0]) client.Destroy(output);
  EXPECT_THAT(std::string(client.Execute(program, {{x, y}}, &outputs).message()), HasSubstr("deleted or donated"));
  EXPECT_FALSE(client.Ready(x).ok());
  client.Destroy(x);
  client.Destroy(y);
  client.Destroy(program);
}

TEST(Execute, RefusesWrongArguments) {
  TestClient client(112, {{"device_count", "2"}});
  TestProgram program;
  ASSERT_TRUE(client.Compile(kAddOne, "mlir", Options(), &program).ok());
  PJRT_Buffer* const longer = client.BufferOf({0, 1, 2, 3}, {4});
  PJRT_Buffer* const elsewhere = client.BufferOf({0, 1, 2}, {3}, 1);
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  EXPECT_EQ(client.Execute(program, {{longer}}, &outputs).message(),
            "PJRT_LoadedExecutable_Execute: add_one: argument 0 has shape f32[4], the program wants f32[3]");
  EXPECT_EQ(client.Execute(program, {{elsewhere}}, &outputs).message(),
            "PJRT_LoadedExecutable_Execute: add_one: argument 0 is on halo:1, the program reads it on halo:0");
  EXPECT_EQ(client.Execute(program, {{}}, &outputs).message(),
            "PJRT_LoadedExecutable_Execute: num_args is 0, add_one has 1 parameters");
  EXPECT_EQ(client.Execute(program, {{longer}, {longer}}, &outputs).message(),
            "PJRT_LoadedExecutable_Execute: num_devices is 2, add_one runs on 1");
  auto remove = client.Make<PJRT_LoadedExecutable_Delete_Args>();
  remove->executable = program.loaded;
  ASSERT_TRUE(client.Call(client.api().PJRT_LoadedExecutable_Delete, remove).ok());
  EXPECT_EQ(client.Execute(program, {{longer}}, &outputs).message(),
            "PJRT_LoadedExecutable_Execute: add_one was deleted and cannot be run any more");
  client.Destroy(longer);
  client.Destroy(elsewhere);
  client.Destroy(program);
}

// JAX gives and gets arrays without elements for the tokens that order effects.
TEST(Execute, TakesAndGivesArraysForTokens) {
  constexpr char kTokens[] = R"(
module @tokens {
  func.func public @main(%arg0: !stablehlo.token, %arg1: tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>) {
    %0 = stablehlo.add %arg1, %arg1 : tensor<2xf32>
    return %arg0, %0 : !stablehlo.token, tensor<2xf32>
  }
})";
  TestClient client;
  TestProgram program;
  const absl::Status compiled = client.Compile(kTokens, "mlir", Options(), &program);
  ASSERT_TRUE(compiled.ok()) << compiled;
  PJRT_Buffer* const token = client.BufferOf({}, {0});
  PJRT_Buffer* const x = client.BufferOf({1, 2}, {2});
  std::vector<std::vector<PJRT_Buffer*>> first, second;
  ASSERT_TRUE(client.Execute(program, {{token, x}}, &first).ok());
  auto type = client.Make<PJRT_Buffer_ElementType_Args>();
  type->buffer = first[0][0];
  ASSERT_TRUE(client.Call(client.api().PJRT_Buffer_ElementType, type).ok());
  EXPECT_EQ(type->type, PJRT_Buffer_Type_PRED);
  ASSERT_TRUE(client.Execute(program, {{first[0][0], x}}, &second).ok());
  EXPECT_THAT(client.Values(second[0][1]), ElementsAre(2, 4));
  for (PJRT_Buffer* const buffer : {token, x, first[0][0], first[0][1], second[0][0], second[0][1]}) {
    client.Destroy(buffer);
  }
  client.Destroy(program);
}

// A value that failed fails what is computed from it, in its events and not in the call.
TEST(Execute, PassesErrorsOnToOutputs) {
  TestClient client;
  TestProgram program;
  ASSERT_TRUE(client.Compile(kAddOne, "mlir", Options(), &program).ok());
  const int64_t dims[] = {3};
  const std::string text = "no data";
  auto make = client.Make<PJRT_Client_CreateErrorBuffer_Args>();
  make->client = client.client();
  make->error_code = PJRT_Error_Code_DATA_LOSS;
  make->error_message = text.data();
  make->error_message_size = text.size();
  make->shape_dims = dims;
  make->shape_num_dims = 1;
  make->shape_element_type = PJRT_Buffer_Type_F32;
  make->shape_layout = nullptr;
  make->memory = client.memory(0, 0);
  ASSERT_TRUE(client.Call(client.api().PJRT_Client_CreateErrorBuffer, make).ok());
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  EXPECT_EQ(client.Execute(program, {{make->buffer}}, &outputs).code(), absl::StatusCode::kDataLoss);
  ASSERT_NE(outputs[0][0], nullptr);
  EXPECT_EQ(client.Ready(outputs[0][0]).message(), "no data");
  client.Destroy(outputs[0][0]);
  client.Destroy(make->buffer);
  client.Destroy(program);
}

TEST(Compile, CutsProgramsForSeveralDevices) {
  constexpr char kSharded[] = R"(
module @sharded attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<f32>) {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %0, %1 : tensor<4xf32>, tensor<f32>
  }
})";
  TestClient client(112, {{"device_count", "2"}});
  TestProgram program;
  const absl::Status compiled = client.Compile(kSharded, "mlir", Options(2), &program);
  ASSERT_TRUE(compiled.ok()) << compiled;
  const auto* const shardings = client.FindExtension<PJRT_Shardings_Extension>(PJRT_Extension_Type_Shardings);
  PJRT_Shardings_PJRT_Executable_OutputShardings_Args ask = {sizeof(ask), nullptr, program.executable};
  ASSERT_TRUE(StatusOfAnswer(shardings->executable_output_shardings(&ask)).ok());
  ASSERT_EQ(ask.num_outputs, 2);
  EXPECT_EQ(absl::string_view(ask.shardings[0], ask.sharding_sizes[0]),
            absl::string_view("\x08\x03\x1a\x01\x02\x22\x02\x00\x01", 9));
  PJRT_Buffer* const left = client.BufferOf({1, 2}, {2}, 0);
  PJRT_Buffer* const right = client.BufferOf({3, 4}, {2}, 1);
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  ASSERT_TRUE(client.Execute(program, {{left}, {right}}, &outputs).ok());
  EXPECT_THAT(client.Values(outputs[0][0]), ElementsAre(2, 4));
  EXPECT_THAT(client.Values(outputs[1][0]), ElementsAre(6, 8));
  EXPECT_THAT(client.Values(outputs[0][1]), ElementsAre(10));
  EXPECT_THAT(client.Values(outputs[1][1]), ElementsAre(10));
  for (const auto& row : outputs) {
    for (PJRT_Buffer* const output : row) client.Destroy(output);
  }
  client.Destroy(left);
  client.Destroy(right);
  client.Destroy(program);
}

TEST(Compile, NamesWhatIsWrong) {
  TestClient client;
  TestProgram program;
  EXPECT_EQ(client.Compile(kAddOne, "java", Options(), &program).message(),
            "the format of the program is 'java', expected mlir, hlo or hlo_with_config");
  EXPECT_EQ(client.Compile(kAddOne, "mlir", "\xff", &program).message(),
            "compile options: 1 bytes that are not a CompileOptionsProto");
  EXPECT_EQ(client.Compile("module {", "mlir", Options(), &program).code(), absl::StatusCode::kInvalidArgument);
  ::halo::pjrt::CompileOptions options;
  (*options.mutable_option_overrides())["colour"].set_text("red");
  EXPECT_THAT(std::string(client.Compile(kAddOne, "mlir", options.SerializeAsString(), &program).message()),
              HasSubstr("colour"));
  options.mutable_option_overrides()->clear();
  (*options.mutable_option_overrides())["xla_cpu_enable_fast_math"].set_flag(true);
  ASSERT_TRUE(client.Compile(kAddOne, "mlir", options.SerializeAsString(), &program).ok());
  client.Destroy(program);
}

// The optimized program of one compilation is a program to another one.
TEST(Compile, GivesTheOptimizedProgram) {
  TestClient client;
  TestProgram program, again;
  ASSERT_TRUE(client.Compile(kDonate, "mlir", Options(), &program).ok());
  PJRT_Program out = {};
  out.struct_size = 48;
  auto ask = client.Make<PJRT_Executable_OptimizedProgram_Args>();
  ask->executable = program.executable;
  ask->program = &out;
  ASSERT_TRUE(client.Call(client.api().PJRT_Executable_OptimizedProgram, ask).ok());
  std::string code(out.code_size, '\0');
  out.code = &code[0];
  ASSERT_TRUE(client.Call(client.api().PJRT_Executable_OptimizedProgram, ask).ok());
  const absl::string_view format(out.format, out.format_size);
  EXPECT_EQ(format, "hlo_with_config");
  ::halo::pjrt::ModuleWithConfig message;
  ASSERT_TRUE(message.ParseFromString(code));
  EXPECT_FALSE(message.config().entry_computation_layout().empty());
  const absl::Status compiled = client.Compile(code, format, Options(), &again);
  ASSERT_TRUE(compiled.ok()) << compiled;
  client.Destroy(program);
  client.Destroy(again);
}

TEST(Compile, TakesTupledArgumentsOneByOne) {
  constexpr char kTupled[] = R"(
HloModule tupled, input_output_alias={ {0}: (0, {1}, must-alias) }

ENTRY e {
  p = (f32[2], f32[2]) parameter(0)
  a = f32[2] get-tuple-element(p), index=0
  b = f32[2] get-tuple-element(p), index=1
  s = f32[2] subtract(a, b)
  ROOT r = (f32[2]) tuple(s)
})";
  TestClient client;
  TestProgram program;
  const absl::Status without = client.CompileHloText(kTupled, Options(), &program);
  EXPECT_EQ(without.code(), absl::StatusCode::kUnimplemented);
  const absl::Status compiled = client.CompileHloText(kTupled, Options(1, /*is_tupled=*/true), &program);
  ASSERT_TRUE(compiled.ok()) << compiled;
  PJRT_Buffer* const a = client.BufferOf({5, 7}, {2});
  PJRT_Buffer* const b = client.BufferOf({1, 2}, {2});
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  ASSERT_TRUE(client.Execute(program, {{a, b}}, &outputs).ok());
  EXPECT_THAT(client.Values(outputs[0][0]), ElementsAre(4, 5));
  EXPECT_FALSE(client.IsDeleted(a));
  EXPECT_TRUE(client.IsDeleted(b));
  client.Destroy(outputs[0][0]);
  client.Destroy(a);
  client.Destroy(b);
  client.Destroy(program);
}

TEST(Serialize, GivesWhatAnotherClientRuns) {
  std::string bytes;
  {
    TestClient client;
    TestProgram program;
    ASSERT_TRUE(client.Compile(kAddOne, "mlir", Options(), &program).ok());
    auto serialize = client.Make<PJRT_Executable_Serialize_Args>();
    serialize->executable = program.executable;
    ASSERT_TRUE(client.Call(client.api().PJRT_Executable_Serialize, serialize).ok());
    bytes.assign(serialize->serialized_bytes, serialize->serialized_bytes_size);
    serialize->serialized_executable_deleter(serialize->serialized_executable);
    client.Destroy(program);
  }
  TestClient client;
  auto load = client.Make<PJRT_Executable_DeserializeAndLoad_Args>();
  load->client = client.client();
  load->overridden_serialized_compile_options = nullptr;
  load->overridden_serialized_compile_options_size = 0;
  load->serialized_executable = bytes.data();
  load->serialized_executable_size = bytes.size();
  ASSERT_TRUE(client.Call(client.api().PJRT_Executable_DeserializeAndLoad, load).ok());
  auto get = client.Make<PJRT_LoadedExecutable_GetExecutable_Args>();
  get->loaded_executable = load->loaded_executable;
  ASSERT_TRUE(client.Call(client.api().PJRT_LoadedExecutable_GetExecutable, get).ok());
  const TestProgram program = {load->loaded_executable, get->executable, 1};
  PJRT_Buffer* const x = client.BufferOf({4, 5, 6}, {3});
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  ASSERT_TRUE(client.Execute(program, {{x}}, &outputs).ok());
  EXPECT_THAT(client.Values(outputs[0][0]), ElementsAre(5, 6, 7));
  client.Destroy(outputs[0][0]);
  client.Destroy(x);
  client.Destroy(program);
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_EQ(client.Call(client.api().PJRT_Executable_DeserializeAndLoad, load).message(),
            "damaged executable: its checksum is that of other bytes; compile the program again");
  load->serialized_executable_size = 3;
  EXPECT_EQ(client.Call(client.api().PJRT_Executable_DeserializeAndLoad, load).message(),
            "not an executable of this plugin: it does not begin with \"halo pjrt executable 1\"");
}

}  // namespace
}  // namespace pjrt
}  // namespace xla
