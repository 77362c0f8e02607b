#include "backends/plan/observed_steps.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "backends/plan/memory_contents.h"
#include "backends/plan/plan_trace.h"
#include "backends/plan/verify_plan.h"
#include "backends/runtime/block_order.h"
#include "backends/runtime/memory_order.h"
#include "backends/runtime/poison.h"
#include "passes/analyses/side_effects.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using Event = PlanTrace::Event;

bool IsGiven(const HloInstruction& instruction) { return HasTrait(instruction.opcode(), opcode_trait::kGiven); }

// An array with its memory.
struct PlacedArray {
  BufferSlice slice;
  int32_t dynamic_buffer = -1;  // place of its run-time sizes; -1: it has none
};

// What a thunk stands for, the same in all iterations.
struct StepFacts {
  int64_t number = 0;
  std::vector<const HloInstruction*> instructions;
  int32_t loop = -1;  // the innermost around it, in Loops
  bool has_side_effect = false;
  std::vector<ObservedArray> operands, results;
  std::vector<PlacedArray> operand_places, result_places;
};

// The loops of a program, by nesting, and how far each is.
class Loops {
 public:
  explicit Loops(const std::vector<Event>& events) {
    int32_t current = -1;
    for (const Event& event : events) {
      if (event.kind == Event::Kind::kLoopBegin) {
        loops_.push_back({event.instruction, current});
        current = static_cast<int32_t>(loops_.size()) - 1;
      } else if (event.kind == Event::Kind::kLoopTest) {
        tests_[event.step] = current;
      } else if (event.kind == Event::Kind::kLoopRepeat) {
        repeats_[event.step] = current;
      } else if (event.kind == Event::Kind::kLoopEnd) {
        loops_[current].end = event.step;
        current = loops_[current].parent;
      } else if (event.kind == Event::Kind::kThunk) {
        around_[event.step] = current;
      }
    }
  }

  int32_t Around(int32_t step) const { return around_.at(step); }
  std::vector<ObservedLoop> Iterations(int32_t innermost) const {
    std::vector<ObservedLoop> loops;
    for (int32_t loop = innermost; loop >= 0; loop = loops_[loop].parent) {
      loops.push_back({loops_[loop].instruction, loops_[loop].iteration});
    }
    std::reverse(loops.begin(), loops.end());
    return loops;
  }
  void AfterJump(int32_t step, int32_t next) {
    const auto test = tests_.find(step);
    const auto repeat = repeats_.find(step);
    if (repeat != repeats_.end()) ++loops_[repeat->second].iteration;
    const int32_t loop = test != tests_.end() ? test->second : repeat != repeats_.end() ? repeat->second : -1;
    if (loop >= 0 && next == loops_[loop].end) loops_[loop].iteration = 0;
  }

 private:
  struct Loop {
    const HloInstruction* instruction;
    int32_t parent;
    int32_t end = -1;  // the step after it
    int64_t iteration = 0;
  };
  std::vector<Loop> loops_;
  absl::flat_hash_map<int32_t, int32_t> tests_, repeats_, around_;  // by step
};

std::string SliceName(const BufferSlice& slice) {
  const std::string base = slice.IsConstant()                  ? absl::StrCat("constant ", slice.constant())
                           : slice.base == BufferSlice::kArena ? "arena"
                                                               : absl::StrCat("base ", slice.base);
  return absl::StrCat(base, " [", slice.offset, ", ", slice.offset + slice.bytes, ")");
}

bool IsWithin(const BufferSlice& inner, const BufferSlice& outer) {
  return inner.base == outer.base && inner.offset >= outer.offset &&
         inner.offset + inner.bytes <= outer.offset + outer.bytes;
}

// What steps wrote, and whether it is still there.
class WrittenMemory {
 public:
  struct Record {
    uint64_t fingerprint;
    int64_t written_by;  // number of a step; -1: it was there before the first
    int64_t spoiled_by = -1;
  };

  explicit WrittenMemory(int32_t base_count) : written_(base_count) {}

