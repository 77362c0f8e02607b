#include <gmock/gmock.h>

#include <atomic>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "bindings/c/halo.h"
#include "bindings/c/testing.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kTwoResults[] = R"(HloModule pair
ENTRY entry {
  x = f32[2] parameter(0)
  twice = f32[2] add(x, x)
  n = s32[] constant(7)
  ROOT all = (f32[2], s32[]) tuple(twice, n)
}
)";

constexpr char kAllReduce[] = R"(HloModule sum_over_replicas
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY entry {
  x = f32[2] parameter(0)
  ROOT sum = f32[2] all-reduce(x), replica_groups={}, to_apply=add
}
)";

class ExecutionTest : public ::testing::Test {
 protected:
  const OwnedClient client_ = ClientOrDie(4);
  const std::vector<int64_t> two_ = {2};
};

TEST_F(ExecutionTest, ExecutableTellsWhatItIs) {
  const OwnedExecutable program = CompileOrDie(client_.get(), kTwoResults);
  EXPECT_STREQ(halo_executable_name(program.get()), "pair");
  EXPECT_EQ(halo_executable_replica_count(program.get()), 1);
  EXPECT_EQ(halo_executable_partition_count(program.get()), 1);
  EXPECT_EQ(halo_executable_device_count(program.get()), 1u);
  EXPECT_EQ(halo_device_id(halo_executable_device(program.get(), 0)), 0);
  EXPECT_EQ(halo_executable_device(program.get(), 1), nullptr);
  EXPECT_EQ(halo_executable_parameter_count(program.get()), 1u);
  EXPECT_EQ(halo_shape_byte_size(halo_executable_parameter_shape(program.get(), 0)), 8u);
  EXPECT_EQ(halo_executable_parameter_shape(program.get(), 1), nullptr);
  EXPECT_EQ(halo_executable_result_count(program.get()), 2u);
  EXPECT_EQ(halo_shape_element_type(halo_executable_result_shape(program.get(), 1)), HALO_S32);
  EXPECT_EQ(halo_executable_result_shape(program.get(), 2), nullptr);
  EXPECT_STRNE(halo_executable_fingerprint(program.get()), "");
  EXPECT_STREQ(halo_executable_fingerprint(program.get()),
               halo_executable_fingerprint(CompileOrDie(client_.get(), kTwoResults).get()));
  char* report = nullptr;
  ASSERT_EQ(Outcome(halo_executable_report(program.get(), &report)), "");
  EXPECT_THAT(TakeText(report), HasSubstr("verify"));
  halo_cost cost = HALO_COST_INIT;
  ASSERT_EQ(Outcome(halo_executable_cost(program.get(), &cost)), "");
  EXPECT_EQ(cost.flops, 2);
  EXPECT_GT(cost.bytes_accessed, 0);
  halo_memory_need need = HALO_MEMORY_NEED_INIT;
  ASSERT_EQ(Outcome(halo_executable_memory_need(program.get(), &need)), "");
  EXPECT_EQ(need.argument_bytes, 8);
  EXPECT_EQ(need.output_bytes, 12);
}

TEST_F(ExecutionTest, RunsOnArrays) {
  const OwnedExecutable program = CompileOrDie(client_.get(), kTwoResults);
  std::vector<float> x = {1, 2}, twice(2);
  std::vector<int32_t> n(1);
  const halo_array argument = ArrayOf(HALO_F32, two_, x);
  const halo_array results[] = {ArrayOf(HALO_F32, two_, twice), ArrayOf(HALO_S32, {}, n)};
  halo_execution_report report = HALO_EXECUTION_REPORT_INIT;
  halo_execute_options options = HALO_EXECUTE_OPTIONS_INIT;
  options.report = &report;
  ASSERT_EQ(Outcome(halo_executable_run(program.get(), &argument, 1, results, 2, &options)), "");
  EXPECT_THAT(twice, ElementsAre(2, 4));
  EXPECT_THAT(n, ElementsAre(7));
  EXPECT_GT(report.steps, 0);
  EXPECT_GE(report.peak_memory_bytes, 0);
  EXPECT_GT(report.elapsed_seconds, 0);
  // The result may be where the argument was.
  ASSERT_EQ(Outcome(halo_executable_run(program.get(), &argument, 1, results, 2, nullptr)), "");
  const halo_array in_place[] = {argument, results[1]};
  ASSERT_EQ(Outcome(halo_executable_run(program.get(), &argument, 1, in_place, 2, nullptr)), "");
  EXPECT_THAT(x, ElementsAre(2, 4));
}

