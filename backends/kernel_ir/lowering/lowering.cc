// The planner: which nests there are, and how each is looped. It writes every nest as a draft first, and checks the
// result: where loops had better be split, what is computed several times, and how much work there is.
//
// What is found may need nests of its own in front, which leave values in workspaces: reductions in chunks
// (chunked_reduce.h), arrays whose elements would be computed again and again, and scatters and scans that
// are not results.
#include "backends/kernel_ir/lowering/lowering.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "backends/kernel_ir/jam_loops.h"
#include "backends/kernel_ir/lowering/chunked_reduce.h"
#include "backends/kernel_ir/lowering/costly_array.h"
#include "backends/kernel_ir/lowering/element_emitter.h"
#include "backends/kernel_ir/lowering/in_place.h"
#include "backends/kernel_ir/lowering/kernel_cost.h"
#include "backends/kernel_ir/lowering/nest.h"
#include "backends/kernel_ir/lowering/register_tile.h"
#include "backends/kernel_ir/lowering/scan_nest.h"
#include "backends/kernel_ir/lowering/scatter_nest.h"
#include "backends/kernel_ir/lowering/sliding_nest.h"
#include "backends/kernel_ir/lowering/sort_nest.h"
#include "backends/kernel_ir/lowering/spill_scratch.h"
#include "backends/kernel_ir/lowering/transpose_nest.h"
#include "backends/kernel_ir/lowering/unrolled_rows.h"
#include "backends/kernel_ir/lowering/update_nest.h"
#include "backends/kernel_ir/workgroups.h"
#include "passes/base/odd_forms.h"
#include "xla_core/ops/side_effects.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int kMaxDrafts = 24;
// Work that is done in vain before an array gets a workspace.
constexpr double kMaxWaste = 20'000;

// A somewhat larger block that leaves no shorter one at the end, if many remain: then it is known how long all of them
// are, and where indices end.
int64_t EvenBlock(int64_t size, int64_t block) {
  constexpr int64_t kMany = 8;
  constexpr int64_t kMostLooked = 1024;
  for (int64_t even = block; even <= block + std::min(block / 2, kMostLooked) && even * kMany <= size; ++even) {
    if (size % even == 0) return even;
  }
  return block;
}

class Lowerer {
 public:
  // `copied`: outputs that are computed elsewhere first, because their memory is still read. `in_place_last`: outputs
  // that take the place of an input are computed when the others are done, not together with them.
  Lowerer(const LoweringRequest& request, const LoweringTarget& target, const SumOrder& order,
          const std::vector<bool>& copied, bool in_place_last)
      : request_(request),
        target_(target),
        order_(order),
        copied_(copied),
        in_place_last_(in_place_last),
        inputs_(request.inputs.begin(), request.inputs.end()) {}

  absl::StatusOr<LoweredKernel> Lower() {
    for (const LoweredOutput& output : request_.outputs) {
      const Shape* const shape = SubshapeAt(output.instruction->shape(), output.leaf);
      if (shape == nullptr || !shape->IsArray() || shape->IsDynamic()) {
        return absl::UnimplementedError(
            absl::StrCat(output.instruction->name(), ": kernels compute static arrays only"));
      }
    }
    RETURN_IF_ERROR(PlanOutputs());
    return Write();
  }

 private:
  struct Step {
    enum class Kind { kElements, kReduce, kUpdate, kScatter, kScan, kSliding, kSort } kind = Kind::kElements;
    Nest nest;
    NestPlan plan;
    absl::optional<TransposePlan> transpose;  // instead of `plan`
    absl::optional<RegisterTile> tile;        // the same
    ChunkedReduce reduce;
    ScanPlan scan;
    SlidingPlan sliding;
    SortPlan sort;
    ScatterCopies copies;
    ArrayNode node;  // dynamic-update-slice, scatter, scan or sort
    std::vector<Shape> shapes;
    std::vector<int> buffers;
    // What later steps find in memory: arrays, or partial results.
    struct Binding {
      ArrayNode node;
      int buffer;
      absl::optional<PartialPlaces> partials = absl::nullopt;
    };
    std::vector<Binding> makes;
  };

  struct Workspace {
    PrimitiveType type;
    int64_t elements;
  };

  // One draft, or the kernel itself.
  struct Draft {
    // A fresh attempt to write the kernel: buffers in order of inputs, outputs and workspaces, and what the steps
    // planned so far have made.
    explicit Draft(Lowerer* lowerer)
        : builder(lowerer->request_.name), emitter(&builder, &lowerer->calls_, &lowerer->reduction_splits_) {
      const LoweringRequest& request = lowerer->request_;
      for (const HloInstruction* input : request.inputs) {
        const int buffer = builder.AddBuffer(input->name(), input->shape().element_type(),
                                             input->shape().ElementCount(), KernelBuffer::Use::kRead);
        const bool inline_constant = input->opcode() == HloOpcode::kConstant && input->shape().IsScalar();
        if (!inline_constant) emitter.BindBuffer(input, buffer);
      }
      for (size_t i = 0; i < request.outputs.size(); ++i) {
        const LoweredOutput& output = request.outputs[i];
        const Shape& shape = *SubshapeAt(output.instruction->shape(), output.leaf);
        const bool reads = lowerer->read_outputs_.count(static_cast<int>(i)) != 0;
        builder.AddBuffer(output.instruction->name(), shape.element_type(), shape.ElementCount(),
                          reads ? KernelBuffer::Use::kReadWrite : KernelBuffer::Use::kWrite, output.in_place_of);
      }
      for (size_t i = 0; i < lowerer->workspaces_.size(); ++i) {
        const Workspace& workspace = lowerer->workspaces_[i];
        builder.AddBuffer(absl::StrCat("workspace_", i), workspace.type, workspace.elements,
                          KernelBuffer::Use::kReadWrite);
      }
      lowerer->Bind(lowerer->steps_, emitter);
    }
    KernelBuilder builder;
    ElementEmitter emitter;
  };