  // `slice` holds what step `by` wrote there.
  void Write(const BufferSlice& slice, int64_t by, const ExecuteContext& context) {
    if (slice.bytes <= 0 || slice.base <= 0) return;
    Forget(slice);
    records_[Key(slice)] = {FingerprintOf(slice, context), by};
    written_[slice.base].Write(slice.offset, slice.offset + slice.bytes, kWritten);
  }
  // A step writes there, and says so.
  void Forget(const BufferSlice& slice) {
    // The records of a base are apart from each other, but for equal beginnings.
    auto it = records_.lower_bound({slice.base, slice.offset, 0});
    while (it != records_.begin() && SliceOf(std::prev(it)->first).Overlaps(slice)) --it;
    while (it != records_.end() && SliceOf(it->first).Overlaps(slice)) it = records_.erase(it);
  }
  bool IsWritten(const BufferSlice& slice) const {
    if (slice.bytes <= 0 || slice.base <= 0) return true;
    return written_[slice.base].Holds(slice.offset, slice.offset + slice.bytes, kWritten);
  }
  // That of `slice`, if it was written as a whole and is something else now; else nullptr.
  const Record* FindSpoiled(const BufferSlice& slice, const ExecuteContext& context) const {
    const auto found = records_.find(Key(slice));
    if (found == records_.end() || FingerprintOf(slice, context) == found->second.fingerprint) return nullptr;
    return &found->second;
  }
  // Looks at everything after a step.
  void Watch(int64_t step, const ExecuteContext& context) {
    for (auto& [key, record] : records_) {
      const bool is_intact = record.spoiled_by >= 0 || FingerprintOf(SliceOf(key), context) == record.fingerprint;
      if (!is_intact) record.spoiled_by = step;
    }
  }

 private:
  using SliceKey = std::tuple<int32_t, int64_t, int64_t>;  // base, offset, bytes
  static constexpr MemoryContents::Value kWritten = 0;

  static SliceKey Key(const BufferSlice& slice) { return {slice.base, slice.offset, slice.bytes}; }
  static BufferSlice SliceOf(const SliceKey& key) { return {std::get<0>(key), std::get<1>(key), std::get<2>(key)}; }
  static uint64_t FingerprintOf(const BufferSlice& slice, const ExecuteContext& context) {
    const absl::string_view bytes(static_cast<const char*>(context.Address(slice)), static_cast<size_t>(slice.bytes));
    return absl::Hash<absl::string_view>()(bytes);
  }

  std::map<SliceKey, Record> records_;
  std::vector<MemoryContents> written_;  // by base
};

// A second memory of the same places.
class ReferenceMemory {
 public:
  static absl::StatusOr<std::unique_ptr<ReferenceMemory>> Create(const ProgramPlan& plan, const ExecuteContext& context,
                                                                 MemoryBudget* memory) {
    auto reference = std::make_unique<ReferenceMemory>();
    const std::vector<int64_t> bytes = BytesOfBases(plan);
    for (int32_t base = 0; base < plan.base_count; ++base) {
      ASSIGN_OR_RETURN(Literal literal, Literal::Allocate(Shape::Array(U8, {bytes[base]}), memory));
      const bool is_there = bytes[base] > 0 && context.bases[base] != nullptr;
      if (is_there) std::memcpy(literal.untyped_mutable_data(), context.bases[base], static_cast<size_t>(bytes[base]));
      reference->bases_.push_back(std::move(literal));
    }
    for (const auto& sizes : context.dynamic_sizes) {
      reference->dynamic_sizes.push_back(sizes == nullptr ? nullptr : std::make_unique<DimensionVector>(*sizes));
    }
    return reference;
  }

  char* Address(const BufferSlice& slice, const ExecuteContext& context) {
    if (slice.IsConstant()) return static_cast<char*>(context.Address(slice));
    return static_cast<char*>(bases_[slice.base].untyped_mutable_data()) + slice.offset;
  }

  std::vector<std::unique_ptr<DimensionVector>> dynamic_sizes;

 private:
  std::vector<Literal> bases_;
};

// What a thunk is about to write over.
struct Snapshot {
  std::vector<std::pair<BufferSlice, std::string>> bytes;