TEST_F(ExecutionTest, RunsOnStridedArrays) {
  const OwnedExecutable program = CompileOrDie(
      client_.get(), "HloModule m\nENTRY e {\n  x = s32[2,2] parameter(0)\n  ROOT n = s32[2,2] negate(x)\n}");
  std::vector<int32_t> x = {1, 2, 3, 4}, out = {0, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<int64_t> dimensions = {2, 2};
  const int64_t transposed[] = {4, 8}, spread[] = {16, 8};
  halo_array argument = ArrayOf(HALO_S32, dimensions, x), result = ArrayOf(HALO_S32, dimensions, out);
  argument.byte_strides = transposed;
  result.byte_strides = spread;
  ASSERT_EQ(Outcome(halo_executable_run(program.get(), &argument, 1, &result, 1, nullptr)), "");
  EXPECT_THAT(out, ElementsAre(-1, 0, -3, 0, -2, 0, -4, 0));
}

TEST_F(ExecutionTest, ArraysThatDoNotFitAreRefused) {
  const OwnedExecutable program = CompileOrDie(client_.get(), kAdd);
  std::vector<float> x = {1, 2}, out(2), three(3);
  std::vector<double> wide(2);
  const std::vector<int64_t> three_dimension = {3};
  const halo_array good[] = {ArrayOf(HALO_F32, two_, x), ArrayOf(HALO_F32, two_, x)};
  const halo_array result = ArrayOf(HALO_F32, two_, out);
  const auto error = [&](const halo_array& second, const halo_array& to) {
    const halo_array arguments[] = {good[0], second};
    return Outcome(halo_executable_run(program.get(), arguments, 2, &to, 1, nullptr));
  };
  EXPECT_EQ(error(ArrayOf(HALO_F32, three_dimension, three), result),
            "INVALID_ARGUMENT: halo_executable_run: argument 1: expected f32[2], got f32[3]");
  EXPECT_EQ(error(ArrayOf(HALO_F64, two_, wide), result),
            "INVALID_ARGUMENT: halo_executable_run: argument 1: expected f32[2], got f64[2]");
  EXPECT_EQ(error(good[1], ArrayOf(HALO_F32, three_dimension, three)),
            "INVALID_ARGUMENT: halo_executable_run: result 0: expected f32[2], got f32[3]");
  halo_array small = result;
  small.byte_size = 4;
  EXPECT_THAT(error(good[1], small), HasSubstr("result 0: byte_size is 4, expected 8"));
  small.data = nullptr;
  EXPECT_THAT(error(good[1], small), HasSubstr("result 0: data is NULL"));
  EXPECT_EQ(Outcome(halo_executable_run(program.get(), good, 1, &result, 1, nullptr)),
            "INVALID_ARGUMENT: halo_executable_run: got 1 arguments, expected 2: 2 for each of 1 devices of add_two");
  EXPECT_THAT(Outcome(halo_executable_run(program.get(), good, 2, &result, 0, nullptr)),
              HasSubstr("got 0 results, expected 1"));
  EXPECT_THAT(Outcome(halo_executable_run(program.get(), nullptr, 2, &result, 1, nullptr)),
              HasSubstr("arguments is NULL"));
  EXPECT_THAT(Outcome(halo_executable_run(program.get(), good, 2, nullptr, 1, nullptr)), HasSubstr("results is NULL"));
  EXPECT_THAT(Outcome(halo_executable_run(nullptr, good, 2, &result, 1, nullptr)), HasSubstr("executable is NULL"));
  const OwnedExecutable tuple = CompileOrDie(
      client_.get(),
      "HloModule m\nENTRY e {\n  p = (f32[2]) parameter(0)\n  ROOT x = f32[2] get-tuple-element(p), index=0\n}");
  EXPECT_THAT(Outcome(halo_executable_run(tuple.get(), good, 1, &result, 1, nullptr)),
              AllOf(HasSubstr("argument 0 has shape (f32[2])"), HasSubstr("halo_executable_execute")));
}

TEST_F(ExecutionTest, RunsOnBuffers) {
  const OwnedExecutable program = CompileOrDie(client_.get(), kTwoResults);
  const OwnedBuffer x = BufferOrDie(client_.get(), "f32[2]{0} {1, 2}");
  for (const halo_execution_mode mode : {HALO_EXECUTE_DEFAULT, HALO_EXECUTE_INLINE, HALO_EXECUTE_ASYNC}) {
    halo_execute_options options = HALO_EXECUTE_OPTIONS_INIT;
    options.mode = mode;
    const halo_buffer* const argument = x.get();
    halo_buffer* results[2] = {};
    halo_event* done = nullptr;
    ASSERT_EQ(Outcome(halo_executable_execute(program.get(), &argument, 1, results, 2, &options, &done)), "");
    const OwnedBuffer first(results[0]), second(results[1]);
    const OwnedEvent event(done);
    EXPECT_EQ(TextOf(first.get()), "f32[2]{0} {2, 4}");
    EXPECT_EQ(TextOf(second.get()), "s32[] 7");
    ASSERT_EQ(Outcome(halo_event_wait(done, 0)), "");
    EXPECT_EQ(halo_event_is_ready(done), 1);
    std::atomic<int> called{0};
    ASSERT_EQ(Outcome(halo_event_on_ready(
                  done,
                  [](halo_status* status, void* user) {
                    EXPECT_EQ(status, nullptr);
                    ++*static_cast<std::atomic<int>*>(user);
                  },
                  &called)),
              "");
    EXPECT_EQ(called, 1);
  }
}

TEST_F(ExecutionTest, TuplesArePassedAsBuffers) {
  const OwnedExecutable program = CompileOrDie(client_.get(),
                                               R"(HloModule m
ENTRY e {
  p = (f32[2], s32[]) parameter(0)
  n = s32[] get-tuple-element(p), index=1
  ROOT t = (s32[], (f32[2], s32[])) tuple(n, p)
}
)");
  const OwnedBuffer argument = BufferOrDie(client_.get(), "(f32[2]{0} {1, 2}, s32[] 5)");
  const halo_buffer* const arguments[] = {argument.get()};
  halo_buffer* results[2] = {};
  ASSERT_EQ(Outcome(halo_executable_execute(program.get(), arguments, 1, results, 2, nullptr, nullptr)), "");
  const OwnedBuffer first(results[0]), second(results[1]);
  EXPECT_EQ(TextOf(first.get()), "s32[] 5");
  EXPECT_EQ(halo_shape_tuple_size(halo_buffer_shape(second.get())), 2u);
}

TEST_F(ExecutionTest, SeveralReplicasRunTogether) {
  halo_compile_options options = HALO_COMPILE_OPTIONS_INIT;
  options.replica_count = 2;
  const int64_t devices[] = {3, 1};
  options.device_ids = devices;
  options.device_id_count = 2;
  const OwnedExecutable program = CompileOrDie(client_.get(), kAllReduce, &options);
  EXPECT_EQ(halo_executable_replica_count(program.get()), 2);
  ASSERT_EQ(halo_executable_device_count(program.get()), 2u);
  EXPECT_EQ(halo_device_id(halo_executable_device(program.get(), 0)), 3);
  std::vector<float> a = {1, 2}, b = {10, 20}, sum_a(2), sum_b(2);
  const halo_array arguments[] = {ArrayOf(HALO_F32, two_, a), ArrayOf(HALO_F32, two_, b)};
  const halo_array results[] = {ArrayOf(HALO_F32, two_, sum_a), ArrayOf(HALO_F32, two_, sum_b)};
  ASSERT_EQ(Outcome(halo_executable_run(program.get(), arguments, 2, results, 2, nullptr)), "");
  EXPECT_THAT(sum_a, ElementsAre(11, 22));
  EXPECT_THAT(sum_b, ElementsAre(11, 22));
  const OwnedBuffer on_3 = BufferOrDie(client_.get(), "f32[2]{0} {1, 2}", halo_executable_device(program.get(), 0));
  const OwnedBuffer on_1 = BufferOrDie(client_.get(), "f32[2]{0} {3, 4}", halo_executable_device(program.get(), 1));
  const halo_buffer* const buffers[] = {on_3.get(), on_1.get()};
  halo_buffer* sums[2] = {};
  ASSERT_EQ(Outcome(halo_executable_execute(program.get(), buffers, 2, sums, 2, nullptr, nullptr)), "");
  const OwnedBuffer first(sums[0]), second(sums[1]);
  EXPECT_EQ(TextOf(first.get()), "f32[2]{0} {4, 6}");
  EXPECT_EQ(halo_device_id(halo_buffer_device(second.get())), 1);
  const halo_buffer* const swapped[] = {on_1.get(), on_3.get()};
  EXPECT_THAT(Outcome(halo_executable_execute(program.get(), swapped, 2, sums, 2, nullptr, nullptr)),
              StartsWith("INVALID_ARGUMENT: "));
  EXPECT_EQ(sums[0], nullptr);
  EXPECT_THAT(Outcome(halo_executable_run(program.get(), arguments, 1, results, 2, nullptr)),
              HasSubstr("got 1 arguments, expected 2: 1 for each of 2 devices"));
}

TEST_F(ExecutionTest, AProgramOnWholeArraysIsCutForItsPartitions) {
  halo_compile_options options = HALO_COMPILE_OPTIONS_INIT;
  options.spmd = 1;
  const OwnedExecutable program = CompileOrDie(client_.get(), R"(HloModule whole, num_partitions=2
ENTRY e {
  x = f32[4] parameter(0), sharding={devices=[2]<=[2]}
  ROOT n = f32[4] negate(x), sharding={devices=[2]<=[2]}
})",
                                               &options);
  EXPECT_EQ(halo_executable_partition_count(program.get()), 2);
  std::vector<float> a = {1, 2}, b = {10, 20}, first(2), second(2);
  const halo_array arguments[] = {ArrayOf(HALO_F32, two_, a), ArrayOf(HALO_F32, two_, b)};
  const halo_array results[] = {ArrayOf(HALO_F32, two_, first), ArrayOf(HALO_F32, two_, second)};
  ASSERT_EQ(Outcome(halo_executable_run(program.get(), arguments, 2, results, 2, nullptr)), "");
  EXPECT_THAT(first, ElementsAre(-1, -2));
  EXPECT_THAT(second, ElementsAre(-10, -20));
}

