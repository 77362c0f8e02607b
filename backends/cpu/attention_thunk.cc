#include "backends/cpu/attention_thunk.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "backends/cpu/library/attention_program.h"
#include "backends/cpu/library/product_fusion.h"
#include "backends/cpu/library/product_thunk.h"
#include "backends/cpu/parts_thunk.h"
#include "backends/kernel_ir/lowering/lowering.h"
#include "backends/kernel_ir/row_access.h"
#include "passes/analyses/strided_attention.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// The instructions of a fused computation.
struct FusedAttention {
  const HloInstruction* scores = nullptr;   // dot of parameters
  const HloInstruction* weights = nullptr;  // what is made of them, in the same shape
  const HloInstruction* product = nullptr;  // dot of weights and a parameter
  const HloInstruction* root = nullptr;     // that, or a transpose of it
  int side = 0;                             // operand of `product` that the weights are
};

bool IsRowMajorArray(const HloInstruction* value) {
  return value->shape().IsArray() && !value->shape().IsDynamic() && value->shape().IsRowMajor();
}

// Matches the parts of an attention in a fusion body: one dot for the scores, something elementwise or reducing after
// it (the weights), and a second dot that the fusion ends with, possibly transposed. All arrays must be row-major,
// and the operands of both dots that are not weights must be in memory.
absl::optional<FusedAttention> FindParts(const HloInstruction& fusion) {
  if (fusion.opcode() != HloOpcode::kFusion) return absl::nullopt;
  const HloComputation& body = *fusion.called_computation(0);
  FusedAttention found;
  found.root = found.product = body.root();
  if (found.root->opcode() == HloOpcode::kTranspose) found.product = found.root->operand(0);
  if (found.product->opcode() != HloOpcode::kDot) return absl::nullopt;
  for (const auto& instruction : body.instructions()) {
    if (instruction->opcode() != HloOpcode::kDot || instruction.get() == found.product) continue;
    if (found.scores != nullptr) return absl::nullopt;
    found.scores = instruction.get();
  }
  if (found.scores == nullptr) return absl::nullopt;
  found.side = ParameterBehind(found.product->operand(0)) != nullptr ? 1 : 0;
  found.weights = found.product->operand(found.side);
  const std::vector<const HloInstruction*> arrays = {&fusion, found.root, found.product, found.weights, found.scores};
  const bool has_order = std::all_of(arrays.begin(), arrays.end(), &IsRowMajorArray) &&
                         std::all_of(fusion.operands().begin(), fusion.operands().end(), &IsRowMajorArray);
  const bool is_attention = has_order && HasOperandsInMemory(*found.scores) && found.weights != found.scores &&
                            ParameterBehind(found.product->operand(1 - found.side)) != nullptr &&
                            found.weights->shape().dimensions() == found.scores->shape().dimensions();
  if (!is_attention) return absl::nullopt;
  return found;
}

// Of a kernel that reads the fusion's operands and `more`.
struct KernelPart {
  ThunkInfo info;
  LoweringRequest request;

  KernelPart(const HloInstruction& fusion, const HloInstruction& more, const BufferSlice& more_at,
             const PlanContext& context) {
    info.kind = "kernel";
    info.instruction = &fusion;
    request.name = fusion.name();
    for (const HloInstruction* parameter : fusion.called_computation(0)->parameters()) {
      request.inputs.push_back(parameter);
    }
    for (const HloInstruction* operand : fusion.operands()) info.reads.push_back(context.SliceOf(*operand));
    request.inputs.push_back(&more);
    info.reads.push_back(more_at);
  }

  void Write(const HloInstruction& value, const BufferSlice& at) {
    LoweredOutput output;
    output.instruction = &value;
    request.outputs.push_back(output);
    info.writes.push_back(at);
  }
};

struct AttentionPlaces {
  BufferSlice queries, keys, values, result;
  // Of the kernel's buffers.
  size_t scores = 0, weights = 0;
};

class AttentionThunk : public Thunk {
 public:
  AttentionThunk(ThunkInfo info, const AttentionPlaces& places, std::unique_ptr<AttentionProgram> program,
                 std::unique_ptr<KernelThunk> kernel, int64_t row_of_scores, int64_t row_of_weights)
      : Thunk(WithScratch(std::move(info), KernelScratchAt(*program) + kernel->info().scratch_bytes)),
        places_(places),
        program_(std::move(program)),
        kernel_(std::move(kernel)),
        row_of_scores_(row_of_scores),
        row_of_weights_(row_of_weights) {}

