// Clients with several devices: Mesa's driver for processors is listed twice, and each has one.
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "backends/backend.h"
#include "backends/testing/test_programs.h"
#include "backends/vulkan/testing/use_fault_layer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/files.h"

namespace xla {
namespace vulkan {
namespace {

using testing::Each;

// While it lives, Vulkan's loader knows these two and no other.
class TwoDrivers {
 public:
  TwoDrivers() {
    const char* const before = std::getenv(kVariable);
    if (before != nullptr) before_ = before;
    std::vector<std::string> paths;
    for (const char* const name : {"first", "second"}) {
      paths.push_back(absl::StrCat(testing::TempDir(), "/", name, "_driver.json"));
      const absl::Status written =
          WriteFile(paths.back(), R"({"ICD": {"api_version": "1.2.0", "library_path": "libvulkan_lvp.so"},
                            "file_format_version": "1.0.0"})");
      EXPECT_TRUE(written.ok()) << written;
    }
    setenv(kVariable, absl::StrJoin(paths, ":").c_str(), /*overwrite=*/1);
  }
  ~TwoDrivers() { before_.has_value() ? setenv(kVariable, before_->c_str(), 1) : unsetenv(kVariable); }

 private:
  static constexpr char kVariable[] = "VK_ICD_FILENAMES";
  absl::optional<std::string> before_;
};

TEST(SeveralDevices, AreOpenedIfTheyAreAskedFor) {
  const TwoDrivers drivers;
  PlanNothing();
  const auto all = GetClient("vulkan");
  if (absl::IsUnavailable(all.status())) GTEST_SKIP() << all.status().message();
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ((*all)->devices().size(), 2u);
  EXPECT_EQ(Calls("vkCreateDevice"), 2);
  PlanNothing();
  ClientOptions options;
  options.device_count = 1;
  const auto one = GetClient("vulkan", options);
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(Calls("vkCreateDevice"), 1);
}

TEST(SeveralDevices, RunOneProgramAndExchangeValues) {
  const TwoDrivers drivers;
  PlanNothing();
  const auto client = GetClient("vulkan");
  if (absl::IsUnavailable(client.status())) GTEST_SKIP() << client.status().message();
  ASSERT_TRUE(client.ok()) << client.status();
  const auto program = CompileText(**client, R"(HloModule m, replica_count=2
plus { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY main { x = f32[5000] parameter(0) y = f32[5000] add(x, x)
  ROOT r = f32[5000] all-reduce(y), replica_groups={}, to_apply=plus })");
  const auto value = OrDie((*client)->BufferFromLiteral(Ones(5000)));
  const auto other = OrDie(value->CopyToDevice(*(*client)->devices()[1]));
  const std::vector<std::vector<Buffer*>> arguments = {{value.get()}, {other.get()}};
  const auto results = program->ExecuteSharded(arguments);
  ASSERT_TRUE(results.ok()) << results.status();
  for (const BufferList& result : *results) {
    EXPECT_THAT(OrDie(result[0]->ToLiteral()).span<float>(), Each(4));
  }
}

}  // namespace
}  // namespace vulkan
}  // namespace xla