TEST_F(ExecutionTest, CompileErrorsSayWhatDoesNotFit) {
  const OwnedModule module = LoadOrDie(kAdd);
  halo_executable* executable = nullptr;
  const auto error = [&](const halo_compile_options& options) {
    return Outcome(halo_client_compile(client_.get(), module.get(), &options, &executable));
  };
  halo_compile_options options = HALO_COMPILE_OPTIONS_INIT;
  options.replica_count = 5;
  EXPECT_THAT(error(options), AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("5")));
  options.replica_count = -1;
  EXPECT_THAT(error(options), HasSubstr("options.replica_count is -1"));
  options = HALO_COMPILE_OPTIONS_INIT;
  options.optimization = 4;
  EXPECT_THAT(error(options), HasSubstr("options.optimization is 4"));
  options = HALO_COMPILE_OPTIONS_INIT;
  options.device_id_count = 1;
  EXPECT_THAT(error(options), HasSubstr("options.device_ids is NULL"));
  const int64_t unknown = 9;
  options.device_ids = &unknown;
  EXPECT_THAT(error(options), StartsWith("INVALID_ARGUMENT: "));
  EXPECT_THAT(Outcome(halo_client_compile(nullptr, module.get(), nullptr, &executable)), HasSubstr("client is NULL"));
  EXPECT_THAT(Outcome(halo_client_compile(client_.get(), nullptr, nullptr, &executable)), HasSubstr("module is NULL"));
  EXPECT_THAT(Outcome(halo_client_compile(client_.get(), module.get(), nullptr, nullptr)),
              HasSubstr("executable is NULL"));
}

