// The backend cpu through the C interface, where it is linked.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "bindings/c/halo.h"
#include "bindings/c/testing.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

OwnedClient CpuClientOrDie() {
  halo_client* client = nullptr;
  EXPECT_EQ(Outcome(halo_client_create("cpu", nullptr, &client)), "");
  return OwnedClient(client);
}

std::vector<float> Sum(halo_executable* program) {
  const std::vector<int64_t> two = {2};
  std::vector<float> x = {1, 2}, y = {10, 20}, sum(2);
  const halo_array arguments[] = {ArrayOf(HALO_F32, two, x), ArrayOf(HALO_F32, two, y)};
  const halo_array result = ArrayOf(HALO_F32, two, sum);
  EXPECT_EQ(Outcome(halo_executable_run(program, arguments, 2, &result, 1, nullptr)), "");
  return sum;
}

TEST(Cpu, RunsAtEveryLevel) {
  const OwnedClient client = CpuClientOrDie();
  EXPECT_STREQ(halo_client_platform_name(client.get()), "cpu");
  EXPECT_THAT(halo_client_platform_version(client.get()), StartsWith("cpu"));
  for (const halo_optimization level :
       {HALO_OPTIMIZATION_DEFAULT, HALO_OPTIMIZATION_FAST_COMPILE, HALO_OPTIMIZATION_FULL}) {
    halo_compile_options options = HALO_COMPILE_OPTIONS_INIT;
    options.optimization = level;
    EXPECT_THAT(Sum(CompileOrDie(client.get(), kAdd, &options).get()), ElementsAre(11, 22));
  }
}

TEST(Cpu, TakesItsSettings) {
  const OwnedClient client = CpuClientOrDie();
  const char* const names[] = {"flush-denormals"};
  const char* values[] = {"true"};
  halo_compile_options options = HALO_COMPILE_OPTIONS_INIT;
  options.setting_names = names;
  options.setting_values = values;
  options.setting_count = 1;
  EXPECT_THAT(Sum(CompileOrDie(client.get(), kAdd, &options).get()), ElementsAre(11, 22));
  values[0] = "perhaps";
  const OwnedModule module = LoadOrDie(kAdd);
  halo_executable* none = nullptr;
  EXPECT_THAT(Outcome(halo_client_compile(client.get(), module.get(), &options, &none)),
              AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("not 'perhaps'")));
  EXPECT_EQ(none, nullptr);
}

TEST(Cpu, ReadsWhatItHasSerialized) {
  const OwnedClient client = CpuClientOrDie();
  char* data = nullptr;
  size_t size = 0;
  ASSERT_EQ(Outcome(halo_executable_serialize(CompileOrDie(client.get(), kAdd).get(), &data, &size)), "");
  halo_executable* read = nullptr;
  EXPECT_EQ(Outcome(halo_client_deserialize(client.get(), data, size, nullptr, &read)), "");
  halo_free(data);
  EXPECT_THAT(Sum(OwnedExecutable(read).get()), ElementsAre(11, 22));
}

}  // namespace
}  // namespace xla
