#include "backends/cpu/library/product_thunk.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "backends/cpu/library/convolution_program.h"
#include "backends/cpu/library/product_fusion.h"
#include "backends/cpu/library/product_program.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kCopyBytes = 256 << 10;

// Weights that runs may take turns with.
constexpr size_t kMaxPrepared = 2;

struct ProductPlaces {
  BufferSlice lhs, rhs, result, workspace;
  std::vector<BufferSlice> arguments;  // of the epilogue
  // The tiles write here, and then it is copied, if the result takes the place of something that they read.
  BufferSlice aside;
  bool has_aside = false;
  bool rhs_is_fixed = false;  // a constant or a weight
  bool rhs_is_weight = false;
};

class ProductThunk : public Thunk {
 public:
  ProductThunk(ThunkInfo info, ProductPlaces places, std::unique_ptr<TiledProgram> program)
      : Thunk(std::move(info)), places_(std::move(places)), program_(std::move(program)) {}

  absl::Status Execute(ExecuteContext& context) const override {
    TiledProgram::Buffers buffers;
    buffers.lhs = context.Address(places_.lhs);
    buffers.rhs = context.Address(places_.rhs);
    buffers.result = context.Address(places_.has_aside ? places_.aside : places_.result);
    buffers.workspace = context.Address(places_.workspace);
    absl::InlinedVector<const void*, 4> arguments;
    for (const BufferSlice& slice : places_.arguments) arguments.push_back(context.Address(slice));
    buffers.epilogue_arguments = arguments.data();
    std::shared_ptr<void> prepared;
    if (places_.rhs_is_fixed && program_->prepared_rhs_bytes() > 0) {
      prepared = PreparedRhs(places_.rhs_is_weight ? context.WeightId(places_.rhs) : 0, buffers.rhs);
      buffers.prepared_rhs = prepared.get();
    }
    for (int phase = 0; phase < program_->phase_count(); ++phase) RETURN_IF_ERROR(RunPhase(phase, buffers, context));
    if (places_.has_aside) CopyResult(context);
    return absl::OkStatus();
  }

 private:
  struct Prepared {
    uint64_t id;
    std::shared_ptr<void> data;
  };

  // The contents of that name, prepared; nullptr without the memory for it: then the run prepares for itself.
  std::shared_ptr<void> PreparedRhs(uint64_t id, const void* rhs) const {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const Prepared& known : prepared_) {
      if (known.id == id) return known.data;
    }
    const int64_t bytes = (program_->prepared_rhs_bytes() + 63) / 64 * 64;
    std::shared_ptr<void> data(std::aligned_alloc(64, bytes), &std::free);
    if (data == nullptr) return nullptr;
    program_->PrepareRhs(rhs, data.get());
    if (prepared_.size() >= kMaxPrepared) prepared_.erase(prepared_.begin());
    prepared_.push_back({id, data});
    return data;
  }

  absl::Status RunPhase(int phase, const TiledProgram::Buffers& buffers, const ExecuteContext& context) const {
    std::atomic<bool> has_memory{true};
    context.ParallelFor(program_->tile_count(phase), 1, [&](int64_t begin, int64_t end) {
      const absl::StatusOr<void*> scratch = ExecuteContext::Scratch(program_->scratch_bytes());
      if (!scratch.ok()) {
        has_memory.store(false, std::memory_order_relaxed);
        return;
      }
      for (int64_t tile = begin; tile < end; ++tile) program_->RunTile(phase, tile, buffers, *scratch);
    });
    if (has_memory.load()) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(info().instruction->name(), ": the machine has no memory for ",
                                                     program_->scratch_bytes(), " bytes of scratch on each thread"));
  }

  void CopyResult(const ExecuteContext& context) const {
    const auto* const from = static_cast<const char*>(context.Address(places_.aside));
    auto* const to = static_cast<char*>(context.Address(places_.result));
    const int64_t bytes = places_.result.bytes;
    context.ParallelFor((bytes + kCopyBytes - 1) / kCopyBytes, 1, [&](int64_t begin, int64_t end) {
      const int64_t first = begin * kCopyBytes;
      std::memcpy(to + first, from + first, std::min(bytes, end * kCopyBytes) - first);
    });
  }

  const ProductPlaces places_;
  const std::unique_ptr<TiledProgram> program_;
  mutable std::mutex mutex_;
  mutable std::vector<Prepared> prepared_;  // oldest first
};

bool IsProduct(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kDot || instruction.opcode() == HloOpcode::kConvolution;
}

