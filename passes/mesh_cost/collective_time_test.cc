#include "passes/mesh_cost/collective_time.h"

#include <vector>

#include "gtest/gtest.h"
#include "passes/mesh_cost/group_layout.h"

namespace xla {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

constexpr double kLarge = 65536;

// Adding takes no time. Numbers are worked out by hand from the formulas of the header.
Topology Hosts(int64_t hosts, int64_t devices, CollectiveKind kind) {
  Topology topology;
  topology.hosts = hosts;
  topology.devices_per_host = devices;
  topology.kind = kind;
  topology.memory_bandwidth = 1e30;
  topology.devices = {1, 10, false};
  topology.between_hosts = {5, 2, false};
  return topology;
}

double AllReduce(double bytes, const Groups& groups, const Topology& topology) {
  return SecondsOfExchange(ExchangeKind::kAllReduce, bytes, LayoutOf(groups, topology), topology);
}

TEST(GroupLayout, CountsWhoSharesALink) {
  const Topology topology = Hosts(2, 4, CollectiveKind::kDirect);
  const GroupLayout along_hosts = LayoutOf({{0, 4}, {1, 5}, {2, 6}, {3, 7}}, topology);
  EXPECT_EQ(along_hosts.size, 2);
  EXPECT_EQ(along_hosts.hosts, 2);
  EXPECT_EQ(along_hosts.members_on_host, 1);
  EXPECT_EQ(along_hosts.groups_on_host, 4);
  EXPECT_EQ(along_hosts.groups_between_hosts, 4);
  const GroupLayout within = LayoutOf({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, topology);
  EXPECT_EQ(within.hosts, 1);
  EXPECT_EQ(within.groups_on_host, 0);
  EXPECT_EQ(within.busy_devices_on_host, 4);
  const GroupLayout alone = LayoutOf({{0}, {1}, {2, 3}}, topology);
  EXPECT_EQ(alone.busy_devices_on_host, 2);
}

TEST(CollectiveTime, IsThatOfTheKindWithinAHost) {
  const Groups all = {{0, 1, 2, 3}};
  EXPECT_DOUBLE_EQ(AllReduce(kLarge, all, Hosts(1, 4, CollectiveKind::kDirect)), 2 + 9830.4);
  EXPECT_DOUBLE_EQ(AllReduce(kLarge, all, Hosts(1, 4, CollectiveKind::kRing)), 6 + 9830.4);
  EXPECT_DOUBLE_EQ(AllReduce(kLarge, all, Hosts(1, 4, CollectiveKind::kTree)), 4 + 13107.2);
  EXPECT_DOUBLE_EQ(AllReduce(kLarge, all, Hosts(1, 4, CollectiveKind::kHierarchical)), 2 + 9830.4);
}

TEST(CollectiveTime, OfASmallSumIsThatOfOneMessage) {
  EXPECT_DOUBLE_EQ(AllReduce(1000, {{0, 1, 2, 3}}, Hosts(1, 4, CollectiveKind::kDirect)), 1 + 300);
}

TEST(CollectiveTime, CountsWhatHostsSendOnce) {
  const Groups all = {{0, 1, 2, 3}};
  // Operands of two devices, then results for a host.
  EXPECT_DOUBLE_EQ(AllReduce(kLarge, all, Hosts(2, 2, CollectiveKind::kDirect)), 5 + 32768 + 5 + 16384);
  EXPECT_DOUBLE_EQ(AllReduce(kLarge, all, Hosts(2, 2, CollectiveKind::kHierarchical)),
                   2 * (1 + 3276.8) + 2 * (5 + 16384));
  // The ring leaves each host once, in each of six steps.
  EXPECT_DOUBLE_EQ(AllReduce(kLarge, all, Hosts(2, 2, CollectiveKind::kRing)), 30 + 49152);
}

TEST(CollectiveTime, SharesALinkBetweenGroups) {
  Topology topology = Hosts(2, 2, CollectiveKind::kDirect);
  EXPECT_DOUBLE_EQ(AllReduce(kLarge, {{0, 2}, {1, 3}}, topology), 2 * (5 + 32768));
  topology.between_hosts.is_shared = true;
  EXPECT_DOUBLE_EQ(AllReduce(kLarge, {{0, 2}, {1, 3}}, topology), 2 * (5 + 65536));
  topology = Hosts(1, 4, CollectiveKind::kDirect);
  topology.devices.is_shared = true;
  EXPECT_DOUBLE_EQ(AllReduce(kLarge, {{0, 1}, {2, 3}}, topology), 2 * (1 + 4 * 3276.8));
}

TEST(CollectiveTime, OfOtherExchanges) {
  const Topology topology = Hosts(1, 4, CollectiveKind::kDirect);
  const GroupLayout layout = LayoutOf({{0, 1, 2, 3}}, topology);
  EXPECT_DOUBLE_EQ(SecondsOfExchange(ExchangeKind::kAllGather, 100, layout, topology), 1 + 30);
  EXPECT_DOUBLE_EQ(SecondsOfExchange(ExchangeKind::kReduceScatter, 400, layout, topology), 1 + 30);
  EXPECT_DOUBLE_EQ(SecondsOfExchange(ExchangeKind::kAllToAll, 400, layout, topology), 1 + 30);
  EXPECT_DOUBLE_EQ(SecondsOfExchange(ExchangeKind::kBroadcast, 100, layout, topology), 1 + 30);
  const Topology ring = Hosts(1, 4, CollectiveKind::kRing);
  EXPECT_DOUBLE_EQ(SecondsOfExchange(ExchangeKind::kBroadcast, 100, layout, ring), 3 + 10);
}

TEST(CollectiveTime, OfOneDeviceIsNothing) {
  EXPECT_EQ(AllReduce(kLarge, {{0}, {1}}, Hosts(1, 2, CollectiveKind::kRing)), 0);
}

TEST(CollectiveTime, AddsUpAtTheSpeedOfMemory) {
  Topology topology = Hosts(1, 2, CollectiveKind::kDirect);
  topology.memory_bandwidth = 32768;
  // Half of the operand of both is read, and half a result written.
  EXPECT_DOUBLE_EQ(AllReduce(kLarge, {{0, 1}}, topology), 2 * (1 + 3276.8) + 3);
}

TEST(CollectiveTime, OfPairsIsThatOfTheBusiestHost) {
  const Topology topology = Hosts(2, 2, CollectiveKind::kDirect);
  const std::vector<std::pair<int64_t, int64_t>> around = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  EXPECT_DOUBLE_EQ(SecondsOfPairs(100, LayoutOfPairs(around, topology), topology), 5 + 50);
  const std::vector<std::pair<int64_t, int64_t>> across = {{0, 2}, {1, 3}};
  EXPECT_DOUBLE_EQ(SecondsOfPairs(100, LayoutOfPairs(across, topology), topology), 5 + 100);
  const std::vector<std::pair<int64_t, int64_t>> nowhere = {{0, 0}};
  EXPECT_EQ(SecondsOfPairs(100, LayoutOfPairs(nowhere, topology), topology), 0);
}

}  // namespace
}  // namespace xla
