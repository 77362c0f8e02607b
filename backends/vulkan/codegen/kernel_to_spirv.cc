#include "backends/vulkan/codegen/kernel_to_spirv.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "backends/vulkan/codegen/loop_bound.h"
#include "backends/vulkan/codegen/phase_emitter.h"
#include "backends/vulkan/codegen/spirv_ir.h"
#include "backends/vulkan/codegen/spirv_memory.h"
#include "backends/vulkan/spirv/spirv_builder.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// Words of the arrays that lanes of reductions are in, of one reduction: more do not fit a GPU's registers, nor often
// what it has instead.
constexpr int64_t kMostLaneWords = 4096;

void ControlFloats(SpirvBuilder& b, const FloatControls& controls, int bits) {
  if (controls.preserves_denormals) b.FloatControl(spv::ExecutionMode::DenormPreserve, bits);
  if (controls.preserves_special) b.FloatControl(spv::ExecutionMode::SignedZeroInfNanPreserve, bits);
  if (controls.rounds_to_even) b.FloatControl(spv::ExecutionMode::RoundingModeRTE, bits);
}

// ---- What there is no code for

absl::Status Lacks(absl::string_view what, absl::string_view why) {
  return absl::UnimplementedError(
      absl::StrCat("backend vulkan has no code for ", what, ": ", why, "; the interpreter and the backend cpu run it"));
}

absl::Status SupportsInstruction(const KernelInstruction& instruction, const SpirvTarget& target) {
  if (instruction.op == KernelOp::kMultiplyAdd && !target.fuses_multiply_add) {
    return Lacks("a multiply-add that rounds once", "Vulkan does not promise one");
  }
  const int64_t words = instruction.lanes * 4 * static_cast<int64_t>(instruction.results.size());
  const bool is_alone = instruction.op == KernelOp::kReduce && instruction.schedule != LoopSchedule::kInvocations;
  if (is_alone && instruction.lanes > 1 && words > kMostLaneWords) {
    return Lacks(absl::StrCat("a reduction in ", instruction.lanes, " lanes"), "they need too many registers");
  }
  return absl::OkStatus();
}

absl::Status SupportsRegion(const KernelRegion& region, const SpirvTarget& target) {
  for (const KernelInstruction& instruction : region.instructions) {
    RETURN_IF_ERROR(SupportsInstruction(instruction, target));
    for (const KernelRegion& nested : instruction.regions) RETURN_IF_ERROR(SupportsRegion(nested, target));
  }
  return absl::OkStatus();
}

// Places of words are words.
absl::Status SupportsBuffers(const Kernel& kernel) {
  for (const KernelBuffer& buffer : kernel.buffers) {
    if (buffer.element_count > INT32_MAX / ByteWidth(buffer.type)) {
      return Lacks(absl::StrCat("a buffer of ", buffer.element_count, " ", PrimitiveTypeName(buffer.type)),
                   "a word counts its bytes");
    }
  }
  return absl::OkStatus();
}

absl::Status SupportsLoops(const Kernel& kernel, const KernelPhase& phase, const SpirvTarget& target) {
  if (target.most_iterations == std::numeric_limits<int64_t>::max()) return absl::OkStatus();
  const double written = MostIterations(kernel, phase, target, UnrollFor(kernel, phase, target));
  if (written <= static_cast<double>(target.most_iterations)) return absl::OkStatus();
  return Lacks(std::isinf(written) ? "loops of which only the run tells how long they are"
                                   : absl::StrCat("loops of ", MostIterations(kernel, phase, target, /*unroll=*/1),
                                                  " iterations in one invocation"),
               absl::StrCat("the driver leaves loops after ", target.most_iterations));
}

absl::Status SupportsPhase(const KernelPhase& phase, const PhaseMemory& memory, const SpirvTarget& target) {
  const std::string what = absl::StrCat("a phase of ", phase.tile_count, " tiles");
  if (phase.tile_count > INT32_MAX) return Lacks(what, "a word counts them");
  if (phase.invocations > target.max_invocations) {
    return Lacks(absl::StrCat("a workgroup of ", phase.invocations, " invocations"),
                 absl::StrCat("the device allows ", target.max_invocations));
  }
  const uint64_t tiles = static_cast<uint64_t>(phase.tile_count);
  if (memory.scratch == PhaseMemory::Scratch::kBinding &&
      memory.scratch_words > INT32_MAX / std::max(tiles, uint64_t{1})) {
    return Lacks(absl::StrCat(what, " with ", memory.scratch_words, " words of scratch each"), "a word counts these");
  }
  if (memory.lane_words > target.shared_memory_bytes / sizeof(uint32_t)) {
    return Lacks(absl::StrCat("lanes of ", memory.lane_words, " words"),
                 absl::StrCat("the device has ", target.shared_memory_bytes, " bytes of shared memory"));
  }
  if (memory.bindings.size() > target.storage_buffers) {
    return Lacks(absl::StrCat("buffers that take ", memory.bindings.size(), " bindings in one phase"),
                 absl::StrCat("the device has ", target.storage_buffers, " of ", target.storage_range_bytes, " bytes"));
  }
  return absl::OkStatus();
}

