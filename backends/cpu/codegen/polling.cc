// Loops that may take long ask from time to time whether the run is to end, and then the kernel returns.
//
// A function has a number on the stack, which becomes a register: how much work it may still do until it asks. Long
// loops subtract from it: those with a large body in each iteration, others in strips of many iterations, around which
// a second loop is made, so that the loop itself stays as it is. A `while` with a small body subtracts in each
// iteration.
#include <algorithm>

#include "backends/cpu/codegen/kernel_emitter.h"

namespace xla {
namespace codegen {
namespace {

// Work between two questions, each of which takes some ten to a hundred nanoseconds.
constexpr int64_t kPatience = 1 << 20;
// Of a strip. Its end costs a branch that the processor does not foresee.
constexpr double kWorkOfStrip = 1 << 18;

}  // namespace

KernelEmitter::Elements KernelEmitter::EmitLoop(const Loop& loop, Elements state, LoopBody body) {
  const absl::optional<int64_t> first = ir_.ConstantInt(loop.begin);
  const absl::optional<int64_t> end = ir_.ConstantInt(loop.end);
  const double most = first.has_value() && end.has_value() ? static_cast<double>(*end - *first) : loop.most_iterations;
  if (!LoopWork::IsLong(most, loop.work)) return EmitShortLoop(loop, std::move(state), body);
  const int64_t steps = static_cast<int64_t>(kWorkOfStrip / (loop.work * static_cast<double>(loop.step)));
  if (steps <= 1) {
    return EmitShortLoop(loop, std::move(state), [&](V index, absl::Span<const Element> current) {
      Elements next = body(index, current);
      EmitQuestion(loop.work * static_cast<double>(loop.step));
      return next;
    });
  }
  Loop strips = loop;
  strips.step = steps * loop.step;
  return EmitShortLoop(strips, std::move(state), [&](V index, absl::Span<const Element> current) {
    Loop strip = loop;
    strip.begin = index;
    strip.end = ir_.AddIndex(index, IndexConstant(strips.step));
    strip.end = Select(strip.end < loop.end, strip.end, loop.end);
    Elements next = EmitShortLoop(strip, {current.begin(), current.end()}, body);
    EmitQuestion(loop.work * static_cast<double>(strips.step));
    return next;
  });
}

// Counts work, and asks once there was enough of it.
void KernelEmitter::EmitQuestion(double work) {
  if (!patience_.exists()) {
    patience_ = ir_.StackInteger(kPatience);
    stopped_ = ir_.NewBlock("stopped");
  }
  constexpr int kAlignment = 8;
  const int64_t counted = static_cast<int64_t>(std::clamp<double>(work, 1, kPatience));
  const V left = ir_.Load(patience_, Kind::kI64, 1, kAlignment) - counted;
  ir_.Store(patience_, left, kAlignment);
  const Block ask = ir_.NewBlock("ask");
  const Block go_on = ir_.NewBlock("go.on");
  ir_.BranchRarely(left < 0, ask, go_on);
  ir_.SetBlock(ask);
  ir_.Store(patience_, IndexConstant(kPatience), kAlignment);
  const V function = ir_.Load(stop_, Kind::kPointer, 1, sizeof(void*));
  const V run = ir_.Load(ir_.Offset(stop_, IndexConstant(1), sizeof(void*)), Kind::kPointer, 1, sizeof(void*));
  ir_.BranchRarely(ir_.CallBlindly(function, run) != 0, stopped_, go_on);
  ir_.SetBlock(go_on);
}

// Where the kernel returns early.
void KernelEmitter::EndPolling() {
  if (patience_.exists()) {
    ir_.Branch(stopped_);
    ir_.SetBlock(stopped_);
  }
  patience_ = V();
}

}  // namespace codegen
}  // namespace xla
