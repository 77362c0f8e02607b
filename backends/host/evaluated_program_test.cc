#include "backends/host/evaluated_program.h"

#include "backends/host/scripted_client.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

class EvaluatedProgramTest : public testing::Test {
 protected:
  // On as many devices as `text` asks for, from the last one on.
  std::shared_ptr<const HostProgram> Program(const std::string& text, int64_t replicas = 1) {
    std::vector<HostDevice*> devices;
    for (int64_t d = 0; d < replicas; ++d) devices.push_back(static_cast<HostDevice*>(client_->devices()[1 - d]));
    return OrDie(MakeEvaluatedProgram(*client_, OrDie(ParseHloModule(text)), OwnDevices(replicas, 1), devices));
  }
  std::shared_ptr<HostValue> ValueOf(Literal literal) {
    return OrDie(HostValue::Make(client_->memory(), std::move(literal)));
  }
  absl::StatusOr<std::vector<Literal>> Run(const HostProgram& program, std::vector<HostValues> arguments) {
    const ResourceContext resources(limits_, "running the program");
    return program.Run({arguments, donations_, options_, resources, memory_});
  }

  const std::shared_ptr<ScriptedClient> client_ = ScriptedClient::Make(nullptr, 2);
  Donations donations_;
  ExecuteOptions options_;
  ExecutionReport report_;
  std::vector<ValueMemories> memory_;
  ResourceLimits limits_;
};

TEST_F(EvaluatedProgramTest, GivesAResultForEachDevice) {
  const auto results =
      Run(*Program(kSumOfReplicas, 2), {{ValueOf(Literal::Scalar(3.0f))}, {ValueOf(Literal::Scalar(4.0f))}});
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), 2u);
  for (uint32_t d = 0; d < 2; ++d) {
    EXPECT_EQ(*(*results)[d].element(0).data<float>(), 7);
    EXPECT_EQ(*(*results)[d].element(1).data<uint32_t>(), d);
  }
}

TEST_F(EvaluatedProgramTest, RefusesNumbersOfDevicesThatCannotRunTogether) {
  const auto refused = [&](int64_t replicas, int64_t partitions) {
    return MakeEvaluatedProgram(*client_, OrDie(ParseHloModule(kAdd)), OwnDevices(replicas, partitions), {})
        .status()
        .code();
  };
  EXPECT_EQ(refused(0, 1), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(refused(1, -1), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(refused(int64_t{1} << 40, int64_t{1} << 40), absl::StatusCode::kInvalidArgument);
}

TEST_F(EvaluatedProgramTest, WritesIntoWhatIsDonated) {
  const auto program = Program("HloModule m\nENTRY e { x = f32[10000] parameter(0) ROOT n = f32[10000] negate(x) }");
  std::vector<HostValues> arguments(1);
  arguments[0] = {ValueOf(OrDie(LiteralUtil::Filled<float>({10000}, 3)))};
  const void* const memory = arguments[0][0]->literal().untyped_data();
  donations_ = {true};
  const ResourceContext resources(limits_, "running the program");
  const auto results = program->Run({arguments, donations_, options_, resources, memory_});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].untyped_data(), memory);
  EXPECT_EQ((*results)[0].data<float>()[9999], -3);
}

