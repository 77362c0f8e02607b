// The interpreter's client and executables: what they say about themselves, compiling, serialising.
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::Status ClientError(const ClientOptions& options) { return GetClient("interpreter", options).status(); }

absl::Status CompileError(absl::string_view text, const CompileOptions& options = {}, int64_t device_count = 1) {
  return MakeClient(device_count)->Compile(OrDie(ParseHloModule(text)), options).status();
}

TEST(Client, DescribesItself) {
  const auto client = MakeClient(3);
  EXPECT_EQ(client->platform_name(), "interpreter");
  EXPECT_EQ(client->platform_version(), "interpreter 1");
  EXPECT_EQ(client->process_index(), 0);
  EXPECT_EQ(client->process_count(), 1);
  ASSERT_EQ(client->devices().size(), 3u);
  EXPECT_EQ(client->addressable_devices().size(), 3u);
  Device& device = *client->devices()[2];
  EXPECT_EQ(&device.client(), client.get());
  EXPECT_EQ(device.id(), 2);
  EXPECT_EQ(device.process_index(), 0);
  EXPECT_TRUE(device.is_addressable());
  EXPECT_EQ(device.kind(), "interpreter");
  EXPECT_EQ(device.description(), "interpreter device 2");
  EXPECT_EQ(client->default_device().id(), 0);
  EXPECT_EQ(*client->FindDevice(2), &device);
  EXPECT_EQ(client->FindDevice(3).status(), absl::InvalidArgumentError("interpreter has no device 3, only 0, 1, 2"));
}

TEST(Client, NumbersItsDevicesFromTheFirstOn) {
  ClientOptions options;
  options.device_count = 2;
  options.first_device_id = 4;
  const auto client = OrDie(GetClient("interpreter", options));
  EXPECT_EQ(client->devices()[1]->id(), 5);
  EXPECT_EQ(client->devices()[1]->description(), "interpreter device 5");
  EXPECT_EQ(client->FindDevice(0).status(), absl::InvalidArgumentError("interpreter has no device 0, only 4, 5"));
}

TEST(Client, HasOneDeviceUnlessToldOtherwise) {
  EXPECT_EQ((*GetClient("interpreter"))->devices().size(), 1u);
  EXPECT_THAT(BackendNames(), ElementsAre("interpreter"));
}

TEST(Client, RefusesWrongOptions) {
  ClientOptions options;
  options.device_count = -1;
  EXPECT_EQ(ClientError(options),
            absl::InvalidArgumentError("the interpreter can have 1 to 4096 devices, asked for -1"));
  options.device_count = 4097;
  EXPECT_EQ(ClientError(options).code(), absl::StatusCode::kInvalidArgument);
  options = {};
  options.first_device_id = -1;
  EXPECT_EQ(ClientError(options),
            absl::InvalidArgumentError("ids of devices must not be negative, got -1 for the first one"));
  options = {};
  options.threads = -2;
  EXPECT_EQ(ClientError(options), absl::InvalidArgumentError("the number of threads must not be negative, got -2"));
  options = {};
  options.max_memory_bytes = -5;
  EXPECT_EQ(ClientError(options), absl::InvalidArgumentError("the memory limit must not be negative, got -5 bytes"));
  options = {};
  options.process_count = 2;
  EXPECT_EQ(ClientError(options),
            absl::InvalidArgumentError("the interpreter runs in one process, asked to be process 0 of 2"));
  options = {};
  options.settings["speed"] = "high";
  EXPECT_EQ(ClientError(options), absl::InvalidArgumentError("the interpreter has no settings, got 'speed'"));
}

TEST(Client, SaysWhatItCannotRun) {
  const auto client = MakeClient();
  const auto module = OrDie(ParseHloModule(
      "HloModule m\nENTRY e { x = f32[] parameter(0) ROOT c = f32[] custom-call(x), custom_call_target=\"nobody\" }"));
  EXPECT_TRUE(client->Supports(*module->entry()->parameters()[0]).supported);
  const InstructionSupport support = client->Supports(*module->entry()->root());
  EXPECT_FALSE(support.supported);
  EXPECT_THAT(support.reason, HasSubstr("nobody"));
  const auto executable = OrDie(client->Compile(*module));
  EXPECT_EQ(executable->report().native_instructions, 1);
  ASSERT_EQ(executable->report().fallbacks.size(), 1u);
  EXPECT_EQ(executable->report().fallbacks[0].opcode, "custom-call");
  EXPECT_EQ(executable->report().fallbacks[0].example, "c");
  EXPECT_EQ(executable->report().fallbacks[0].count, 1);
}

