#include "backends/kernel_ir/lowering/scan_nest.h"

#include <algorithm>
#include <utility>

namespace xla {
namespace {

using Values = ElementEmitter::Values;

// Along shorter dimensions windows are as good.
constexpr int64_t kMinLength = 16;
// Fewer columns are strands.
constexpr int64_t kMinScanColumns = 16;
constexpr int64_t kColumnGrain = 64;
constexpr int64_t kMaxColumnBlock = 512;
constexpr int64_t kColumnTiles = 8;
// Rows of columns that are read while the running values stay in registers.
constexpr int64_t kStepsAtOnce = 4;
// Strands that run side by side, and so many of them where chunks make them.
constexpr int64_t kStrandsTogether = 8;
constexpr int64_t kStrands = 128;
constexpr int64_t kMinStrand = 256;
constexpr int64_t kColumnChunks = 16;
constexpr int64_t kMinColumnChunk = 64;
// Elements that are added up before their sum joins the others.
constexpr int64_t kRoundingBlock = 64;
constexpr int64_t kLanes = 32;

bool Rounds(const KernelReducer& reducer) {
  return reducer.op == HloOpcode::kAdd && reducer.reorders &&
         (IsFloat(reducer.accumulator_type) || IsComplex(reducer.accumulator_type));
}

class ScanWriter {
 public:
  ScanWriter(const ScanPlan& plan, const ArrayNode& node, const std::vector<Shape>& shapes,
             const std::vector<int>& buffers, const LoweringTarget& target, ElementEmitter& emitter)
      : plan_(plan),
        node_(node),
        instruction_(*node.instruction),
        reducer_(emitter.ReducerOf(*node.instruction)),
        shapes_(shapes),
        buffers_(buffers),
        target_(target),
        emitter_(emitter),
        b_(emitter.builder()) {
    for (size_t k = 0; k < shapes.size(); ++k) {
      types_.push_back(reducer_.op.has_value() ? reducer_.accumulator_type : shapes[k].element_type());
      carry_types_.push_back(reducer_.op.has_value() ? CarryType(reducer_) : types_[k]);
    }
  }

  void Write() {
    if (plan_.window.empty_outputs() > 0) WriteEmptyOutputs();
    if (plan_.window.full_outputs() > 0) WriteFullOutputs();
    if (plan_.steps <= 0 || plan_.window.first > plan_.window.length) return;
    if (plan_.is_chunked()) {
      WriteTotals();
      WriteCarries();
    }
    const Part parts[] = {{0, plan_.chunks(), plan_.chunk}, {plan_.chunks(), 1, plan_.tail()}};
    for (const Part& part : parts) {
      if (part.chunks > 0 && part.steps > 0) plan_.column_block > 0 ? WriteColumns(part) : WriteStrands(part);
    }
  }

 private:
  // Chunks of this many steps, from a number on.
  struct Part {
    int64_t first_chunk;
    int64_t chunks;
    int64_t steps;
  };
  // What runs along the dimension in one chunk.
  struct Strand {
    KernelValue row;
    KernelValue chunk;
    KernelValue column;
  };

  // ---- Elements

  Values Initial() {
    Values values;
    for (size_t k = 0; k < shapes_.size(); ++k) {
      const int operand = static_cast<int>(shapes_.size() + k);
      const KernelValue value = emitter_.Emit({instruction_.operand(operand), {}, node_.context}, {});
      values.push_back(
          b_.Convert(b_.Convert(b_.Convert(value, shapes_[k].element_type()), types_[k]), carry_types_[k]));
    }
    return values;
  }

  KernelValue Neutral(PrimitiveType type) { return b_.Convert(b_.Constant(reducer_.neutral), type); }

  Values Combine(const Values& left, const Values& right) {
    if (reducer_.op.has_value()) return {b_.Binary(*reducer_.op, left[0], right[0])};
    Values arguments = left;
    arguments.insert(arguments.end(), right.begin(), right.end());
    return emitter_.Apply(*instruction_.called_computation(0), arguments);
  }

