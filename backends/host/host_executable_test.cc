// What a HostExecutable does around a program. The program's own work is a function of the test.
#include "backends/host/host_executable.h"

#include "backends/event.h"
#include "backends/host/scripted_client.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kTwo[] = R"(HloModule two
ENTRY e { x = f32[6] parameter(0) y = f32[6] parameter(1) ROOT sum = f32[6] add(x, y) })";
constexpr char kPair[] = R"(HloModule pair
ENTRY e { x = f32[6] parameter(0) ROOT t = (f32[6], (f32[6])) tuple(x, x) })";
constexpr char kAliased[] =
    R"(HloModule aliased, input_output_alias={ {}: (1, {}, may-alias) }, buffer_donor={ (0, {}) }
ENTRY e { x = f32[6] parameter(0) y = f32[6] parameter(1) ROOT sum = f32[6] add(x, y) })";

Literal Six(float value) { return Literal::FromValues<float>({6}, std::vector<float>(6, value)); }

// A client whose programs note their launch and give `result`.
class HostExecutableTest : public testing::Test {
 protected:
  std::unique_ptr<Executable> Compile(absl::string_view text) { return client_->CompileText(text); }
  std::unique_ptr<Buffer> BufferOf(float value) { return OrDie(client_->Client::BufferFromLiteral(Six(value))); }

  std::vector<Literal> results_ = {Six(3)};
  ValueMemories memory_;
  absl::Status error_;
  int runs_ = 0;
  Donations donations_;
  std::vector<long> owners_;  // of each argument, as the program is given them
  EventSource may_run_;
  bool waits_ = false;
  std::shared_ptr<ScriptedClient> client_ =
      ScriptedClient::Make([this](const HostLaunch& launch) -> absl::StatusOr<std::vector<Literal>> {
        if (waits_) RETURN_IF_ERROR(may_run_.event().Await());
        ++runs_;
        donations_ = launch.donations;
        owners_.clear();
        for (const auto& value : launch.arguments[0]) owners_.push_back(value.use_count());
        if (!error_.ok()) return error_;
        launch.result_memory = {memory_};
        return results_;
      });
};

TEST_F(HostExecutableTest, GivesEachResultItsPartOfTheMemory) {
  const auto program = Compile(kPair);
  results_ = {Literal::Tuple({Six(1), Literal::Tuple({Six(2)})})};
  const auto first = std::make_shared<CountedMemory>(), second = std::make_shared<CountedMemory>();
  memory_ = {first, second};
  const auto x = BufferOf(1);
  for (const ExecutionMode mode : {ExecutionMode::kInline, ExecutionMode::kAsync}) {
    first->calls = second->calls = 0;
    ExecuteOptions options;
    options.mode = mode;
    BufferList pair = OrDie(program->Execute({x.get()}, options));
    EXPECT_EQ(OrDie(pair[1]->ToLiteral()).element(0).data<float>()[0], 2);
    EXPECT_EQ(first->calls, 0);
    EXPECT_EQ(second->calls, 1);
    EXPECT_EQ(OrDie(pair[0]->ToLiteral()).data<float>()[0], 1);
    EXPECT_EQ(first->calls, 1);
    options.untuple_result = false;
    pair = OrDie(program->Execute({x.get()}, options));
    EXPECT_TRUE(pair[0]->ToLiteral().ok());
    EXPECT_EQ(first->calls, 2);
    EXPECT_EQ(second->calls, 2);
  }
}

TEST_F(HostExecutableTest, DonatesWhatTheModuleSays) {
  const auto program = Compile(kAliased);
  EXPECT_THAT(program->donated_parameters(), ElementsAre(0, 1));
  const auto x = BufferOf(1), y = BufferOf(2);
  ExecuteOptions options;
  options.non_donatable_parameters = {0};
  ASSERT_TRUE(program->Execute({x.get(), y.get()}, options).ok());
  EXPECT_THAT(donations_, ElementsAre(false, true));
  EXPECT_THAT(owners_, ElementsAre(2, 1)) << "nothing but the launch holds what is donated";
  EXPECT_EQ(x->state(), Buffer::State::kLive);
  EXPECT_EQ(y->state(), Buffer::State::kDonated);
}