  Snapshot(const std::vector<BufferSlice>& slices, const ExecuteContext& context) {
    for (const BufferSlice& slice : slices) {
      if (slice.bytes <= 0) continue;
      bytes.emplace_back(slice, std::string(static_cast<const char*>(context.Address(slice)), slice.bytes));
    }
  }
  void Restore(const ExecuteContext& context) const {
    for (const auto& [slice, saved] : bytes) std::memcpy(context.Address(slice), saved.data(), saved.size());
  }
  bool Overlaps(const BufferSlice& slice) const {
    return std::any_of(bytes.begin(), bytes.end(), [&](const auto& saved) { return saved.first.Overlaps(slice); });
  }
  // Lays what the slice had before over `data`, a copy of it.
  void ApplyTo(const BufferSlice& slice, char* data) const {
    for (const auto& [saved_slice, saved] : bytes) {
      if (!saved_slice.Overlaps(slice)) continue;
      const int64_t begin = std::max(slice.offset, saved_slice.offset);
      const int64_t end = std::min(slice.offset + slice.bytes, saved_slice.offset + saved_slice.bytes);
      std::memcpy(data + (begin - slice.offset), saved.data() + (begin - saved_slice.offset),
                  static_cast<size_t>(end - begin));
    }
  }
};

using DynamicSizes = std::vector<std::unique_ptr<DimensionVector>>;

// An array in the memory of a program as a literal: the memory itself where it is row-major.
absl::StatusOr<Literal> LiteralAt(const Shape& shape, const void* data, const PlacedArray& place,
                                  const DynamicSizes& dynamic_sizes) {
  Literal value;
  if (shape.IsRowMajor()) {
    value = Literal::Borrow(shape, data);
  } else {
    ASSIGN_OR_RETURN(value, Literal::Allocate(shape));
    if (value.size_bytes() > 0) CopyToRowMajor(shape, data, value.untyped_mutable_data());
  }
  if (place.dynamic_buffer < 0 || dynamic_sizes[place.dynamic_buffer] == nullptr) return value;
  const DimensionVector& sizes = *dynamic_sizes[place.dynamic_buffer];
  for (int d = 0; d < shape.rank(); ++d) value.SetDynamicSize(d, sizes[d]);
  return value;
}

class Step;

class ObservedSteps : public StepHook {
 public:
  ObservedSteps(const ProgramPlan& plan, StepObserver& observer, const ExecuteContext& context)
      : plan_(plan), observer_(observer), loops_(plan.trace->events), written_(plan.base_count) {
    for (const Event& event : plan.trace->events) {
      if (event.kind == Event::Kind::kThunk) events_[plan.program.steps[event.step].thunk] = &event;
    }
    const Dataflow& dataflow = plan.trace->assignment.dataflow();
    for (const HloInstruction* parameter : plan.module->entry()->parameters()) {
      const Dataflow::Position first = dataflow.FirstPosition(*parameter);
      for (int64_t i = 0; i < dataflow.PositionCount(*parameter); ++i) {
        const absl::optional<PlacedArray> place = PlaceOf(first + i);
        if (place.has_value()) written_.Write(place->slice, -1, context);
      }
    }
    if (context.has_kept_values && plan.kept_bytes > 0) {
      written_.Write({plan.kept_base, 0, plan.kept_bytes}, -1, context);
    }
  }

  absl::Status KeepReference(const ExecuteContext& context, MemoryBudget* memory) {
    ASSIGN_OR_RETURN(reference_, ReferenceMemory::Create(plan_, context, memory));
    return absl::OkStatus();
  }

  absl::Status BeforeThunk(const Thunk& thunk, ExecuteContext& context) override;
  absl::Status AfterThunk(const Thunk& thunk, ExecuteContext& context) override;
  void AfterJump(int32_t step, int32_t next) override { loops_.AfterJump(step, next); }

  ReferenceMemory* reference() const { return reference_.get(); }

 private:
  absl::optional<PlacedArray> PlaceOf(Dataflow::Position position) const {
    const Dataflow& dataflow = plan_.trace->assignment.dataflow();
    const Shape& shape = dataflow.ShapeAt(position);
    const AssignedBuffer* const buffer = shape.IsArray() ? plan_.trace->assignment.BufferAt(position) : nullptr;
    if (buffer == nullptr) return absl::nullopt;
    PlacedArray place;
    place.slice = plan_.trace->slices[buffer->id];
    place.slice.bytes = shape.ByteSize();
    if (shape.IsDynamic()) place.dynamic_buffer = static_cast<int32_t>(buffer->id);
    return place;
  }

