#include "backends/cpu/kernel_thunks.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/cpu/library/product_fusion.h"
#include "backends/cpu/library/product_thunk.h"
#include "backends/cpu/parts_thunk.h"
#include "backends/host/cache_entry.h"
#include "backends/kernel_ir/lowering/kernel_cost.h"
#include "backends/kernel_ir/lowering/lowering.h"
#include "backends/plan/kernel_places.h"
#include "passes/analyses/strided_dot.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace {

// See ThunkInfo.
double SerialCost(const Kernel& kernel) {
  double cost = 0;
  for (const KernelPhase& phase : kernel.phases) {
    if (phase.tile_count > 1) return 0;
    cost += CostByLevel(kernel, phase, /*depth=*/0)[0];
  }
  return cost;
}

// The smallest dots are as quick in the middle of a kernel.
bool IsWorthACall(const HloInstruction& product) {
  constexpr int64_t kMinMultiplications = 4096;
  if (product.opcode() != HloOpcode::kDot) return true;
  const absl::StatusOr<StridedDot> dot = StridedDotOf(product);
  return dot.ok() && dot->BatchCount() * dot->m * dot->n * dot->k >= kMinMultiplications;
}

// For a kernel that reads the fusion's operands and computes a part of it.
LoweringRequest RequestFor(const HloInstruction& fusion, const PlanContext& context, ThunkInfo& info) {
  info.kind = "kernel";
  info.instruction = &fusion;
  LoweringRequest request;
  request.name = fusion.name();
  for (const HloInstruction* parameter : fusion.called_computation(0)->parameters()) {
    request.inputs.push_back(parameter);
  }
  for (const HloInstruction* operand : fusion.operands()) info.reads.push_back(context.SliceOf(*operand));
  return request;
}

}  // namespace

struct KernelSet::Pending {
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<KernelThunk*> thunks;  // which the program has, one for each kernel
};

KernelSet::KernelSet(const KernelSetOptions& options, ThreadPool* pool)
    : options_(options),
      pool_(pool),
      pending_(std::make_unique<Pending>()),
      lowerings_(options.lowering, options.order) {}

KernelSet::~KernelSet() = default;

// A kernel for one instruction: its operands, which must be arrays, are read and all leaves of its result are
// written. Results whose slice is an operand's are lowered in place.
absl::StatusOr<std::unique_ptr<Thunk>> KernelSet::MakeThunk(const HloInstruction& instruction, PlanContext& context) {
  absl::optional<ThunkInfo> info = KernelInfoOf(instruction, context);
  if (!info.has_value()) return nullptr;
  absl::StatusOr<LoweredKernel> lowered =
      lowerings_.LowerInstruction(instruction, FindInPlaceOperands(info->reads, info->writes));
  return Add(*std::move(info), std::move(lowered), context);
}