  void Bind(const std::vector<Step>& steps, ElementEmitter& emitter) const {
    for (const Step& step : steps) {
      for (const Step::Binding& made : step.makes) {
        if (made.partials.has_value()) {
          emitter.BindPartials(made.node, made.buffer, *made.partials);
        } else {
          emitter.BindWorkspace(made.node, made.buffer);
        }
      }
    }
  }

  int AddWorkspace(PrimitiveType type, int64_t elements) {
    workspaces_.push_back({type, elements});
    return static_cast<int>(request_.inputs.size() + request_.outputs.size() + workspaces_.size()) - 1;
  }

  // Where an array comes from, and what a reducer computes, is the same in all drafts.
  Draft& FirstDraft() {
    if (!first_draft_.has_value()) first_draft_.emplace(this);
    return *first_draft_;
  }
  ArrayNode Resolved(ArrayNode node) { return FirstDraft().emitter.Resolve(std::move(node)); }

  // ---- Outputs

  // Outputs that take the place of an input come as late as `in_place_last_` asks; those that are copied, when nothing
  // is left that reads an input.
  absl::Status PlanOutputs() {
    const int first_output = static_cast<int>(request_.inputs.size());
    std::vector<NestTarget> plain, in_place, copies;
    std::vector<Update> plain_updates, in_place_updates;
    for (size_t i = 0; i < request_.outputs.size(); ++i) {
      const LoweredOutput& output = request_.outputs[i];
      const int buffer = first_output + static_cast<int>(i);
      NestTarget target{{output.instruction, output.leaf, 0}, buffer};
      if (target.node.shape().ElementCount() == 0) continue;
      if (copied_[i]) {
        RETURN_IF_ERROR(PlanWorkspace(Resolved(target.node)));
        copies.push_back(target);
        continue;
      }
      const bool is_late = output.in_place_of >= 0 && in_place_last_;
      const ArrayNode written = BehindBitcasts(Resolved(target.node));
      if (IsWrittenWhole(written)) {
        (is_late ? in_place_updates : plain_updates).push_back({written, buffer});
      } else {
        (is_late ? in_place : plain).push_back(target);
      }
    }
    TakeAlong(&plain_updates, &in_place_updates);
    RETURN_IF_ERROR(PlanTargets(plain));
    RETURN_IF_ERROR(PlanUpdates(plain_updates));
    RETURN_IF_ERROR(PlanTargets(in_place));
    RETURN_IF_ERROR(PlanUpdates(in_place_updates));
    return PlanTargets(copies);
  }

  // An output that is written whole.
  struct Update {
    ArrayNode node;
    int buffer;

    bool IsSameInstruction(const Update& other) const {
      return node.instruction == other.node.instruction && node.context == other.node.context;
    }
  };

  // Moves results to others of the same instruction, if that writes all of them at once.
  static void TakeAlong(std::vector<Update>* early, std::vector<Update>* late) {
    const auto is_taken = [&](const Update& update) {
      return update.node.instruction->opcode() != HloOpcode::kDynamicUpdateSlice &&
             std::any_of(late->begin(), late->end(),
                         [&](const Update& other) { return other.IsSameInstruction(update); });
    };
    const auto taken =
        std::stable_partition(early->begin(), early->end(), [&](const Update& update) { return !is_taken(update); });
    late->insert(late->end(), taken, early->end());
    early->erase(taken, early->end());
  }

  // Plans operations that write their result by parts. Scatters with several results are one step for all of them.
  absl::Status PlanUpdates(const std::vector<Update>& updates) {
    std::vector<bool> is_done(updates.size(), false);
    for (size_t i = 0; i < updates.size(); ++i) {
      if (is_done[i]) continue;
      const ArrayNode& node = updates[i].node;
      if (node.instruction->opcode() == HloOpcode::kDynamicUpdateSlice) {
        RETURN_IF_ERROR(PlanUpdate(node, updates[i].buffer));
        continue;
      }
      // All results at once. Those that nothing asked for, or that are asked for twice, need memory too.
      std::vector<int> buffers(ResultCount(*node.instruction), -1);
      for (size_t j = i; j < updates.size(); ++j) {
        if (!updates[j].IsSameInstruction(updates[i])) continue;
        int& buffer = buffers[std::max<int64_t>(updates[j].node.leaf_number(), 0)];
        if (buffer >= 0) continue;
        buffer = updates[j].buffer;
        is_done[j] = true;
      }
      RETURN_IF_ERROR(PlanAllResults(node, buffers));
    }
    return absl::OkStatus();
  }