  // The logical index of element (row, `at`, column) of an array with `size` elements along the dimension.
  ElementIndex IndexOf(const Strand& strand, KernelValue at, int64_t size) {
    DimensionVector sizes(shapes_[0].dimensions().begin(), shapes_[0].dimensions().end());
    sizes[plan_.window.dimension] = size;
    return emitter_.indices().Along(plan_.window.dimension, sizes, PhysicalOrder(shapes_[0]), strand.row, at,
                                    strand.column);
  }

  // The elements that step number `step` takes in.
  Values Elements(const Strand& strand, KernelValue step) {
    const int64_t length = plan_.window.length;
    const KernelValue at = plan_.window.from_the_end ? b_.Affine({{-1, step}}, length - 1) : step;
    const ElementIndex index = IndexOf(strand, at, length);
    Values values;
    for (size_t k = 0; k < shapes_.size(); ++k) {
      const KernelValue x = emitter_.Emit({instruction_.operand(static_cast<int>(k)), {}, node_.context}, index);
      values.push_back(b_.Convert(b_.Convert(x, shapes_[k].element_type()), types_[k]));
    }
    return values;
  }

  // The result after step number `step`, if there is one.
  void StoreResults(const Strand& strand, KernelValue step, const Values& values) {
    StoreOutputs(strand, b_.Affine({{1, step}}, 1 - plan_.window.first), values);
  }

  void StoreOutputs(const Strand& strand, KernelValue output, const Values& values) {
    const int64_t outputs = plan_.window.outputs;
    const KernelValue exists = b_.InRange(output, 0, outputs - 1);
    const KernelValue at = plan_.window.from_the_end ? b_.Affine({{-1, output}}, outputs - 1) : output;
    const ElementIndex index = IndexOf(strand, at, outputs);
    for (size_t k = 0; k < shapes_.size(); ++k) {
      const Shape& shape = shapes_[k];
      const ElementIndex place =
          emitter_.indices().Rearrange(shape.dimensions(), index, PhysicalSizes(shape), PhysicalOrder(shape), {});
      const KernelValue value = b_.Convert(values[k], shape.element_type());
      b_.Store(buffers_[k], place.empty() ? b_.Index(0) : emitter_.indices().Linear(place), value, exists);
    }
  }

  KernelValue CarryPlace(const Strand& strand, int64_t slot = 0) {
    const int64_t row_size = (plan_.chunks() + 1) * plan_.inner;
    return b_.Affine({{row_size, strand.row}, {plan_.inner, strand.chunk}, {1, strand.column}}, slot * plan_.inner);
  }

  // What comes before a strand.
  Values CarryOf(const Strand& strand) {
    if (!plan_.is_chunked()) return Initial();
    return {b_.Load(plan_.carries, CarryPlace(strand))};
  }

  // ---- Phases

  // Results of windows that hold nothing.
  void WriteEmptyOutputs() {
    WriteEqualOutputs(0, plan_.window.empty_outputs(), [&](const Strand&) { return Initial(); });
  }

  // Results of windows that hold everything, and places after it.
  void WriteFullOutputs() {
    const int64_t count = plan_.window.full_outputs();
    WriteEqualOutputs(plan_.window.outputs - count, count, [&](const Strand& strand) {
      return b_.Reduce(
          {plan_.window.length}, 1, Initial(), {},
          [&](absl::Span<const KernelValue> i) {
            Values values = Elements(strand, i[0]);
            for (size_t k = 0; k < values.size(); ++k) values[k] = b_.Convert(values[k], carry_types_[k]);
            return values;
          },
          [&](absl::Span<const KernelValue> left, absl::Span<const KernelValue> right) {
            return Combine({left.begin(), left.end()}, {right.begin(), right.end()});
          });
    });
  }

