// HostClient and HostDevice as far as the tests of all clients (backends/testing) do not see them.
#include "backends/host/host_client.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/host/device_feeds.h"
#include "backends/host/scripted_client.h"
#include "gmock/gmock.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kReplicated[] = R"(HloModule m, replica_count=2
ENTRY e { x = f32[] parameter(0) ROOT n = f32[] negate(x) })";

absl::StatusOr<std::vector<Literal>> NoResults(const HostLaunch&) { return std::vector<Literal>(); }

// What deserializing says; `damage` changes the bytes before.
absl::Status DeserializeError(HostClient& client, const CompileOptions& options,
                              const std::function<void(std::string&)>& damage = nullptr) {
  std::string bytes = *ScriptedClient::Make(NoResults, 2)->CompileText(kReplicated)->Serialize();
  if (damage != nullptr) damage(bytes);
  return static_cast<Client&>(client).Deserialize(bytes, options).status();
}

TEST(HostClient, PassesTheCodeOfAProgramBackToItsCompiler) {
  const auto client = ScriptedClient::Make(NoResults, 4);
  CompileOptions options;
  options.verify = false;
  ASSERT_TRUE(DeserializeError(*client, options).ok());
  EXPECT_EQ(client->code, std::string("code\0 of the script", 19));
  EXPECT_TRUE(client->compile_options.verify) << "bytes from outside are verified whatever was asked for";
  EXPECT_EQ(client->compile_options.replica_count, 2);
  EXPECT_EQ(client->compile_options.partition_count, 1);
  options.replica_count = 4;
  ASSERT_TRUE(DeserializeError(*client, options).ok());
  EXPECT_EQ(client->compile_options.replica_count, 4) << "options come before what was serialized";
}

TEST(HostClient, RefusesProgramsOfAnotherVersion) {
  ScriptedClient next(NoResults, ClientOptions(), "scripted 2");
  const absl::Status status = DeserializeError(next, CompileOptions());
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("expected 'scripted 2, ...'"));
}