  // Of an operation that is written whole.
  static int ResultCount(const HloInstruction& instruction) {
    const bool is_sort = instruction.opcode() == HloOpcode::kSort;
    return is_sort ? instruction.operand_count() : instruction.operand_count() / 2;
  }

  // By steps of its own: not element by element.
  bool IsWrittenWhole(const ArrayNode& node) {
    if (IsInput(node)) return false;
    const HloOpcode opcode = node.instruction->opcode();
    if (IsOddForm(*node.instruction)) return false;
    if (opcode == HloOpcode::kDynamicUpdateSlice || opcode == HloOpcode::kScatter) return true;
    if (opcode == HloOpcode::kSort) return target_.sorts && CanMergeSort(*node.instruction);
    return opcode == HloOpcode::kReduceWindow && HasWindowNest(*node.instruction, ReducerOf(*node.instruction));
  }

  const KernelReducer& ReducerOf(const HloInstruction& instruction) {
    return FirstDraft().emitter.ReducerOf(instruction);
  }

  // The update whose memory a chain of bitcasts shows; the node itself if there is none.
  ArrayNode BehindBitcasts(const ArrayNode& node) {
    ArrayNode behind = node;
    while (behind.instruction->opcode() == HloOpcode::kBitcast) {
      const HloInstruction& operand = *behind.instruction->operand(0);
      if (!operand.shape().IsArray() || operand.shape().element_type() != node.shape().element_type()) return node;
      behind = Resolved({&operand, {}, behind.context});
    }
    return IsWrittenWhole(behind) ? behind : node;
  }

  bool IsInput(const ArrayNode& node) const { return node.context == 0 && inputs_.contains(node.instruction); }

  // Whether the buffer holds this array already, in the layout of `shape`.
  bool IsInPlaceOf(int buffer, const ArrayNode& node, const Shape& shape) const {
    const int output = buffer - static_cast<int>(request_.inputs.size());
    if (output < 0 || output >= static_cast<int>(request_.outputs.size()) || node.context != 0) return false;
    const int input = request_.outputs[output].in_place_of;
    if (input < 0 || PhysicalOrder(node.shape()) != PhysicalOrder(shape)) return false;
    const HloInstruction* behind = node.instruction;
    while (behind->opcode() == HloOpcode::kBitcast && behind != request_.inputs[input] &&
           behind->operand(0)->shape().element_type() == shape.element_type()) {
      behind = behind->operand(0);
    }
    return behind == request_.inputs[input];
  }

  // A chain of updates: the array at its beginning, and then one after the other.
  absl::Status PlanUpdate(const ArrayNode& node, int buffer) {
    std::vector<ArrayNode> chain = {node};
    ArrayNode base;
    while (true) {
      base = Resolved({chain.back().instruction->operand(0), {}, chain.back().context});
      const bool goes_on = base.instruction->opcode() == HloOpcode::kDynamicUpdateSlice && !IsInput(base) &&
                           base.instruction->users().size() == 1 &&
                           PhysicalOrder(base.shape()) == PhysicalOrder(node.shape());
      if (!goes_on) break;
      chain.push_back(base);
    }
    if (!IsInPlaceOf(buffer, base, node.shape())) RETURN_IF_ERROR(PlanCopy(base, node.shape(), buffer));
    for (auto update = chain.rbegin(); update != chain.rend(); ++update) {
      Step step;
      step.kind = Step::Kind::kUpdate;
      step.node = *update;
      step.shapes = {node.shape()};
      step.buffers = {buffer};
      RETURN_IF_ERROR(PlanStep(std::move(step)));
    }
    return absl::OkStatus();
  }

  // A scatter, a sort, or a window nest.
  absl::Status PlanAllResults(const ArrayNode& node, std::vector<int> buffers) {
    const bool is_scatter = node.instruction->opcode() == HloOpcode::kScatter;
    Step step;
    const bool is_sort = node.instruction->opcode() == HloOpcode::kSort;
    step.kind = is_scatter ? Step::Kind::kScatter : is_sort ? Step::Kind::kSort : Step::Kind::kScan;
    step.node = node;
    for (size_t k = 0; k < buffers.size(); ++k) {
      Shape shape = node.instruction->shape().IsTuple() ? node.instruction->shape().tuple_shape(static_cast<int>(k))
                                                        : node.instruction->shape();
      const bool is_workspace = buffers[k] < 0;
      if (is_workspace) {
        shape.clear_layout();
        buffers[k] = AddWorkspace(shape.element_type(), shape.ElementCount());
      }
      if (is_scatter) RETURN_IF_ERROR(PlanScattered(node, static_cast<int>(k), shape, buffers[k], is_workspace));
      if (is_sort && !is_workspace) read_outputs_.insert(buffers[k] - static_cast<int>(request_.inputs.size()));
      ShapeIndex leaf;
      if (node.instruction->shape().IsTuple()) leaf.push_back(static_cast<int64_t>(k));
      if (is_workspace) step.makes.push_back({{node.instruction, leaf, node.context}, buffers[k]});
      step.shapes.push_back(std::move(shape));
    }
    step.buffers = std::move(buffers);
    if (is_scatter) {
      step.copies = PlanScatterCopies(*node.instruction, order_);
      if (step.copies.chunks > 0) {
        step.copies.buffer = AddWorkspace(step.copies.type, step.copies.elements());
      }
    } else if (is_sort) {
      step.sort = PlanSort(*node.instruction);
      for (const Shape& shape : step.shapes) {
        if (step.sort.passes == 0) break;
        step.sort.workspaces.push_back(AddWorkspace(shape.element_type(), shape.ElementCount()));
      }
    } else {
      PlanWindows(step);
    }
    return PlanStep(std::move(step));
  }

