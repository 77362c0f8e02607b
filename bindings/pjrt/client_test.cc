// Clients, devices, memories and topologies, as jaxlib asks for them at start.
#include <map>
#include <string>

#include "bindings/pjrt/test_client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Of clients before and after structs have grown, and of one that is newer than the plugin.
class ClientOfMinor : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Client, ClientOfMinor, ::testing::Values(54, 70, 85, 100, 112, 200));

TEST_P(ClientOfMinor, AnswersWhatIsAskedAtStart) {
  TestClient client(GetParam());
  const PJRT_Api& api = client.api();
  auto name = client.Make<PJRT_Client_PlatformName_Args>();
  name->client = client.client();
  ASSERT_TRUE(client.Call(api.PJRT_Client_PlatformName, name).ok());
  EXPECT_EQ(absl::string_view(name->platform_name, name->platform_name_size), "halo");
  auto version = client.Make<PJRT_Client_PlatformVersion_Args>();
  version->client = client.client();
  ASSERT_TRUE(client.Call(api.PJRT_Client_PlatformVersion, version).ok());
  EXPECT_THAT(std::string(version->platform_version, version->platform_version_size), HasSubstr("Halo"));
  auto attributes = client.Make<PJRT_Plugin_Attributes_Args>();
  ASSERT_TRUE(StatusOfAnswer(api.PJRT_Plugin_Attributes(attributes.get())).ok());
  EXPECT_EQ(attributes->num_attributes, 3);
  auto device = client.Make<PJRT_Client_LookupDevice_Args>();
  device->client = client.client();
  device->id = 0;
  ASSERT_TRUE(client.Call(api.PJRT_Client_LookupDevice, device).ok());
  EXPECT_EQ(device->device, client.device());
  device->id = 7;
  EXPECT_EQ(client.Call(api.PJRT_Client_LookupDevice, device).code(), absl::StatusCode::kInvalidArgument);
  auto stats = client.Make<PJRT_Device_MemoryStats_Args>();
  stats->device = client.device();
  ASSERT_TRUE(client.Call(api.PJRT_Device_MemoryStats, stats).ok());
  EXPECT_TRUE(stats->bytes_limit_is_set && stats->bytes_limit > 0);
  EXPECT_FALSE(stats->num_allocs_is_set || stats->peak_pool_bytes_is_set);
  auto topology = client.Make<PJRT_Client_TopologyDescription_Args>();
  topology->client = client.client();
  ASSERT_TRUE(client.Call(api.PJRT_Client_TopologyDescription, topology).ok());
  auto descriptions = client.Make<PJRT_TopologyDescription_GetDeviceDescriptions_Args>();
  descriptions->topology = topology->topology;
  ASSERT_TRUE(client.Call(api.PJRT_TopologyDescription_GetDeviceDescriptions, descriptions).ok());
  ASSERT_EQ(descriptions->num_descriptions, 1);
  auto kind = client.Make<PJRT_DeviceDescription_Kind_Args>();
  kind->device_description = descriptions->descriptions[0];
  ASSERT_TRUE(client.Call(api.PJRT_DeviceDescription_Kind, kind).ok());
  EXPECT_GT(kind->device_kind_size, 0);
}

TEST(Client, HasTwoMemoriesOfEachDevice) {
  TestClient client(112, {{"device_count", "2"}, {"backend", "interpreter"}});
  EXPECT_NE(client.device(0), client.device(1));
  for (size_t d = 0; d < 2; ++d) {
    auto kind = client.Make<PJRT_Memory_Kind_Args>();
    kind->memory = client.memory(d, 1);
    ASSERT_TRUE(client.Call(client.api().PJRT_Memory_Kind, kind).ok());
    EXPECT_EQ(absl::string_view(kind->kind, kind->kind_size), "pinned_host");
    auto id = client.Make<PJRT_Memory_Id_Args>();
    id->memory = client.memory(d, 1);
    ASSERT_TRUE(client.Call(client.api().PJRT_Memory_Id, id).ok());
    EXPECT_EQ(id->id, static_cast<int>(2 * d + 1));
  }
}

// jaxlib keeps objects of its own at each memory, which end with it.
TEST(Client, KeepsWhatClientsLeaveAtMemories) {
  static int ended = 0;
  ended = 0;
  int value = 5, key = 0;
  {
    TestClient client;
    PJRT_Memory* const memory = client.memory(0, 0);
    EXPECT_EQ(memory->functions->get_user_data(memory, &key), nullptr);
    memory->functions->set_user_data(memory, &key, &value, [](void*) { ++ended; });
    EXPECT_EQ(memory->functions->get_user_data(memory, &key), &value);
    memory->functions->set_user_data(memory, &key, &value, [](void*) { ++ended; });
    EXPECT_EQ(ended, 1);
  }
  EXPECT_EQ(ended, 2);
}

