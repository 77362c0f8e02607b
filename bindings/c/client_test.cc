#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "bindings/c/halo.h"
#include "bindings/c/testing.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string CreateError(const char* backend, const halo_client_options* options = nullptr) {
  halo_client* client = reinterpret_cast<halo_client*>(1);
  const std::string outcome = Outcome(halo_client_create(backend, options, &client));
  EXPECT_EQ(client, nullptr);
  return outcome;
}

TEST(Backends, AreListed) {
  std::vector<std::string> names;
  for (size_t i = 0; i < halo_backend_count(); ++i) names.emplace_back(halo_backend_name(i));
  EXPECT_THAT(names, ElementsAre("cpu", "interpreter", "vulkan"));
  EXPECT_EQ(halo_backend_name(halo_backend_count()), nullptr);
}

TEST(Client, HasDevices) {
  const OwnedClient client = ClientOrDie(3);
  EXPECT_STREQ(halo_client_platform_name(client.get()), "interpreter");
  EXPECT_THAT(halo_client_platform_version(client.get()), StartsWith("interpreter"));
  ASSERT_EQ(halo_client_device_count(client.get()), 3u);
  EXPECT_EQ(halo_client_device(client.get(), 3), nullptr);
  halo_device* const device = halo_client_device(client.get(), 2);
  EXPECT_EQ(halo_device_id(device), 2);
  EXPECT_STREQ(halo_device_kind(device), "interpreter");
  EXPECT_STREQ(halo_device_description(device), "interpreter device 2");
  halo_device_memory memory = HALO_DEVICE_MEMORY_INIT;
  const OwnedBuffer buffer = BufferOrDie(client.get(), "f32[4]{0} {1, 2, 3, 4}");
  ASSERT_EQ(Outcome(halo_device_get_memory(device, &memory)), "");
  EXPECT_GE(memory.bytes_in_use, 16);
  EXPECT_GE(memory.peak_bytes_in_use, 16);
  EXPECT_GT(memory.bytes_limit, memory.peak_bytes_in_use);
}

TEST(Client, ErrorsSayWhatThereIs) {
  EXPECT_THAT(CreateError("interpretor"), AllOf(StartsWith("NOT_FOUND: "), HasSubstr("did you mean 'interpreter'?")));
  EXPECT_THAT(CreateError(""), StartsWith("NOT_FOUND: "));
  EXPECT_EQ(CreateError(nullptr), "INVALID_ARGUMENT: halo_client_create: backend is NULL");
  halo_client_options options = HALO_CLIENT_OPTIONS_INIT;
  options.device_count = -1;
  EXPECT_THAT(CreateError("interpreter", &options), StartsWith("INVALID_ARGUMENT: "));
  options = HALO_CLIENT_OPTIONS_INIT;
  options.threads = -1;
  EXPECT_THAT(CreateError("interpreter", &options), StartsWith("INVALID_ARGUMENT: "));
  options = HALO_CLIENT_OPTIONS_INIT;
  options.setting_count = 1;
  EXPECT_THAT(CreateError("interpreter", &options), HasSubstr("options.setting_names is NULL"));
  const char* const names[] = {"speed", "speed"};
  const char* const values[] = {"high", nullptr};
  options.setting_names = names;
  options.setting_values = values;
  EXPECT_THAT(CreateError("interpreter", &options), HasSubstr("'speed'"));
  options.setting_count = 2;
  EXPECT_THAT(CreateError("interpreter", &options), HasSubstr("options.setting_values[1] is NULL"));
  EXPECT_THAT(Outcome(halo_client_create("interpreter", nullptr, nullptr)), HasSubstr("client is NULL"));
}

TEST(Client, NullHandlesAreEmpty) {
  halo_client_free(nullptr);
  EXPECT_STREQ(halo_client_platform_name(nullptr), "");
  EXPECT_STREQ(halo_client_platform_version(nullptr), "");
  EXPECT_EQ(halo_client_device_count(nullptr), 0u);
  EXPECT_EQ(halo_client_device(nullptr, 0), nullptr);
  EXPECT_EQ(halo_device_id(nullptr), -1);
  EXPECT_STREQ(halo_device_kind(nullptr), "");
  EXPECT_STREQ(halo_device_description(nullptr), "");
  halo_device_memory memory = HALO_DEVICE_MEMORY_INIT;
  EXPECT_THAT(Outcome(halo_device_get_memory(nullptr, &memory)), HasSubstr("device is NULL"));
  const OwnedClient client = ClientOrDie();
  EXPECT_THAT(Outcome(halo_device_get_memory(halo_client_device(client.get(), 0), nullptr)),
              HasSubstr("memory is NULL"));
  memory.struct_size = 0;
  EXPECT_THAT(Outcome(halo_device_get_memory(halo_client_device(client.get(), 0), &memory)),
              HasSubstr("memory.struct_size is 0"));
}

TEST(Client, MayBeFreedBeforeWhatItMade) {
  OwnedClient client = ClientOrDie();
  const OwnedExecutable program = CompileOrDie(client.get(), kAdd);
  const OwnedBuffer x = BufferOrDie(client.get(), "f32[2]{0} {1, 2}");
  client.reset();
  const halo_buffer* const arguments[] = {x.get(), x.get()};
  halo_buffer* result = nullptr;
  ASSERT_EQ(Outcome(halo_executable_execute(program.get(), arguments, 2, &result, 1, nullptr, nullptr)), "");
  EXPECT_EQ(TextOf(OwnedBuffer(result).get()), "f32[2]{0} {2, 4}");
}

}  // namespace
}  // namespace xla