TEST(Compile, TakesAModuleOrACopyOfIt) {
  const auto client = MakeClient();
  auto module = OrDie(ParseHloModule(kAdd));
  const auto from_copy = OrDie(client->Compile(*module));
  EXPECT_NE(from_copy->module(), module.get());
  EXPECT_EQ(ModuleToString(*from_copy->module()), ModuleToString(*module));
  const HloModule* const address = module.get();
  const auto from_module = OrDie(client->Compile(std::move(module)));
  EXPECT_EQ(from_module->module(), address);
  const std::shared_ptr<const HloModule> shared = OrDie(ParseHloModule(kAdd));
  const auto from_shared = OrDie(client->CompileShared(shared, {}));
  EXPECT_EQ(from_shared->module(), shared.get());
  EXPECT_EQ(client->CompileShared(nullptr, {}).status(),
            absl::InvalidArgumentError("there is no module to compile (nullptr)"));
}

TEST(Compile, CopiesWholeModules) {
  for (const char* text : {kForever, kSumOfReplicas, kFeeds, kDouble, kNested}) {
    const auto client = MakeClient(2);
    const auto module = OrDie(ParseHloModule(text));
    EXPECT_EQ(ModuleToString(*OrDie(client->Compile(*module))->module()), ModuleToString(*module));
  }
}

TEST(Compile, RefusesAWrongModule) {
  const absl::Status status =
      CompileError("HloModule m\nENTRY e { x = f32[2] parameter(0) ROOT y = f32[3] negate(x) }");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("negate"));
  EXPECT_EQ(MakeClient()->Compile(std::make_unique<HloModule>("empty")).status(),
            absl::InvalidArgumentError("empty: the module has no entry computation"));
}

TEST(Compile, RefusesOptionsThatDoNotFit) {
  CompileOptions options;
  options.replica_count = 3;
  EXPECT_EQ(CompileError(kAdd, options),
            absl::InvalidArgumentError("the program runs on 3 devices (3 replicas x 1 partitions), the client has 1; "
                                       "set ClientOptions::device_count"));
  options.replica_count = -1;
  EXPECT_EQ(CompileError(kAdd, options),
            absl::InvalidArgumentError("numbers of replicas and partitions must not be negative, got -1 and 0"));
  options.replica_count = options.partition_count = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(CompileError(kAdd, options).code(), absl::StatusCode::kInvalidArgument);
  options = {};
  options.optimization_level = 3;
  EXPECT_EQ(CompileError(kAdd, options), absl::InvalidArgumentError("the optimization level is 0, 1 or 2, got 3"));
  options = {};
  options.settings["passes"] = "none";
  EXPECT_EQ(CompileError(kAdd, options),
            absl::InvalidArgumentError("the interpreter has no settings for compiling, got 'passes'"));
  options = {};
  options.device_assignment = {0, 1};
  EXPECT_EQ(CompileError(kAdd, options, 2),
            absl::InvalidArgumentError("the device assignment has 2 devices, the program runs on 1 (1 replicas x 1 "
                                       "partitions)"));
  options.device_assignment = {7};
  EXPECT_EQ(CompileError(kAdd, options, 2), absl::InvalidArgumentError("interpreter has no device 7, only 0, 1"));
  options.device_assignment = {1, 1};
  EXPECT_EQ(CompileError(kSumOfReplicas, options, 2),
            absl::InvalidArgumentError("the device assignment names device 1 twice"));
  for (const std::vector<int64_t>& own : {std::vector<int64_t>{2}, {-1}, {1, 0}, {1, 1}}) {
    options = {};
    options.own_devices = own;
    EXPECT_THAT(std::string(CompileError(kSumOfReplicas, options, 2).message()),
                HasSubstr("CompileOptions::own_devices are numbers from 0 to 1 in ascending order, got "));
  }
}

