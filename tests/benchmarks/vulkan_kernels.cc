// How fast single kernels run on the first Vulkan device, from submission to the end.
//
//   bazel run -c opt //tests/benchmarks:vulkan_kernels -- [--filter=TEXT] [--invocations=N] [--tile=N] [--lowest]
//   [--print]
//
// A kernel is what an instruction is lowered to, as the backend does it; --invocations and --tile change the target.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backends/kernel_ir/lowering/lowering.h"
#include "backends/vulkan/codegen/kernel_target.h"
#include "backends/vulkan/codegen/kernel_to_spirv.h"
#include "backends/vulkan/codegen/testing/device_kernels.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace vulkan {
namespace {

struct Measured {
  const char* name;
  double operations;  // of floats
  double bytes;       // read and written, each once
  const char* body;   // of the entry computation
};

constexpr char kAdd[] = "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n";
constexpr char kMaximum[] = "maximum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }\n";
constexpr char kSoftmax[] = R"(softmax { x = f32[8192,1024] parameter(0) z = f32[] constant(0) l = f32[] constant(-inf)
  m = f32[8192] reduce(x, l), dimensions={1}, to_apply=maximum
  mb = f32[8192,1024] broadcast(m), dimensions={0} d = f32[8192,1024] subtract(x, mb)
  e = f32[8192,1024] exponential(d) s = f32[8192] reduce(e, z), dimensions={1}, to_apply=add
  sb = f32[8192,1024] broadcast(s), dimensions={0} ROOT r = f32[8192,1024] divide(e, sb) }
)";
constexpr char kGelu[] = R"(gelu { x = f32[4194304] parameter(0) h = f32[] constant(0.5) s = f32[] constant(0.70710678)
  one = f32[] constant(1) hb = f32[4194304] broadcast(h), dimensions={} sb = f32[4194304] broadcast(s), dimensions={}
  ob = f32[4194304] broadcast(one), dimensions={} xs = f32[4194304] multiply(x, sb) e = f32[4194304] erf(xs)
  o = f32[4194304] add(e, ob) xh = f32[4194304] multiply(x, hb) ROOT r = f32[4194304] multiply(xh, o) }
)";

