#include "backends/cpu/library/product_thunk.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "backends/cpu/library/convolution/convolution_program.h"
#include "backends/cpu/library/product/product_program.h"
#include "backends/cpu/library/product_fusion.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kCopyBytes = 256 << 10;

// Weights that runs may take turns with.
constexpr size_t kMaxPrepared = 2;

struct ProductPlaces {
  BufferSlice lhs, rhs, result, workspace;
  std::vector<BufferSlice> arguments;  // of the epilogue
  std::vector<BufferSlice> prologue_arguments;
  // The tiles write here, and then it is copied, if the result takes the place of something that they read.
  BufferSlice aside;
  bool has_aside = false;
  // Of the operand that the program prepares.
  bool is_fixed = false;  // a constant or a weight
  bool is_weight = false;
};

class ProductThunk : public Thunk {
 public:
  ProductThunk(ThunkInfo info, ProductPlaces places, std::unique_ptr<TiledProgram> program)
      : Thunk(WithScratch(std::move(info), program->scratch_bytes())),
        places_(std::move(places)),
        program_(std::move(program)) {}

  absl::Status Execute(ExecuteContext& context) const override {
    TiledProgram::Buffers buffers;
    buffers.lhs = context.Address(places_.lhs);
    buffers.rhs = context.Address(places_.rhs);
    buffers.result = context.Address(places_.has_aside ? places_.aside : places_.result);
    buffers.workspace = context.Address(places_.workspace);
    absl::InlinedVector<const void*, 4> arguments;
    for (const BufferSlice& slice : places_.arguments) arguments.push_back(context.Address(slice));
    buffers.epilogue_arguments = arguments.data();
    absl::InlinedVector<const void*, 4> prologue_arguments;
    for (const BufferSlice& slice : places_.prologue_arguments) prologue_arguments.push_back(context.Address(slice));
    buffers.prologue_arguments = prologue_arguments.data();
    std::shared_ptr<void> prepared;
    if (places_.is_fixed && program_->prepared_rhs_bytes() > 0) {
      const bool is_lhs = program_->prepared_operand() == 0;
      const uint64_t id = places_.is_weight ? context.WeightId(is_lhs ? places_.lhs : places_.rhs) : 0;
      prepared = PreparedOperand(id, is_lhs ? buffers.lhs : buffers.rhs);
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
  std::shared_ptr<void> PreparedOperand(uint64_t id, const void* operand) const {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const Prepared& known : prepared_) {
      if (known.id == id) return known.data;
    }
    const int64_t bytes = (program_->prepared_rhs_bytes() + 63) / 64 * 64;
    std::shared_ptr<void> data(std::aligned_alloc(64, bytes), &std::free);
    if (data == nullptr) return nullptr;
    program_->PrepareRhs(operand, data.get());
    if (prepared_.size() >= kMaxPrepared) prepared_.erase(prepared_.begin());
    prepared_.push_back({id, data});
    return data;
  }

  absl::Status RunPhase(int phase, const TiledProgram::Buffers& buffers, const ExecuteContext& context) const {
    return ParallelForWithScratch(context, program_->tile_count(phase), 1,
                                  [&](int64_t begin, int64_t end, void* scratch) {
                                    for (int64_t tile = begin; tile < end; ++tile) {
                                      program_->RunTile(phase, tile, buffers, scratch);
                                    }
                                  });
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

// A program, and what it reads.
struct PreparedProduct {
  std::unique_ptr<TiledProgram> program;
  BufferSlice lhs, rhs;
  std::array<const HloInstruction*, 2> sources = {};   // operands of the instruction; nullptr: it is computed
  std::vector<int64_t> arguments, prologue_arguments;  // the instruction's operands
};

bool IsFixed(const HloInstruction* source, const PlanContext& context) {
  return source != nullptr && (context.IsWeight(*source) || context.IsConstant(*source));
}

absl::StatusOr<std::unique_ptr<TiledProgram>> MakeProgram(const HloInstruction& product,
                                                          const std::array<const HloInstruction*, 2>& sources,
                                                          const PlanContext& context) {
  if (product.opcode() == HloOpcode::kConvolution) return MakeConvolutionProgram(product);
  const FixedOperands fixed = {IsFixed(sources[0], context), IsFixed(sources[1], context)};
  ASSIGN_OR_RETURN(std::unique_ptr<ProductProgram> program, MakeDotProgram(product, fixed));
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

// The rest of making a thunk, once it is known what it computes from what.
std::unique_ptr<Thunk> Finish(const HloInstruction& instruction, PreparedProduct product, const BufferSlice& result,
                              PlanContext& context) {
  TiledProgram& program = *product.program;
  ThunkInfo info;
  info.kind = program.kind();
  info.instruction = &instruction;
  info.serial_cost = SerialCost(program);
  const auto slice_of = [&](int64_t operand) {
    info.reads.push_back(context.SliceOf(*instruction.operand(static_cast<int>(operand))));
    return info.reads.back();
  };
  ProductPlaces places;
  places.lhs = product.lhs;
  places.rhs = product.rhs;
  info.reads = {product.lhs, product.rhs};
  for (const int64_t argument : product.arguments) places.arguments.push_back(slice_of(argument));
  for (const int64_t argument : product.prologue_arguments) places.prologue_arguments.push_back(slice_of(argument));
  places.result = result;
  if (const HloInstruction* const source = product.sources[program.prepared_operand()]) {
    places.is_weight = context.IsWeight(*source);
    places.is_fixed = IsFixed(source, context);
  }
  info.writes.push_back(result);
  if (program.workspace_bytes() > 0) {
    places.workspace = context.TakeWorkspace(program.workspace_bytes());
    info.writes.push_back(places.workspace);
  }
  places.has_aside = std::any_of(info.reads.begin(), info.reads.end(),
                                 [&](const BufferSlice& slice) { return slice.Overlaps(result); });
  if (places.has_aside) {
    places.aside = context.TakeWorkspace(result.bytes);
    info.writes.push_back(places.aside);
  }
  return std::make_unique<ProductThunk>(std::move(info), std::move(places), std::move(product.program));
}

const HloInstruction& FusionOperand(const HloInstruction& fusion, const HloInstruction& parameter) {
  return *fusion.operand(static_cast<int>(parameter.attributes<ParameterAttributes>().number));
}

// Its integers become f32 where they are loaded into the cache.
absl::StatusOr<PreparedProduct> PrepareDequantizing(const HloInstruction& fusion, const HloInstruction& dot,
                                                    FusedPrologue prologue, PlanContext& context) {
  ASSIGN_OR_RETURN(StridedDot strides, StridedDotOf(dot));
  if (prologue.dequantized == 0) strides = Transposed(strides);
  const HloInstruction& other = *dot.operand(1 - prologue.dequantized);
  const ProductTypes types = {other.shape().element_type(), prologue.type, dot.shape().element_type()};
  PreparedProduct product;
  product.program =
      MakeDequantizingProgram(strides, types, std::make_shared<ProductPrologue>(std::move(prologue.steps)));
  if (product.program == nullptr) return absl::UnimplementedError("no library has such a product of integers");
  product.lhs = context.SliceOf(FusionOperand(fusion, *ParameterBehind(&other)));
  product.sources[1] = &FusionOperand(fusion, *prologue.stored);
  product.rhs = context.SliceOf(*product.sources[1]);
  product.prologue_arguments = std::move(prologue.arguments);
  return product;
}

absl::StatusOr<PreparedProduct> PreparePlain(const HloInstruction& product, PlanContext& context) {
  PreparedProduct prepared;
  prepared.sources = {product.operand(0), product.operand(1)};
  ASSIGN_OR_RETURN(prepared.program, MakeProgram(product, prepared.sources, context));
  prepared.lhs = context.SliceOf(*prepared.sources[0]);
  prepared.rhs = context.SliceOf(*prepared.sources[1]);
  return prepared;
}

absl::StatusOr<PreparedProduct> Prepare(const HloInstruction& fusion, const HloInstruction& product,
                                        const ComputedOperands& computed, PlanContext& context) {
  if (!HasOperandsInMemory(product) && !computed[0].has_value() && !computed[1].has_value()) {
    absl::optional<FusedPrologue> prologue = FindPrologue(product);
    if (!prologue.has_value()) return absl::UnimplementedError("no library computes the operands of the product");
    return PrepareDequantizing(fusion, product, *std::move(prologue), context);
  }
  PreparedProduct prepared;
  for (int i = 0; i < 2; ++i) {
    if (!computed[i].has_value()) prepared.sources[i] = &FusionOperand(fusion, *ParameterBehind(product.operand(i)));
  }
  ASSIGN_OR_RETURN(prepared.program, MakeProgram(product, prepared.sources, context));
  const auto place = [&](int i) {
    return computed[i].has_value() ? *computed[i] : context.SliceOf(*prepared.sources[i]);
  };
  prepared.lhs = place(0);
  prepared.rhs = place(1);
  return prepared;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeFusedProductThunk(const HloInstruction& fusion,
                                                             const HloInstruction& product,
                                                             const ComputedOperands& computed,
                                                             const BufferSlice& result, PlanContext& context) {
  absl::StatusOr<PreparedProduct> prepared = Prepare(fusion, product, computed, context);
  if (absl::IsUnimplemented(prepared.status())) {
    context.Refuse(std::string(prepared.status().message()));
    return nullptr;
  }
  RETURN_IF_ERROR(prepared.status());
  return Finish(fusion, *std::move(prepared), result, context);
}

absl::StatusOr<std::unique_ptr<Thunk>> MakeProductThunk(const HloInstruction& instruction, PlanContext& context) {
  const bool is_fusion = instruction.opcode() == HloOpcode::kFusion;
  const HloInstruction* const product = is_fusion ? FindProduct(instruction) : &instruction;
  if (product == nullptr || !HasTrait(product->opcode(), opcode_trait::kProduct)) return nullptr;
  absl::optional<FusedEpilogue> epilogue;
  if (is_fusion) {
    epilogue = FindEpilogue(instruction, *product);
    if (!epilogue.has_value()) {
      context.Refuse("no library does all that the fusion does with its product");
      return nullptr;
    }
  }
  absl::StatusOr<PreparedProduct> prepared =
      is_fusion ? Prepare(instruction, *product, {}, context) : PreparePlain(instruction, context);
  if (absl::IsUnimplemented(prepared.status())) {
    context.Refuse(std::string(prepared.status().message()));
    return nullptr;
  }
  RETURN_IF_ERROR(prepared.status());
  if (is_fusion) {
    auto steps = std::make_shared<ProductEpilogue>(std::move(epilogue->steps), epilogue->columns);
    if (!prepared->program->SetEpilogue(std::move(steps))) {
      context.Refuse("the library's result does not lie in rows");
      return nullptr;
    }
    prepared->arguments = std::move(epilogue->arguments);
  }
  return Finish(instruction, *std::move(prepared), context.SliceOf(instruction), context);
}

}  // namespace xla