  // Chooses between a scan and sliding windows, and takes the workspace that each pass needs for its results.
  void PlanWindows(Step& step) {
    const HloInstruction& reduce_window = *step.node.instruction;
    const KernelReducer reducer = ReducerOf(reduce_window);
    if (IsScan(reduce_window, reducer)) {
      step.scan = PlanScan(reduce_window, step.shapes[0], reducer, order_);
      if (step.scan.is_chunked()) step.scan.carries = AddWorkspace(CarryType(reducer), step.scan.carry_elements());
      return;
    }
    step.kind = Step::Kind::kSliding;
    step.sliding = PlanSliding(reduce_window, step.shapes[0], reducer, target_);
    for (size_t i = 0; i + 1 < step.sliding.passes.size(); ++i) {
      SlidingPass& pass = step.sliding.passes[i];
      pass.workspace = AddWorkspace(HeldType(reducer), pass.result_elements());
    }
  }

  // What a scatter changes, in its buffer.
  absl::Status PlanScattered(const ArrayNode& node, int operand, const Shape& shape, int buffer, bool is_workspace) {
    if (!is_workspace) read_outputs_.insert(buffer - static_cast<int>(request_.inputs.size()));
    const ArrayNode base = Resolved({node.instruction->operand(operand), {}, node.context});
    return IsInPlaceOf(buffer, base, shape) ? absl::OkStatus() : PlanCopy(base, shape, buffer);
  }

  // The array, in the layout of `shape`.
  absl::Status PlanCopy(const ArrayNode& node, const Shape& shape, int buffer) {
    NestTarget target{node, buffer};
    target.layout = PhysicalOrder(shape);
    return PlanNest({{std::move(target)}, shape.ElementCount()}, {});
  }

  // The array in a workspace, which later steps read.
  absl::Status PlanWorkspace(const ArrayNode& node) {
    if (++workspace_nesting_ > kMaxWorkspaceNesting) {
      return absl::UnimplementedError(absl::StrCat(node.instruction->name(), ": too many arrays would be kept"));
    }
    if (IsWrittenWhole(node) && node.instruction->opcode() != HloOpcode::kDynamicUpdateSlice) {
      return PlanAllResults(node, std::vector<int>(ResultCount(*node.instruction), -1));
    }
    const Shape& shape = node.shape();
    const int buffer = AddWorkspace(shape.element_type(), shape.ElementCount());
    NestTarget target{node, buffer};
    for (int d = 0; d < shape.rank(); ++d) target.layout.push_back(d);
    return PlanNest({{std::move(target)}, shape.ElementCount()}, {{node, buffer}});
  }

  // ---- Nests

  // A reduction of one array whose elements have an order has its rows in lanes, others their elements.
  bool ReducesInOrder(const ArrayNode& node) {
    const ArrayNode reduce = Resolved(node);
    return !IsInput(reduce) && reduce.instruction->opcode() == HloOpcode::kReduce &&
           reduce.instruction->operand_count() == 2 && !ReducerOf(*reduce.instruction).reorders;
  }

  // Arrays whose dimensions begin alike are made together.
  absl::Status PlanTargets(const std::vector<NestTarget>& targets) {
    std::vector<bool> is_planned(targets.size(), false);
    for (size_t first = 0; first < targets.size(); ++first) {
      if (is_planned[first]) continue;
      Nest nest = {{targets[first]}, targets[first].node.shape().ElementCount()};
      DimensionVector sizes = SizesWithoutOnes(targets[first].node.shape());
      for (size_t i = first + 1; i < targets.size(); ++i) {
        if (is_planned[i]) continue;
        const DimensionVector other = SizesWithoutOnes(targets[i].node.shape());
        const bool is_longer = other.size() >= sizes.size() && std::equal(sizes.begin(), sizes.end(), other.begin());
        const bool is_shorter = other.size() < sizes.size() && std::equal(other.begin(), other.end(), sizes.begin());
        if ((!is_longer && !is_shorter) || sizes.empty() != other.empty()) continue;
        if (ReducesInOrder(targets[i].node) != ReducesInOrder(targets[first].node)) continue;
        if (is_shorter) {
          sizes = other;
          nest.rows = targets[i].node.shape().ElementCount();
        }
        nest.targets.push_back(targets[i]);
        is_planned[i] = true;
      }
      RETURN_IF_ERROR(PlanNest(std::move(nest), {}));
    }
    return absl::OkStatus();
  }

