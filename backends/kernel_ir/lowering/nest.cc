#include "backends/kernel_ir/lowering/nest.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"

namespace xla {
namespace {

// Inner loops of fewer elements are left together with the outer one.
constexpr int64_t kShortLoop = 8;

// Pieces of long loops begin at multiples of this, so that vectors stay aligned: what is around a cut in between is a
// short piece that keeps its predicates.
constexpr int64_t kPieceGrain = 64;
constexpr int64_t kLongLoop = 16 * kPieceGrain;
// Bodies that do much more than to move elements are not written more often than this.
constexpr size_t kMostPieces = 6;
constexpr size_t kMostPiecesOfMoves = 64;

std::vector<int64_t> SplitLoop(int64_t size, const std::set<int64_t>& inner_sizes) {
  std::vector<int64_t> loops;
  for (auto inner = inner_sizes.rbegin(); inner != inner_sizes.rend(); ++inner) {
    if (*inner < kShortLoop || *inner >= size || size % *inner != 0) continue;
    loops.push_back(size / *inner);
    size = *inner;
  }
  if (size > 1) loops.push_back(size);
  return loops;
}

// Where the predicates change that a loop's body asks of the loop's index.
std::set<int64_t> CutsOf(const KernelRegion& body, int64_t extent) {
  std::set<int64_t> cuts;
  for (const KernelInstruction& instruction : body.instructions) {
    if (instruction.op != KernelOp::kInRange || instruction.operands[0] != body.arguments[0]) continue;
    cuts.insert(instruction.constant);
    if (instruction.constant2 < extent) cuts.insert(instruction.constant2 + 1);
  }
  std::set<int64_t> inside;
  const int64_t grain = extent >= kLongLoop ? kPieceGrain : 1;
  for (const int64_t cut : cuts) {
    if (cut <= 0 || cut >= extent) continue;
    const int64_t before = cut / grain * grain;
    const int64_t after = before == cut ? cut : before + grain;
    if (before > 0) inside.insert(before);
    if (after < extent) inside.insert(after);
  }
  return inside;
}

bool OnlyMoves(const KernelRegion& body) {
  return std::all_of(body.instructions.begin(), body.instructions.end(), [](const KernelInstruction& instruction) {
    return instruction.regions.empty() &&
           (instruction.op != KernelOp::kElementwise || instruction.opcode == HloOpcode::kSelect ||
            instruction.opcode == HloOpcode::kAnd);
  });
}

// Finds vector loops whose body has conditions on the index that hold for a range of it: cutting the loop at the ends
// of these ranges makes the conditions constant in each piece.
void CollectPieces(const Kernel& kernel, const KernelRegion& region,
                   absl::flat_hash_map<KernelValue, int64_t>& constants,
                   std::map<int64_t, std::vector<int64_t>>& pieces) {
  for (const KernelInstruction& instruction : region.instructions) {
    if (instruction.op == KernelOp::kConstant && kernel.TypeOf(instruction.results[0]) == S64) {
      constants[instruction.results[0]] = *instruction.literal.data<int64_t>();
    }
    if (instruction.op != KernelOp::kFor) continue;
    const KernelRegion& body = instruction.regions[0];
    CollectPieces(kernel, body, constants, pieces);
    const auto extent = constants.find(instruction.operands[0]);
    if (instruction.schedule != LoopSchedule::kVector || extent == constants.end()) continue;
    const std::set<int64_t> cuts = CutsOf(body, extent->second);
    if (cuts.empty() || cuts.size() >= (OnlyMoves(body) ? kMostPiecesOfMoves : kMostPieces)) continue;
    pieces[extent->second].assign(cuts.begin(), cuts.end());
  }
}

int64_t ElementsPerRow(const Nest& nest, const ArrayNode& node) { return node.shape().ElementCount() / nest.rows; }

class NestWriter {
 public:
  NestWriter(const Nest& nest, const NestPlan& plan, ElementEmitter& emitter)
      : nest_(nest), plan_(plan), emitter_(emitter), b_(emitter.builder()) {}

  // Writes the phase of a nest: tiles are blocks of the loop at `cut` and of all loops outside of it, decoded from
  // the tile's number.
  NestFindings Write() {
    for (const ArrayNode& node : plan_.kept) {
      scratch_.push_back(
          b_.AddScratch(node.instruction->name(), node.shape().element_type(), ElementsPerRow(nest_, node)));
    }
    if (plan_.rows.empty()) {
      b_.Phase(1, [&](KernelValue) {
        emitter_.BeginPhase();
        WriteRow({});
      });
      return std::move(findings_);
    }
    int64_t outer = 1;
    for (int k = 0; k < plan_.cut; ++k) outer *= plan_.rows[k];
    const int64_t size = plan_.rows[plan_.cut];
    const int64_t blocks = (size + plan_.block - 1) / plan_.block;
    b_.Phase(outer * blocks, [&](KernelValue tile) {
      emitter_.BeginPhase();
      std::vector<KernelValue> loops(plan_.rows.size(), kNoValue);
      const KernelValue block = b_.Remainder(tile, blocks);
      KernelValue rest = b_.Quotient(tile, blocks);
      for (int k = plan_.cut; k > 0; --k) {
        loops[k - 1] = b_.Remainder(rest, plan_.rows[k - 1]);
        rest = b_.Quotient(rest, plan_.rows[k - 1]);
      }
      const KernelValue extent = BlockExtent(b_, size, plan_.block, block);
      WriteRows(plan_.cut, extent, b_.Affine({{plan_.block, block}}), loops);
    });
    return std::move(findings_);
  }