  // Results that are the same along the dimension.
  void WriteEqualOutputs(int64_t first, int64_t count, absl::FunctionRef<Values(const Strand&)> values_of) {
    const int64_t rows_at_once = std::max<int64_t>(
        {1, target_.tile_cost / (count * plan_.inner), (plan_.rows + target_.max_tiles - 1) / target_.max_tiles});
    b_.Phase((plan_.rows + rows_at_once - 1) / rows_at_once, [&](KernelValue tile) {
      emitter_.BeginPhase();
      b_.For(BlockExtent(b_, plan_.rows, rows_at_once, tile), LoopSchedule::kPlain, true, [&](KernelValue i) {
        const KernelValue row = b_.Affine({{rows_at_once, tile}, {1, i}});
        b_.For(b_.Index(plan_.inner), LoopSchedule::kVector, true, [&](KernelValue column) {
          const Strand strand = {row, kNoValue, column};
          Values values = values_of(strand);
          for (size_t k = 0; k < values.size(); ++k) values[k] = b_.Convert(values[k], types_[k]);
          b_.For(b_.Index(count), LoopSchedule::kPlain, true, [&](KernelValue output) {
            StoreOutputs(strand, b_.Affine({{1, output}}, first), values);
          });
        });
      });
    });
  }

  // What each chunk adds up to, where what comes before the next one will be.
  void WriteTotals() {
    const int64_t block = plan_.column_block > 0 ? plan_.column_block : plan_.inner;
    const int64_t blocks = (plan_.inner + block - 1) / block;
    const PrimitiveType type = carry_types_[0];
    const auto total_of = [&](Strand strand, int64_t lanes) {
      const Values neutral = {Neutral(type)};
      const Values total = b_.Reduce(
          {plan_.chunk}, lanes, neutral, lanes > 1 ? neutral : Values(),
          [&](absl::Span<const KernelValue> i) -> Values {
            const Values x = Elements(strand, b_.Affine({{plan_.chunk, strand.chunk}, {1, i[0]}}));
            return {b_.Convert(x[0], type)};
          },
          [&](absl::Span<const KernelValue> left, absl::Span<const KernelValue> right) -> Values {
            return {b_.Binary(*reducer_.op, left[0], right[0])};
          });
      b_.Store(plan_.carries, CarryPlace(strand, 1), total[0]);
    };
    b_.Phase(plan_.rows * plan_.chunks() * blocks, [&](KernelValue tile) {
      emitter_.BeginPhase();
      const KernelValue number = b_.Quotient(tile, blocks);
      Strand strand = {b_.Quotient(number, plan_.chunks()), b_.Remainder(number, plan_.chunks()), b_.Index(0)};
      if (plan_.inner == 1) return total_of(strand, kLanes);
      const KernelValue column_block = b_.Remainder(tile, blocks);
      b_.For(BlockExtent(b_, plan_.inner, block, column_block), LoopSchedule::kVector, true, [&](KernelValue j) {
        strand.column = b_.Affine({{block, column_block}, {1, j}});
        total_of(strand, 1);
      });
    });
  }

  void WriteCarries() {
    b_.Phase(plan_.rows, [&](KernelValue row) {
      emitter_.BeginPhase();
      const Values initial = Initial();
      b_.For(b_.Index(plan_.inner), LoopSchedule::kVector, true, [&](KernelValue column) {
        b_.Store(plan_.carries, CarryPlace({row, b_.Index(0), column}), initial[0]);
        b_.ForWithState(b_.Index(plan_.chunks()), initial,
                        [&](KernelValue chunk, absl::Span<const KernelValue> before) -> Values {
                          const KernelValue place = CarryPlace({row, chunk, column}, 1);
                          const KernelValue next = b_.Binary(*reducer_.op, before[0], b_.Load(plan_.carries, place));
                          b_.Store(plan_.carries, place, next);
                          return {next};
                        });
      });
    });
  }

  // ---- Strands

  // Distributes strands, which are sequences of steps that depend on each other, to tiles; several strands run
  // together, so that none waits for its own last result.
  void WriteStrands(const Part& part) {
    const int64_t strands = plan_.rows * part.chunks * plan_.inner;
    const int64_t together = std::min(strands, kStrandsTogether);
    const int64_t groups = strands / together;
    const int64_t groups_at_once = std::max<int64_t>(
        {1, target_.tile_cost / (4 * together * part.steps), (groups + target_.max_tiles - 1) / target_.max_tiles});
    b_.Phase((groups + groups_at_once - 1) / groups_at_once, [&](KernelValue tile) {
      emitter_.BeginPhase();
      b_.For(BlockExtent(b_, groups, groups_at_once, tile), LoopSchedule::kPlain, false, [&](KernelValue i) {
        WriteGroup(part, b_.Affine({{together * groups_at_once, tile}, {together, i}}), together);
      });
    });
    const int64_t rest = strands % together;
    if (rest == 0) return;
    b_.Phase(1, [&](KernelValue) {
      emitter_.BeginPhase();
      WriteGroup(part, b_.Index(groups * together), rest);
    });
  }

