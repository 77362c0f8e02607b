// Loops and branches.
#include <algorithm>
#include <limits>

#include "backends/cpu/codegen/kernel_emitter.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace codegen {
namespace {

// Longer loops are emitted as loops whatever their schedule asks for: code for every iteration would not fit the
// instruction cache, and LLVM takes time in proportion to it.
constexpr int64_t kMostUnrolled = 64;
// Bodies with functions of this many operations are emitted for two registers of lanes.
constexpr int kMostDoubledMath = 64;
// So many columns of rows do not wait for each other.
constexpr size_t kManyColumns = 4;

// The parts of an element that flow through phis.
std::vector<V> PartsOf(const Element& element) {
  if (element.bits.exists()) return {element.bits};
  if (element.imaginary.exists()) return {element.value, element.imaginary};
  return {element.value};
}

// What a loop body works on, for the number of its lanes.
// The emitter decides by it how many lanes a loop gets: the widest type fills a register, and chains of operations
// that wait for each other want several registers at once.
struct BodyWork {
  int widest_bytes = 0;
  int operations = 0;
  bool has_math = false;
  bool has_chain = false;  // each step waits for the one before it
  bool has_turns = false;  // the same, in a loop with state
};

int RegisterBytes(PrimitiveType type) {
  if (type == PRED) return 1;
  return BitsOf(ValueKind(type)) / 8;
}

// Indices are left out: they rarely become vectors.
void AddWork(const Kernel& kernel, const KernelRegion& region, BodyWork& work) {
  for (const KernelInstruction& instruction : region.instructions) {
    for (const KernelRegion& nested : instruction.regions) AddWork(kernel, nested, work);
    if (instruction.op == KernelOp::kElementwise) {
      ++work.operations;
      work.has_math = work.has_math || IsMathFunction(instruction.opcode);
      const PrimitiveType type = kernel.TypeOf(instruction.results[0]);
      if (type != S64 || instruction.opcode != HloOpcode::kConvert) {
        work.widest_bytes = std::max(work.widest_bytes, RegisterBytes(type));
      }
    }
    if (instruction.op == KernelOp::kMultiplyAdd) {
      ++work.operations;
      work.widest_bytes = std::max(work.widest_bytes, RegisterBytes(kernel.TypeOf(instruction.results[0])));
    }
    if (instruction.op == KernelOp::kLoad || instruction.op == KernelOp::kStore) {
      work.widest_bytes = std::max(work.widest_bytes, RegisterBytes(kernel.buffers[instruction.buffer].type));
    }
    const bool has_state = instruction.op == KernelOp::kFor && instruction.operands.size() > 1;
    work.has_chain = work.has_chain || instruction.op == KernelOp::kReduce || has_state;
    work.has_turns = work.has_turns || has_state;
    if (instruction.op == KernelOp::kWhile) work.operations += 8;
  }
}

}  // namespace

// Phi nodes for the parts of elements, appended to `phis`, and elements made of them. Parts come in the order of
// PartsOf.
KernelEmitter::Elements KernelEmitter::PhisLike(absl::Span<const Element> elements, std::vector<V>& phis) {
  for (const Element& element : elements) {
    for (const V& part : PartsOf(element)) phis.push_back(ir_.Phi(part.kind, part.lanes));
  }
  Elements merged;
  size_t next = 0;
  for (const Element& element : elements) {
    const V first = phis[next++];
    if (element.bits.exists()) {
      merged.push_back(ElementOfBits(element.type, first));
    } else if (element.imaginary.exists()) {
      merged.push_back(MakeComplex(element.type, first, phis[next++]));
    } else {
      merged.push_back(MakeElement(element.type, first));
    }
  }
  return merged;
}

void KernelEmitter::AddIncoming(absl::Span<const V> phis, absl::Span<const Element> elements, Block from) {
  size_t next = 0;
  for (const Element& element : elements) {
    for (const V& part : PartsOf(element)) ir_.AddIncoming(phis[next++], part, from);
  }
}