TEST_F(ExecutionTest, LimitsEndACompilation) {
  halo_cancellation* made = nullptr;
  ASSERT_EQ(Outcome(halo_cancellation_create(&made)), "");
  const OwnedCancellation cancellation(made);
  const OwnedModule module = LoadOrDie(kAdd);
  halo_executable* executable = nullptr;
  halo_compile_options options = HALO_COMPILE_OPTIONS_INIT;
  const auto compile = [&] { return Outcome(halo_client_compile(client_.get(), module.get(), &options, &executable)); };
  options.timeout_seconds = 1e-9;
  EXPECT_EQ(compile(), "DEADLINE_EXCEEDED: the deadline passed while compiling the program");
  options.timeout_seconds = 1000;
  options.max_memory_bytes = 1 << 20;
  options.cancellation = made;
  EXPECT_EQ(compile(), "");
  halo_executable_free(executable);
  halo_cancellation_cancel(made);
  EXPECT_EQ(compile(), "CANCELLED: cancelled while compiling the program");
  options.max_memory_bytes = -1;
  EXPECT_THAT(compile(), HasSubstr("options.max_memory_bytes is -1"));
}

TEST_F(ExecutionTest, IsStoredAndMadeAgain) {
  const OwnedExecutable program = CompileOrDie(client_.get(), kAdd);
  char* data = nullptr;
  size_t size = 0;
  ASSERT_EQ(Outcome(halo_executable_serialize(program.get(), &data, &size)), "");
  const std::string stored(data, size);
  halo_free(data);
  halo_executable* again = nullptr;
  ASSERT_EQ(Outcome(halo_client_deserialize(client_.get(), stored.data(), stored.size(), nullptr, &again)), "");
  EXPECT_STREQ(halo_executable_name(OwnedExecutable(again).get()), "add_two");
  EXPECT_THAT(Outcome(halo_client_deserialize(client_.get(), stored.data(), stored.size() / 2, nullptr, &again)),
              StartsWith("INVALID_ARGUMENT: "));
  EXPECT_THAT(Outcome(halo_client_deserialize(client_.get(), nullptr, 3, nullptr, &again)), HasSubstr("data is NULL"));
  EXPECT_THAT(Outcome(halo_client_deserialize(client_.get(), nullptr, 0, nullptr, &again)),
              StartsWith("INVALID_ARGUMENT: "));
  EXPECT_THAT(Outcome(halo_executable_serialize(nullptr, &data, &size)), HasSubstr("executable is NULL"));
}