const Measured kKernels[] = {
    {"matmul 512", 2.0 * 512 * 512 * 512, 3 * 4.0 * 512 * 512,
     "x = f32[512,512] parameter(0) y = f32[512,512] parameter(1)\n"
     "ROOT d = f32[512,512] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"matmul 512, transposed", 2.0 * 512 * 512 * 512, 3 * 4.0 * 512 * 512,
     "x = f32[512,512] parameter(0) y = f32[512,512] parameter(1)\n"
     "ROOT d = f32[512,512] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
    {"matmul 1x2048x2048", 2.0 * 2048 * 2048, 4.0 * 2048 * 2048,
     "x = f32[1,2048] parameter(0) y = f32[2048,2048] parameter(1)\n"
     "ROOT d = f32[1,2048] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"conv 3x3 56x56x64", 2.0 * 56 * 56 * 64 * 64 * 9, 4.0 * 2 * 56 * 56 * 64,
     "x = f32[1,56,56,64] parameter(0) y = f32[3,3,64,64] parameter(1)\n"
     "ROOT d = f32[1,56,56,64] convolution(x, y), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
    {"conv depthwise 3x3 56x56x128", 2.0 * 56 * 56 * 128 * 9, 4.0 * 2 * 56 * 56 * 128,
     "x = f32[1,56,56,128] parameter(0) y = f32[3,3,1,128] parameter(1)\n"
     "ROOT d = f32[1,56,56,128] convolution(x, y), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
     "feature_group_count=128"},
    {"reduce 16M", 16777216.0, 4.0 * 16777216,
     "x = f32[16777216] parameter(0) z = f32[] constant(0)\n"
     "ROOT s = f32[] reduce(x, z), dimensions={0}, to_apply=add"},
    {"reduce rows 4096x4096", 16777216.0, 4.0 * 16777216,
     "x = f32[4096,4096] parameter(0) z = f32[] constant(0)\n"
     "ROOT s = f32[4096] reduce(x, z), dimensions={1}, to_apply=add"},
    {"reduce columns 4096x4096", 16777216.0, 4.0 * 16777216,
     "x = f32[4096,4096] parameter(0) z = f32[] constant(0)\n"
     "ROOT s = f32[4096] reduce(x, z), dimensions={0}, to_apply=add"},
    {"softmax 8192x1024", 4.0 * 8192 * 1024, 2 * 4.0 * 8192 * 1024,
     "x = f32[8192,1024] parameter(0)\nROOT r = f32[8192,1024] fusion(x), kind=kInput, calls=softmax"},
    {"add 16M", 16777216.0, 3 * 4.0 * 16777216,
     "x = f32[16777216] parameter(0) y = f32[16777216] parameter(1)\nROOT r = f32[16777216] add(x, y)"},
    {"gelu 4M", 4.0 * 4194304, 2 * 4.0 * 4194304,
     "x = f32[4194304] parameter(0)\nROOT r = f32[4194304] fusion(x), kind=kLoop, calls=gelu"},
    {"transpose 4096x4096", 0, 2 * 4.0 * 16777216,
     "x = f32[4096,4096] parameter(0)\nROOT r = f32[4096,4096] transpose(x), dimensions={1,0}"},
};

struct Flags {
  std::string filter;
  int64_t invocations = -1;
  int64_t tile = -1;
  bool lowest = false;
  bool print = false;
};

absl::Status Measure(const Measured& measured, const Flags& flags, DeviceKernels& device) {
  const std::string text =
      absl::StrCat("HloModule m\n", kAdd, kMaximum, kSoftmax, kGelu, "ENTRY e { ", measured.body, " }");
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, ParseHloModule(text));
  LoweringTarget target = KernelTargetOf(device.target());
  if (flags.invocations > 0) {
    target = LoweringTarget::Workgroups(flags.invocations, device.facts().shared_memory_bytes);
  }
  if (flags.tile > 0) target.register_tile = flags.tile;
  ASSIGN_OR_RETURN(const LoweredKernel lowered, LowerInstruction(*module->entry()->root(), target));
  if (flags.print) std::printf("%s\n", KernelToString(lowered.kernel).c_str());
  ASSIGN_OR_RETURN(const SpirvKernel code, CompileToSpirv(lowered.kernel, device.target()));
  const auto begin = std::chrono::steady_clock::now();
  // 0.0078 as f32.
  ASSIGN_OR_RETURN(ReadyKernel ready, device.Prepare(lowered.kernel, code, 0x3C003C00));
  const std::chrono::duration<double, std::milli> compiled = std::chrono::steady_clock::now() - begin;
  std::vector<double> seconds;
  double total = 0;
  while (seconds.size() < 3 || (total < 1 && seconds.size() < 50)) {
    const auto start = std::chrono::steady_clock::now();
    RETURN_IF_ERROR(ready.Run());
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    total += seconds.back();
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  std::printf("%-30s %9.3f ms  %8.2f GFLOP/s  %7.2f GB/s  compiled in %.0f ms\n", measured.name, median * 1e3,
              measured.operations / median * 1e-9, measured.bytes / median * 1e-9, compiled.count());
  return absl::OkStatus();
}

int Main(const Flags& flags) {
  const auto device = DeviceKernels::Create(flags.lowest, /*validation=*/false);
  if (!device.ok()) {
    std::fprintf(stderr, "%s\n", device.status().ToString().c_str());
    return 1;
  }
  std::printf("%s\n", (*device)->facts().name.c_str());
  bool ok = true;
  for (const Measured& measured : kKernels) {
    if (!absl::StrContains(measured.name, flags.filter)) continue;
    const absl::Status status = Measure(measured, flags, **device);
    if (status.ok()) continue;
    std::printf("%-30s %s\n", measured.name, status.ToString().c_str());
    ok = false;
  }
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace vulkan
}  // namespace xla

int main(int argc, char** argv) {
  xla::vulkan::Flags flags;
  for (int i = 1; i < argc; ++i) {
    absl::string_view flag = argv[i];
    if (absl::ConsumePrefix(&flag, "--filter=")) {
      flags.filter = std::string(flag);
    } else if (flag == "--lowest") {
      flags.lowest = true;
    } else if (flag == "--print") {
      flags.print = true;
    } else if (!(absl::ConsumePrefix(&flag, "--invocations=") && absl::SimpleAtoi(flag, &flags.invocations)) &&
               !(absl::ConsumePrefix(&flag, "--tile=") && absl::SimpleAtoi(flag, &flags.tile))) {
      std::fprintf(stderr, "unknown flag %s: see the head of vulkan_kernels.cc\n", argv[i]);
      return 2;
    }
  }
  return xla::vulkan::Main(flags);
}
