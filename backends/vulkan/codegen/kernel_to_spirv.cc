#include "backends/vulkan/codegen/kernel_to_spirv.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backends/vulkan/codegen/phase_emitter.h"
#include "backends/vulkan/codegen/spirv_ir.h"
#include "backends/vulkan/codegen/spirv_memory.h"
#include "backends/vulkan/spirv/spirv_builder.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// What Vulkan 1.2 guarantees, and one word of it for each buffer.
constexpr uint32_t kMostPushConstants = 32;
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

// What complex numbers have code for; the corners of their other functions need the interpreter's.
bool HasComplexCode(HloOpcode opcode, PrimitiveType type) {
  switch (opcode) {
    case HloOpcode::kReal:
    case HloOpcode::kImag:
    case HloOpcode::kNegate:
      return true;
    case HloOpcode::kAdd:
    case HloOpcode::kSubtract:
    case HloOpcode::kMultiply:
    case HloOpcode::kDivide:
    case HloOpcode::kAbs:
    case HloOpcode::kSign:
      return type == C64;
    default:
      return FindElementwiseRow(opcode) == nullptr;
  }
}

absl::Status SupportsScalar(const Kernel& kernel, const KernelInstruction& instruction, const SpirvTarget& target) {
  const PrimitiveType type = kernel.TypeOf(instruction.operands[0]);
  const HloOpcode opcode = instruction.opcode;
  const std::string what = absl::StrCat(HloOpcodeName(opcode), " of ", PrimitiveTypeName(type));
  if (opcode == HloOpcode::kStochasticConvert) return Lacks(what, "it is left to the interpreter");
  if (IsComplex(type) && !HasComplexCode(opcode, type))
    return Lacks(what, "functions of complex numbers are not written");
  if (target.has_f64) return absl::OkStatus();
  const PrimitiveType result = kernel.TypeOf(instruction.results[0]);
  const bool is_c64_arithmetic = IsComplex(type) && FindElementwiseRow(opcode) != nullptr;
  const bool rounds_integer =
      opcode == HloOpcode::kConvert && IsInt(type) && BitWidth(type) > 16 && IsFloat(result) && result != F32;
  if (is_c64_arithmetic || rounds_integer) {
    return Lacks(what, "it is computed in f64, which the device lacks (shaderFloat64)");
  }
  return absl::OkStatus();
}

absl::Status SupportsInstruction(const Kernel& kernel, const KernelInstruction& instruction,
                                 const SpirvTarget& target) {
  if (instruction.op == KernelOp::kElementwise) return SupportsScalar(kernel, instruction, target);
  if (instruction.op == KernelOp::kMultiplyAdd && !target.fuses_multiply_add) {
    return Lacks("a multiply-add that rounds once", "Vulkan does not promise one");
  }
  const int64_t words = instruction.lanes * 4 * static_cast<int64_t>(instruction.results.size());
  if (instruction.op == KernelOp::kReduce && instruction.lanes > 1 && words > kMostLaneWords) {
    return Lacks(absl::StrCat("a reduction in ", instruction.lanes, " lanes"), "they need too many registers");
  }
  return absl::OkStatus();
}

absl::Status SupportsRegion(const Kernel& kernel, const KernelRegion& region, const SpirvTarget& target) {
  for (const KernelInstruction& instruction : region.instructions) {
    RETURN_IF_ERROR(SupportsInstruction(kernel, instruction, target));
    for (const KernelRegion& nested : instruction.regions) RETURN_IF_ERROR(SupportsRegion(kernel, nested, target));
  }
  return absl::OkStatus();
}