TEST_F(ExecutionTest, DonatedBuffersEnd) {
  const OwnedExecutable program = CompileOrDie(client_.get(), kAdd);
  const OwnedBuffer x = BufferOrDie(client_.get(), "f32[2]{0} {1, 2}");
  const OwnedBuffer y = BufferOrDie(client_.get(), "f32[2]{0} {3, 4}");
  EXPECT_EQ(SumDonatingFirst(program.get(), x.get(), y.get()), "f32[2]{0} {4, 6}");
  EXPECT_EQ(halo_buffer_is_live(x.get()), 0);
  EXPECT_EQ(halo_buffer_is_live(y.get()), 1);
  float out[2];
  EXPECT_THAT(Outcome(halo_buffer_to_host(x.get(), out, 8)), StartsWith("FAILED_PRECONDITION: "));
  const halo_buffer* const arguments[] = {x.get(), y.get()};
  halo_buffer* result = nullptr;
  EXPECT_THAT(Outcome(halo_executable_execute(program.get(), arguments, 2, &result, 1, nullptr, nullptr)),
              StartsWith("FAILED_PRECONDITION: "));
  halo_execute_options options = HALO_EXECUTE_OPTIONS_INIT;
  options.donated_parameter_count = 1;
  EXPECT_THAT(Outcome(halo_executable_execute(program.get(), arguments, 2, &result, 1, &options, nullptr)),
              HasSubstr("options.donated_parameters is NULL"));
}

TEST_F(ExecutionTest, LimitsEndARun) {
  const OwnedExecutable program = CompileOrDie(client_.get(), kEndless);
  std::vector<int32_t> out(100000);
  const std::vector<int64_t> dimensions = {100000};
  const halo_array result = ArrayOf(HALO_S32, dimensions, out);
  halo_execution_report report = HALO_EXECUTION_REPORT_INIT;
  halo_execute_options options = HALO_EXECUTE_OPTIONS_INIT;
  options.timeout_seconds = 0.05;
  options.report = &report;
  EXPECT_THAT(Outcome(halo_executable_run(program.get(), nullptr, 0, &result, 1, &options)),
              StartsWith("DEADLINE_EXCEEDED: "));
  EXPECT_GT(report.elapsed_seconds, 0);
  options.timeout_seconds = 0;
  options.max_steps = 1000;
  EXPECT_THAT(Outcome(halo_executable_run(program.get(), nullptr, 0, &result, 1, &options)),
              StartsWith("RESOURCE_EXHAUSTED: "));
  options.max_steps = 0;
  options.max_memory_bytes = 1000;
  EXPECT_THAT(Outcome(halo_executable_run(program.get(), nullptr, 0, &result, 1, &options)),
              StartsWith("RESOURCE_EXHAUSTED: "));
}