absl::StatusOr<std::unique_ptr<TiledProgram>> MakeProgram(const HloInstruction& product) {
  if (product.opcode() == HloOpcode::kConvolution) return MakeConvolutionProgram(product);
  ASSIGN_OR_RETURN(std::unique_ptr<ProductProgram> program, MakeDotProgram(product));
  return std::unique_ptr<TiledProgram>(std::move(program));
}

// See ThunkInfo. A multiply-add of a vector is one operation or so.
double SerialCost(const TiledProgram& program) {
  constexpr double kFlopsPerOperation = 16;
  for (int phase = 0; phase < program.phase_count(); ++phase) {
    if (program.tile_count(phase) > 1) return 0;
  }
  return program.FlopCount() / kFlopsPerOperation;
}

// The rest of making a thunk, once it is known what it computes from which operands of `instruction`.
absl::StatusOr<std::unique_ptr<Thunk>> Finish(const HloInstruction& instruction, std::unique_ptr<TiledProgram> program,
                                              int64_t lhs, int64_t rhs, const std::vector<int64_t>& arguments,
                                              const BufferSlice& result, PlanContext& context) {
  ThunkInfo info;
  info.kind = program->kind();
  info.instruction = &instruction;
  info.serial_cost = SerialCost(*program);
  const auto slice_of = [&](int64_t operand) {
    info.reads.push_back(context.SliceOf(*instruction.operand(static_cast<int>(operand))));
    return info.reads.back();
  };
  ProductPlaces places;
  places.lhs = slice_of(lhs);
  places.rhs = slice_of(rhs);
  for (const int64_t argument : arguments) places.arguments.push_back(slice_of(argument));
  places.result = result;
  const HloInstruction& kernel = *instruction.operand(static_cast<int>(rhs));
  places.rhs_is_weight = context.IsWeight(kernel);
  places.rhs_is_fixed = places.rhs_is_weight || context.IsConstant(kernel);
  info.writes.push_back(result);
  if (program->workspace_bytes() > 0) {
    places.workspace = context.TakeWorkspace(program->workspace_bytes());
    info.writes.push_back(places.workspace);
  }
  places.has_aside = std::any_of(info.reads.begin(), info.reads.end(),
                                 [&](const BufferSlice& slice) { return slice.Overlaps(result); });
  if (places.has_aside) {
    places.aside = context.TakeWorkspace(result.bytes);
    info.writes.push_back(places.aside);
  }
  return std::make_unique<ProductThunk>(std::move(info), std::move(places), std::move(program));
}

int64_t OperandNumber(const HloInstruction& product, int operand) {
  return ParameterBehind(product.operand(operand))->attributes<ParameterAttributes>().number;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeFusedProductThunk(const HloInstruction& fusion,
                                                             const HloInstruction& product, const BufferSlice& result,
                                                             PlanContext& context) {
  absl::StatusOr<std::unique_ptr<TiledProgram>> program = MakeProgram(product);
  if (absl::IsUnimplemented(program.status())) {
    context.Refuse(std::string(program.status().message()));
    return nullptr;
  }
  RETURN_IF_ERROR(program.status());
  return Finish(fusion, *std::move(program), OperandNumber(product, 0), OperandNumber(product, 1), {}, result, context);
}

absl::StatusOr<std::unique_ptr<Thunk>> MakeProductThunk(const HloInstruction& instruction, PlanContext& context) {
  const bool is_fusion = instruction.opcode() == HloOpcode::kFusion;
  const HloInstruction* const product = is_fusion ? FindProduct(instruction) : &instruction;
  if (product == nullptr || !IsProduct(*product)) return nullptr;
  absl::optional<FusedEpilogue> epilogue;
  if (is_fusion) {
    epilogue = FindEpilogue(instruction, *product);
    if (!epilogue.has_value()) {
      context.Refuse("no library does all that the fusion does with its product");
      return nullptr;
    }
  }
  absl::StatusOr<std::unique_ptr<TiledProgram>> program = MakeProgram(*product);
  if (absl::IsUnimplemented(program.status())) {
    context.Refuse(std::string(program.status().message()));
    return nullptr;
  }
  RETURN_IF_ERROR(program.status());
  const BufferSlice result = context.SliceOf(instruction);
  if (!is_fusion) return Finish(instruction, *std::move(program), 0, 1, {}, result, context);
  if (!(*program)->SetEpilogue(std::make_shared<ProductEpilogue>(std::move(epilogue->steps), epilogue->columns))) {
    context.Refuse("the library's result does not lie in rows");
    return nullptr;
  }
  return Finish(instruction, *std::move(program), OperandNumber(*product, 0), OperandNumber(*product, 1),
                epilogue->arguments, result, context);
}

}  // namespace xla