  static DimensionVector SizesWithoutOnes(const Shape& shape) {
    DimensionVector sizes;
    for (const int64_t size : PhysicalSizes(shape)) {
      if (size != 1) sizes.push_back(size);
    }
    return sizes;
  }

  // Plans what a draft of something shows to be needed in front of it. True if there was something, so that the draft
  // is to be written again.
  absl::StatusOr<bool> PlanNeeds(const Draft& draft, ElementEmitter& emitter) {
    RETURN_IF_ERROR(draft.emitter.status());
    const std::vector<ArrayNode> wanted = draft.emitter.wanted();
    for (const ArrayNode& node : wanted) RETURN_IF_ERROR(PlanWorkspace(node));
    bool found = !wanted.empty();
    const std::vector<ElementEmitter::Use> uses = draft.emitter.uses();
    std::vector<ArrayNode> seen;
    for (const ElementEmitter::Use& use : uses) {
      if (use.node.instruction->opcode() != HloOpcode::kReduce || !emitter.IsShared(use.node)) continue;
      if (std::find(seen.begin(), seen.end(), use.node) != seen.end() || emitter.HasPartials(use.node)) continue;
      seen.push_back(use.node);
      absl::optional<ChunkedReduce> chunks = ChunksFor(use.node, emitter, order_);
      if (!chunks.has_value()) continue;
      const PrimitiveType type = emitter.ReducerOf(*use.node.instruction).accumulator_type;
      chunks->buffers = {AddWorkspace(type, chunks->places().total())};
      Step step;
      step.kind = Step::Kind::kReduce;
      step.makes = {{use.node, chunks->buffers[0], chunks->places()}};
      step.reduce = *std::move(chunks);
      RETURN_IF_ERROR(PlanStep(std::move(step)));
      found = true;
    }
    return found;
  }

  // A step without choices.
  absl::Status PlanStep(Step step) {
    for (int round = 0; round < kMaxDrafts; ++round) {
      Draft draft(this);
      WriteStep(step, draft.emitter);
      ASSIGN_OR_RETURN(const bool again, PlanNeeds(draft, draft.emitter));
      if (again) continue;
      steps_.push_back(std::move(step));
      return absl::OkStatus();
    }
    return TooComplex();
  }

  static absl::Status TooComplex() { return absl::UnimplementedError("no plan: each draft asks for another"); }

  // Plans the loops that make some arrays. It writes a draft, looks at what that found out (splits of indices,
  // reductions, elements computed several times), changes the plan and writes again, at most kMaxDrafts times.
  absl::Status PlanNest(Nest nest, std::vector<Step::Binding> makes) {
    NestFindings findings;
    NestPlan plan = FirstPlan(nest);
    bool splits_known = false;
    bool rows_known = nest.rows != nest.targets[0].node.shape().ElementCount();
    bool kept_known = false;
    for (int round = 0; round < kMaxDrafts; ++round) {
      Draft draft(this);
      const ReductionSplits splits_before = reduction_splits_;
      const NestFindings found = WriteNest(nest, plan, draft.emitter);
      ASSIGN_OR_RETURN(const bool again, PlanNeeds(draft, draft.emitter));
      if (again) continue;
      if (!splits_known) findings = found;
      splits_known = true;
      findings.reduces_in_rows_loop = found.reduces_in_rows_loop;
      findings.reduces_in_elements_loop = found.reduces_in_elements_loop;
      NestPlan next = PlanWithLoops(nest, findings);
      next.kept = plan.kept;
      const bool same_loops = next.rows == plan.rows && next.elements == plan.elements &&
                              next.rows_in_lanes == plan.rows_in_lanes && next.in_order == plan.in_order;
      plan = std::move(next);
      if (!same_loops || reduction_splits_ != splits_before) continue;
      const std::vector<ElementEmitter::Use> uses = draft.emitter.uses();
      Kernel kernel = std::move(draft.builder).Finish();
      const absl::optional<ArrayNode> wasted = FindWasted(kernel, uses, plan);
      if (wasted.has_value() && !TryUnrolledRows(kernel, nest, plan)) {
        RETURN_IF_ERROR(PlanWorkspace(*wasted));
        continue;
      }
      if (!rows_known && !plan.unrolled_dimension.has_value()) {
        rows_known = true;
        if (FindRows(uses, plan, nest, findings)) {
          plan = PlanWithLoops(nest, findings);
          continue;
        }
      }
      if (!kept_known && !plan.unrolled_dimension.has_value()) {
        kept_known = true;
        plan.kept = FindKept(uses, nest, plan);
        if (!plan.kept.empty()) continue;
      }
      Step step;
      if (!plan.unrolled_dimension.has_value()) {
        // Unrolled sums have an order of their own, so that no target may do without.
        step.transpose = FindTranspose(kernel, nest, plan, target_);
        if (step.transpose.has_value() || !TryUnrolledRows(kernel, nest, plan)) {
          step.tile = FindRegisterTile(kernel, nest, plan, target_);
          if (step.tile.has_value()) step.transpose.reset();
        }
      }
      ChooseTiles(kernel, nest, plan);
      plan.pieces = FindPieces(kernel);
      step.nest = std::move(nest);
      step.plan = std::move(plan);
      step.makes = std::move(makes);
      steps_.push_back(std::move(step));
      return absl::OkStatus();
    }
    return TooComplex();
  }