 private:
  // One loop, or several one after the other where the plan cuts it.
  void ForInPieces(KernelValue extent, LoopSchedule schedule, bool independent,
                   absl::FunctionRef<void(KernelValue)> body) {
    const absl::optional<int64_t> count = b_.ConstantIndex(extent);
    const auto cuts = count.has_value() ? plan_.pieces.find(*count) : plan_.pieces.end();
    if (schedule != LoopSchedule::kVector || cuts == plan_.pieces.end()) {
      return b_.For(extent, schedule, independent, body);
    }
    std::vector<int64_t> ends = cuts->second;
    ends.push_back(*count);
    int64_t begin = 0;
    for (const int64_t end : ends) {
      b_.For(b_.Index(end - begin), schedule, independent, [&](KernelValue i) { body(b_.Affine({{1, i}}, begin)); });
      begin = end;
    }
  }

  // The loop `k` over rows and those within it.
  void WriteRows(int k, KernelValue extent, KernelValue begin, std::vector<KernelValue>& loops) {
    const bool innermost = k + 1 == static_cast<int>(plan_.rows.size());
    const bool single_elements = std::all_of(nest_.targets.begin(), nest_.targets.end(),
                                             [&](const NestTarget& t) { return ElementsPerRow(nest_, t.node) == 1; });
    const bool is_whole_row = single_elements || plan_.unrolled_dimension.has_value();
    const bool vector = innermost && is_whole_row && plan_.rows_in_lanes && plan_.kept.empty();
    const LoopSchedule schedule = vector ? LoopSchedule::kVector : LoopSchedule::kPlain;
    ForInPieces(extent, schedule, plan_.kept.empty(), [&](KernelValue i) {
      loops[k] = begin == kNoValue ? i : b_.Affine({{1, begin}, {1, i}});
      if (!innermost) return WriteRows(k + 1, b_.Index(plan_.rows[k + 1]), kNoValue, loops);
      const size_t splits_before = emitter_.indices().splits().size();
      emitter_.ClearLaneReductions();
      WriteRow(loops);
      if (emitter_.HasLaneReductionsAt(b_.Depth())) findings_.reduces_in_rows_loop = true;
      if (plan_.rows.size() == 1) NoteSplits(splits_before, loops[k], &findings_.row_splits);
    });
  }

  // Writes a row: arrays that are kept for the row go to scratch first, then targets whose rows are equally long
  // share one loop.
  void WriteRow(const std::vector<KernelValue>& loops) {
    ElementIndex row;
    for (size_t k = 0; k < loops.size(); ++k) row.push_back({plan_.rows[k], loops[k]});
    const KernelValue row_number = row.empty() ? b_.Index(0) : emitter_.indices().Linear(row);
    emitter_.SetRow(row_number, nest_.rows);
    if (plan_.unrolled_dimension.has_value()) return WriteUnrolled(row);
    for (size_t i = 0; i < plan_.kept.size(); ++i) {
      const ArrayNode& node = plan_.kept[i];
      const int64_t count = ElementsPerRow(nest_, node);
      WriteElements(count, row, [&](const ElementIndex& index, KernelValue in_row) {
        const ElementIndex logical = emitter_.indices().Reshape(index, node.shape().dimensions());
        b_.Store(scratch_[i], in_row, emitter_.Emit(node, logical));
      });
      emitter_.BindRange(node, scratch_[i], b_.Affine({{count, row_number}}), count);
    }
    // Arrays with rows of equal lengths are made together.
    std::vector<bool> is_done(nest_.targets.size(), false);
    for (size_t first = 0; first < nest_.targets.size(); ++first) {
      if (is_done[first]) continue;
      const int64_t count = ElementsPerRow(nest_, nest_.targets[first].node);
      WriteElements(count, row, [&](const ElementIndex& index, KernelValue in_row) {
        const KernelValue place = b_.Affine({{count, row_number}, {1, in_row}});
        std::vector<std::pair<int, KernelValue>> values;
        for (size_t i = first; i < nest_.targets.size(); ++i) {
          const NestTarget& target = nest_.targets[i];
          if (ElementsPerRow(nest_, target.node) != count) continue;
          is_done[i] = true;
          values.push_back({target.buffer, emitter_.Emit(target.node, LogicalIndex(target, index, emitter_))});
        }
        for (const auto& [buffer, value] : values) b_.Store(buffer, place, value);
      });
    }
  }