// Places of words are words.
absl::Status SupportsSizes(const Kernel& kernel, const MemoryPlan& plan) {
  uint64_t most_tiles = 1;
  for (const KernelPhase& phase : kernel.phases) {
    if (phase.tile_count > INT32_MAX) return Lacks(absl::StrCat(phase.tile_count, " tiles"), "a word counts them");
    most_tiles = std::max(most_tiles, static_cast<uint64_t>(phase.tile_count));
  }
  for (const KernelBuffer& buffer : kernel.buffers) {
    if (buffer.element_count > INT32_MAX / ByteWidth(buffer.type)) {
      return Lacks(absl::StrCat("a buffer of ", buffer.element_count, " ", PrimitiveTypeName(buffer.type)),
                   "a word counts its bytes");
    }
  }
  if (!plan.shares_scratch && plan.scratch_words > INT32_MAX / most_tiles) {
    return Lacks(absl::StrCat(plan.scratch_words, " words of scratch for each of ", most_tiles, " tiles"),
                 "a word counts them");
  }
  if (plan.push_constant_count > kMostPushConstants) {
    return Lacks(absl::StrCat(plan.push_constant_count, " buffers of one kernel"), "push constants hold 32 offsets");
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

// As many as the longest loop that they share has iterations, in whole subgroups, up to a few of these.
uint32_t InvocationsFor(const Kernel& kernel, const KernelPhase& phase, const SpirvTarget& target) {
  constexpr int64_t kMost = 64;
  constexpr int64_t kStep = 8;
  const int64_t iterations = PhaseEmitter::IterationsToDivide(kernel, phase);
  if (iterations <= 1) return 1;
  const int64_t wanted = std::min((iterations + kStep - 1) / kStep * kStep, kMost);
  return static_cast<uint32_t>(std::min<int64_t>(wanted, target.max_invocations));
}

SpirvPhase CompilePhase(const Kernel& kernel, const KernelPhase& phase, const MemoryPlan& plan,
                        const SpirvTarget& target) {
  SpirvPhase compiled;
  const auto tiles = static_cast<uint32_t>(phase.tile_count);
  const uint32_t columns = std::max(std::min(tiles, target.max_groups), 1u);
  const uint32_t rows = (tiles + columns - 1) / columns;
  compiled.groups = {columns, rows, 1};

  SpirvBuilder b;
  ControlFloats(b, target.f32, 32);
  if (target.has_f64) ControlFloats(b, target.f64, 64);
  SpirvIr ir(b, target);
  SpirvMemory memory(kernel, plan, ir);
  const uint32_t invocations = InvocationsFor(kernel, phase, target);
  b.BeginMain({invocations, 1, 1});
  const auto part = [&](spv::BuiltIn built_in, uint32_t i) {
    return ir.FromWord(Kind::kI32, b.Op(spv::Op::OpCompositeExtract, b.IntType(32), {b.BuiltIn3(built_in), i}));
  };
  V tile = part(spv::BuiltIn::WorkgroupId, 0);
  if (rows > 1) tile = tile + part(spv::BuiltIn::WorkgroupId, 1) * static_cast<int64_t>(columns);
  memory.Begin(tile);
  const V invocation = invocations == 1 ? V() : part(spv::BuiltIn::LocalInvocationId, 0);
  PhaseEmitter emitter(kernel, ir, memory, invocation, invocations);
  // The last row may be longer than what is left.
  if (rows == 1) {
    emitter.EmitTile(phase, tile);
  } else {
    ir.If(tile < static_cast<int64_t>(tiles), [&] { emitter.EmitTile(phase, tile); });
  }
  compiled.words = b.Finish();
  return compiled;
}

}  // namespace

absl::Status SpirvSupports(const Kernel& kernel, const SpirvTarget& target) {
  RETURN_IF_ERROR(SupportsSizes(kernel, PlanMemory(kernel, target)));
  RETURN_IF_ERROR(SupportsTypes(kernel, target));
  for (const KernelPhase& phase : kernel.phases) RETURN_IF_ERROR(SupportsRegion(kernel, phase.body, target));
  return absl::OkStatus();
}

absl::StatusOr<SpirvKernel> CompileToSpirv(const Kernel& kernel, const SpirvTarget& target) {
  RETURN_IF_ERROR(SpirvSupports(kernel, target));
  const MemoryPlan plan = PlanMemory(kernel, target);
  SpirvKernel compiled;
  compiled.binding_count = plan.binding_count;
  compiled.in_one_binding = plan.in_one_binding;
  compiled.push_constant_count = plan.push_constant_count;
  uint64_t most_tiles = 1;
  for (const KernelPhase& phase : kernel.phases) {
    most_tiles = std::max(most_tiles, static_cast<uint64_t>(phase.tile_count));
    compiled.phases.push_back(CompilePhase(kernel, phase, plan, target));
  }
  if (!plan.shares_scratch) compiled.scratch_bytes = plan.scratch_words * most_tiles * sizeof(uint32_t);
  return compiled;
}

}  // namespace vulkan
}  // namespace xla