  // Whether it is better to have short rows in lanes; then these are the draft and the plan of that.
  bool TryUnrolledRows(Kernel& kernel, Nest& nest, NestPlan& plan) {
    for (UnrolledRows& unrolled : UnrolledRowsToTry(kernel, nest, plan)) {
      Draft draft(this);
      WriteNest(unrolled.nest, unrolled.plan, draft.emitter);
      if (!draft.emitter.status().ok() || !draft.emitter.wanted().empty()) continue;
      const std::vector<ElementEmitter::Use> uses = draft.emitter.uses();
      Kernel written = std::move(draft.builder).Finish();
      if (!IsWorthUnrolling(kernel, written) || FindWasted(written, uses, unrolled.plan).has_value()) continue;
      kernel = std::move(written);
      nest = std::move(unrolled.nest);
      plan = std::move(unrolled.plan);
      return true;
    }
    return false;
  }

  absl::optional<ArrayNode> FindWasted(const Kernel& kernel, const std::vector<ElementEmitter::Use>& uses,
                                       const NestPlan& plan) const {
    absl::optional<ArrayNode> wasted = FindWaste(kernel, uses);
    if (!wasted.has_value() && !plan.rows.empty()) wasted = FindTileWaste(kernel, uses);
    return wasted;
  }

  // An array whose elements are computed more often than it has elements, at a price.
  absl::optional<ArrayNode> FindWaste(const Kernel& kernel, const std::vector<ElementEmitter::Use>& uses) const {
    const std::vector<double> times = TimesComputed(kernel);
    std::vector<std::pair<ArrayNode, double>> sums;
    for (const ElementEmitter::Use& use : uses) {
      if (!IsFold(use.node.instruction->opcode()) || use.node.context >= ElementEmitter::kFirstLocal) continue;
      auto place = std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == use.node; });
      if (place == sums.end()) place = sums.insert(sums.end(), {use.node, 0});
      place->second += times[use.value];
    }
    for (const auto& [node, count] : sums) {
      const HloInstruction& fold = *node.instruction;
      const auto elements = static_cast<double>(node.shape().ElementCount());
      double cost = 1;
      if (fold.opcode() == HloOpcode::kReduceWindow) {
        for (const WindowDimension& d : fold.attributes<WindowAttributes>().window.dimensions) {
          cost *= static_cast<double>(d.size);
        }
      } else {
        cost = static_cast<double>(fold.operand(0)->shape().ElementCount()) / elements;
      }
      if (count > 1.5 * elements && (count - elements) * cost > kMaxWaste) return node;
    }
    return absl::nullopt;
  }

  // One that would be computed again in each tile.
  absl::optional<ArrayNode> FindTileWaste(const Kernel& kernel, const std::vector<ElementEmitter::Use>& uses) const {
    const double total = CostByLevel(kernel, kernel.phases.back(), 0)[0];
    if (total < 4 * static_cast<double>(target_.tile_cost)) return absl::nullopt;
    for (const ElementEmitter::Use& use : uses) {
      const HloInstruction& fold = *use.node.instruction;
      if (use.depth != 0 || !IsFold(fold.opcode()) || !ElementEmitter::IsShared(use.node)) continue;
      const int64_t cost = fold.operand(0)->shape().ElementCount() / use.node.shape().ElementCount();
      if (cost * 16 > target_.tile_cost) return use.node;
    }
    return absl::nullopt;
  }

  // Takes the elements after the loop that holds reductions for a row. True if there is such a loop.
  bool FindRows(const std::vector<ElementEmitter::Use>& uses, const NestPlan& plan, Nest& nest,
                NestFindings& findings) {
    const int depth = static_cast<int>(plan.rows.size());
    int level = 0;
    for (const ElementEmitter::Use& use : uses) {
      if (IsFold(use.node.instruction->opcode()) && use.depth < depth) level = std::max(level, use.depth);
    }
    if (level == 0) return false;
    int64_t rows = 1;
    for (int k = 0; k < level; ++k) rows *= plan.rows[k];
    const int64_t in_row = nest.rows / rows;
    NestFindings split;
    for (const int64_t inner : findings.row_splits) {
      if (inner > in_row && inner % in_row == 0) split.row_splits.insert(inner / in_row);
      if (inner < in_row) split.element_splits[in_row].insert(inner);
    }
    nest.rows = rows;
    findings = std::move(split);
    return true;
  }

  // Arrays of which each row is computed several times, and expensive.
  std::vector<ArrayNode> FindKept(const std::vector<ElementEmitter::Use>& uses, const Nest& nest,
                                  const NestPlan& plan) const {
    std::vector<ArrayNode> kept;
    const int depth = static_cast<int>(plan.rows.size());
    const auto count_of = [&](const HloInstruction* instruction) {
      return std::count_if(uses.begin(), uses.end(), [&](const ElementEmitter::Use& use) {
        return use.node.instruction == instruction && use.in_row && use.depth > depth;
      });
    };
    std::vector<const HloInstruction*> seen;
    int64_t bytes = 0;
    for (const ElementEmitter::Use& use : uses) {
      const HloInstruction& instruction = *use.node.instruction;
      if (!use.in_row || use.depth <= depth || use.node.context >= ElementEmitter::kFirstLocal) continue;
      const int64_t in_row = use.node.shape().ElementCount() / nest.rows;
      if (in_row <= 1 || std::find(seen.begin(), seen.end(), &instruction) != seen.end()) continue;
      seen.push_back(&instruction);
      const auto count = count_of(&instruction);
      if (count < 2 || !IsCostly(instruction) || IsInput(use.node)) continue;
      // Where its only user is computed as often, that one is kept instead.
      if (instruction.users().size() == 1 && count_of(instruction.users()[0]) >= count) continue;
      bytes += in_row * ByteWidth(use.node.shape().element_type());
      if (bytes > target_.kept_bytes) break;
      kept.push_back(use.node);
    }
    return kept;
  }

  // Cuts the loop at which tiles are as much work as they should be, and what is computed once for each tile is little.
  void ChooseTiles(const Kernel& draft, const Nest& nest, NestPlan& plan) {
    if (plan.rows.empty() || draft.phases.empty()) return;
    const int depth = static_cast<int>(plan.rows.size());
    const std::vector<double> levels = CostByLevel(draft, draft.phases.back(), depth);
    double total = 0;
    double times = 1;
    for (int level = 0; level <= depth && level < static_cast<int>(levels.size()); ++level) {
      total += times * levels[level];
      if (level < depth) times *= static_cast<double>(plan.rows[level]);
    }
    const double wanted =
        std::min(total / static_cast<double>(target_.tile_cost), static_cast<double>(target_.max_tiles));
    double outer = 1;
    while (plan.cut + 1 < depth && outer * static_cast<double>(plan.rows[plan.cut]) < wanted &&
           levels[plan.cut + 1] * wanted * 16 < total) {
      outer *= static_cast<double>(plan.rows[plan.cut]);
      ++plan.cut;
    }
    const int64_t size = plan.rows[plan.cut];
    const auto blocks = static_cast<int64_t>(std::max(1.0, wanted / outer));
    plan.block = (size + blocks - 1) / blocks;
    const bool has_rows = nest.rows != nest.targets[0].node.shape().ElementCount();
    const bool rows_in_lanes = !has_rows || plan.unrolled_dimension.has_value();
    if (plan.cut + 1 == depth && rows_in_lanes) {
      plan.block = (plan.block + target_.tile_grain - 1) / target_.tile_grain * target_.tile_grain;
    }
    plan.block = std::min(plan.block, size);
    if (plan.cut + 1 < depth || !rows_in_lanes) plan.block = EvenBlock(size, plan.block);
  }

  // ---- The kernel

  // Writes a step that was planned, by its kind.
  void WriteStep(const Step& step, ElementEmitter& emitter) const {
    switch (step.kind) {
      case Step::Kind::kElements:
        if (step.tile.has_value()) {
          WriteRegisterTile(step.nest, *step.tile, emitter);
        } else if (step.transpose.has_value()) {
          WriteTranspose(step.nest, *step.transpose, emitter);
        } else {
          WriteNest(step.nest, step.plan, emitter);
        }
        break;
      case Step::Kind::kReduce:
        WriteChunkedReduce(step.reduce, emitter);
        break;
      case Step::Kind::kUpdate:
        WriteUpdate(step.node, step.shapes[0], step.buffers[0], target_, emitter);
        break;
      case Step::Kind::kScatter:
        WriteScatter(step.node, step.shapes, step.buffers, step.copies, target_, emitter);
        break;
      case Step::Kind::kScan:
        WriteScan(step.scan, step.node, step.shapes, step.buffers, target_, emitter);
        break;
      case Step::Kind::kSort:
        WriteSort(step.sort, step.node, step.buffers, target_, emitter);
        break;
      case Step::Kind::kSliding:
        WriteSliding(step.sliding, step.node, step.shapes[0], step.buffers[0], target_, emitter);
        break;
    }
  }

  // Writes the planned steps as one kernel, each step with what those before it made.
  absl::StatusOr<LoweredKernel> Write() {
    LoweredKernel lowered;
    const std::vector<Step> steps = std::move(steps_);
    steps_.clear();
    Draft draft(this);
    for (const Step& step : steps) {
      WriteStep(step, draft.emitter);
      RETURN_IF_ERROR(draft.emitter.status());
      Bind({step}, draft.emitter);
    }
    lowered.extras.assign(workspaces_.size(), nullptr);
    for (const auto& constant : draft.emitter.constants()) lowered.extras.push_back(constant.first);
    lowered.kernel = std::move(draft.builder).Finish(/*notes_narrow=*/target_.invocations > 1);
    return lowered;
  }

  static constexpr int kMaxWorkspaceNesting = 64;

  const LoweringRequest& request_;
  const LoweringTarget& target_;
  const SumOrder& order_;
  const std::vector<bool>& copied_;
  const bool in_place_last_;
  const absl::flat_hash_set<const HloInstruction*> inputs_;
  CallContexts calls_;
  ReductionSplits reduction_splits_;
  std::vector<Workspace> workspaces_;
  std::set<int> read_outputs_;
  std::vector<Step> steps_;
  absl::optional<Draft> first_draft_;
  int workspace_nesting_ = 0;
};

