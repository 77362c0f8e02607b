// The backend cpu through the C interface, where it is linked.
#include <gmock/gmock.h>
#include <omp.h>

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

// A product and a convolution that go to oneDNN, which uses OpenMP.
constexpr char kForOneDnn[] = R"(HloModule m
ENTRY e {
  x = f32[257,300] parameter(0)
  y = f32[300,190] parameter(1)
  product = f32[257,190] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  image = f32[2,30,30,16] parameter(2)
  kernel = f32[3,3,16,32] parameter(3)
  sums = f32[2,28,28,32] convolution(image, kernel), window={size=3x3}, dim_labels=b01f_01io->b01f
  ROOT both = (f32[257,190], f32[2,28,28,32]) tuple(product, sums)
}
)";

TEST(Cpu, LeavesTheOpenMpThreadsOfItsCallerAlone) {
  const OwnedClient client = CpuClientOrDie();
  omp_set_num_threads(3);
  const OwnedExecutable program = CompileOrDie(client.get(), kForOneDnn);
  EXPECT_EQ(omp_get_max_threads(), 3);
  std::vector<float> x(257 * 300, 2), y(300 * 190, 3), image(2 * 30 * 30 * 16, 2), kernel(3 * 3 * 16 * 32, 3);
  std::vector<float> product(257 * 190), sums(2 * 28 * 28 * 32);
  const std::vector<int64_t> x_size = {257, 300}, y_size = {300, 190}, product_size = {257, 190};
  const std::vector<int64_t> image_size = {2, 30, 30, 16}, kernel_size = {3, 3, 16, 32}, sums_size = {2, 28, 28, 32};
  const halo_array arguments[] = {ArrayOf(HALO_F32, x_size, x), ArrayOf(HALO_F32, y_size, y),
                                  ArrayOf(HALO_F32, image_size, image), ArrayOf(HALO_F32, kernel_size, kernel)};
  const halo_array results[] = {ArrayOf(HALO_F32, product_size, product), ArrayOf(HALO_F32, sums_size, sums)};
  for (const int threads : {3, 1, 5}) {
    omp_set_num_threads(threads);
    ASSERT_EQ(Outcome(halo_executable_run(program.get(), arguments, 4, results, 2, nullptr)), "");
    EXPECT_EQ(omp_get_max_threads(), threads);
    EXPECT_THAT(product, ::testing::Each(2 * 3 * 300));
    EXPECT_THAT(sums, ::testing::Each(2 * 3 * 9 * 16));
  }
}

}  // namespace
}  // namespace xla
