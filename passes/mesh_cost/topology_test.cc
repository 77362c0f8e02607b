#include "passes/mesh_cost/topology.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

constexpr char kTwoHosts[] = R"({"hosts": 2, "devices_per_host": 4, "collectives": "hierarchical",
  "device": {"flops": 1e13, "memory_bandwidth": 1e12, "memory": 16e9},
  "links": {"devices": {"latency": 2e-6, "bandwidth": 5e10, "shared": true},
            "hosts": {"latency": 0, "bandwidth": 1.25e9}}})";

TEST(Topology, IsReadFromJson) {
  const auto topology = ReadTopology(kTwoHosts, "two.json");
  ASSERT_TRUE(topology.ok()) << topology.status();
  EXPECT_EQ(topology->device_count(), 8);
  EXPECT_EQ(topology->HostOf(5), 1);
  EXPECT_EQ(topology->kind, CollectiveKind::kHierarchical);
  EXPECT_EQ(topology->flops, 1e13);
  EXPECT_EQ(topology->memory, 16e9);
  EXPECT_TRUE(topology->devices.is_shared);
  EXPECT_EQ(topology->devices.latency, 2e-6);
  EXPECT_EQ(topology->between_hosts.bandwidth, 1.25e9);
  EXPECT_EQ(topology->ToString(), "2 hosts of 4 devices, hierarchical");
}

TEST(Topology, NeedsNoLinkThatConnectsNothing) {
  const auto one =
      ReadTopology(R"({"hosts": 1, "devices_per_host": 1, "device": {"flops": 1, "memory_bandwidth": 1}})", "one.json");
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->kind, CollectiveKind::kDirect);
}

// What is said of kTwoHosts with one text in place of another.
std::string ErrorWith(const std::string& before, const std::string& after) {
  const std::string text = absl::StrReplaceAll(kTwoHosts, {{before, after}});
  EXPECT_NE(text, kTwoHosts) << before;
  return std::string(ReadTopology(text, "t.json").status().message());
}

TEST(Topology, NamesTheMemberThatIsWrong) {
  EXPECT_EQ(ErrorWith("\"hosts\": 2", "\"hosts\": 0"),
            "t.json: hosts: expected a whole number from 1 to 1048576, got the number 0");
  EXPECT_EQ(ErrorWith("\"hosts\": 2", "\"hosts\": 1048576"),
            "t.json: hosts times devices_per_host: expected at most 1048576, got 4194304");
  EXPECT_EQ(ErrorWith("\"devices_per_host\": 4, ", ""),
            "t.json: devices_per_host: expected a whole number from 1 to 1048576, got nothing");
  EXPECT_EQ(
      ErrorWith("hierarchical", "star"),
      "t.json: collectives: expected \"direct\", \"ring\", \"tree\" or \"hierarchical\", got the string \"star\"");
  EXPECT_EQ(ErrorWith("1e13", "-1"),
            "t.json: device.flops: expected a number of operations per second, more than 0, "
            "got the number -1");
  EXPECT_EQ(ErrorWith("1.25e9", "\"fast\""),
            "t.json: links.hosts.bandwidth: expected a number of bytes per second, "
            "more than 0, got the string \"fast\"");
  EXPECT_EQ(ErrorWith("\"latency\": 0", "\"latency\": null"),
            "t.json: links.hosts.latency: expected a number of seconds, 0 or more, got null");
  EXPECT_EQ(ErrorWith("true", "1"), "t.json: links.devices.shared: expected true or false, got the number 1");
  EXPECT_EQ(ErrorWith("memory_bandwidth", "memory_bandwith"),
            "t.json: device has no member 'memory_bandwith'; did you mean 'memory_bandwidth'?; expected flops, "
            "memory_bandwidth, memory");
}

TEST(Topology, RefusesWhatIsNotAnObject) {
  EXPECT_EQ(ReadTopology("[]", "t.json").status().message(),
            "t.json: the topology: expected an object with the members hosts, devices_per_host, collectives, device, "
            "links, got array");
  EXPECT_EQ(ReadTopology(R"({"hosts": 2, "devices_per_host": 1, "device": {"flops": 1, "memory_bandwidth": 1}})", "t")
                .status()
                .message(),
            "t: links: expected an object with the members devices, hosts, got nothing");
  EXPECT_THAT(ReadTopology("{", "t.json").status().message(), testing::HasSubstr("t.json:1:2"));
}

}  // namespace
}  // namespace xla