absl::Status Create(const PJRT_NamedValue& option) {
  PJRT_Client_Create_Args create = {};
  create.struct_size = sizeof(create);
  create.create_options = &option;
  create.num_options = 1;
  return StatusOfAnswer(TestedApi().PJRT_Client_Create(&create));
}

TEST(Client, RefusesOptionsThatItDoesNotKnow) {
  EXPECT_EQ(Create(TextOption("colour", "red")).message(),
            "the client has no option 'colour'; the options are backend, cache, client-setting.NAME, device_count, "
            "platform_name, threads; of jax.distributed: node_id, num_nodes, partition_index");
  EXPECT_EQ(Create(TextOption("device_count", "many")).message(),
            "the option device_count of the client must be a number from 1 to 4096, got 'many'");
  EXPECT_EQ(Create(TextOption("backend", "abacus")).code(), absl::StatusCode::kNotFound);
  PJRT_NamedValue list = TextOption("threads", "");
  list.type = PJRT_NamedValue_kInt64List;
  EXPECT_EQ(Create(list).message(),
            "the option threads of the client must be a text or a number, got a list of integers");
}

TEST(Client, ReportsThePlatformThatItIsAskedFor) {
  TestClient client(112, {{"platform_name", "cpu"}});
  auto name = client.Make<PJRT_Client_PlatformName_Args>();
  name->client = client.client();
  ASSERT_TRUE(client.Call(client.api().PJRT_Client_PlatformName, name).ok());
  EXPECT_EQ(absl::string_view(name->platform_name, name->platform_name_size), "cpu");
}

TEST(Client, AssignsItsFirstDevices) {
  TestClient client(112, {{"device_count", "3"}, {"backend", "interpreter"}});
  int ids[3] = {-1, -1, -1};
  auto assign = client.Make<PJRT_Client_DefaultDeviceAssignment_Args>();
  assign->client = client.client();
  assign->num_replicas = 1;
  assign->num_partitions = 3;
  assign->default_assignment_size = 3;
  assign->default_assignment = ids;
  ASSERT_TRUE(client.Call(client.api().PJRT_Client_DefaultDeviceAssignment, assign).ok());
  EXPECT_THAT(ids, ElementsAre(0, 1, 2));
  assign->num_partitions = 4;
  EXPECT_EQ(client.Call(client.api().PJRT_Client_DefaultDeviceAssignment, assign).message(),
            "PJRT_Client_DefaultDeviceAssignment: cannot run 1 replicas x 4 partitions on 3 devices; set the option "
            "device_count");
}

TEST(Topology, IsMadeFromOptionsAndFromItsBytes) {
  TestClient client;
  const PJRT_Api& api = client.api();
  const PJRT_NamedValue option = TextOption("device_count", "2");
  auto create = client.Make<PJRT_TopologyDescription_Create_Args>();
  create->topology_name = "";
  create->topology_name_size = 0;
  create->create_options = &option;
  create->num_options = 1;
  ASSERT_TRUE(client.Call(api.PJRT_TopologyDescription_Create, create).ok());
  auto serialize = client.Make<PJRT_TopologyDescription_Serialize_Args>();
  serialize->topology = create->topology;
  ASSERT_TRUE(client.Call(api.PJRT_TopologyDescription_Serialize, serialize).ok());
  auto read = client.Make<PJRT_TopologyDescription_Deserialize_Args>();
  read->serialized_topology = serialize->serialized_bytes;
  read->serialized_topology_size = serialize->serialized_bytes_size;
  ASSERT_TRUE(client.Call(api.PJRT_TopologyDescription_Deserialize, read).ok());
  serialize->serialized_topology_deleter(serialize->serialized_topology);
  int64_t fingerprints[2];
  PJRT_TopologyDescription* const topologies[] = {create->topology, read->topology};
  for (int i = 0; i < 2; ++i) {
    auto fingerprint = client.Make<PJRT_TopologyDescription_Fingerprint_Args>();
    fingerprint->topology = topologies[i];
    ASSERT_TRUE(client.Call(api.PJRT_TopologyDescription_Fingerprint, fingerprint).ok());
    fingerprints[i] = fingerprint->fingerprint;
    auto destroy = client.Make<PJRT_TopologyDescription_Destroy_Args>();
    destroy->topology = topologies[i];
    EXPECT_TRUE(client.Call(api.PJRT_TopologyDescription_Destroy, destroy).ok());
  }
  EXPECT_EQ(fingerprints[0], fingerprints[1]);
}

}  // namespace
}  // namespace pjrt
}  // namespace xla