void AppendLeaves(const HloInstruction& instruction, const Shape& shape, ShapeIndex& index,
                  std::vector<LoweredOutput>& outputs) {
  if (!shape.IsTuple()) {
    outputs.push_back({&instruction, index, -1});
    return;
  }
  for (int i = 0; i < shape.tuple_size(); ++i) {
    index.push_back(i);
    AppendLeaves(instruction, shape.tuple_shape(i), index, outputs);
    index.pop_back();
  }
}

}  // namespace

// Tiles of some elements for each invocation: more of them than any device runs at once hide how long memory takes.
// They cost nothing to schedule, and groups of one dimension can be this many on every device.
LoweringTarget LoweringTarget::Workgroups(int64_t invocations, int64_t shared_bytes) {
  LoweringTarget target;
  target.tile_cost = 16 * invocations;
  target.max_tiles = 65'535;
  target.tile_grain = invocations;
  target.few_tiles = 1024;
  target.register_tile = 8;
  target.invocations = invocations;
  target.page_bytes = 1;
  target.kept_bytes = shared_bytes / 2;
  target.window_bytes = shared_bytes / 8;
  target.windows_bytes = shared_bytes / 4;
  target.shared_bytes = shared_bytes;
  return target;
}

// Lowers, and lowers again if a result in place of an input would be written before the last read of that input:
// first with such results last, then with a copy of them.
absl::StatusOr<LoweredKernel> LowerToKernel(const LoweringRequest& request, const LoweringTarget& target,
                                            const SumOrder& order) {
  std::vector<bool> copied(request.outputs.size(), false);
  bool in_place_last = false;
  while (true) {
    ASSIGN_OR_RETURN(LoweredKernel lowered, Lowerer(request, target, order, copied, in_place_last).Lower());
    std::vector<size_t> wrong;
    for (size_t i = 0; i < request.outputs.size(); ++i) {
      const int input = request.outputs[i].in_place_of;
      const int output = static_cast<int>(request.inputs.size() + i);
      if (input >= 0 && !IsReadBeforeWritten(lowered.kernel, input, output)) wrong.push_back(i);
    }
    if (wrong.empty()) {
      if (target.register_tile > 1) JamLoops(lowered.kernel, target.register_tile);
      MakeWorkgroups(lowered.kernel, target.invocations);
      RETURN_IF_ERROR(SpillScratch(lowered, target.shared_bytes));
      return lowered;
    }
    // A copy comes last, which leaves no reader of what it writes over.
    if (std::any_of(wrong.begin(), wrong.end(), [&](size_t i) { return copied[i]; })) {
      return absl::InternalError(absl::StrCat(request.name, ": what a copied result is written over is still read"));
    }
    for (const size_t i : wrong) copied[i] = in_place_last;
    in_place_last = true;
  }
}