// if (begin < end) { do { body } while ((index += step) < end) }: what the code generator likes best. One iteration
// that is known to be all needs no loop.
KernelEmitter::Elements KernelEmitter::EmitShortLoop(const Loop& loop, Elements state, LoopBody body) {
  const absl::optional<int64_t> first = ir_.ConstantInt(loop.begin);
  const absl::optional<int64_t> end = ir_.ConstantInt(loop.end);
  if (first.has_value() && end.has_value() && *first < *end && *end - *first <= loop.step) {
    return body(loop.begin, state);
  }
  const Block before = ir_.CurrentBlock();
  const Block repeat = ir_.NewBlock("loop");
  const Block done = ir_.NewBlock("done");
  ir_.Branch(loop.begin < loop.end, repeat, done);

  ir_.SetBlock(repeat);
  const V index = ir_.Phi(Kind::kI64, 1);
  std::vector<V> phis;
  const Elements current = PhisLike(state, phis);
  const Elements next_state = body(index, current);
  const V next = ir_.AddIndex(index, IndexConstant(loop.step));
  const Block last = ir_.CurrentBlock();
  ir_.Branch(next < loop.end, repeat, done);
  ir_.AddIncoming(index, loop.begin, before);
  ir_.AddIncoming(index, next, last);
  AddIncoming(phis, state, before);
  AddIncoming(phis, next_state, last);

  ir_.SetBlock(done);
  std::vector<V> result_phis;
  const Elements results = PhisLike(state, result_phis);
  AddIncoming(result_phis, state, before);
  AddIncoming(result_phis, next_state, last);
  return results;
}

KernelEmitter::Elements KernelEmitter::EmitNest(
    const KernelInstruction& reduce, absl::Span<const int64_t> extents, Elements& indices, Elements state,
    absl::FunctionRef<Elements(absl::Span<const Element> indices, Elements state)> body) {
  if (extents.empty()) return body(indices, std::move(state));
  Loop loop{IndexConstant(0), IndexConstant(extents[0])};
  loop.work = loop_work_.OfIteration(reduce, indices.size() + 1);
  return EmitLoop(loop, std::move(state), [&](V index, absl::Span<const Element> current) {
    indices.push_back(Index(index));
    Elements next = EmitNest(reduce, extents.subspan(1), indices, {current.begin(), current.end()}, body);
    indices.pop_back();
    return next;
  });
}

// How many iterations of a vector loop run at once: those whose widest values fill a register, more of them where the
// body is short or waits for its own results, and fewer if the loop has not that many.
int KernelEmitter::ChooseLanes(const KernelRegion& region, V extent) {
  BodyWork work;
  AddWork(kernel_, region, work);
  if (work.widest_bytes == 0) return 1;
  int lanes = target_.vector_bytes / work.widest_bytes;
  // Short bodies: two registers' worth of lanes, so that loop overhead and latencies weigh half. Four where reductions
  // wait for their own results, and where a column of one register would use a cache line of each row. Functions are
  // chains of dozens of operations, each of which waits for the one before it: two of them at once.
  const bool has_many_columns =
      std::any_of(interleaved_rows_.begin(), interleaved_rows_.end(),
                  [](const InterleavedRows& rows) { return rows.columns.size() >= kManyColumns; });
  if (!work.has_math && work.operations <= 6) {
    lanes *= work.has_chain ? 4 : 2;
  } else if (has_many_columns) {
    // They are chains enough.
  } else if (work.has_math ? work.operations <= kMostDoubledMath : work.has_turns && work.operations <= 24) {
    lanes *= 2;
  }
  const absl::optional<int64_t> count = ir_.ConstantInt(extent);
  while (count.has_value() && lanes / 2 >= *count && lanes > 1) lanes /= 2;
  return lanes;
}

void KernelEmitter::EmitVectorTail(const KernelRegion& region, V begin, V extent) {
  mask_ = ir_.LaneNumbers(Kind::kI64, lanes_) < (extent - begin);
  EmitRegion(region, {Index(begin, 1)});
  mask_ = V();
}