  // Runs some strands side by side. Where the function rounds, running values are folded in blocks, and the sum of a
  // block is added to a wider carry.
  void WriteGroup(const Part& part, KernelValue first, int64_t count) {
    std::vector<Strand> strands;
    Values carries;
    for (int64_t s = 0; s < count; ++s) {
      const KernelValue number = b_.Affine({{1, first}}, s);
      const KernelValue rest = b_.Quotient(number, plan_.inner);
      strands.push_back({b_.Quotient(rest, part.chunks),
                         b_.Affine({{1, b_.Remainder(rest, part.chunks)}}, part.first_chunk),
                         b_.Remainder(number, plan_.inner)});
      const Values carry = CarryOf(strands.back());
      carries.insert(carries.end(), carry.begin(), carry.end());
    }
    if (!reducer_.op.has_value() || !Rounds(reducer_)) {
      RunStrands(strands, b_.Index(0), part.steps, carries, {});
      return;
    }
    carries = b_.ForWithState(b_.Index(part.steps / kRoundingBlock), carries,
                              [&](KernelValue i, absl::Span<const KernelValue> state) {
                                return RunBlock(strands, b_.Affine({{kRoundingBlock, i}}), kRoundingBlock, state);
                              });
    const int64_t rest = part.steps % kRoundingBlock;
    if (rest > 0) RunBlock(strands, b_.Index(part.steps - rest), rest, carries);
  }

  // A block of sums that round; what comes after it.
  Values RunBlock(const std::vector<Strand>& strands, KernelValue begin, int64_t steps,
                  absl::Span<const KernelValue> carries) {
    Values before, zeros, after;
    for (const KernelValue carry : carries) {
      before.push_back(b_.Convert(carry, types_[0]));
      zeros.push_back(Neutral(types_[0]));
    }
    const Values sums = RunStrands(strands, begin, steps, zeros, before);
    for (size_t s = 0; s < sums.size(); ++s) {
      after.push_back(b_.Binary(*reducer_.op, carries[s], b_.Convert(sums[s], carry_types_[0])));
    }
    return after;
  }

  // Steps of all strands; `before`, unless it is empty, joins what is stored.
  Values RunStrands(const std::vector<Strand>& strands, KernelValue begin, int64_t steps, const Values& initial,
                    const Values& before) {
    const size_t count = shapes_.size();
    return b_.ForWithState(b_.Index(steps), initial, [&](KernelValue i, absl::Span<const KernelValue> state) {
      std::vector<KernelValue> places;
      std::vector<Values> running;
      for (size_t s = 0; s < strands.size(); ++s) {
        places.push_back(b_.Affine({{plan_.chunk, strands[s].chunk}, {1, begin}, {1, i}}));
        const Values so_far(state.begin() + s * count, state.begin() + (s + 1) * count);
        running.push_back(Combine(so_far, Elements(strands[s], places[s])));
      }
      Values next;
      for (size_t s = 0; s < strands.size(); ++s) {
        StoreResults(strands[s], places[s], before.empty() ? running[s] : Combine({before[s]}, running[s]));
        next.insert(next.end(), running[s].begin(), running[s].end());
      }
      return next;
    });
  }

  // ---- Columns

  // Columns of a tile, and what runs along them.
  struct Block {
    Strand strand;  // of the first column
    KernelValue count;
    KernelValue first_step;
    std::vector<int> running;
    int before = -1;  // of sums that round
    int carry = -1;
  };

  void ForColumns(const Block& block, absl::FunctionRef<void(const Strand& strand, KernelValue j)> body) {
    b_.For(block.count, LoopSchedule::kVector, true, [&](KernelValue j) {
      Strand strand = block.strand;
      strand.column = b_.Affine({{1, strand.column}, {1, j}});
      body(strand, j);
    });
  }