TEST(Compile, ChecksLayoutsAgainstTheProgram) {
  CompileOptions options;
  options.layouts.emplace();
  EXPECT_EQ(CompileError(kAdd, options),
            absl::InvalidArgumentError("CompileOptions::layouts has 0 parameters, the program 2"));
  options.layouts->parameters = {Shape::Scalar(F32), Shape::Scalar(S32)};
  EXPECT_EQ(CompileError(kAdd, options),
            absl::InvalidArgumentError("CompileOptions::layouts gives parameter 1 the shape s32[], the program has "
                                       "f32[]"));
  options.layouts->parameters[1] = Shape::Scalar(F32);
  options.layouts->result = Shape::Array(F32, {1});
  EXPECT_EQ(CompileError(kAdd, options),
            absl::InvalidArgumentError("CompileOptions::layouts gives the result the shape f32[1], the program has "
                                       "f32[]"));
  options.layouts->result = Shape::Scalar(F32);
  EXPECT_EQ(CompileError(kAdd, options), absl::OkStatus());
}

TEST(Compile, AcceptsEffortAndFastMath) {
  CompileOptions options;
  options.fast_math = true;
  options.verify = false;
  for (options.optimization_level = 0; options.optimization_level <= 2; ++options.optimization_level) {
    EXPECT_EQ(CompileError(kAdd, options), absl::OkStatus());
  }
}

TEST(Executable, DescribesItself) {
  const auto client = MakeClient(4);
  CompileOptions options;
  options.partition_count = 2;
  options.device_assignment = {3, 1, 0, 2};
  const auto executable = CompileText(*client, kSumOfReplicas, options);
  EXPECT_EQ(&executable->client(), client.get());
  EXPECT_EQ(executable->name(), "sum_of_replicas");
  EXPECT_EQ(executable->replica_count(), 2);
  EXPECT_EQ(executable->partition_count(), 2);
  ASSERT_EQ(executable->devices().size(), 4u);
  EXPECT_EQ(executable->devices()[1]->id(), 1);
  ASSERT_EQ(executable->program_shape().parameters.size(), 1u);
  EXPECT_EQ(executable->program_shape().parameters[0].ToString(), "f32[]");
  EXPECT_EQ(executable->program_shape().result.ToString(), "(f32[], u32[])");
  EXPECT_THAT(executable->donated_parameters(), ElementsAre());
  EXPECT_THAT(executable->report().ToString(), HasSubstr("instructions run natively"));
}

TEST(Executable, KnowsWhatIsDonated) {
  const auto client = MakeClient();
  EXPECT_THAT(CompileText(*client, kDouble)->donated_parameters(), ElementsAre(0));
  const auto donors = CompileText(*client, R"(HloModule m, buffer_donor={ (1, {}), (0, {}) }
ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) })");
  EXPECT_THAT(donors->donated_parameters(), ElementsAre(0, 1));
}

TEST(Executable, EstimatesCostFromShapes) {
  const auto client = MakeClient();
  const CostEstimate dot = CompileText(*client, R"(HloModule m
ENTRY e {
  x = f32[8,16] parameter(0)
  y = f32[16,4] parameter(1)
  d = f32[8,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = f32[8,4] tanh(d)
})")
                               ->cost();
  EXPECT_EQ(dot.flops, 2 * 8 * 16 * 4 + 32);
  EXPECT_EQ(dot.transcendentals, 32);
  EXPECT_EQ(dot.bytes_accessed, 4 * (8 * 16 + 16 * 4 + 32 + 32 + 32));
  EXPECT_FALSE(dot.has_unknown_trip_counts);
  const CostEstimate loop = CompileText(*client, kForever)->cost();
  EXPECT_TRUE(loop.has_unknown_trip_counts);
  EXPECT_EQ(loop.flops, 4);
  const CostEstimate reduce = CompileText(*client, R"(HloModule m
plus { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[10,10] parameter(0) z = f32[] constant(0) ROOT r = f32[10] reduce(x, z), dimensions={1}, to_apply=plus })")
                                  ->cost();
  EXPECT_EQ(reduce.flops, 100);
}

TEST(Executable, EstimatesMemoryFromShapes) {
  const auto client = MakeClient();
  const MemoryNeed need = CompileText(*client, R"(HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e {
  x = f32[10] parameter(0)
  c = f32[10] constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  a = f32[10] add(x, c)
  b = f32[10] multiply(a, a)
  ROOT r = f32[10] subtract(b, c)
})")
                              ->memory_need();
  EXPECT_EQ(need.argument_bytes, 40);
  EXPECT_EQ(need.output_bytes, 40);
  EXPECT_EQ(need.alias_bytes, 40);
  EXPECT_EQ(need.temporary_bytes, 40);
  EXPECT_EQ(need.code_bytes, 40);
}