// A fused product in two or more parts: computed operands first, then the product by the library, then a kernel for
// what follows the product in the fusion. Values between them live in workspace of the plan.
absl::StatusOr<std::unique_ptr<Thunk>> KernelSet::MakeProductThunk(const HloInstruction& fusion, PlanContext& context) {
  const HloInstruction* const product = fusion.opcode() == HloOpcode::kFusion ? FindProduct(fusion) : nullptr;
  if (product == nullptr || !IsWorthACall(*product) || !IsOfArrays(fusion.shape())) return nullptr;
  std::vector<std::unique_ptr<Thunk>> parts;
  ComputedOperands computed;
  for (int i = 0; i < 2 && !HasOperandsInMemory(*product) && !FindPrologue(*product).has_value(); ++i) {
    if (ParameterBehind(product->operand(i)) != nullptr) continue;
    if (!product->operand(i)->shape().IsRowMajor()) {
      context.Refuse("an operand of the product is not row-major");
      return nullptr;
    }
    computed[i] = context.TakeWorkspace(product->operand(i)->shape().ByteSize());
    ASSIGN_OR_RETURN(std::unique_ptr<Thunk> operand, MakeOperand(fusion, *product->operand(i), *computed[i], context));
    if (operand == nullptr) return nullptr;
    parts.push_back(std::move(operand));
  }
  const HloComputation& body = *fusion.called_computation(0);
  const bool is_all = body.root() == product;
  const BufferSlice place = is_all ? context.SliceOf(fusion) : context.TakeWorkspace(product->shape().ByteSize());
  ASSIGN_OR_RETURN(std::unique_ptr<Thunk> first, MakeFusedProductThunk(fusion, *product, computed, place, context));
  if (first == nullptr) return nullptr;
  const size_t product_part = parts.size();
  parts.push_back(std::move(first));
  if (is_all) return std::make_unique<PartsThunk>(std::move(parts), product_part);

  ThunkInfo info;
  LoweringRequest request = RequestFor(fusion, context, info);
  request.inputs.push_back(product);
  info.reads.push_back(place);
  for (const ShapeIndex& leaf : ResultLeaves(fusion)) {
    const bool is_part = body.root()->opcode() == HloOpcode::kTuple;
    LoweredOutput output;
    output.instruction = is_part ? body.root()->operand(static_cast<int>(leaf[0])) : body.root();
    if (!is_part) output.leaf = leaf;
    request.outputs.push_back(output);
    info.writes.push_back(context.SliceOf(fusion, leaf));
  }
  const std::vector<int> in_place = FindInPlaceOperands(info.reads, info.writes);
  for (size_t i = 0; i < in_place.size(); ++i) request.outputs[i].in_place_of = in_place[i];
  ASSIGN_OR_RETURN(std::unique_ptr<Thunk> second, Add(std::move(info), lowerings_.Lower(request), context));
  if (second == nullptr) return nullptr;
  parts.push_back(std::move(second));
  return std::make_unique<PartsThunk>(std::move(parts), product_part);
}

absl::StatusOr<std::unique_ptr<Thunk>> KernelSet::MakeOperand(const HloInstruction& fusion,
                                                              const HloInstruction& operand, const BufferSlice& place,
                                                              PlanContext& context) {
  ThunkInfo info;
  LoweringRequest request = RequestFor(fusion, context, info);
  LoweredOutput output;
  output.instruction = &operand;
  request.outputs.push_back(output);
  info.writes.push_back(place);
  return Add(std::move(info), lowerings_.Lower(request), context);
}

absl::StatusOr<std::unique_ptr<KernelThunk>> KernelSet::Add(ThunkInfo info, absl::StatusOr<LoweredKernel> lowered,
                                                            PlanContext& context) {
  ASSIGN_OR_RETURN(absl::optional<std::vector<BufferSlice>> buffers, PlaceKernel(lowered, info, context));
  if (!buffers.has_value()) return nullptr;
  info.serial_cost = SerialCost(lowered->kernel);
  return AddKernel(std::move(info), *std::move(buffers), std::move(lowered->kernel), context);
}

// Keeps the kernel for the one compilation of the whole program, at the end of planning; until then the thunk has no
// function to call.
absl::StatusOr<std::unique_ptr<KernelThunk>> KernelSet::AddKernel(ThunkInfo info, std::vector<BufferSlice> buffers,
                                                                  Kernel kernel, PlanContext& context) {
  if (options_.verifies_kernels) {
    const absl::Status status = VerifyKernel(kernel);
    if (!status.ok()) {
      return absl::InternalError(absl::StrCat("kernel verifier: ", info.instruction->name(), ": ", status.message(),
                                              "\n", KernelToString(kernel)));
    }
  }
  auto thunk = std::make_unique<KernelThunk>(std::move(info), std::move(buffers), kernel);
  if (pending_->kernels.empty()) context.BeforeFirstRun([this] { return Finish(); });
  pending_->kernels.push_back(std::make_unique<Kernel>(std::move(kernel)));
  pending_->thunks.push_back(thunk.get());
  return thunk;
}

absl::Status KernelSet::Finish() {
  const absl::Time start = absl::Now();
  if (!options_.dump_folder.empty()) RETURN_IF_ERROR(DumpKernels());
  ASSIGN_OR_RETURN(const std::string key, CodeKey());
  code_digest_ = DigestOfKey(key);
  ASSIGN_OR_RETURN(CompiledKernels compiled, FindOrCompile(key));
  code_ = std::make_shared<const CompiledKernels>(std::move(compiled));
  for (size_t i = 0; i < pending_->thunks.size(); ++i) pending_->thunks[i]->SetCode(code_, static_cast<int>(i));
  compile_time_ = absl::Now() - start;
  return absl::OkStatus();
}

