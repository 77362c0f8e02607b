#include "backends/vulkan/codegen/device_probes.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/types/span.h"
#include "backends/kernel_ir/kernel_builder.h"
#include "backends/vulkan/codegen/kernel_to_spirv.h"
#include "backends/vulkan/device/commands.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

constexpr int64_t kNumbers = 4096;
constexpr int kOperands = 3;
constexpr int kResults = 3;  // x y + z, x / y, sqrt(x)

// x, y and z one after the other in one buffer, and so are the results.
Kernel ProbeKernel(PrimitiveType type) {
  KernelBuilder b("probe");
  const int in = b.AddBuffer("in", type, kOperands * kNumbers, KernelBuffer::Use::kRead);
  const int out = b.AddBuffer("out", type, kResults * kNumbers, KernelBuffer::Use::kWrite);
  b.Phase(kNumbers, [&](KernelValue i) {
    const auto place = [&](int64_t k) { return b.Affine({{1, i}}, k * kNumbers); };
    const KernelValue x = b.Load(in, place(0));
    const KernelValue y = b.Load(in, place(1));
    b.Store(out, place(0), b.MultiplyAdd(x, y, b.Load(in, place(2))));
    b.Store(out, place(1), b.Binary(HloOpcode::kDivide, x, y));
    b.Store(out, place(2), b.Unary(HloOpcode::kSqrt, x));
  });
  return std::move(b).Finish();
}

// Numbers between 1/16 and 16 with any mantissa. z is mostly near -x y, where one rounding differs from two most.
template <typename T>
std::vector<T> Operands() {
  uint64_t state = 0x9E3779B97F4A7C15;
  const auto next = [&] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    const double unit = 1 + static_cast<double>(state >> 11) * 0x1p-53;
    return static_cast<T>(std::ldexp(unit, static_cast<int>(state % 8) - 4));
  };
  std::vector<T> operands(kOperands * kNumbers);
  for (int64_t i = 0; i < kNumbers; ++i) {
    const T x = operands[i] = next();
    const T y = operands[kNumbers + i] = next();
    const T product = x * y;
    operands[2 * kNumbers + i] = i % 4 == 0 ? next() : -product;
  }
  return operands;
}

struct Exactness {
  bool of_multiply_add = true;
  bool of_quotients = true;
};

template <typename T>
void Compare(const std::vector<T>& operands, const T* results, Exactness* exactness) {
  for (int64_t i = 0; i < kNumbers; ++i) {
    const T x = operands[i];
    const T y = operands[kNumbers + i];
    if (results[i] != std::fma(x, y, operands[2 * kNumbers + i])) exactness->of_multiply_add = false;
    if (results[kNumbers + i] != x / y) exactness->of_quotients = false;
    if (results[2 * kNumbers + i] != std::sqrt(x)) exactness->of_quotients = false;
  }
}

// One range: operands, then results.
template <typename T>
absl::Status Probe(const std::shared_ptr<VulkanDevice>& device, DeviceMemory& memory, const SpirvTarget& trusting,
                   PrimitiveType type, Exactness* exactness) {
  ASSIGN_OR_RETURN(const SpirvKernel code, CompileToSpirv(ProbeKernel(type), trusting));
  const std::vector<T> operands = Operands<T>();
  const uint64_t in_bytes = operands.size() * sizeof(T);
  const uint64_t bytes = in_bytes + kResults * kNumbers * sizeof(T);
  ASSIGN_OR_RETURN(const MemoryRange range, memory.Allocate(MemoryKind::kDevice, bytes));
  ASSIGN_OR_RETURN(const MemoryRange staging, memory.Allocate(MemoryKind::kStaging, bytes));
  std::memset(staging.mapped(), 0, bytes);
  std::memcpy(staging.mapped(), operands.data(), in_bytes);
  const BufferPart all = {range.buffer(), range.offset(), bytes};
  const BufferPart host = {staging.buffer(), staging.offset(), bytes};
  const BufferPart parts[] = {{all.buffer, all.offset, in_bytes},
                              {all.buffer, all.offset + in_bytes, bytes - in_bytes}};
  const SpirvPhase& phase = code.phases[0];
  ASSIGN_OR_RETURN(std::shared_ptr<Pipeline> pipeline, Pipeline::Create(device, phase.words, 2));
  ASSIGN_OR_RETURN(const std::unique_ptr<Commands> commands, Commands::Create(device));
  commands->Copy(host, all);
  commands->Barrier();
  RETURN_IF_ERROR(commands->Dispatch(std::move(pipeline), parts, phase.groups));
  commands->Barrier();
  commands->Copy(all, host);
  commands->Barrier();
  RETURN_IF_ERROR(commands->End());
  ASSIGN_OR_RETURN(const uint64_t ticket, device->Submit(commands->handle()));
  RETURN_IF_ERROR(device->Wait(ticket));
  std::vector<T> results(kResults * kNumbers);
  std::memcpy(results.data(), staging.mapped() + in_bytes, results.size() * sizeof(T));
  Compare(operands, results.data(), exactness);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SpirvTarget> ProbedTargetOf(const std::shared_ptr<VulkanDevice>& device, DeviceMemory& memory) {
  SpirvTarget target = TargetOf(device->facts());
  SpirvTarget trusting = target;
  trusting.fuses_multiply_add = true;
  trusting.divides_exactly = true;
  Exactness exactness;
  RETURN_IF_ERROR(Probe<float>(device, memory, trusting, F32, &exactness));
  if (target.has_f64) RETURN_IF_ERROR(Probe<double>(device, memory, trusting, F64, &exactness));
  target.fuses_multiply_add = exactness.of_multiply_add;
  target.divides_exactly = exactness.of_quotients;
  return target;
}

}  // namespace vulkan
}  // namespace xla