  absl::Status Execute(ExecuteContext& context) const override {
    AttentionProgram::Buffers buffers;
    buffers.queries = context.Address(places_.queries);
    buffers.keys = context.Address(places_.keys);
    buffers.values = context.Address(places_.values);
    buffers.result = context.Address(places_.result);
    Addresses addresses(kernel_->buffers().size());
    for (size_t i = 0; i < addresses.size(); ++i) addresses[i] = context.Address(kernel_->buffers()[i]);
    return ParallelForWithScratch(context, program_->tile_count(), 1, [&](int64_t begin, int64_t end, void* scratch) {
      RunTiles(context, begin, end, buffers, addresses, scratch);
    });
  }

 private:
  using Addresses = absl::InlinedVector<void*, 12>;

  void RunTiles(const ExecuteContext& context, int64_t begin, int64_t end, const AttentionProgram::Buffers& buffers,
                Addresses addresses, void* scratch) const {
    void* const kernel_scratch = static_cast<char*>(scratch) + KernelScratchAt(*program_);
    // The kernel finds row number r of all scores where the block has it.
    const auto make_weights = [&](int64_t row, const void* scores, void* weights) {
      addresses[places_.scores] = Before(scores, row * row_of_scores_);
      addresses[places_.weights] = Before(weights, row * row_of_weights_);
      kernel_->RunTiles(context, addresses.data(), kernel_scratch, row, row + 1);
    };
    for (int64_t tile = begin; tile < end; ++tile) program_->RunTile(tile, buffers, scratch, make_weights);
  }

  // The kernel's scratch lies after the program's.
  static int64_t KernelScratchAt(const AttentionProgram& program) { return (program.scratch_bytes() + 63) / 64 * 64; }

  static void* Before(const void* data, int64_t bytes) {
    return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(data) - static_cast<uintptr_t>(bytes));
  }

  const AttentionPlaces places_;
  const std::unique_ptr<AttentionProgram> program_;
  const std::unique_ptr<KernelThunk> kernel_;
  const int64_t row_of_scores_, row_of_weights_;  // bytes
};

class AttentionMaker {
 public:
  AttentionMaker(const HloInstruction& fusion, const FusedAttention& parts, KernelSet& kernels, PlanContext& context)
      : fusion_(fusion), parts_(parts), kernels_(kernels), context_(context) {}

  // nullptr, without a refusal, if rows cannot be taken one by one.
  absl::StatusOr<std::unique_ptr<Thunk>> MakeOfRows() {
    const absl::optional<StridedAttention> attention =
        StridedAttentionOf(*parts_.scores, *parts_.root, parts_.side);
    if (!attention.has_value() || ResultIsOperand()) return nullptr;
    absl::StatusOr<std::unique_ptr<AttentionProgram>> program =
        AttentionProgram::Make(*attention, TypesOf(*attention));
    if (absl::IsUnimplemented(program.status())) return nullptr;
    RETURN_IF_ERROR(program.status());

    KernelPart part(fusion_, *parts_.scores, BufferSlice(), context_);
    part.Write(*parts_.weights, BufferSlice());
    const size_t scores = part.info.reads.size() - 1;
    absl::StatusOr<LoweredKernel> lowered =
        LowerToKernel(part.request, TileForEachRow(attention->rows), kernels_.sum_order());
    if (absl::IsUnimplemented(lowered.status())) return nullptr;
    RETURN_IF_ERROR(lowered.status());
    if (!MayRunOnRows(*lowered, *attention, static_cast<int>(scores))) return nullptr;

    ThunkInfo info = part.info;
    info.kind = "attention";
    info.reads.pop_back();
    info.writes = {context_.SliceOf(fusion_)};
    ASSIGN_OR_RETURN(std::unique_ptr<KernelThunk> kernel,
                     kernels_.Add(std::move(part.info), std::move(lowered), context_));
    if (kernel == nullptr) return nullptr;
    AttentionPlaces places;
    const int scores_side = attention->scores_exchanged ? 1 : 0;
    places.queries = OperandSlice(*parts_.scores->operand(scores_side));
    places.keys = OperandSlice(*parts_.scores->operand(1 - scores_side));
    places.values = OperandSlice(*parts_.product->operand(1 - parts_.side));
    places.result = info.writes[0];
    places.scores = scores;
    places.weights = scores + 1;
    return std::make_unique<AttentionThunk>(std::move(info), places, *std::move(program), std::move(kernel),
                                            RowBytes(*parts_.scores), RowBytes(*parts_.weights));
  }

