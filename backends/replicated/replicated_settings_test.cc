#include "backends/replicated/replicated_settings.h"

#include "gtest/gtest.h"

namespace xla {
namespace {

absl::Status ErrorOf(const ClientOptions& options) { return ReplicatedSettings::Read(options).status(); }

absl::Status ErrorOf(BackendSettings settings) {
  ClientOptions options;
  options.settings = std::move(settings);
  return ErrorOf(options);
}

TEST(ReplicatedSettings, AreRead) {
  ClientOptions options;
  options.device_count = 4;
  options.process_index = 1;
  options.process_count = 2;
  options.settings = {{"backend", "interpreter"},   {"rendezvous", "file:/tmp/x"}, {"launch_token", "t"},
                      {"host_name", "h"},           {"connect_timeout", "1.5m"},   {"collective_timeout", "500ms"},
                      {"backend.profile", "lowest"}};
  const auto settings = ReplicatedSettings::Read(options);
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->backend, "interpreter");
  EXPECT_EQ(settings->rendezvous, "file:/tmp/x");
  EXPECT_EQ(settings->launch_token, "t");
  EXPECT_EQ(settings->host_name, "h");
  EXPECT_EQ(settings->connect_timeout, absl::Seconds(90));
  EXPECT_EQ(*settings->collective_timeout, absl::Milliseconds(500));
  EXPECT_EQ(settings->backend_settings, BackendSettings({{"profile", "lowest"}}));
}

TEST(ReplicatedSettings, HaveDefaults) {
  const auto settings = ReplicatedSettings::Read(ClientOptions());
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->backend, "cpu");
  EXPECT_FALSE(settings->collective_timeout.has_value());
}

TEST(ReplicatedSettings, AreRefusedByName) {
  EXPECT_EQ(
      ErrorOf({{"rendevous", "x"}}),
      absl::InvalidArgumentError(
          "the backend replicated has no setting 'rendevous'; did you mean 'rendezvous'?; it has backend, "
          "collective_timeout, connect_timeout, host_name, launch_token and rendezvous, and with 'backend.' before "
          "them those of the backend that it runs on"));
  EXPECT_EQ(ErrorOf({{"connect_timeout", "soon"}}),
            absl::InvalidArgumentError(
                "the setting 'connect_timeout' of the backend replicated is a time such as 60s, 1.5m or 500ms, not "
                "'soon'"));
  EXPECT_EQ(ErrorOf({{"collective_timeout", "0s"}}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(
      ErrorOf({{"backend", "replicated"}}),
      absl::InvalidArgumentError("the backend replicated runs on another one, not on itself: set 'backend' to cpu"));
  EXPECT_EQ(ErrorOf({{"rendezvous", "file:/tmp/x"}}),
            absl::InvalidArgumentError("a client of one process meets no others: leave the setting 'rendezvous' out"));
}

TEST(ReplicatedSettings, GoWithTheNumbersOfDevicesAndProcesses) {
  ClientOptions options;
  options.process_count = 2;
  EXPECT_EQ(ErrorOf(options),
            absl::InvalidArgumentError(
                "the 2 processes need to find each other: set 'rendezvous' to file:DIR or tcp:HOST:PORT"));
  options.settings["rendezvous"] = "file:/tmp/x";
  EXPECT_EQ(ErrorOf(options), absl::OkStatus());
  options.device_count = 3;
  EXPECT_EQ(ErrorOf(options), absl::InvalidArgumentError("3 devices cannot be divided evenly among 2 processes; "
                                                         "ClientOptions::device_count is that of all of them"));
  options.device_count = 4;
  options.process_index = 2;
  EXPECT_EQ(ErrorOf(options), absl::InvalidArgumentError("a client of 2 processes cannot have a process 2; they are "
                                                         "numbered from 0"));
}

}  // namespace
}  // namespace xla