  void AddArrays(const HloInstruction& instruction, bool are_results, const ThunkInfo& info, StepFacts& facts) const {
    const Dataflow& dataflow = plan_.trace->assignment.dataflow();
    const Dataflow::Position first = dataflow.FirstPosition(instruction);
    for (int64_t i = 0; i < dataflow.PositionCount(instruction); ++i) {
      const absl::optional<PlacedArray> place = PlaceOf(first + i);
      if (!place.has_value()) continue;
      const auto has_it = [&](const BufferSlice& slice) { return IsWithin(place->slice, slice); };
      const bool is_written = dataflow.IsDefinition(first + i) && place->slice.bytes > 0 &&
                              std::any_of(info.writes.begin(), info.writes.end(), has_it);
      if (are_results && !is_written) continue;
      std::vector<ObservedArray>& arrays = are_results ? facts.results : facts.operands;
      (are_results ? facts.result_places : facts.operand_places).push_back(*place);
      ObservedArray array;
      array.instruction = &instruction;
      array.leaf = dataflow.IndexAt(first + i);
      array.shape = dataflow.ShapeAt(first + i);
      array.place = SliceName(place->slice);
      array.is_result = are_results;
      array.number = static_cast<int64_t>(arrays.size());
      arrays.push_back(std::move(array));
    }
  }

  // What is needed only among the instructions of a thunk, that may keep to itself.
  bool IsNeededOutside(const HloInstruction& instruction,
                       const absl::flat_hash_set<const HloInstruction*>& inside) const {
    if (&instruction == instruction.parent()->root()) return true;
    const auto users = instruction.users();
    return std::any_of(users.begin(), users.end(), [&](const HloInstruction* user) {
      if (!inside.contains(user)) return true;
      return plan_.trace->assignment.IsIdle(*user) && IsNeededOutside(*user, inside);
    });
  }

  // Of results in one place, only the last is there in the end.
  static void DropOverwritten(StepFacts& facts) {
    std::vector<ObservedArray> arrays;
    std::vector<PlacedArray> places;
    for (size_t i = 0; i < facts.results.size(); ++i) {
      const auto begin = facts.result_places.begin() + static_cast<int64_t>(i) + 1;
      const bool is_overwritten = std::any_of(begin, facts.result_places.end(), [&](const PlacedArray& later) {
        return later.slice.Overlaps(facts.result_places[i].slice);
      });
      if (is_overwritten) continue;
      arrays.push_back(facts.results[i]);
      arrays.back().number = static_cast<int64_t>(places.size());
      places.push_back(facts.result_places[i]);
    }
    facts.results = std::move(arrays);
    facts.result_places = std::move(places);
  }

  // nullptr: the thunk stands for no instruction.
  const StepFacts* FactsOf(const Thunk& thunk) {
    const auto event = events_.find(&thunk);
    if (event == events_.end()) return nullptr;
    const auto [known, is_new] = facts_.emplace(&thunk, nullptr);
    if (!is_new) return known->second.get();
    auto facts = std::make_unique<StepFacts>();
    facts->number = event->second->step;
    facts->loop = loops_.Around(event->second->step);
    const auto all = event->second->instruction->parent()->instructions();
    absl::flat_hash_set<const HloInstruction*> inside;
    for (const auto& instruction : all.subspan(event->second->number, event->second->count)) {
      if (IsGiven(*instruction)) continue;
      facts->instructions.push_back(instruction.get());
      inside.insert(instruction.get());
    }
    facts->has_side_effect =
        (thunk.info().has_side_effect && !thunk.info().is_fallback) ||
        std::any_of(facts->instructions.begin(), facts->instructions.end(), [this](const HloInstruction* instruction) {
          return HasTrait(instruction->opcode(), opcode_trait::kCollective) || side_effects_.Has(*instruction);
        });
    absl::flat_hash_set<const HloInstruction*> known_operands;
    for (const HloInstruction* instruction : facts->instructions) {
      for (const HloInstruction* operand : instruction->operands()) {
        const bool is_new_operand = !inside.contains(operand) && known_operands.insert(operand).second;
        if (is_new_operand) AddArrays(*operand, /*are_results=*/false, thunk.info(), *facts);
      }
    }
    for (const HloInstruction* instruction : facts->instructions) {
      if (plan_.trace->assignment.IsIdle(*instruction) || !IsNeededOutside(*instruction, inside)) continue;
      AddArrays(*instruction, /*are_results=*/true, thunk.info(), *facts);
    }
    DropOverwritten(*facts);
    facts_[&thunk] = std::move(facts);
    return facts_[&thunk].get();
  }

