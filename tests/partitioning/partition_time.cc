// How long partitioning takes, and predicting the cost of what comes out:
//
//   bazel run -c opt //tests/partitioning:partition_time
//
// 10,000 instructions may take a second over 8 and over 4096 devices, and an instruction of four times as many 1.5
// times as long. Ends with 1 if that is exceeded. Times are those of the processor, the best of three.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "passes/mesh_cost/mesh_cost.h"
#include "passes/partitioning/annotated_shardings.h"
#include "passes/partitioning/device_axes.h"
#include "passes/partitioning/partition_module.h"
#include "xla_core/support/check.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

constexpr double kSecondsOfTenThousand = 1, kGrowth = 1.5;
constexpr int kRuns = 3;

constexpr char kBegin[] = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY main {
  x_0 = f32[64,128] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}]>"}
  up = f32[128,256] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {\"model\"}]>"}
  down = f32[256,128] parameter(2), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"model\"}, {}]>"}
  zero = f32[] constant(0)
)";
// $0: the number of the layer, $1: that of the one before.
constexpr char kLayer[] = R"(
  h_$0 = f32[64,256] dot(x_$1, up), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  z_$0 = f32[64,256] broadcast(zero), dimensions={}
  r_$0 = f32[64,256] maximum(h_$0, z_$0)
  y_$0 = f32[64,128] dot(r_$0, down), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  a_$0 = f32[64,128] add(y_$0, x_$1)
  m_$0 = f32[64] reduce(a_$0, zero), dimensions={1}, to_apply=add
  b_$0 = f32[64,128] broadcast(m_$0), dimensions={0}
  c_$0 = f32[64,128] subtract(a_$0, b_$0)
  t_$0 = f32[128,64] transpose(c_$0), dimensions={1,0}
  x_$0 = f32[64,128] transpose(t_$0), dimensions={1,0}
)";
constexpr int64_t kInstructionsOfLayer = 10;

std::unique_ptr<HloModule> Layers(int64_t instructions, int64_t data, int64_t model) {
  std::string text =
      absl::StrCat("HloModule layers, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"data\"=", data,
                   ", \"model\"=", model, "]>}}\n", kBegin);
  const int64_t layers = instructions / kInstructionsOfLayer;
  for (int64_t i = 1; i <= layers; ++i) absl::StrAppend(&text, absl::Substitute(kLayer, i, i - 1));
  auto module = ParseHloModule(absl::StrCat(text, "  ROOT result = f32[64,128] negate(x_", layers, ")\n}\n"));
  CHECK(module.ok());
  CHECK(VerifyModule(**module).ok());
  return *std::move(module);
}

double BestSeconds(const std::function<void()>& work) {
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    const std::clock_t start = std::clock();
    work();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    best = run == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

// Of partitioning; prints that of the prediction too.
double MeasurePartitioning(int64_t instructions, int64_t data, int64_t model) {
  const std::unique_ptr<HloModule> module = Layers(instructions, data, model);
  const int64_t devices = data * model;
  std::unique_ptr<HloModule> partitioned;
  const double partitioning = BestSeconds([&] {
    auto result = PartitionModule(*module, devices, nullptr);
    CHECK(result.ok());
    partitioned = std::move(result->module);
  });
  Topology topology;
  topology.hosts = devices;
  const DeviceAxes axes = DeviceAxes::Of(*module, devices);
  const double predicting = BestSeconds([&] { CHECK(EstimateStep(*partitioned, axes, topology, nullptr).ok()); });
  std::printf("%12d %8d %14.3f %14.3f\n", static_cast<int>(instructions), static_cast<int>(devices), partitioning,
              predicting);
  std::fflush(stdout);
  return partitioning;
}

int Main() {
  std::printf("%12s %8s %14s %14s\n", "instructions", "devices", "partition, s", "predict, s");
  const double small = MeasurePartitioning(10000, 2, 4);
  const double large = MeasurePartitioning(40000, 2, 4);
  double wide = 0;  // over 4096 devices
  for (const int64_t side : {8, 16, 32, 64}) wide = MeasurePartitioning(10000, side, side);
  const double growth = large / small / 4;
  const bool is_fast = std::max(small, wide) <= kSecondsOfTenThousand && growth <= kGrowth;
  std::printf(
      "10000 instructions over 8 devices: %.3f s, over 4096: %.3f s, at most %.1f; growth to 40000: %.2f, at most "
      "%.1f%s\n",
      small, wide, kSecondsOfTenThousand, growth, kGrowth, is_fast ? "" : " MISSED");
  return is_fast ? 0 : 1;
}

}  // namespace
}  // namespace xla

int main() { return xla::Main(); }
