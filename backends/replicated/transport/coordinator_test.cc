// What the coordinator answers, message by message.
#include "backends/replicated/transport/coordinator.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace transport {
namespace {

using ::testing::HasSubstr;

const absl::Time kStart = absl::FromUnixSeconds(1000);

MemberMessage From(int rank, const std::string& token = "secret") {
  MemberMessage message;
  message.set_launch_token(token);
  message.set_rank(rank);
  message.set_incarnation(100 + rank);
  return message;
}

MemberMessage Hello(int rank, int count = 2, const std::string& token = "secret") {
  MemberMessage message = From(rank, token);
  message.mutable_hello()->set_process_count(count);
  message.mutable_hello()->set_host("h");
  message.mutable_hello()->set_pid(7);
  return message;
}

std::string Connection(int rank) { return "connection " + std::to_string(rank); }

// The errors in what it sends.
std::vector<std::string> Errors(Coordinator& coordinator) {
  std::vector<std::string> errors;
  for (const Coordinator::Outgoing& outgoing : coordinator.TakeOutgoing()) {
    const CoordinatorMessage& message = outgoing.message;
    const std::string to = outgoing.connection + ": ";
    if (message.has_refusal()) errors.push_back(to + message.refusal().message());
    if (message.has_begun() && message.begun().code() != 0) errors.push_back(to + message.begun().message());
    if (message.has_failure()) errors.push_back(to + message.failure().message());
  }
  return errors;
}

void Complete(Coordinator& coordinator) {
  for (const int rank : {0, 1}) coordinator.Receive(Connection(rank), Hello(rank), kStart);
}

void Begin(Coordinator& coordinator) {
  for (const int rank : {0, 1}) {
    MemberMessage begin = From(rank);
    begin.mutable_begin()->set_launch(1);
    begin.mutable_begin()->set_fingerprint("program");
    begin.mutable_begin()->set_timeout_ms(60000);
    begin.mutable_begin()->add_device(rank);
    coordinator.Receive(Connection(rank), begin, kStart);
  }
}

TEST(CoordinatorTest, TellsThoseWhoComeLaterOfAMisfit) {
  Coordinator coordinator(2, "secret");
  coordinator.Receive(Connection(1), Hello(1, 3), kStart);
  EXPECT_EQ(Errors(coordinator).size(), 1u);
  coordinator.Receive(Connection(0), Hello(0), kStart);
  EXPECT_THAT(
      Errors(coordinator),
      ::testing::ElementsAre("connection 0: rank 1 on host h was started as one of 3 processes, rank 0 as one of "
                             "2; give all processes of a run the same number"));
}

TEST(CoordinatorTest, TellsWhoIsMissingAndWhoIsSilent) {
  Coordinator coordinator(4, "secret");
  for (const int rank : {0, 2}) coordinator.Receive(Connection(rank), Hello(rank, 4), kStart);
  coordinator.Receive(Connection(0), Hello(0, 4), kStart + absl::Seconds(1));
  coordinator.TakeOutgoing();
  coordinator.Tick(kStart + absl::Seconds(2));
  const std::vector<Coordinator::Outgoing> outgoing = coordinator.TakeOutgoing();
  ASSERT_EQ(outgoing.size(), 2u);
  const CoordinatorMessage::Missing& missing = outgoing[0].message.missing();
  EXPECT_THAT(missing.rank(), ::testing::ElementsAre(1, 3));
  EXPECT_THAT(missing.silent(), ::testing::ElementsAre(2));
}

TEST(CoordinatorTest, NamesLaunchesWithoutANumberByTheirOrder) {
  EXPECT_EQ(DescribeLaunch(3), "launch 3");
  EXPECT_EQ(DescribeLaunch(-1), "the first launch");
  EXPECT_EQ(DescribeLaunch(-2), "launch 2 in order");
}

TEST(CoordinatorTest, IsNotMovedByStrangers) {
  Coordinator coordinator(2, "secret");
  Complete(coordinator);
  Begin(coordinator);
  coordinator.TakeOutgoing();
  MemberMessage failure = From(1, "guessed");
  failure.mutable_failure()->set_launch(1);
  failure.mutable_failure()->set_code(13);
  coordinator.Receive("stranger", failure, kStart);
  MemberMessage other = From(1);
  other.set_incarnation(5);
  *other.mutable_failure() = failure.failure();
  coordinator.Receive("stranger", other, kStart);
  EXPECT_TRUE(coordinator.TakeOutgoing().empty());
}

TEST(CoordinatorTest, TakesSilenceForDeathOnlyWithoutAConnection) {
  Coordinator coordinator(2, "secret");
  Complete(coordinator);
  Begin(coordinator);
  coordinator.Tick(kStart + absl::Seconds(50));
  EXPECT_TRUE(Errors(coordinator).empty());
  coordinator.Receive(Connection(0), From(0), kStart + absl::Seconds(50));
  coordinator.ConnectionLost(Connection(1));
  coordinator.Tick(kStart + absl::Seconds(50));
  EXPECT_THAT(Errors(coordinator),
              ::testing::ElementsAre("connection 0: rank 1 on host h has died (process 7); see what it said last"));
}

TEST(CoordinatorTest, ForgivesAConnectionThatIsMadeAgain) {
  Coordinator coordinator(2, "secret");
  Complete(coordinator);
  Begin(coordinator);
  coordinator.ConnectionLost(Connection(1));
  coordinator.Receive("another connection", From(1), kStart + absl::Milliseconds(500));
  coordinator.Tick(kStart + absl::Seconds(5));
  EXPECT_TRUE(Errors(coordinator).empty());
}

TEST(CoordinatorTest, DoesNotTakeDataOnItsWayForADeadlock) {
  Coordinator coordinator(2, "secret");
  Complete(coordinator);
  Begin(coordinator);
  const auto report = [&](int rank, DeviceState::State state, int64_t calls) {
    MemberMessage message = From(rank);
    Report& r = *message.mutable_report();
    r.set_launch(1);
    r.set_stuck(true);
    DeviceState& device = *r.add_device();
    device.set_device(rank);
    device.set_state(state);
    device.set_at("r f32[8]");
    device.set_series(9);
    device.add_group(0);
    device.add_group(1);
    Report::Calls& c = *r.add_calls();
    c.set_series(9);
    c.set_device(rank);
    c.set_count(calls);
    coordinator.Receive(Connection(rank), message, kStart);
  };
  report(0, DeviceState::ENDED, 1);
  report(1, DeviceState::WAITS, 1);
  EXPECT_TRUE(Errors(coordinator).empty());
  report(0, DeviceState::ENDED, 0);
  EXPECT_THAT(
      Errors(coordinator)[0],
      HasSubstr("deadlock: no device can go on; device 0 (rank 0 on host h) has ended; device 1 (rank 1 on host h) "
                "waits at r f32[8]"));
}

void Address(Coordinator& coordinator, int rank, absl::Time now) {
  MemberMessage message = From(rank);
  message.mutable_address()->set_mesh(1);
  message.mutable_address()->set_address("10.0.0.1:" + std::to_string(rank));
  coordinator.Receive(Connection(rank), message, now);
}

void Connected(Coordinator& coordinator, int rank, absl::Time now) {
  MemberMessage message = From(rank);
  message.mutable_connected()->set_mesh(1);
  coordinator.Receive(Connection(rank), message, now);
}

// To whom it says that the connections are ready.
std::vector<std::string> ToldReady(Coordinator& coordinator) {
  std::vector<std::string> told;
  for (const Coordinator::Outgoing& outgoing : coordinator.TakeOutgoing()) {
    if (outgoing.message.has_ready()) told.push_back(outgoing.connection);
  }
  return told;
}

TEST(CoordinatorTest, UsesConnectionsWhenAllHaveThem) {
  Coordinator coordinator(2, "secret");
  Complete(coordinator);
  Begin(coordinator);
  Address(coordinator, 0, kStart);
  Address(coordinator, 1, kStart);
  std::vector<std::string> secrets;
  for (const Coordinator::Outgoing& outgoing : coordinator.TakeOutgoing()) {
    if (!outgoing.message.has_peers()) continue;
    EXPECT_EQ(outgoing.message.peers().address(1), "10.0.0.1:1");
    secrets.push_back(outgoing.message.peers().secret());
  }
  ASSERT_EQ(secrets.size(), 2u);
  EXPECT_EQ(secrets[0], secrets[1]);
  EXPECT_EQ(secrets[0].size(), 32u);
  Connected(coordinator, 1, kStart);
  EXPECT_TRUE(ToldReady(coordinator).empty());
  Connected(coordinator, 0, kStart);
  EXPECT_THAT(ToldReady(coordinator), ::testing::ElementsAre("connection 0", "connection 1"));
  coordinator.Receive(Connection(0), From(0), kStart + absl::Seconds(61));
  coordinator.Tick(kStart + absl::Seconds(61));
  EXPECT_TRUE(Errors(coordinator).empty());
}

TEST(CoordinatorTest, NamesWhoIsNotConnected) {
  Coordinator coordinator(2, "secret");
  Complete(coordinator);
  Begin(coordinator);
  coordinator.TakeOutgoing();
  const absl::Time end = kStart + absl::Seconds(60);
  Address(coordinator, 0, end);
  coordinator.Tick(end);
  EXPECT_THAT(
      Errors(coordinator),
      ::testing::Each(HasSubstr(": rank 1 on host h, which has not been heard of for 60 s (is it stopped, or its "
                                "network down?) has not been connected with the other processes within 1m")));
  // They live, but do not reach each other.
  Coordinator another(2, "secret");
  Complete(another);
  Begin(another);
  for (const int rank : {0, 1}) Address(another, rank, end);
  another.TakeOutgoing();
  another.Tick(end);
  EXPECT_THAT(Errors(another),
              ::testing::Each(HasSubstr(": rank 0 on host h, rank 1 on host h have not been connected with the other "
                                        "processes within 1m; allow the hosts each other's ports in the firewall")));
}

}  // namespace
}  // namespace transport
}  // namespace xla