TEST(HostClient, RefusesWhatDoesNotFitTheModule) {
  const auto client = ScriptedClient::Make(NoResults, 2);
  CompileOptions options;
  options.weights = {1};
  EXPECT_EQ(DeserializeError(*client, options),
            absl::InvalidArgumentError("m: CompileOptions::weights names parameter 1, the program has 1 parameters"));
  options = {};
  options.optimization_level = 3;
  EXPECT_EQ(DeserializeError(*client, options),
            absl::InvalidArgumentError("the optimization level is 0, 1 or 2, got 3"));
  EXPECT_EQ(client->CompileShared(nullptr, CompileOptions()).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(client->CompileShared(std::make_shared<HloModule>("empty"), CompileOptions()).status(),
            absl::InvalidArgumentError("empty: the module has no entry computation"));
}

TEST(HostClient, RefusesNumbersOfDevicesThatItDoesNotHave) {
  const auto client = ScriptedClient::Make(NoResults, 2);
  const auto with_counts = [&](const std::string& counts) {
    return DeserializeError(*client, CompileOptions(),
                            [&](std::string& bytes) { bytes = absl::StrReplaceAll(bytes, {{"2 x 1", counts}}); });
  };
  EXPECT_TRUE(with_counts("1 x 2").ok());
  for (const char* counts : {"3 x 1", "9223372036854775807 x 9223372036854775807", "-2 x -1", "-1 x 1"}) {
    EXPECT_EQ(with_counts(counts).code(), absl::StatusCode::kInvalidArgument) << counts;
  }
  CompileOptions options;
  options.device_assignment = {1, 1};
  EXPECT_EQ(DeserializeError(*client, options),
            absl::InvalidArgumentError("the device assignment names device 1 twice"));
}

TEST(HostClient, SharesAGivenThreadPool) {
  ClientOptions options;
  options.thread_pool = std::make_shared<ThreadPool>(3);
  options.threads = 7;
  const ScriptedClient client(NoResults, options);
  EXPECT_EQ(client.pool(), options.thread_pool);
}

TEST(HostClient, SaysThatItHasEnded) {
  auto client = ScriptedClient::Make(NoResults);
  const auto has_ended = client->has_ended();
  EXPECT_FALSE(*has_ended);
  client.reset();
  EXPECT_TRUE(*has_ended);
}

TEST(HostDevice, WaitsForItsOutfeedWithinTheLimits) {
  const auto client = ScriptedClient::Make(NoResults);
  Device& device = client->default_device();
  TransferOptions options;
  options.deadline = absl::Now() + absl::Milliseconds(30);
  EXPECT_EQ(device.TransferFromOutfeed(Shape::Scalar(F32), options).status(),
            absl::DeadlineExceededError("scripted device 0: nothing came out of the outfeed queue until the deadline"));
  const auto cancellation = std::make_shared<Cancellation>();
  cancellation->Cancel();
  options = {};
  options.cancellation = cancellation;
  EXPECT_EQ(device.TransferFromOutfeed(Shape::Scalar(F32), options).status(),
            absl::CancelledError("scripted device 0: the transfer was cancelled"));
}

class DeviceFeedsTest : public testing::Test {
 protected:
  absl::StatusOr<Literal> Infeed(int64_t device, const Shape& shape) {
    const HloInstruction infeed(HloOpcode::kInfeed, "in", shape);
    return feeds_.Infeed(device, infeed, shape, [] { return absl::CancelledError("no value"); });
  }
  HostDevice* device(int i) { return static_cast<HostDevice*>(client_->devices()[i]); }

  const std::shared_ptr<ScriptedClient> client_ = ScriptedClient::Make(NoResults, 2);
  const std::vector<HostDevice*> devices_ = {device(1), device(0)};
  DeviceFeeds feeds_{devices_, OwnDevices(static_cast<int64_t>(devices_.size()), 1)};
};

TEST_F(DeviceFeedsTest, ConnectTheDevicesOfTheRun) {
  ASSERT_TRUE(static_cast<Device*>(device(1))->TransferToInfeed(Literal::Scalar(7.0f)).ok());
  EXPECT_EQ(*Infeed(0, Shape::Scalar(F32))->data<float>(), 7);
  EXPECT_EQ(Infeed(1, Shape::Scalar(F32)).status(),
            absl::CancelledError("in: waited for the infeed queue of scripted device 0: no value"));
}

TEST_F(DeviceFeedsTest, AValueOfAnotherShapeIsGone) {
  Device& first = *device(1);
  ASSERT_TRUE(first.TransferToInfeed(Literal::Scalar(7)).ok());
  ASSERT_TRUE(first.TransferToInfeed(Literal::Scalar(8.0f)).ok());
  EXPECT_EQ(Infeed(0, Shape::Scalar(F32)).status(),
            absl::InvalidArgumentError(
                "in: the next value of the infeed queue of scripted device 1 has shape s32[], expected f32[]"));
  EXPECT_EQ(*Infeed(0, Shape::Scalar(F32))->data<float>(), 8);
}

TEST_F(DeviceFeedsTest, WhatComesOutSharesNothingWithTheRun) {
  std::vector<float> data = {1, 2, 3, 4, 5, 6};
  const Shape shape = Shape::Array(F32, {6});
  const HloInstruction outfeed(HloOpcode::kOutfeed, "out", Shape::Token());
  ASSERT_TRUE(feeds_.Outfeed(0, outfeed, Literal::Borrow(shape, data.data())).ok());
  data.assign(6, 0);
  EXPECT_THAT(static_cast<Device*>(device(1))->TransferFromOutfeed(shape)->span<float>(),
              ElementsAre(1, 2, 3, 4, 5, 6));
}

}  // namespace
}  // namespace xla