// Runs `lanes` iterations at once for as many vectors as fit, then the rest: one vector under a mask, or one by one
// where the extent is not known and the target has no masked loads and stores.
void KernelEmitter::EmitVectorLoop(const KernelInstruction& instruction) {
  const KernelRegion& region = instruction.regions[0];
  const V extent = Value(instruction.operands[0]).value;
  Loop loop{IndexConstant(0), extent};
  loop.work = loop_work_.Of(region);
  loop.most_iterations = loop_work_.MostIterations(instruction.operands[0]);
  FindInterleavedRows(region);
  const int lanes = ChooseLanes(region, extent);
  const auto one = [&](V index, absl::Span<const Element>) {
    EmitRegion(region, {Index(index)});
    return Elements();
  };
  if (lanes == 1) {
    EmitLoop(loop, {}, one);
    return;
  }
  const absl::optional<int64_t> count = ir_.ConstantInt(extent);
  const V full = count.has_value() ? IndexConstant(*count / lanes * lanes) : extent & -static_cast<int64_t>(lanes);
  const auto several = [&](V index, absl::Span<const Element>) {
    multiples_[region.arguments[0]] = std::min(lanes, 64);
    EmitRegion(region, {Index(index, 1)});
    multiples_[region.arguments[0]] = 1;
    return Elements();
  };
  lanes_ = lanes;
  row_extent_ = count.value_or(std::numeric_limits<int64_t>::max());
  CopyWhatRepeats(region, extent);
  loop.step = lanes;
  loop.begin = EmitRuns(region, loop, several);
  const V begin = loop.begin;
  const absl::optional<int64_t> begun = ir_.ConstantInt(begin);
  const bool is_done = count.has_value() && begun.has_value() && *begun + lanes > *count;
  loop.end = full;
  if (!is_done) EmitLoop(loop, {}, several);
  if (count.has_value()) {
    if (*count % lanes != 0) EmitVectorTail(region, full, extent);
    lanes_ = 1;
    return;
  }
  if (!target_.has_masks) {
    lanes_ = 1;
    EmitShortLoop({full, extent}, {}, one);
    return;
  }
  const Block tail = ir_.NewBlock("tail");
  const Block done = ir_.NewBlock("vector.done");
  ir_.Branch(full < extent, tail, done);
  ir_.SetBlock(tail);
  EmitVectorTail(region, full, extent);
  ir_.Branch(done);
  ir_.SetBlock(done);
  lanes_ = 1;
}

KernelEmitter::Elements KernelEmitter::EmitUnrolled(const KernelRegion& region, int64_t extent, Elements state) {
  for (int64_t i = 0; i < extent; ++i) {
    Elements arguments = {Index(IndexConstant(i))};
    arguments.insert(arguments.end(), state.begin(), state.end());
    state = EmitRegion(region, arguments);
  }
  return state;
}

// Emits a loop by its form: as vectors of iterations, as a transposed copy, with a limit that differs between lanes,
// unrolled, or plain.
void KernelEmitter::EmitFor(const KernelInstruction& instruction) {
  const KernelRegion& region = instruction.regions[0];
  const Element extent = Value(instruction.operands[0]);
  Elements state = ValuesOf(absl::MakeConstSpan(instruction.operands).subspan(1));
  if (lanes_ == 1 && instruction.independent && instruction.schedule == LoopSchedule::kVector) {
    return EmitVectorLoop(instruction);
  }
  if (EmitTransposedCopy(instruction)) return;
  const absl::optional<int64_t> count = ir_.ConstantInt(extent.value);
  const auto body = [&](V index, absl::Span<const Element> current) {
    Elements arguments = {Index(index)};
    arguments.insert(arguments.end(), current.begin(), current.end());
    return InLanes(EmitRegion(region, arguments));
  };
  const double work = loop_work_.Of(region);
  const double most = loop_work_.MostIterations(instruction.operands[0]);
  Elements results;
  if (!extent.IsUniform()) {
    const V limit = InLanes(extent).value;
    results = EmitDivergentLoop(
        InLanes(std::move(state)), [&](V index, absl::Span<const Element>) { return ir_.Splat(index, lanes_) < limit; },
        body, LoopWork::IsLong(most, work) ? work : 0);
  } else if (instruction.schedule == LoopSchedule::kUnroll && count.has_value() && *count <= kMostUnrolled) {
    results = EmitUnrolled(region, *count, std::move(state));
  } else {
    results = EmitLoop({IndexConstant(0), extent.value, /*step=*/1, work, most}, InLanes(std::move(state)), body);
  }
  for (size_t i = 0; i < results.size(); ++i) values_[instruction.results[i]] = results[i];
}