absl::StatusOr<std::string> KernelSet::CodeKey() const {
  std::string key = absl::StrCat(TargetKey(options_.target), "\noptimization ", options_.optimization_level, "\n");
  for (const auto& kernel : pending_->kernels) {
    RETURN_IF_ERROR(CheckResources(options_.resources));
    absl::StrAppend(&key, KernelToString(*kernel));
  }
  return key;
}

// Tries the code of the executable, then the cache, then compiles and stores. Whatever is wrong with the first two
// only becomes a note: a damaged cache must not prevent a program from running.
absl::StatusOr<CompiledKernels> KernelSet::FindOrCompile(const std::string& key) {
  if (options_.known_code != nullptr) {
    if (options_.known_code->digest == code_digest_) {
      absl::optional<CompiledKernels> known = Load(options_.known_code->image, "the code of the executable");
      if (known.has_value()) return *std::move(known);
    } else {
      notes_.emplace_back(
          "the code of the executable is for another processor or version, the program was compiled again");
    }
  }
  if (options_.cache == nullptr) return Compile();
  absl::StatusOr<absl::optional<CompiledKernels::Image>> found = options_.cache->Find(key);
  if (!found.ok()) notes_.emplace_back(found.status().message());
  if (found.ok() && found->has_value()) {
    absl::optional<CompiledKernels> cached = Load(**std::move(found), "the cache entry");
    if (cached.has_value()) return *std::move(cached);
  }
  ASSIGN_OR_RETURN(CompiledKernels compiled, Compile());
  const absl::Status stored = options_.cache->Store(key, compiled.image());
  if (!stored.ok()) notes_.emplace_back(stored.message());
  return compiled;
}

absl::optional<CompiledKernels> KernelSet::Load(CompiledKernels::Image image, absl::string_view from) {
  absl::StatusOr<CompiledKernels> loaded = KernelCompiler::Load(std::move(image));
  was_loaded_ = loaded.ok() && loaded->kernel_count() == static_cast<int>(pending_->kernels.size());
  if (was_loaded_) return *std::move(loaded);
  notes_.push_back(absl::StrCat(from, " cannot be loaded, the program was compiled again: ",
                                loaded.ok() ? "it has another number of kernels" : loaded.status().message()));
  return absl::nullopt;
}

// Compiles all kernels collected so far, modules of them in parallel on the client's pool.
absl::StatusOr<CompiledKernels> KernelSet::Compile() const {
  std::vector<const Kernel*> kernels;
  for (const auto& kernel : pending_->kernels) kernels.push_back(kernel.get());
  CodegenOptions options;
  options.optimization_level = options_.optimization_level;
  if (!options_.dump_folder.empty()) {
    options.dump = [this](const std::string& name, const std::string& ir, const std::string& assembly) {
      // What cannot be written is missed by whoever looks for it.
      WriteFile(absl::StrCat(options_.dump_folder, "/", name, ".ll"), ir).IgnoreError();
      WriteFile(absl::StrCat(options_.dump_folder, "/", name, ".s"), assembly).IgnoreError();
    };
  }
  ASSIGN_OR_RETURN(const auto compiler, KernelCompiler::Create(options_.target, std::move(options)));
  const auto must_stop = [this] { return options_.resources != nullptr && options_.resources->IsOver(); };
  absl::StatusOr<CompiledKernels> compiled =
      compiler->Compile(kernels, [&](int64_t n, absl::FunctionRef<void(int64_t)> fn) {
        pool_->ParallelFor(n, /*grain=*/1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end && !must_stop(); ++i) fn(i);
        });
      });
  // What was left out cannot be loaded, which is not the point then.
  if (!compiled.ok()) RETURN_IF_ERROR(CheckResources(options_.resources));
  return compiled;
}

absl::Status KernelSet::DumpKernels() const {
  std::string text;
  for (const auto& kernel : pending_->kernels) absl::StrAppend(&text, KernelToString(*kernel), "\n");
  return WriteFile(absl::StrCat(options_.dump_folder, "/kernels.txt"), text);
}

}  // namespace xla