TEST_F(HostExecutableTest, DonatesNothingUnlessAsked) {
  const auto program = Compile(kTwo);
  const auto x = BufferOf(1);
  ASSERT_TRUE(program->Execute({x.get(), x.get()}).ok());
  EXPECT_TRUE(donations_.empty());
  ExecuteOptions options;
  options.donated_parameters = {1};
  const auto y = BufferOf(2);
  ASSERT_TRUE(program->Execute({x.get(), y.get()}, options).ok());
  EXPECT_EQ(x->state(), Buffer::State::kLive);
  EXPECT_EQ(y->state(), Buffer::State::kDonated);
}

TEST_F(HostExecutableTest, WhatARunThatFailsWasGivenIsGone) {
  error_ = absl::DataLossError("broken");
  const auto x = BufferOf(1), y = BufferOf(2);
  EXPECT_EQ(Compile(kAliased)->Execute({x.get(), y.get()}).status(), absl::DataLossError("broken"));
  EXPECT_EQ(x->state(), Buffer::State::kDonated);
}

TEST_F(HostExecutableTest, DonatesNothingIfAnArgumentIsNotLive) {
  for (const ExecutionMode mode : {ExecutionMode::kInline, ExecutionMode::kAsync}) {
    ExecuteOptions options;
    options.mode = mode;
    const auto x = BufferOf(1), y = BufferOf(2);
    y->Delete();
    const absl::Status status = Compile(kAliased)->Execute({x.get(), y.get()}, options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("aliased: argument 1: the buffer of shape f32[6] was deleted"));
    EXPECT_EQ(x->state(), Buffer::State::kLive);
    EXPECT_EQ(runs_, 0);
  }
}