  const ProgramPlan& plan_;
  StepObserver& observer_;
  Loops loops_;
  WrittenMemory written_;
  std::unique_ptr<ReferenceMemory> reference_;
  SideEffects side_effects_;
  absl::flat_hash_map<const Thunk*, const Event*> events_;
  absl::flat_hash_map<const Thunk*, std::unique_ptr<StepFacts>> facts_;
  absl::flat_hash_map<const Thunk*, std::unique_ptr<Step>> under_way_;  // between before and after
};

class Step : public ObservedStep {
 public:
  Step(const Thunk& thunk, const StepFacts& facts, std::vector<ObservedLoop> around, ReferenceMemory* reference,
       ExecuteContext& context)
      : thunk_(thunk), facts_(facts), reference_(reference), context_(context), before_(thunk.info().writes, context) {
    number = facts.number;
    kind = thunk.info().kind;
    device = context.device.id();
    instructions = facts.instructions;
    loops = std::move(around);
    operands = facts.operands;
    results = facts.results;
    has_side_effect = facts.has_side_effect;
  }

  absl::StatusOr<Literal> Read(const ObservedArray& array) const override {
    const PlacedArray& place = PlaceOf(array);
    const void* const data = context_.Address(place.slice);
    if (array.is_result || !has_run_ || !before_.Overlaps(place.slice)) {
      return LiteralAt(array.shape, data, place, context_.dynamic_sizes);
    }
    std::string bytes(static_cast<const char*>(data), static_cast<size_t>(place.slice.bytes));
    before_.ApplyTo(place.slice, &bytes[0]);
    ASSIGN_OR_RETURN(Literal value, LiteralAt(array.shape, bytes.data(), place, context_.dynamic_sizes));
    RETURN_IF_ERROR(value.MakeWritable(nullptr));  // a copy of its own
    return value;
  }

  absl::StatusOr<Literal> ReadReference(const ObservedArray& array) const override {
    const PlacedArray& place = PlaceOf(array);
    return LiteralAt(array.shape, reference_->Address(place.slice, context_), place, reference_->dynamic_sizes);
  }

  bool IsAsInReference(const ObservedArray& array) const override {
    const PlacedArray& place = PlaceOf(array);
    if (place.dynamic_buffer >= 0) return false;
    return place.slice.bytes <= 0 ||
           std::memcmp(context_.Address(place.slice), reference_->Address(place.slice, context_),
                       static_cast<size_t>(place.slice.bytes)) == 0;
  }

  void WriteReference(const ObservedArray& array, const Literal& value) override {
    const PlacedArray& place = PlaceOf(array);
    if (value.size_bytes() > 0) {
      CopyFromRowMajor(array.shape, value.untyped_data(), reference_->Address(place.slice, context_));
    }
    if (place.dynamic_buffer < 0) return;
    std::unique_ptr<DimensionVector>& sizes = reference_->dynamic_sizes[place.dynamic_buffer];
    sizes = value.has_dynamic_sizes() ? std::make_unique<DimensionVector>() : nullptr;
    for (int d = 0; sizes != nullptr && d < array.shape.rank(); ++d) sizes->push_back(value.dynamic_size(d));
  }

  absl::StatusOr<std::vector<Literal>> Repeat(Repetition repetition) override {
    if (has_side_effect || !has_run_) {
      return absl::FailedPreconditionError(
          absl::StrCat(instructions[0]->name(), ": the step cannot be repeated, for it does more than compute"));
    }
    const Snapshot after(thunk_.info().writes, context_);
    before_.Restore(context_);
    if (repetition == Repetition::kPoisoned) Poison();
    absl::optional<BackwardsBlocks> backwards;
    if (repetition == Repetition::kBackwards) backwards.emplace();
    const int64_t more_steps = context_.more_steps;
    const absl::Status status = thunk_.Execute(context_);
    context_.more_steps = more_steps;
    backwards.reset();
    absl::StatusOr<std::vector<Literal>> values = status.ok() ? CopiesOfResults() : status;
    after.Restore(context_);
    return values;
  }

