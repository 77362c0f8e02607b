#include "backends/vulkan/roof_probes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backends/vulkan/device/commands.h"
#include "backends/vulkan/device/pipeline.h"
#include "backends/vulkan/spirv/spirv_builder.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// More than caches hold, and little beside a device's memory.
constexpr uint64_t kCopiedBytes = uint64_t{64} << 20;
// So long that to submit the work and to wait for it takes nothing beside it.
constexpr absl::Duration kLongEnough = absl::Milliseconds(20);
constexpr int kRounds = 3;
constexpr uint32_t kInvocations = 64;  // of a group
constexpr int kSums = 8;               // enough that no multiply-add waits for another one
constexpr uint32_t kTurns = 512;

// Each invocation makes kTurns times kSums multiply-adds, and writes what the compiler cannot leave out.
std::vector<uint32_t> MultiplyAdds() {
  SpirvBuilder b;
  const Id word = b.IntType(32);
  const Id number = b.FloatType(32);
  const Id out = b.StorageBuffer(b.RuntimeArrayType(number, 4), 0, 0, SpirvBuilder::BufferUse::kWrite);
  b.BeginMain({kInvocations, 1, 1});
  const Id i = b.Op(spv::Op::OpCompositeExtract, word, {b.BuiltIn3(spv::BuiltIn::LocalInvocationId), 0});
  const Id x = b.Op(spv::Op::OpConvertUToF, number, {i});
  constexpr uint32_t kHalf = 0x3f000000;
  const Id half = b.Constant(number, kHalf);
  const SpirvBuilder::Loop loop = b.BeginLoop();
  const Id turn = b.Phi(word, {b.Word(0), loop.before});
  std::array<Id, kSums> sums;
  for (Id& sum : sums) sum = b.Phi(number, {x, loop.before});
  b.LoopTest(loop);
  b.LoopBody(loop, b.Op(spv::Op::OpULessThan, b.BoolType(), {turn, b.Word(kTurns)}));
  std::array<Id, kSums> next;
  for (int k = 0; k < kSums; ++k) {
    next[k] = b.Extended(GLSLstd450Fma, number, {sums[k], half, b.Constant(number, kHalf + static_cast<uint32_t>(k))});
  }
  b.LoopNext(loop);
  const Id next_turn = b.Op(spv::Op::OpIAdd, word, {turn, b.Word(1)});
  for (int k = 0; k < kSums; ++k) b.AddIncoming(sums[k], next[k], loop.next);
  b.AddIncoming(turn, next_turn, loop.next);
  b.EndLoop(loop);
  Id all = sums[0];
  for (int k = 1; k < kSums; ++k) all = b.Op(spv::Op::OpFAdd, number, {all, sums[k]});
  b.Store(b.AccessChain(spv::StorageClass::StorageBuffer, number, out, {b.Word(0), i}), all);
  return b.Finish();
}

// How often a second the device does what `record` puts into commands; that much more of it as takes long enough.
absl::StatusOr<double> MeasureRate(const VulkanPlace& place, int64_t most,
                                   absl::FunctionRef<absl::Status(Commands&, int64_t times)> record) {
  absl::Duration best = absl::InfiniteDuration();
  for (int64_t times = 1;; times = std::min(most, times * 4)) {
    ASSIGN_OR_RETURN(const std::unique_ptr<Commands> commands, Commands::Create(place.device));
    RETURN_IF_ERROR(record(*commands, times));
    commands->Barrier();
    RETURN_IF_ERROR(commands->End());
    for (int round = 0; round < kRounds; ++round) {
      const absl::Time start = absl::Now();
      ASSIGN_OR_RETURN(const uint64_t ticket, place.device->Submit(commands->handle()));
      RETURN_IF_ERROR(place.device->Wait(ticket));
      best = round == 0 ? absl::Now() - start : std::min(best, absl::Now() - start);
    }
    if (best > kLongEnough || times == most) return static_cast<double>(times) / absl::ToDoubleSeconds(best);
  }
}

absl::StatusOr<double> BytesPerSecond(const VulkanPlace& place) {
  constexpr int64_t kMostCopies = 4096;
  const uint64_t bytes = std::min(kCopiedBytes, place.device->facts().max_allocation_bytes / 4 / 64 * 64);
  ASSIGN_OR_RETURN(const MemoryRange from, place.memory->Allocate(MemoryKind::kDevice, bytes));
  ASSIGN_OR_RETURN(const MemoryRange to, place.memory->Allocate(MemoryKind::kDevice, bytes));
  const BufferPart source = {from.buffer(), from.offset(), bytes};
  const BufferPart target = {to.buffer(), to.offset(), bytes};
  ASSIGN_OR_RETURN(const double rate, MeasureRate(place, kMostCopies, [&](Commands& commands, int64_t times) {
                     commands.Fill(source, 1);
                     for (int64_t i = 0; i < times; ++i) {
                       commands.Barrier();
                       commands.Copy(source, target);
                     }
                     return absl::OkStatus();
                   }));
  return 2 * static_cast<double>(bytes) * rate;
}

absl::StatusOr<double> FlopsPerSecond(const VulkanPlace& place) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Pipeline> pipeline, Pipeline::Create(place.device, MultiplyAdds(), 1));
  const uint64_t bytes = kInvocations * sizeof(float);
  ASSIGN_OR_RETURN(const MemoryRange out, place.memory->Allocate(MemoryKind::kDevice, bytes));
  const auto most = static_cast<int64_t>(place.device->facts().max_groups[0]);
  ASSIGN_OR_RETURN(
      const double rate, MeasureRate(place, most, [&](Commands& commands, int64_t times) {
        return commands.Dispatch(pipeline, {{out.buffer(), out.offset(), bytes}}, {static_cast<uint32_t>(times), 1, 1});
      }));
  return 2.0 * kSums * kTurns * kInvocations * rate;
}

}  // namespace

absl::StatusOr<DeviceRoof> ProbeRoof(const VulkanPlace& place) {
  DeviceRoof roof;
  roof.name = place.device->facts().name;
  ASSIGN_OR_RETURN(roof.bytes_per_second, BytesPerSecond(place));
  ASSIGN_OR_RETURN(roof.flops_per_second, FlopsPerSecond(place));
  return roof;
}

}  // namespace vulkan
}  // namespace xla