TEST_F(ExecutionTest, AnotherThreadCancels) {
  const OwnedExecutable program = CompileOrDie(client_.get(), kEndless);
  halo_cancellation* made = nullptr;
  ASSERT_EQ(Outcome(halo_cancellation_create(&made)), "");
  const OwnedCancellation cancellation(made);
  halo_execute_options options = HALO_EXECUTE_OPTIONS_INIT;
  options.cancellation = made;
  options.mode = HALO_EXECUTE_ASYNC;
  halo_buffer* result = nullptr;
  halo_event* done = nullptr;
  ASSERT_EQ(Outcome(halo_executable_execute(program.get(), nullptr, 0, &result, 1, &options, &done)), "");
  const OwnedBuffer buffer(result);
  const OwnedEvent event(done);
  EXPECT_EQ(halo_event_is_ready(done), 0);
  EXPECT_THAT(Outcome(halo_event_wait(done, 0.01)), StartsWith("DEADLINE_EXCEEDED: "));
  std::thread([&] { halo_cancellation_cancel(made); }).join();
  EXPECT_THAT(Outcome(halo_event_wait(done, 0)), StartsWith("CANCELLED: "));
  halo_event* ready = nullptr;
  ASSERT_EQ(Outcome(halo_buffer_ready(result, &ready)), "");
  const OwnedEvent of_result(ready);
  EXPECT_THAT(Outcome(halo_event_wait(ready, 0)), StartsWith("CANCELLED: "));
  std::string outcome;
  ASSERT_EQ(Outcome(halo_event_on_ready(
                ready, [](halo_status* status, void* user) { *static_cast<std::string*>(user) = Outcome(status); },
                &outcome)),
            "");
  EXPECT_THAT(outcome, StartsWith("CANCELLED: "));
  char* text = nullptr;
  EXPECT_THAT(Outcome(halo_buffer_to_text(result, &text)), StartsWith("CANCELLED: "));
}

TEST_F(ExecutionTest, WrongOptionsAreErrors) {
  const OwnedExecutable program = CompileOrDie(client_.get(), kAdd);
  const OwnedBuffer x = BufferOrDie(client_.get(), "f32[2]{0} {1, 2}");
  const halo_buffer* const arguments[] = {x.get(), x.get()};
  halo_buffer* result = nullptr;
  const auto error = [&](const halo_execute_options& options) {
    return Outcome(halo_executable_execute(program.get(), arguments, 2, &result, 1, &options, nullptr));
  };
  halo_execute_options options = HALO_EXECUTE_OPTIONS_INIT;
  options.mode = 3;
  EXPECT_THAT(error(options), HasSubstr("options.mode is 3"));
  options = HALO_EXECUTE_OPTIONS_INIT;
  options.timeout_seconds = -1;
  EXPECT_THAT(error(options), HasSubstr("timeout_seconds is -1"));
  options.timeout_seconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(error(options), HasSubstr("timeout_seconds is nan"));
  options = HALO_EXECUTE_OPTIONS_INIT;
  options.max_steps = -1;
  EXPECT_THAT(error(options), HasSubstr("options.max_steps is -1"));
  options = HALO_EXECUTE_OPTIONS_INIT;
  options.max_memory_bytes = -1;
  EXPECT_THAT(error(options), HasSubstr("options.max_memory_bytes is -1"));
  options = HALO_EXECUTE_OPTIONS_INIT;
  options.kept_parameter_count = 1;
  EXPECT_THAT(error(options), HasSubstr("options.kept_parameters is NULL"));
  options = HALO_EXECUTE_OPTIONS_INIT;
  halo_execution_report report = HALO_EXECUTION_REPORT_INIT;
  options.report = &report;
  options.mode = HALO_EXECUTE_ASYNC;
  EXPECT_THAT(error(options), HasSubstr("HALO_EXECUTE_ASYNC"));
  options.mode = HALO_EXECUTE_DEFAULT;
  report.struct_size = 0;
  EXPECT_THAT(error(options), HasSubstr("options.report.struct_size is 0"));
  const halo_buffer* const missing[] = {x.get(), nullptr};
  EXPECT_THAT(Outcome(halo_executable_execute(program.get(), missing, 2, &result, 1, nullptr, nullptr)),
              HasSubstr("argument 1 is NULL"));
  const OwnedBuffer wrong = BufferOrDie(client_.get(), "s32[] 1");
  const halo_buffer* const misfit[] = {x.get(), wrong.get()};
  EXPECT_THAT(Outcome(halo_executable_execute(program.get(), misfit, 2, &result, 1, nullptr, nullptr)),
              StartsWith("INVALID_ARGUMENT: "));
  EXPECT_EQ(result, nullptr);
}