  void HasRun() { has_run_ = true; }

 private:
  const PlacedArray& PlaceOf(const ObservedArray& array) const {
    return (array.is_result ? facts_.result_places : facts_.operand_places)[array.number];
  }

  // What is written and not read.
  void Poison() const {
    const auto overlaps = [](const std::vector<BufferSlice>& slices, const BufferSlice& slice) {
      return std::any_of(slices.begin(), slices.end(), [&](const BufferSlice& other) { return other.Overlaps(slice); });
    };
    for (const BufferSlice& slice : thunk_.info().writes) {
      const bool is_operand = std::any_of(facts_.operand_places.begin(), facts_.operand_places.end(),
                                          [&](const PlacedArray& operand) { return operand.slice.Overlaps(slice); });
      if (is_operand || overlaps(thunk_.info().reads, slice)) continue;
      FillWithPoison(context_.Address(slice), slice.bytes);
    }
  }

  absl::StatusOr<std::vector<Literal>> CopiesOfResults() const {
    std::vector<Literal> values;
    for (const ObservedArray& result : results) {
      ASSIGN_OR_RETURN(Literal value, Read(result));
      RETURN_IF_ERROR(value.MakeWritable(nullptr));
      values.push_back(std::move(value));
    }
    return values;
  }

  const Thunk& thunk_;
  const StepFacts& facts_;
  ReferenceMemory* const reference_;
  ExecuteContext& context_;
  const Snapshot before_;
  bool has_run_ = false;
};

absl::Status ObservedSteps::BeforeThunk(const Thunk& thunk, ExecuteContext& context) {
  const StepFacts* const facts = FactsOf(thunk);
  if (facts == nullptr) return absl::OkStatus();
  auto step = std::make_unique<Step>(thunk, *facts, loops_.Iterations(facts->loop), reference_.get(), context);
  for (size_t i = 0; i < facts->operands.size(); ++i) {
    const BufferSlice& slice = facts->operand_places[i].slice;
    if (slice.base <= 0 || slice.bytes <= 0) continue;
    SpoiledOperand spoiled;
    spoiled.operand = static_cast<int64_t>(i);
    spoiled.unwritten = !written_.IsWritten(slice);
    const WrittenMemory::Record* const record = written_.FindSpoiled(slice, context);
    if (record != nullptr) {
      spoiled.written_by = record->written_by;
      spoiled.spoiled_by = record->spoiled_by;
    }
    if (spoiled.unwritten || record != nullptr) step->spoiled.push_back(spoiled);
  }
  RETURN_IF_ERROR(observer_.BeforeStep(*step));
  under_way_[&thunk] = std::move(step);
  return absl::OkStatus();
}

absl::Status ObservedSteps::AfterThunk(const Thunk& thunk, ExecuteContext& context) {
  for (const BufferSlice& slice : thunk.info().writes) written_.Forget(slice);
  const auto found = under_way_.find(&thunk);
  if (found == under_way_.end()) return absl::OkStatus();
  const std::unique_ptr<Step> step = std::move(found->second);
  under_way_.erase(found);
  step->HasRun();
  const StepFacts& facts = *facts_[&thunk];
  for (const PlacedArray& result : facts.result_places) written_.Write(result.slice, facts.number, context);
  if (observer_.watches_all_memory()) written_.Watch(facts.number, context);
  return observer_.AfterStep(*step);
}

}  // namespace

absl::StatusOr<std::unique_ptr<StepHook>> ObserveSteps(const ProgramPlan& plan, StepObserver& observer,
                                                       const ExecuteContext& context, MemoryBudget* memory) {
  if (plan.trace == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(plan.module->name(),
                     ": the program does not know what its steps stand for; compile it with the setting "
                     "observe-steps=true to observe them"));
  }
  auto steps = std::make_unique<ObservedSteps>(plan, observer, context);
  if (observer.keeps_reference()) RETURN_IF_ERROR(steps->KeepReference(context, memory));
  return std::unique_ptr<StepHook>(std::move(steps));
}

}  // namespace xla