  // Scans of columns that lie side by side: tiles take blocks of columns and go along the rows, with a running value
  // for each column in scratch.
  void WriteColumns(const Part& part) {
    const int64_t blocks = (plan_.inner + plan_.column_block - 1) / plan_.column_block;
    Block block;
    for (const PrimitiveType type : types_) block.running.push_back(b_.AddScratch("running", type, plan_.column_block));
    const bool rounds = reducer_.op.has_value() && Rounds(reducer_);
    if (rounds) {
      block.before = b_.AddScratch("before", types_[0], plan_.column_block);
      block.carry = b_.AddScratch("carry", carry_types_[0], plan_.column_block);
    }
    b_.Phase(plan_.rows * part.chunks * blocks, [&](KernelValue tile) {
      emitter_.BeginPhase();
      const KernelValue column_block = b_.Remainder(tile, blocks);
      const KernelValue number = b_.Quotient(tile, blocks);
      block.strand = {b_.Quotient(number, part.chunks),
                      b_.Affine({{1, b_.Remainder(number, part.chunks)}}, part.first_chunk),
                      b_.Affine({{plan_.column_block, column_block}})};
      block.count = BlockExtent(b_, plan_.inner, plan_.column_block, column_block);
      block.first_step = b_.Affine({{plan_.chunk, block.strand.chunk}});
      rounds ? RunRoundingColumns(block, part.steps) : RunExactColumns(block, part.steps);
    });
  }

  void RunExactColumns(const Block& block, int64_t steps) {
    ForColumns(block, [&](const Strand& strand, KernelValue j) {
      const Values carry = CarryOf(strand);
      for (size_t k = 0; k < carry.size(); ++k) b_.Store(block.running[k], j, carry[k]);
    });
    RunRows(block, block.first_step, steps);
  }

  // As RunExactColumns, but with a new running sum every kRoundingBlock steps, so that errors of rounding grow with
  // the block and not with the length.
  void RunRoundingColumns(const Block& block, int64_t steps) {
    ForColumns(block, [&](const Strand& strand, KernelValue j) { b_.Store(block.carry, j, CarryOf(strand)[0]); });
    const auto run = [&](KernelValue begin, int64_t count) {
      ForColumns(block, [&](const Strand&, KernelValue j) {
        b_.Store(block.before, j, b_.Convert(b_.Load(block.carry, j), types_[0]));
        b_.Store(block.running[0], j, Neutral(types_[0]));
      });
      RunRows(block, begin, count);
      ForColumns(block, [&](const Strand&, KernelValue j) {
        const KernelValue sum = b_.Convert(b_.Load(block.running[0], j), carry_types_[0]);
        b_.Store(block.carry, j, b_.Binary(*reducer_.op, b_.Load(block.carry, j), sum));
      });
    };
    b_.For(b_.Index(steps / kRoundingBlock), LoopSchedule::kPlain, false, [&](KernelValue i) {
      run(b_.Affine({{1, block.first_step}, {kRoundingBlock, i}}), kRoundingBlock);
    });
    const int64_t rest = steps % kRoundingBlock;
    if (rest > 0) run(b_.Affine({{1, block.first_step}}, steps - rest), rest);
  }

  // Adds rows to the running values, several at once, so that these are loaded and stored once for all of them.
  void RunRows(const Block& block, KernelValue begin, int64_t steps) {
    const auto run = [&](KernelValue first, int64_t count) {
      ForColumns(block, [&](const Strand& strand, KernelValue j) {
        Values running;
        for (const int buffer : block.running) running.push_back(b_.Load(buffer, j));
        const KernelValue before = block.before < 0 ? kNoValue : b_.Load(block.before, j);
        for (int64_t i = 0; i < count; ++i) {
          const KernelValue step = b_.Affine({{1, first}}, i);
          running = Combine(running, Elements(strand, step));
          StoreResults(strand, step, before == kNoValue ? running : Combine({before}, running));
        }
        for (size_t k = 0; k < running.size(); ++k) b_.Store(block.running[k], j, running[k]);
      });
    };
    b_.For(b_.Index(steps / kStepsAtOnce), LoopSchedule::kPlain, false,
           [&](KernelValue i) { run(b_.Affine({{1, begin}, {kStepsAtOnce, i}}), kStepsAtOnce); });
    const int64_t rest = steps % kStepsAtOnce;
    if (rest > 0) run(b_.Affine({{1, begin}}, steps - rest), rest);
  }