TEST_F(ExecutionTest, ProgressIsTold) {
  const OwnedExecutable program = CompileOrDie(client_.get(), kAdd);
  std::vector<float> x = {1, 2}, out(2);
  const halo_array arguments[] = {ArrayOf(HALO_F32, two_, x), ArrayOf(HALO_F32, two_, x)};
  const halo_array result = ArrayOf(HALO_F32, two_, out);
  halo_execute_options options = HALO_EXECUTE_OPTIONS_INIT;
  int64_t last = 0;
  options.progress = [](int64_t done, int64_t total, void* user) {
    EXPECT_LE(done, total);
    *static_cast<int64_t*>(user) = total;
  };
  options.progress_user = &last;
  ASSERT_EQ(Outcome(halo_executable_run(program.get(), arguments, 2, &result, 1, &options)), "");
  EXPECT_GT(last, 0);
}

TEST_F(ExecutionTest, SeedsGiveTheSameNumbersAgain) {
  const OwnedExecutable program = CompileOrDie(client_.get(), R"(HloModule m
ENTRY e {
  zero = f32[] constant(0)
  one = f32[] constant(1)
  ROOT r = f32[2] rng(zero, one), distribution=rng_uniform
}
)");
  const auto numbers = [&](uint64_t seed) {
    std::vector<float> out(2);
    const halo_array result = ArrayOf(HALO_F32, two_, out);
    halo_execute_options options = HALO_EXECUTE_OPTIONS_INIT;
    options.seed = seed;
    EXPECT_EQ(Outcome(halo_executable_run(program.get(), nullptr, 0, &result, 1, &options)), "");
    return out;
  };
  EXPECT_EQ(numbers(1), numbers(1));
  EXPECT_NE(numbers(1), numbers(2));
}

TEST_F(ExecutionTest, DynamicDimensionsHaveTheirSizes) {
  const OwnedExecutable program = CompileOrDie(client_.get(), R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  n = s32[] constant(3)
  ROOT d = f32[<=4] set-dimension-size(x, n), dimensions={0}
}
)");
  const OwnedBuffer x = BufferOrDie(client_.get(), "f32[4]{0} {1, 2, 3, 4}");
  const halo_buffer* const argument = x.get();
  halo_buffer* made = nullptr;
  ASSERT_EQ(Outcome(halo_executable_execute(program.get(), &argument, 1, &made, 1, nullptr, nullptr)), "");
  const OwnedBuffer result(made);
  int64_t size = 0;
  ASSERT_EQ(Outcome(halo_buffer_dynamic_dimensions(made, &size, 1)), "");
  EXPECT_EQ(size, 3);
}

TEST_F(ExecutionTest, ValuesGoThroughTheQueuesOfADevice) {
  const OwnedExecutable program = CompileOrDie(client_.get(), R"(HloModule m
ENTRY e {
  start = token[] after-all()
  in = (f32[2], token[]) infeed(start)
  x = f32[2] get-tuple-element(in), index=0
  next = token[] get-tuple-element(in), index=1
  twice = f32[2] add(x, x)
  sent = token[] outfeed(twice, next), outfeed_shape=f32[2]
  ROOT n = s32[] constant(1)
}
)");
  halo_device* const device = halo_executable_device(program.get(), 0);
  const OwnedBuffer fed = BufferOrDie(client_.get(), "f32[2]{0} {1, 2}");
  ASSERT_EQ(Outcome(halo_device_infeed(device, fed.get())), "");
  halo_buffer* out = nullptr;
  ASSERT_EQ(Outcome(halo_executable_execute(program.get(), nullptr, 0, &out, 1, nullptr, nullptr)), "");
  halo_buffer_free(out);
  EXPECT_THAT(Outcome(halo_device_outfeed(device, "f32[3]", 1, nullptr, &out)), StartsWith("INVALID_ARGUMENT: "));
  ASSERT_EQ(Outcome(halo_device_outfeed(device, "f32[2]", 1, nullptr, &out)), "");
  EXPECT_EQ(TextOf(OwnedBuffer(out).get()), "f32[2]{0} {2, 4}");
  EXPECT_THAT(Outcome(halo_device_outfeed(device, "f32[2]", 0.01, nullptr, &out)), StartsWith("DEADLINE_EXCEEDED: "));
  halo_cancellation* made = nullptr;
  ASSERT_EQ(Outcome(halo_cancellation_create(&made)), "");
  const OwnedCancellation cancellation(made);
  halo_cancellation_cancel(made);
  EXPECT_THAT(Outcome(halo_device_outfeed(device, "f32[2]", 0, made, &out)), StartsWith("CANCELLED: "));
  EXPECT_THAT(Outcome(halo_device_outfeed(device, "f32[", 0, nullptr, &out)), StartsWith("INVALID_ARGUMENT: "));
  EXPECT_THAT(Outcome(halo_device_outfeed(device, nullptr, 0, nullptr, &out)), HasSubstr("shape is NULL"));
  EXPECT_THAT(Outcome(halo_device_infeed(nullptr, fed.get())), HasSubstr("device is NULL"));
  EXPECT_THAT(Outcome(halo_device_infeed(device, nullptr)), HasSubstr("value is NULL"));
}

