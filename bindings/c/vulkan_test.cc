// The backend vulkan through the C interface, where it is linked: on the first device, if there is one.
#include <gmock/gmock.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "bindings/c/dlpack_tensor.h"
#include "bindings/c/halo.h"
#include "bindings/c/testing.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Where Vulkan's loader looks for drivers. A file that is not there: it finds none.
constexpr char kDriverVariable[] = "VK_ICD_FILENAMES";

std::string Create(OwnedClient* client, const char* setting = nullptr, const char* value = nullptr) {
  halo_client_options options = HALO_CLIENT_OPTIONS_INIT;
  options.setting_names = &setting;
  options.setting_values = &value;
  options.setting_count = setting == nullptr ? 0 : 1;
  halo_client* made = nullptr;
  const std::string outcome = Outcome(halo_client_create("vulkan", &options, &made));
  client->reset(made);
  return outcome;
}

class VulkanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string outcome = Create(&client_);
    if (absl::StartsWith(outcome, "UNAVAILABLE: ")) GTEST_SKIP() << outcome;
    ASSERT_EQ(outcome, "");
    program_ = CompileOrDie(client_.get(), kAdd);
  }

  OwnedClient client_;
  OwnedExecutable program_;
};

TEST_F(VulkanTest, RunsOnArraysOfTheCaller) {
  EXPECT_STREQ(halo_client_platform_name(client_.get()), "vulkan");
  const std::vector<int64_t> two = {2};
  std::vector<float> x = {1, 2}, y = {10, 20}, sum(2);
  const halo_array arguments[] = {ArrayOf(HALO_F32, two, x), ArrayOf(HALO_F32, two, y)};
  const halo_array result = ArrayOf(HALO_F32, two, sum);
  EXPECT_EQ(Outcome(halo_executable_run(program_.get(), arguments, 2, &result, 1, nullptr)), "");
  EXPECT_THAT(sum, ElementsAre(11, 22));
}

TEST_F(VulkanTest, TakesADeviceByItsNumberOrName) {
  OwnedClient client;
  EXPECT_EQ(Create(&client, "device", "0"), "");
  EXPECT_EQ(halo_client_device_count(client.get()), 1u);
  EXPECT_THAT(Create(&client, "device", "nosuch"),
              StartsWith("NOT_FOUND: there is no Vulkan device 'nosuch'; there is 0 ("));
  EXPECT_EQ(client, nullptr);
  EXPECT_THAT(Create(&client, "divice", "0"),
              AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("did you mean 'device'?")));
}

TEST_F(VulkanTest, TakesAndGivesTensors) {
  float values[] = {1, 2};
  int64_t two = 2;
  static int deleted;
  deleted = 0;
  DLManagedTensor tensor = {};
  tensor.dl_tensor.data = values;
  tensor.dl_tensor.device = {kDlpackCpu, 0};
  tensor.dl_tensor.ndim = 1;
  tensor.dl_tensor.dtype = {2, 32, 1};
  tensor.dl_tensor.shape = &two;
  tensor.deleter = [](DLManagedTensor*) { ++deleted; };
  halo_buffer* taken = nullptr;
  ASSERT_EQ(Outcome(halo_buffer_from_dlpack(client_.get(), nullptr, &tensor, HALO_MEMORY_BORROW, &taken)), "");
  OwnedBuffer x(taken);
  const halo_buffer* const arguments[] = {x.get(), x.get()};
  halo_buffer* result = nullptr;
  ASSERT_EQ(Outcome(halo_executable_execute(program_.get(), arguments, 2, &result, 1, nullptr, nullptr)), "");
  OwnedBuffer sum(result);
  DLManagedTensor* given = nullptr;
  ASSERT_EQ(Outcome(halo_buffer_to_dlpack(sum.get(), &given)), "");
  sum.reset();
  x.reset();
  EXPECT_EQ(deleted, 1);
  EXPECT_EQ(given->dl_tensor.device.device_type, kDlpackCpu);
  const auto* const elements = static_cast<const float*>(given->dl_tensor.data);
  EXPECT_THAT(std::vector<float>(elements, elements + 2), ElementsAre(2, 4));
  given->deleter(given);
}

TEST_F(VulkanTest, DonatedBuffersEnd) {
  const OwnedBuffer x = BufferOrDie(client_.get(), "f32[2]{0} {1, 2}");
  const OwnedBuffer y = BufferOrDie(client_.get(), "f32[2]{0} {3, 4}");
  EXPECT_EQ(SumDonatingFirst(program_.get(), x.get(), y.get()), "f32[2]{0} {4, 6}");
  EXPECT_EQ(halo_buffer_is_live(x.get()), 0);
  EXPECT_EQ(halo_buffer_is_live(y.get()), 1);
}

TEST_F(VulkanTest, WithoutADriverIsUnavailableUntilThereIsOne) {
  const char* const before = std::getenv(kDriverVariable);
  const std::string drivers = before == nullptr ? "" : before;
  setenv(kDriverVariable, "/nonexistent.json", /*overwrite=*/1);
  OwnedClient client;
  EXPECT_THAT(Create(&client), StartsWith("UNAVAILABLE: Vulkan's loader finds no driver: install "));
  before == nullptr ? unsetenv(kDriverVariable) : setenv(kDriverVariable, drivers.c_str(), 1);
  EXPECT_EQ(Create(&client), "");
}

}  // namespace
}  // namespace xla