// The request for an instruction by itself: parameters of a fusion, or operands, are inputs; all leaves of the result
// are outputs.
absl::StatusOr<LoweringRequest> RequestOf(const HloInstruction& instruction, absl::Span<const int> in_place_of) {
  LoweringRequest request;
  request.name = instruction.name();
  const HloInstruction* root = &instruction;
  if (instruction.opcode() == HloOpcode::kFusion) {
    const HloComputation& body = *instruction.called_computation(0);
    for (const HloInstruction* parameter : body.parameters()) request.inputs.push_back(parameter);
    root = body.root();
  } else {
    for (const HloInstruction* operand : instruction.operands()) request.inputs.push_back(operand);
  }
  for (const HloInstruction* input : request.inputs) {
    if (!input->shape().IsArray() || input->shape().IsDynamic()) {
      return absl::UnimplementedError(
          absl::StrCat(instruction.name(), ": no kernel with operands other than static arrays"));
    }
  }
  ShapeIndex index;
  AppendLeaves(*root, root->shape(), index, request.outputs);
  // Without elements to compute, the kernel would do nothing.
  const bool is_empty = std::all_of(request.outputs.begin(), request.outputs.end(), [](const LoweredOutput& output) {
    return ArrayNode{output.instruction, output.leaf, 0}.shape().ElementCount() == 0;
  });
  if (is_empty && HasOwnSideEffect(instruction)) {
    return absl::UnimplementedError(absl::StrCat(instruction.name(), ": no kernel has a side effect"));
  }
  for (size_t i = 0; i < in_place_of.size(); ++i) request.outputs[i].in_place_of = in_place_of[i];
  return request;
}

absl::StatusOr<LoweredKernel> LowerInstruction(const HloInstruction& instruction, const LoweringTarget& target,
                                               absl::Span<const int> in_place_of, const SumOrder& order) {
  ASSIGN_OR_RETURN(const LoweringRequest request, RequestOf(instruction, in_place_of));
  return LowerToKernel(request, target, order);
}

}  // namespace xla