void Thrice(void* out, const void** in) {
  const float* const x = static_cast<const float*>(in[0]);
  for (int i = 0; i < 2; ++i) static_cast<float*>(out)[i] = 3 * x[i];
}

TEST_F(ExecutionTest, CustomCallsReachC) {
  ASSERT_EQ(Outcome(halo_custom_call_register("c_api_thrice", &Thrice)), "");
  EXPECT_THAT(Outcome(halo_custom_call_register("c_api_thrice", &Thrice)), StartsWith("ALREADY_EXISTS: "));
  EXPECT_THAT(Outcome(halo_custom_call_register(nullptr, &Thrice)), HasSubstr("target is NULL"));
  EXPECT_THAT(Outcome(halo_custom_call_register("", &Thrice)), HasSubstr("target is empty"));
  EXPECT_THAT(Outcome(halo_custom_call_register("c_api_none", nullptr)), HasSubstr("function is NULL"));
  const OwnedExecutable program =
      CompileOrDie(client_.get(),
                   "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n"
                   "  ROOT y = f32[2] custom-call(x), custom_call_target=\"c_api_thrice\"\n}");
  std::vector<float> x = {1, 2}, out(2);
  const halo_array argument = ArrayOf(HALO_F32, two_, x), result = ArrayOf(HALO_F32, two_, out);
  ASSERT_EQ(Outcome(halo_executable_run(program.get(), &argument, 1, &result, 1, nullptr)), "");
  EXPECT_THAT(out, ElementsAre(3, 6));
}

TEST_F(ExecutionTest, ManyThreadsLoadCompileAndRun) {
  const OwnedExecutable shared = CompileOrDie(client_.get(), kAdd);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int turn = 0; turn < 20; ++turn) {
        const OwnedExecutable own = CompileOrDie(client_.get(), kAdd);
        std::vector<float> x = {static_cast<float>(t), 1}, y = {static_cast<float>(turn), 2}, sum(2);
        const halo_array arguments[] = {ArrayOf(HALO_F32, two_, x), ArrayOf(HALO_F32, two_, y)};
        const halo_array result = ArrayOf(HALO_F32, two_, sum);
        for (halo_executable* program : {shared.get(), own.get()}) {
          EXPECT_EQ(Outcome(halo_executable_run(program, arguments, 2, &result, 1, nullptr)), "");
          EXPECT_THAT(sum, ElementsAre(t + turn, 3));
        }
        EXPECT_THAT(Outcome(halo_executable_run(own.get(), arguments, 1, &result, 1, nullptr)), HasSubstr("got 1"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(NullHandles, AreEmptyExecutablesAndEvents) {
  halo_executable_free(nullptr);
  halo_event_free(nullptr);
  halo_cancellation_free(nullptr);
  halo_cancellation_cancel(nullptr);
  EXPECT_STREQ(halo_executable_name(nullptr), "");
  EXPECT_STREQ(halo_executable_fingerprint(nullptr), "");
  EXPECT_EQ(halo_executable_device_count(nullptr), 0u);
  EXPECT_EQ(halo_executable_parameter_count(nullptr), 0u);
  EXPECT_EQ(halo_executable_result_count(nullptr), 0u);
  EXPECT_EQ(halo_executable_replica_count(nullptr), 0);
  EXPECT_EQ(halo_event_is_ready(nullptr), 0);
  EXPECT_THAT(Outcome(halo_event_wait(nullptr, 0)), HasSubstr("event is NULL"));
  EXPECT_THAT(Outcome(halo_event_on_ready(nullptr, nullptr, nullptr)), HasSubstr("event is NULL"));
  EXPECT_THAT(Outcome(halo_cancellation_create(nullptr)), HasSubstr("cancellation is NULL"));
  halo_cost cost = HALO_COST_INIT;
  EXPECT_THAT(Outcome(halo_executable_cost(nullptr, &cost)), HasSubstr("executable is NULL"));
  char* text = nullptr;
  EXPECT_THAT(Outcome(halo_executable_report(nullptr, &text)), HasSubstr("executable is NULL"));
}

}  // namespace
}  // namespace xla