// A loop whose lanes end at different times, as `while` does where rows are in lanes: it runs until no lane is
// active. A lane that has left keeps its state (SelectElement), and its stores are masked.
KernelEmitter::Elements KernelEmitter::EmitDivergentLoop(
    Elements state, absl::FunctionRef<V(V index, absl::Span<const Element> state)> condition, LoopBody body,
    double work) {
  const V outer_mask = mask_;
  const V active = outer_mask.exists() || lanes_ == 1 ? outer_mask : ir_.Int(Kind::kI1, -1, lanes_);
  const V initially = active.exists() ? active : ir_.Int(Kind::kI1, 1);
  const Block before = ir_.CurrentBlock();
  const Block header = ir_.NewBlock("while");
  const Block repeat = ir_.NewBlock("while.body");
  const Block done = ir_.NewBlock("while.done");
  ir_.Branch(header);

  ir_.SetBlock(header);
  const V index = ir_.Phi(Kind::kI64, 1);
  const V were_active = ir_.Phi(Kind::kI1, lanes_);
  std::vector<V> phis;
  const Elements current = PhisLike(state, phis);
  if (lanes_ > 1) mask_ = were_active;
  const V stay = were_active & ir_.Splat(condition(index, current), lanes_);
  ir_.Branch(ir_.AnyLane(stay), repeat, done);

  ir_.SetBlock(repeat);
  if (lanes_ > 1) mask_ = stay;
  Elements next = body(index, current);
  if (lanes_ > 1) {
    for (size_t i = 0; i < next.size(); ++i) next[i] = SelectElement(stay, next[i], current[i]);
  }
  const V next_index = ir_.AddIndex(index, IndexConstant(1));
  if (work > 0) EmitQuestion(work);
  const Block last = ir_.CurrentBlock();
  ir_.Branch(header);
  ir_.AddIncoming(index, IndexConstant(0), before);
  ir_.AddIncoming(index, next_index, last);
  ir_.AddIncoming(were_active, initially, before);
  ir_.AddIncoming(were_active, stay, last);
  AddIncoming(phis, state, before);
  AddIncoming(phis, next, last);

  ir_.SetBlock(done);
  mask_ = outer_mask;
  return current;
}

double KernelEmitter::WorkOfWhile(const KernelInstruction& instruction) const {
  return loop_work_.Of(instruction.regions[0]) + loop_work_.Of(instruction.regions[1]);
}

// if (condition) { do { body } while (condition) }, as EmitLoop.
KernelEmitter::Elements KernelEmitter::EmitUniformWhile(const KernelInstruction& instruction) {
  const Elements initial = ValuesOf(instruction.operands);
  const V begins = EmitRegion(instruction.regions[0], initial)[0].value;
  const Block before = ir_.CurrentBlock();
  const Block repeat = ir_.NewBlock("while");
  const Block done = ir_.NewBlock("while.done");
  ir_.Branch(begins, repeat, done);

  ir_.SetBlock(repeat);
  std::vector<V> phis;
  const Elements current = PhisLike(initial, phis);
  const Elements next = EmitRegion(instruction.regions[1], current);
  const V goes_on = EmitRegion(instruction.regions[0], next)[0].value;
  EmitQuestion(WorkOfWhile(instruction));
  const Block last = ir_.CurrentBlock();
  ir_.Branch(goes_on, repeat, done);
  AddIncoming(phis, initial, before);
  AddIncoming(phis, next, last);

  ir_.SetBlock(done);
  std::vector<V> result_phis;
  const Elements results = PhisLike(initial, result_phis);
  AddIncoming(result_phis, initial, before);
  AddIncoming(result_phis, next, last);
  return results;
}