  // All values first: what is loaded or stored together then stands together.
  void WriteUnrolled(const ElementIndex& row) {
    emitter_.UnrollFolds(true);
    struct Element {
      int buffer;
      KernelValue place;
      KernelValue value;
    };
    std::vector<Element> elements;
    for (const NestTarget& target : nest_.targets) {
      const int64_t count = ElementsPerRow(nest_, target.node);
      for (int64_t e = 0; e < count; ++e) {
        ElementIndex index = row;
        if (count > 1) index.insert(index.begin() + *plan_.unrolled_dimension, {count, b_.Index(e)});
        const KernelValue place = emitter_.indices().Linear(index);
        elements.push_back({target.buffer, place, emitter_.Emit(target.node, LogicalIndex(target, index, emitter_))});
      }
    }
    for (const Element& element : elements) b_.Store(element.buffer, element.place, element.value);
    emitter_.UnrollFolds(false);
  }

  using ElementBody = absl::FunctionRef<void(const ElementIndex& index, KernelValue in_row)>;

  // Writes the loops over the elements of a row, with the innermost one in vectors unless it must stay in order, and
  // notes what the next draft needs to know.
  void WriteElements(int64_t count, const ElementIndex& row, ElementBody body) {
    if (count == 1) return body(row, b_.Index(0));
    const auto planned = plan_.elements.find(count);
    const std::vector<int64_t> sizes = planned == plan_.elements.end() ? std::vector<int64_t>{count} : planned->second;
    const bool vector = plan_.in_order.count(count) == 0;
    ElementIndex elements;
    const std::function<void(size_t)> write = [&](size_t k) {
      const bool innermost = k + 1 == sizes.size();
      const LoopSchedule schedule = innermost && vector ? LoopSchedule::kVector : LoopSchedule::kPlain;
      ForInPieces(b_.Index(sizes[k]), schedule, true, [&](KernelValue i) {
        elements.push_back({sizes[k], i});
        if (innermost) {
          ElementIndex index = row;
          index.insert(index.end(), elements.begin(), elements.end());
          const size_t splits_before = emitter_.indices().splits().size();
          emitter_.ClearLaneReductions();
          body(index, emitter_.indices().Linear(elements));
          if (emitter_.HasLaneReductionsAt(b_.Depth())) findings_.reduces_in_elements_loop.insert(count);
          if (sizes.size() == 1) NoteSplits(splits_before, i, &findings_.element_splits[count]);
        } else {
          write(k + 1);
        }
        elements.pop_back();
      });
    };
    write(0);
  }

  void NoteSplits(size_t from, KernelValue loop, std::set<int64_t>* inner_sizes) {
    const auto& splits = emitter_.indices().splits();
    for (size_t i = from; i < splits.size(); ++i) {
      if (splits[i].value == loop) inner_sizes->insert(splits[i].inner);
    }
  }

  const Nest& nest_;
  const NestPlan& plan_;
  ElementEmitter& emitter_;
  KernelBuilder& b_;
  std::vector<int> scratch_;
  NestFindings findings_;
};

}  // namespace

ElementIndex LogicalIndex(const NestTarget& target, const ElementIndex& index, ElementEmitter& emitter) {
  const Shape& shape = target.node.shape();
  const std::vector<int> order = target.layout.empty() ? PhysicalOrder(shape) : target.layout;
  DimensionVector physical;
  for (const int d : order) physical.push_back(shape.dimension(d));
  const ElementIndex reshaped = emitter.indices().Reshape(index, physical);
  std::vector<int> place(order.size());
  for (size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int>(i);
  return emitter.indices().Rearrange(physical, reshaped, shape.dimensions(), place, {});
}

NestPlan FirstPlan(const Nest& nest) { return PlanWithLoops(nest, NestFindings()); }

NestPlan PlanWithLoops(const Nest& nest, const NestFindings& findings) {
  NestPlan plan;
  plan.rows = SplitLoop(nest.rows, findings.row_splits);
  for (const auto& [count, splits] : findings.element_splits) plan.elements[count] = SplitLoop(count, splits);
  plan.block = plan.rows.empty() ? 1 : plan.rows[0];
  plan.rows_in_lanes = !findings.reduces_in_rows_loop;
  plan.in_order = findings.reduces_in_elements_loop;
  return plan;
}

std::map<int64_t, std::vector<int64_t>> FindPieces(const Kernel& draft) {
  std::map<int64_t, std::vector<int64_t>> pieces;
  absl::flat_hash_map<KernelValue, int64_t> constants;
  if (!draft.phases.empty()) CollectPieces(draft, draft.phases.back().body, constants, pieces);
  return pieces;
}

const KernelRegion* InnermostLoop(const Kernel& draft, int depth, std::vector<KernelValue>* indices) {
  const KernelRegion* region = &draft.phases.back().body;
  for (int k = 0; k < depth; ++k) {
    const auto loop = std::find_if(region->instructions.begin(), region->instructions.end(),
                                   [](const KernelInstruction& i) { return i.op == KernelOp::kFor; });
    if (loop == region->instructions.end()) return nullptr;
    region = &loop->regions[0];
    indices->push_back(region->arguments[0]);
  }
  return region;
}

NestFindings WriteNest(const Nest& nest, const NestPlan& plan, ElementEmitter& emitter) {
  return NestWriter(nest, plan, emitter).Write();
}

}  // namespace xla