TEST_F(EvaluatedProgramTest, LeavesWhatIsNotDonatedAlone) {
  const auto value = ValueOf(Literal::FromValues<float>({8}, {0, 1, 2, 3, 4, 5, 6, 7}));
  const auto results = Run(*Program(kDouble), {{value}});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(value->literal().span<float>(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_F(EvaluatedProgramTest, ResultsDoNotReferToBorrowedMemory) {
  const std::vector<float> data = {1, 2, 3, 4, 5, 6};
  const auto value = ValueOf(Literal::Borrow(Shape::Array(F32, {6}), data.data()));
  value->SetBorrowed(nullptr);
  const auto program = Program(R"(HloModule m
ENTRY e { x = f32[6] parameter(0) ROOT t = ((f32[6]), f32[2,3]) tuple((f32[6]) tuple(x), f32[2,3] reshape(x)) })");
  const auto results = Run(*program, {{value}});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_NE((*results)[0].element(0).element(0).untyped_data(), data.data());
  EXPECT_NE((*results)[0].element(1).untyped_data(), data.data());
  EXPECT_THAT((*results)[0].element(1).span<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(EvaluatedProgramTest, StopsAtTheLimitsOfTheLaunch) {
  const auto program = Program(kForever);
  const HostValues argument = {ValueOf(Literal::Vector<float>({1, 2, 3, 4}))};
  options_.max_steps = 100;
  EXPECT_EQ(Run(*program, {argument}).status().code(), absl::StatusCode::kResourceExhausted);
  options_ = {};
  limits_.timeout = absl::Milliseconds(30);
  EXPECT_EQ(Run(*program, {argument}).status().code(), absl::StatusCode::kDeadlineExceeded);
  limits_ = {};
  const auto cancellation = std::make_shared<Cancellation>();
  cancellation->Cancel();
  limits_.cancellation = cancellation;
  EXPECT_EQ(Run(*program, {argument}).status().code(), absl::StatusCode::kCancelled);
}

TEST_F(EvaluatedProgramTest, BoundsTheMemoryOfValues) {
  const auto program = Program(R"(HloModule m
ENTRY e { x = f32[10] parameter(0) b = f32[10,10] broadcast(x), dimensions={0} ROOT t = f32[10,10] tanh(b) })");
  const HostValues argument = {ValueOf(*Literal::Zeros(Shape::Array(F32, {10})))};
  options_.max_memory_bytes = 399;
  EXPECT_EQ(Run(*program, {argument}).status().code(), absl::StatusCode::kResourceExhausted);
  options_.max_memory_bytes = 1000;
  EXPECT_TRUE(Run(*program, {argument}).ok());
}

TEST_F(EvaluatedProgramTest, OverwritesTheReportAlsoWhenItFails) {
  for (const int64_t max_steps : {0, 1}) {
    report_.steps = report_.fallback_steps = report_.peak_memory_bytes = -7;
    report_.elapsed = -absl::Seconds(7);
    options_.report = &report_;
    options_.max_steps = max_steps;
    const auto program = Program(R"(HloModule m
ENTRY e { x = f32[6] parameter(0) a = f32[6] negate(x) ROOT b = f32[6] add(a, x) })");
    const auto results = Run(*program, {{ValueOf(*Literal::Zeros(Shape::Array(F32, {6})))}});
    EXPECT_EQ(results.ok(), max_steps == 0);
    EXPECT_GE(report_.steps, 1);
    EXPECT_EQ(report_.fallback_steps, 0) << "the evaluator runs everything itself";
    EXPECT_GE(report_.peak_memory_bytes, 0);
    EXPECT_GE(report_.elapsed, absl::ZeroDuration());
  }
}

TEST_F(EvaluatedProgramTest, UsesTheQueuesOfTheRunOrThoseOfItsDevices) {
  const auto program = Program(kFeeds);
  FeedQueues queues;
  queues.infeed = {{Literal::Vector<float>({1, 2})}};
  options_.feeds = &queues;
  ASSERT_TRUE(Run(*program, {{}}).ok());
  ASSERT_EQ(queues.outfeed.size(), 1u);
  EXPECT_THAT(queues.outfeed[0][0].span<float>(), ElementsAre(2, 4));
  options_.feeds = nullptr;
  Device& last = *client_->devices()[1];
  ASSERT_TRUE(last.TransferToInfeed(Literal::Vector<float>({3, 4})).ok());
  ASSERT_TRUE(Run(*program, {{}}).ok());
  EXPECT_THAT(last.TransferFromOutfeed(Shape::Array(F32, {2}))->span<float>(), ElementsAre(6, 8));
}

}  // namespace
}  // namespace xla