  // Two products, and kernels for the rest.
  absl::StatusOr<std::unique_ptr<Thunk>> MakeOfArrays() {
    const BufferSlice scores = context_.TakeWorkspace(parts_.scores->shape().ByteSize());
    const BufferSlice weights = context_.TakeWorkspace(parts_.weights->shape().ByteSize());
    const bool is_moved = parts_.root != parts_.product;
    const BufferSlice result = is_moved ? context_.TakeWorkspace(parts_.product->shape().ByteSize())
                                        : context_.SliceOf(fusion_);
    std::vector<std::unique_ptr<Thunk>> thunks(is_moved ? 4 : 3);
    ASSIGN_OR_RETURN(thunks[0], MakeFusedProductThunk(fusion_, *parts_.scores, {}, scores, context_));
    ASSIGN_OR_RETURN(thunks[1], MakeKernel(*parts_.scores, scores, *parts_.weights, weights));
    ComputedOperands computed;
    computed[parts_.side] = weights;
    ASSIGN_OR_RETURN(thunks[2], MakeFusedProductThunk(fusion_, *parts_.product, computed, result, context_));
    if (is_moved) {
      ASSIGN_OR_RETURN(thunks[3], MakeKernel(*parts_.product, result, *parts_.root, context_.SliceOf(fusion_)));
    }
    const bool is_refused = std::any_of(thunks.begin(), thunks.end(), [](const auto& thunk) { return !thunk; });
    if (is_refused) return nullptr;
    return std::make_unique<PartsThunk>(std::move(thunks), /*product=*/2);
  }

 private:
  // As many tiles as there are rows: the price of a tile is not a reason for fewer.
  static LoweringTarget TileForEachRow(int64_t rows) {
    LoweringTarget target;
    target.tile_cost = 1;
    target.max_tiles = rows;
    return target;
  }

  static bool MayRunOnRows(const LoweredKernel& lowered, const StridedAttention& attention, int scores) {
    const bool has_workspace =
        std::any_of(lowered.extras.begin(), lowered.extras.end(), [](const auto* extra) { return extra == nullptr; });
    return !has_workspace && lowered.kernel.phases.size() == 1 &&
           lowered.kernel.phases[0].tile_count == attention.rows &&
           TouchesOwnRowOnly(lowered.kernel, scores, attention.keys) &&
           TouchesOwnRowOnly(lowered.kernel, scores + 1, attention.keys);
  }

  static int64_t RowBytes(const HloInstruction& array) {
    const Shape& shape = array.shape();
    return shape.dimension(shape.rank() - 1) * ByteWidth(shape.element_type());
  }

  AttentionTypes TypesOf(const StridedAttention& attention) const {
    const auto type_of = [](const HloInstruction* value) { return value->shape().element_type(); };
    const int scores_side = attention.scores_exchanged ? 1 : 0;
    AttentionTypes types;
    types.queries = type_of(parts_.scores->operand(scores_side));
    types.keys = type_of(parts_.scores->operand(1 - scores_side));
    types.scores = type_of(parts_.scores);
    types.weights = type_of(parts_.weights);
    types.values = type_of(parts_.product->operand(1 - parts_.side));
    types.result = type_of(parts_.product);
    return types;
  }

  BufferSlice OperandSlice(const HloInstruction& value) const {
    const HloInstruction* const parameter = ParameterBehind(&value);
    const auto number = parameter->attributes<ParameterAttributes>().number;
    return context_.SliceOf(*fusion_.operand(static_cast<int>(number)));
  }

  bool ResultIsOperand() const {
    const BufferSlice result = context_.SliceOf(fusion_);
    const auto operands = fusion_.operands();
    return std::any_of(operands.begin(), operands.end(), [&](const HloInstruction* operand) {
      return context_.SliceOf(*operand).Overlaps(result);
    });
  }

  absl::StatusOr<std::unique_ptr<Thunk>> MakeKernel(const HloInstruction& input, const BufferSlice& input_at,
                                                    const HloInstruction& output, const BufferSlice& output_at) {
    KernelPart part(fusion_, input, input_at, context_);
    part.Write(output, output_at);
    absl::StatusOr<LoweredKernel> lowered =
        LowerToKernel(part.request, kernels_.lowering_target(), kernels_.sum_order());
    return kernels_.Add(std::move(part.info), std::move(lowered), context_);
  }

  const HloInstruction& fusion_;
  const FusedAttention& parts_;
  KernelSet& kernels_;
  PlanContext& context_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeAttentionThunk(const HloInstruction& fusion, KernelSet& kernels,
                                                          PlanContext& context) {
  const absl::optional<FusedAttention> parts = FindParts(fusion);
  if (!parts.has_value()) return nullptr;
  AttentionMaker maker(fusion, *parts, kernels, context);
  ASSIGN_OR_RETURN(std::unique_ptr<Thunk> thunk, maker.MakeOfRows());
  if (thunk != nullptr) return thunk;
  return maker.MakeOfArrays();
}

}  // namespace xla