TEST_F(HostExecutableTest, RefusesArgumentsThatDoNotFit) {
  const auto program = Compile(kTwo);
  const auto x = BufferOf(1), small = OrDie(client_->Client::BufferFromLiteral(Literal::Scalar(1.0f)));
  const auto error = [&](absl::Span<Buffer* const> arguments, const ExecuteOptions& options = {}) {
    return program->Execute(arguments, options).status();
  };
  EXPECT_EQ(error({x.get()}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(error({x.get(), small.get()}),
            absl::InvalidArgumentError("two: argument 1 has shape f32[], expected f32[6]"));
  EXPECT_EQ(error({x.get(), nullptr}), absl::InvalidArgumentError("two: argument 1 is no buffer (nullptr)"));
  const auto other_client = ScriptedClient::Make(nullptr);
  const auto foreign = OrDie(other_client->Client::BufferFromLiteral(Six(1)));
  EXPECT_THAT(std::string(error({x.get(), foreign.get()}).message()), HasSubstr("belongs to another client"));
  ExecuteOptions options;
  options.donated_parameters = {0};
  EXPECT_THAT(std::string(error({x.get(), x.get()}, options).message()), HasSubstr("may stand in one place only"));
  options.donated_parameters = {2};
  EXPECT_EQ(error({x.get(), x.get()}, options).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(runs_, 0);
  EXPECT_EQ(x->state(), Buffer::State::kLive);
}

TEST_F(HostExecutableTest, OfSomeDevicesOfAProgramNeedsAPlaceToMeetTheOthers) {
  CompileOptions options;
  options.replica_count = 4;
  options.own_devices = {1};
  const auto program = OrDie(client_->Compile(OrDie(ParseHloModule(kTwo)), options));
  EXPECT_EQ(program->replica_count(), 4);
  EXPECT_EQ(program->devices().size(), 1u);
  const auto x = BufferOf(1);
  EXPECT_EQ(program->Execute({x.get(), x.get()}).status(),
            absl::InvalidArgumentError(
                "two: the program runs on 4 devices, of which this client has 1; set ExecuteOptions::collectives to "
                "where they meet, or use the backend 'replicated'"));
  EXPECT_EQ(runs_, 0);
}

TEST_F(HostExecutableTest, GivesTuplesWholeOrByElement) {
  results_ = {Literal::Tuple({Six(4), Literal::Tuple({Six(5)})})};
  const auto program = Compile(kPair);
  const auto x = BufferOf(1);
  for (const ExecutionMode mode : {ExecutionMode::kInline, ExecutionMode::kAsync}) {
    ExecuteOptions options;
    options.mode = mode;
    const BufferList elements = OrDie(program->Execute({x.get()}, options));
    ASSERT_EQ(elements.size(), 2u);
    EXPECT_TRUE(elements[0]->ToLiteral()->BitwiseEquals(Six(4)));
    EXPECT_TRUE(elements[1]->ToLiteral()->BitwiseEquals(Literal::Tuple({Six(5)}))) << "of an inner tuple one buffer";
    options.untuple_result = false;
    const BufferList whole = OrDie(program->Execute({x.get()}, options));
    ASSERT_EQ(whole.size(), 1u);
    EXPECT_TRUE(whole[0]->ToLiteral()->BitwiseEquals(results_[0]));
  }
}

TEST_F(HostExecutableTest, AnExecutionInFlightOutlivesTheExecutableAndItsArguments) {
  waits_ = true;
  auto program = Compile(kTwo);
  auto x = BufferOf(1);
  ExecuteOptions options;
  options.mode = ExecutionMode::kAsync;
  const std::vector<Buffer*> arguments = {x.get(), x.get()};
  const Execution execution = OrDie(program->Launch({arguments}, options));
  EXPECT_FALSE(execution.done.IsReady());
  EXPECT_FALSE(execution.results[0][0]->ready().IsReady());
  program.reset();
  x.reset();
  may_run_.Set(absl::OkStatus());
  EXPECT_TRUE(execution.done.Await().ok());
  EXPECT_TRUE(execution.results[0][0]->ToLiteral()->BitwiseEquals(Six(3)));
}

TEST_F(HostExecutableTest, GivesArgumentsBackBeforeItIsDone) {
  auto x = BufferOf(1);
  ExecuteOptions options;
  options.mode = ExecutionMode::kAsync;
  options.donated_parameters = {0, 1};
  auto y = BufferOf(2);
  const std::vector<Buffer*> arguments = {x.get(), y.get()};
  const Execution execution = OrDie(Compile(kTwo)->Launch({arguments}, options));
  EXPECT_TRUE(execution.done.Await().ok());
  EXPECT_EQ(client_->memory()->used(), 24) << "the result";
}

TEST_F(HostExecutableTest, TheErrorOfAnAsynchronousRunIsThatOfItsResults) {
  error_ = absl::DataLossError("broken");
  const auto program = Compile(kTwo);
  const auto x = BufferOf(1);
  ExecuteOptions options;
  options.mode = ExecutionMode::kAsync;
  const std::vector<Buffer*> arguments = {x.get(), x.get()};
  const Execution execution = OrDie(program->Launch({arguments}, options));
  EXPECT_EQ(execution.done.Await(), absl::DataLossError("broken"));
  EXPECT_EQ(execution.results[0][0]->ToLiteral().status(), absl::DataLossError("broken"));
  const BufferList next = OrDie(program->Execute({execution.results[0][0].get(), x.get()}, options));
  EXPECT_EQ(next[0]->ToLiteral().status(), absl::DataLossError("broken")) << "of what would be computed from it, too";
  EXPECT_EQ(runs_, 1);
}

TEST_F(HostExecutableTest, CountsResultsInTheMemoryOfTheClient) {
  ClientOptions options;
  options.max_memory_bytes = 60;
  const auto client =
      std::make_shared<ScriptedClient>([](const HostLaunch&) { return std::vector<Literal>{Six(3)}; }, options);
  const auto program = client->CompileText(kTwo);
  const auto x = OrDie(client->Client::BufferFromLiteral(Six(1)));
  for (const ExecutionMode mode : {ExecutionMode::kInline, ExecutionMode::kAsync}) {
    ExecuteOptions execute;
    execute.mode = mode;
    const BufferList first = OrDie(program->Execute({x.get(), x.get()}, execute));
    EXPECT_TRUE(first[0]->ready().Await().ok());
    EXPECT_EQ(program->Execute({x.get(), x.get()}, execute).status().code(), absl::StatusCode::kResourceExhausted);
  }
}

TEST(ToEvaluatorOptions, KeepsWhatWasAskedFor) {
  ExecuteOptions options;
  options.seed = 5;
  options.max_steps = 7;
  const ResourceContext resources(nullptr, "running the program");
  std::vector<HostValues> arguments;
  std::vector<ValueMemories> memory;
  const EvaluatorOptions evaluator = ToEvaluatorOptions({arguments, Donations(), options, resources, memory}, 123);
  EXPECT_EQ(evaluator.seed, 5u);
  EXPECT_EQ(evaluator.max_steps, 7);
  EXPECT_EQ(evaluator.max_memory_bytes, 123);
  EXPECT_EQ(evaluator.resources, &resources);
}

}  // namespace
}  // namespace xla