// In lanes, the loop goes on as long as a lane does, and lanes that are done keep their state.
void KernelEmitter::EmitWhile(const KernelInstruction& instruction) {
  if (lanes_ == 1) {
    const Elements results = EmitUniformWhile(instruction);
    for (size_t i = 0; i < results.size(); ++i) values_[instruction.results[i]] = results[i];
    return;
  }
  const auto condition = [&](V, absl::Span<const Element> state) {
    return EmitRegion(instruction.regions[0], state)[0].value;
  };
  const auto body = [&](V, absl::Span<const Element> state) {
    return InLanes(EmitRegion(instruction.regions[1], state));
  };
  const Elements results =
      EmitDivergentLoop(InLanes(ValuesOf(instruction.operands)), condition, body, WorkOfWhile(instruction));
  for (size_t i = 0; i < results.size(); ++i) values_[instruction.results[i]] = results[i];
}

// Both branches in blocks of their own, merged by phi nodes. Only for predicates that are one for all lanes.
KernelEmitter::Elements KernelEmitter::EmitBranches(const KernelInstruction& instruction, V predicate) {
  const Block blocks[] = {ir_.NewBlock("then"), ir_.NewBlock("else")};
  const Block done = ir_.NewBlock("if.done");
  ir_.Branch(predicate, blocks[0], blocks[1]);
  Elements results[2];
  Block ends[2];
  for (int i = 0; i < 2; ++i) {
    ir_.SetBlock(blocks[i]);
    results[i] = InLanes(EmitRegion(instruction.regions[i], {}));
    ends[i] = ir_.CurrentBlock();
    ir_.Branch(done);
  }
  ir_.SetBlock(done);
  std::vector<V> phis;
  Elements merged = PhisLike(results[0], phis);
  for (int i = 0; i < 2; ++i) AddIncoming(phis, results[i], ends[i]);
  return merged;
}

// Emits a region for the lanes of `mask` only, skipped if there are none. Stores within are masked; results are those
// of the region in the lanes of the mask and unspecified in others.
KernelEmitter::Elements KernelEmitter::EmitUnderMask(const KernelRegion& region, V mask) {
  const V outer_mask = mask_;
  const Block run = ir_.NewBlock("lanes");
  const Block done = ir_.NewBlock("lanes.done");
  const Block before = ir_.CurrentBlock();
  ir_.Branch(ir_.AnyLane(mask), run, done);
  ir_.SetBlock(run);
  mask_ = mask;
  const Elements results = InLanes(EmitRegion(region, {}));
  mask_ = outer_mask;
  const Block last = ir_.CurrentBlock();
  ir_.Branch(done);
  ir_.SetBlock(done);
  std::vector<V> phis;
  Elements merged = PhisLike(results, phis);
  AddIncoming(phis, results, last);
  // No lane came this way, so that any value will do.
  for (const V& phi : phis) {
    ir_.AddIncoming(phi, phi.LikeNumber(0), before);
  }
  return merged;
}

// Lanes that disagree run both branches, one after the other, each under a mask and skipped if no lane takes it.
KernelEmitter::Elements KernelEmitter::EmitBothBranches(const KernelInstruction& instruction, V predicate) {
  const V outer = mask_;
  const auto restricted = [&](V mask) { return outer.exists() ? outer & mask : mask; };
  const Elements then = EmitUnderMask(instruction.regions[0], restricted(predicate));
  const Elements otherwise = EmitUnderMask(instruction.regions[1], restricted(Not(predicate)));
  Elements results;
  for (size_t i = 0; i < then.size(); ++i) results.push_back(SelectElement(predicate, then[i], otherwise[i]));
  return results;
}

void KernelEmitter::EmitIf(const KernelInstruction& instruction) {
  const Element predicate = Value(instruction.operands[0]);
  const Elements results = predicate.IsUniform() ? EmitBranches(instruction, predicate.value)
                                                 : EmitBothBranches(instruction, predicate.value);
  for (size_t i = 0; i < results.size(); ++i) values_[instruction.results[i]] = results[i];
}

}  // namespace codegen
}  // namespace xla