  const ScanPlan& plan_;
  const ArrayNode& node_;
  const HloInstruction& instruction_;
  const KernelReducer& reducer_;
  const std::vector<Shape>& shapes_;
  const std::vector<int>& buffers_;
  const LoweringTarget& target_;
  ElementEmitter& emitter_;
  KernelBuilder& b_;
  std::vector<PrimitiveType> types_;        // of what runs
  std::vector<PrimitiveType> carry_types_;  // of what comes before a block or a chunk
};

void ChooseChunks(const KernelReducer& reducer, const SumOrder& order, ScanPlan& plan) {
  plan.chunk = plan.steps;
  const int64_t work = plan.rows * plan.inner * plan.steps;
  if (!reducer.op.has_value() || !reducer.reorders || work < 8 * order.part_work) return;
  const int64_t strands = plan.rows * plan.inner;
  if (plan.column_block == 0) {
    if (strands >= kStrands) return;
    plan.chunk = std::min(plan.steps, std::max(kMinStrand, plan.steps / (kStrands / strands)));
    return;
  }
  if (plan.rows * ((plan.inner + plan.column_block - 1) / plan.column_block) * 2 >= kColumnTiles) return;
  plan.chunk = std::min(plan.steps, std::max(kMinColumnChunk, plan.steps / kColumnChunks));
}

}  // namespace

bool IsScan(const HloInstruction& reduce_window, const KernelReducer& reducer) {
  if (reduce_window.opcode() != HloOpcode::kReduceWindow) return false;
  const Shape& shape = reduce_window.shape();
  if ((shape.IsTuple() ? shape.tuple_shape(0) : shape).ElementCount() == 0) return false;
  const absl::optional<CumulativeWindow> window = FindCumulativeWindow(reduce_window);
  if (!window.has_value() || window->length < kMinLength) return false;
  if (reduce_window.operand(0)->shape().ElementCount() == 0) return false;
  return !window->from_the_end || (reducer.op.has_value() && reducer.reorders);
}

// Plans the scan by where the dimension lies in memory: dimensions before it are rows, those after it are columns.
// With many columns, these are the inner loop; else strands are.
ScanPlan PlanScan(const HloInstruction& reduce_window, const Shape& shape, const KernelReducer& reducer,
                  const SumOrder& order) {
  ScanPlan plan;
  plan.window = *FindCumulativeWindow(reduce_window);
  plan.steps = std::min(plan.window.length, plan.window.first + plan.window.outputs - 1);
  bool behind = false;
  for (const int d : PhysicalOrder(shape)) {
    if (d == plan.window.dimension) {
      behind = true;
    } else {
      (behind ? plan.inner : plan.rows) *= shape.dimension(d);
    }
  }
  if (plan.inner >= kMinScanColumns) {
    const int64_t share = (plan.inner / kColumnTiles + kColumnGrain - 1) / kColumnGrain * kColumnGrain;
    plan.column_block = std::min({plan.inner, kMaxColumnBlock, std::max(share, kColumnGrain)});
  }
  ChooseChunks(reducer, order, plan);
  return plan;
}

PrimitiveType CarryType(const KernelReducer& reducer) {
  if (!Rounds(reducer)) return reducer.accumulator_type;
  return IsComplex(reducer.accumulator_type) ? C128 : F64;
}

void WriteScan(const ScanPlan& plan, const ArrayNode& reduce_window, const std::vector<Shape>& shapes,
               const std::vector<int>& buffers, const LoweringTarget& target, ElementEmitter& emitter) {
  ScanWriter(plan, reduce_window, shapes, buffers, target, emitter).Write();
}

}  // namespace xla