absl::Status SupportsTypes(const Kernel& kernel, const SpirvTarget& target) {
  if (target.has_f64) return absl::OkStatus();
  for (const PrimitiveType type : kernel.value_types) {
    if (type == F64 || type == C128) return Lacks(PrimitiveTypeName(type), "the device lacks it (shaderFloat64)");
  }
  return absl::OkStatus();
}

// Invocations of a workgroup: those of a tile, or tiles of one invocation each, some whole subgroups of them.
struct Workgroups {
  Workgroups(const KernelPhase& phase, const PhaseMemory& memory, const SpirvTarget& target) {
    constexpr int64_t kMostTiles = 64;
    constexpr int64_t kStep = 8;
    const auto most = static_cast<int64_t>(target.max_invocations);
    if (phase.invocations == 1 && memory.scratch != PhaseMemory::Scratch::kShared) {
      tiles_each = std::min({(phase.tile_count + kStep - 1) / kStep * kStep, kMostTiles, most});
    }
    invocations = phase.invocations * tiles_each;
    count = (phase.tile_count + tiles_each - 1) / tiles_each;
    columns = std::max<int64_t>(std::min<int64_t>(count, target.max_groups), 1);
    rows = (count + columns - 1) / columns;
  }
  bool HasTilesTooMany(const KernelPhase& phase) const { return columns * rows * tiles_each > phase.tile_count; }

  int64_t tiles_each = 1;
  int64_t invocations = 1;
  int64_t count = 0;
  int64_t columns = 1;
  int64_t rows = 1;
};

SpirvPhase CompilePhase(const Kernel& kernel, const KernelPhase& phase, const PhaseMemory& plan,
                        const SpirvTarget& target) {
  const Workgroups workgroups(phase, plan, target);
  SpirvPhase compiled;
  compiled.groups = {static_cast<uint32_t>(workgroups.columns), static_cast<uint32_t>(workgroups.rows), 1};
  compiled.bindings = plan.bindings;
  compiled.windows = plan.windows;
  compiled.window_bytes = plan.window_bytes;
  compiled.offsets = plan.offsets;

  SpirvBuilder b;
  ControlFloats(b, target.f32, 32);
  if (target.has_f64) ControlFloats(b, target.f64, 64);
  SpirvIr ir(b, target);
  SpirvMemory memory(kernel, phase, plan, ir);
  b.BeginMain({static_cast<uint32_t>(workgroups.invocations), 1, 1});
  const auto part = [&](spv::BuiltIn built_in, uint32_t i) {
    return ir.FromWord(Kind::kI32, b.Op(spv::Op::OpCompositeExtract, b.IntType(32), {b.BuiltIn3(built_in), i}));
  };
  V tile = part(spv::BuiltIn::WorkgroupId, 0);
  if (workgroups.rows > 1) tile = tile + part(spv::BuiltIn::WorkgroupId, 1) * workgroups.columns;
  const V invocation = workgroups.invocations == 1 ? V() : part(spv::BuiltIn::LocalInvocationId, 0);
  if (workgroups.tiles_each > 1) tile = tile * workgroups.tiles_each + invocation;
  memory.Begin(tile);
  PhaseEmitter emitter(kernel, ir, memory, invocation, phase.invocations, UnrollFor(kernel, phase, target));
  // The last row may be longer than what is left, and so may the last workgroup.
  if (workgroups.HasTilesTooMany(phase)) {
    const V is_there = ir.Compare(codegen::Ir::Relation::kUnsignedLt, tile, tile.LikeInt(phase.tile_count));
    ir.If(is_there, [&] { emitter.EmitTile(phase, tile); });
  } else {
    emitter.EmitTile(phase, tile);
  }
  compiled.words = b.Finish();
  return compiled;
}

}  // namespace

absl::Status SpirvSupports(const Kernel& kernel, const SpirvTarget& target) {
  RETURN_IF_ERROR(SupportsBuffers(kernel));
  RETURN_IF_ERROR(SupportsTypes(kernel, target));
  for (const KernelPhase& phase : kernel.phases) {
    RETURN_IF_ERROR(SupportsPhase(phase, PlanPhaseMemory(kernel, phase, target), target));
    RETURN_IF_ERROR(SupportsRegion(phase.body, target));
    RETURN_IF_ERROR(SupportsLoops(kernel, phase, target));
  }
  return absl::OkStatus();
}

absl::StatusOr<SpirvKernel> CompileToSpirv(const Kernel& kernel, const SpirvTarget& target) {
  RETURN_IF_ERROR(SpirvSupports(kernel, target));
  SpirvKernel compiled;
  for (const KernelPhase& phase : kernel.phases) {
    const PhaseMemory memory = PlanPhaseMemory(kernel, phase, target);
    compiled.phases.push_back(CompilePhase(kernel, phase, memory, target));
    if (memory.scratch != PhaseMemory::Scratch::kBinding) continue;
    const uint64_t words = memory.scratch_words * static_cast<uint64_t>(phase.tile_count);
    compiled.scratch_bytes = std::max<uint64_t>(compiled.scratch_bytes, words * sizeof(uint32_t));
  }
  return compiled;
}

}  // namespace vulkan
}  // namespace xla