TEST(Executable, FingerprintTellsProgramsApart) {
  const auto client = MakeClient(2);
  const auto one = CompileText(*client, kAdd);
  EXPECT_EQ(one->fingerprint(), CompileText(*MakeClient(), kAdd)->fingerprint());
  EXPECT_NE(one->fingerprint(), CompileText(*client, kDouble)->fingerprint());
  CompileOptions two;
  two.replica_count = 2;
  EXPECT_NE(one->fingerprint(), CompileText(*client, kAdd, two)->fingerprint());
}

TEST(Executable, SurvivesSerialisation) {
  const auto client = MakeClient(2);
  const std::string bytes = OrDie(CompileText(*client, kSumOfReplicas)->Serialize());
  const auto other = MakeClient(2);
  const auto loaded = OrDie(other->Deserialize(bytes));
  EXPECT_EQ(loaded->replica_count(), 2);
  EXPECT_EQ(loaded->fingerprint(), CompileText(*client, kSumOfReplicas)->fingerprint());
  const auto results = OrDie(
      ExecuteOnLiterals(*loaded, std::vector<std::vector<Literal>>{{Literal::Scalar(1.0f)}, {Literal::Scalar(5.0f)}}));
  EXPECT_THAT(Floats(results[1].element(0)), ElementsAre(6));
}

TEST(Executable, RefusesDamagedBytes) {
  const auto client = MakeClient();
  const std::string bytes = OrDie(CompileText(*client, kAdd)->Serialize());
  const auto error = [&](const std::string& damaged) { return client->Deserialize(damaged).status(); };
  EXPECT_EQ(error(""),
            absl::InvalidArgumentError("not a serialised executable: it does not begin with \"halo executable\""));
  EXPECT_EQ(error("halo executable, interpreter 1, 1 x 1"),
            absl::InvalidArgumentError("damaged executable: its first line does not end"));
  EXPECT_EQ(error(absl::StrReplaceAll(bytes, {{"interpreter 1", "cpu 7"}})),
            absl::InvalidArgumentError("the executable is of another backend or version: 'cpu 7, 1 x 1', expected "
                                       "'interpreter 1, ...'; compile the program again"));
  EXPECT_EQ(error(absl::StrReplaceAll(bytes, {{"1 x 1", "1 y 1"}})),
            absl::InvalidArgumentError("damaged executable: expected 'REPLICAS x PARTITIONS', got '1 y 1'"));
  EXPECT_EQ(error(bytes.substr(0, bytes.size() / 2)).code(), absl::StatusCode::kInvalidArgument);
  for (size_t length = 0; length < bytes.size(); length += 3) {
    EXPECT_FALSE(error(bytes.substr(0, length)).ok()) << length;
  }
  EXPECT_EQ(error(absl::StrReplaceAll(bytes, {{"1 x 1", "9 x 1"}})).code(), absl::StatusCode::kInvalidArgument);
}

TEST(ExecuteOnLiterals, RunsFromLiteralsToLiterals) {
  const auto client = MakeClient();
  const auto add = CompileText(*client, kAdd);
  const Literal sum = OrDie(ExecuteOnLiterals(*add, {Literal::Scalar(2.0f), Literal::Scalar(5.0f)}));
  EXPECT_THAT(Floats(sum), ElementsAre(7));
  const auto nested = CompileText(*client, kNested);
  const Literal tuple = OrDie(ExecuteOnLiterals(*nested, {Literal::Scalar(2.0f)}));
  EXPECT_EQ(tuple.shape().ToString(), "(f32[], (f32[], f32[]))");
  EXPECT_EQ(ExecuteOnLiterals(*add, {Literal::Scalar(2.0f)}).status(),
            absl::InvalidArgumentError("add: the program has 2 parameters, got 1 arguments"));
  EXPECT_EQ(ExecuteOnLiterals(*add, std::vector<std::vector<Literal>>(3)).status(),
            absl::InvalidArgumentError("add: the program runs on 1 devices, got arguments for 3"));
}

}  // namespace
}  // namespace xla
