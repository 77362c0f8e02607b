#include "backends/autopsy/step_check.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "backends/autopsy/decisions.h"
#include "passes/cutting/extract.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/literal_io/format_literal.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using Mode = StepCheckOptions::Mode;
using Kind = StepFinding::Kind;

// More decisions say nothing new.
constexpr size_t kMostDecisions = 8;

absl::Status StepIsWrong() { return absl::CancelledError("a step is wrong"); }

const Literal& LeafOf(const Literal& value, const ShapeIndex& index) {
  const Literal* leaf = &value;
  for (const int64_t i : index) leaf = &leaf->element(static_cast<int>(i));
  return *leaf;
}

// A value of `shape` from the arrays that were read; what was not is a token, or of any contents.
absl::StatusOr<Literal> Assembled(const Shape& shape, const std::map<ShapeIndex, Literal>& arrays, ShapeIndex& at) {
  if (shape.IsTuple()) {
    std::vector<Literal> elements;
    for (int i = 0; i < shape.tuple_size(); ++i) {
      at.push_back(i);
      ASSIGN_OR_RETURN(Literal element, Assembled(shape.tuple_shape(i), arrays, at));
      elements.push_back(std::move(element));
      at.pop_back();
    }
    return Literal::Tuple(std::move(elements));
  }
  const auto found = arrays.find(at);
  if (found != arrays.end()) return found->second;
  return shape.IsToken() ? Literal::Token() : Literal::Allocate(shape);
}

// Memory of its own, wherever it was.
absl::Status Own(Literal& value) {
  for (int i = 0; i < value.tuple_size(); ++i) RETURN_IF_ERROR(Own(value.mutable_element(i)));
  return value.shape().IsArray() ? value.MakeWritable(nullptr) : absl::OkStatus();
}

std::string NameOf(const ObservedArray& array) {
  return array.leaf.empty() ? array.instruction->name()
                            : absl::StrCat(array.instruction->name(), " {", absl::StrJoin(array.leaf, ","), "}");
}

// What a step gives when it runs again.
struct Repeated {
  std::vector<Literal> as_before, once_more, backwards;
};

absl::StatusOr<Repeated> RepeatStep(ObservedStep& step) {
  Repeated repeated;
  ASSIGN_OR_RETURN(repeated.as_before, step.Repeat(ObservedStep::Repetition::kAsBefore));
  ASSIGN_OR_RETURN(repeated.once_more, step.Repeat(ObservedStep::Repetition::kAsBefore));
  ASSIGN_OR_RETURN(repeated.backwards, step.Repeat(ObservedStep::Repetition::kBackwards));
  return repeated;
}

// Equal, except for the bits of NaNs.
bool AreEqual(const Literal& a, const Literal& b) {
  return HaveSameBytes(a, b) || CompareArrays(a, b, SameBits()).matches();
}

// What is wrong with result `i`, which was `got` when the program ran; nullopt if it is always the same.
absl::optional<Kind> KindOfRepetition(const Repeated& repeated, size_t i, const Literal& got) {
  const Literal& before = repeated.as_before[i];
  if (!AreEqual(got, before) || !AreEqual(before, repeated.once_more[i])) return Kind::kChangesBetweenRuns;
  if (!AreEqual(before, repeated.backwards[i])) return Kind::kTilesDisturbEachOther;
  return absl::nullopt;
}

std::string DescribeRepetition(const Repeated& repeated, size_t i, const Literal& got, Kind kind,
                               const std::string& name) {
  if (kind == Kind::kTilesDisturbEachOther) {
    const Comparison comparison = CompareArrays(repeated.backwards[i], got, SameBits());
    return absl::StrCat("with its tiles in another order:\n",
                        DescribeComparison(name, comparison, repeated.backwards[i], got));
  }
  const Literal& other = AreEqual(got, repeated.as_before[i]) ? repeated.once_more[i] : repeated.as_before[i];
  return absl::StrCat("run again on the same operands:\n",
                      DescribeComparison(name, CompareArrays(other, got, SameBits()), other, got));
}

}  // namespace

// What belongs to the thread of one device.
struct StepCheck::Device {
  EvaluatorOptions options;
  EvaluatorRun run;
  std::unique_ptr<QueuedFeeds> feeds;
  std::unique_ptr<InstructionEvaluator::Run> evaluator;
  // Between before and after a step, by its number: steps may run together.
  absl::flat_hash_map<int64_t, std::vector<Literal>> expected, reference;
  absl::flat_hash_map<int64_t, bool> is_as_in_reference;
};

StepCheck::StepCheck(const HloModule& module, int64_t device_count, const StepCheckOptions& options)
    : module_(module), options_(options), pool_(options.threads), evaluator_(module) {
  const OwnDevices all(1, device_count);
  for (int64_t d = 0; d < device_count; ++d) {
    auto device = std::make_unique<Device>();
    device->options.seed = options.seed;
    device->options.resources = options.resources;
    device->feeds = std::make_unique<QueuedFeeds>(nullptr, all);
    device->run.options = &device->options;
    device->run.pool = &pool_;
    device->run.feeds = device->feeds.get();
    device->evaluator = evaluator_.Begin(device->run, all.InfoOf(d));
    devices_.push_back(std::move(device));
  }
}

StepCheck::~StepCheck() = default;

absl::StatusOr<StepCheck::Values> StepCheck::OperandsOf(const ObservedStep& step, const ReadFunction& read) const {
  absl::flat_hash_map<const HloInstruction*, std::map<ShapeIndex, Literal>> arrays;
  for (const ObservedArray& operand : step.operands) {
    ASSIGN_OR_RETURN(arrays[operand.instruction][operand.leaf], read(operand));
  }
  absl::flat_hash_set<const HloInstruction*> inside(step.instructions.begin(), step.instructions.end());
  Values values;
  for (const HloInstruction* instruction : step.instructions) {
    for (const HloInstruction* operand : instruction->operands()) {
      if (inside.contains(operand) || values.contains(operand)) continue;
      ShapeIndex at;
      ASSIGN_OR_RETURN(values[operand], Assembled(operand->shape(), arrays[operand], at));
    }
  }
  return values;
}

// The interpreter's results of the step, in the order of ObservedStep::results.
absl::StatusOr<std::vector<Literal>> StepCheck::Evaluate(const ObservedStep& step, const ReadFunction& read,
                                                         Device& device) {
  ASSIGN_OR_RETURN(Values values, OperandsOf(step, read));
  for (const HloInstruction* instruction : step.instructions) {
    std::vector<Literal> operands;
    for (const HloInstruction* operand : instruction->operands()) operands.push_back(values.at(operand));
    ASSIGN_OR_RETURN(values[instruction], device.evaluator->Evaluate(*instruction, absl::MakeSpan(operands)));
  }
  std::vector<Literal> results;
  for (const ObservedArray& result : step.results) {
    Literal value = LeafOf(values.at(result.instruction), result.leaf);
    // It may be an operand, which the step writes over.
    RETURN_IF_ERROR(Own(value));
    value.LeaveBudget();
    results.push_back(std::move(value));
  }
  return results;
}

absl::Status StepCheck::BeforeStep(ObservedStep& step) {
  RETURN_IF_ERROR(CheckResources(options_.resources));
  Device& device = *devices_[step.device];
  if (options_.mode == Mode::kTiles) return absl::OkStatus();
  RETURN_IF_ERROR(CheckMemory(step));
  if (step.has_side_effect || step.results.empty()) return absl::OkStatus();
  const ReadFunction read = [&step](const ObservedArray& array) { return step.Read(array); };
  ASSIGN_OR_RETURN(device.expected[step.number], Evaluate(step, read, device));
  if (options_.mode != Mode::kTrajectory) return absl::OkStatus();
  const bool is_same = std::all_of(step.operands.begin(), step.operands.end(),
                                   [&](const ObservedArray& operand) { return step.IsAsInReference(operand); });
  device.is_as_in_reference[step.number] = is_same;
  if (is_same) return absl::OkStatus();
  const ReadFunction read_reference = [&step](const ObservedArray& array) { return step.ReadReference(array); };
  ASSIGN_OR_RETURN(device.reference[step.number], Evaluate(step, read_reference, device));
  return absl::OkStatus();
}

absl::Status StepCheck::AfterStep(ObservedStep& step) {
  Device& device = *devices_[step.device];
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++steps_seen_;
    if (options_.progress) options_.progress(steps_seen_);
    if (step.has_side_effect) {
      ++counts_.unchecked;
      counts_.unchecked_reason = std::string(step.instructions[0]->opcode_name());
    }
  }
  if (options_.mode == Mode::kTiles) return CheckTiles(step);
  const auto expected = device.expected.find(step.number);
  if (expected == device.expected.end()) {
    // What the reference would do here, is unknown: it goes on from what the program has.
    if (options_.mode != Mode::kTrajectory) return absl::OkStatus();
    for (const ObservedArray& result : step.results) {
      ASSIGN_OR_RETURN(const Literal value, step.Read(result));
      step.WriteReference(result, value);
    }
    return absl::OkStatus();
  }
  std::vector<Literal> values = std::move(expected->second);
  device.expected.erase(expected);
  if (options_.mode != Mode::kTrajectory) return CheckResults(step, std::move(values));
  const bool is_same = device.is_as_in_reference[step.number];
  if (!is_same) values = std::move(device.reference[step.number]);
  device.reference.erase(step.number);
  return FollowReference(step, std::move(values), is_same);
}

// ---- What is wrong

absl::Status StepCheck::Accuse(std::unique_ptr<StepFinding> finding) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (finding_ == nullptr) finding_ = std::move(finding);
  return StepIsWrong();
}

StepCheck::Extracted StepCheck::Extract(const ObservedStep& step) const {
  std::vector<ExtractedResult> results;
  for (const ObservedArray& result : step.results) results.push_back({result.instruction, result.leaf});
  Extracted extracted;
  extracted.module = ExtractInstructions(module_, step.instructions, results, &extracted.operands);
  return extracted;
}

absl::StatusOr<std::vector<Literal>> StepCheck::InputsOf(const ObservedStep& step, const Extracted& extracted,
                                                         const ReadFunction& read) const {
  ASSIGN_OR_RETURN(const Values values, OperandsOf(step, read));
  std::vector<Literal> inputs;
  for (const HloInstruction* operand : extracted.operands) {
    Literal value = values.at(operand);
    RETURN_IF_ERROR(Own(value));
    inputs.push_back(std::move(value));
  }
  return inputs;
}

absl::StatusOr<std::unique_ptr<StepFinding>> StepCheck::Describe(const ObservedStep& step, Kind kind) const {
  auto finding = std::make_unique<StepFinding>();
  finding->kind = kind;
  finding->number = step.number;
  finding->step_kind = step.kind;
  finding->instructions = step.instructions;
  finding->loops = step.loops;
  if (step.has_side_effect || step.results.empty()) return finding;
  Extracted extracted = Extract(step);
  const ReadFunction read = [&step](const ObservedArray& array) { return step.Read(array); };
  ASSIGN_OR_RETURN(finding->inputs, InputsOf(step, extracted, read));
  finding->module = std::move(extracted.module);
  return finding;
}

absl::Status StepCheck::CheckMemory(const ObservedStep& step) {
  if (step.spoiled.empty()) return absl::OkStatus();
  // A step that only passes on what it is given, such as a copy, needs it as much as any other.
  const SpoiledOperand& spoiled = step.spoiled[0];
  const ObservedArray& operand = step.operands[spoiled.operand];
  ASSIGN_OR_RETURN(std::unique_ptr<StepFinding> finding,
                   Describe(step, spoiled.unwritten ? Kind::kUnwrittenMemory : Kind::kSpoiledMemory));
  finding->spoiled = operand.instruction;
  finding->written_by = spoiled.written_by;
  finding->spoiled_by = spoiled.spoiled_by;
  finding->module = nullptr;
  finding->inputs.clear();
  ASSIGN_OR_RETURN(const Literal value, step.Read(operand));
  finding->difference =
      absl::StrCat("operand ", NameOf(operand), " at ", operand.place, " holds ", FormatLiteral(value, 8));
  return Accuse(std::move(finding));
}

absl::StatusOr<Judgement> StepCheck::Judge(const ObservedStep& step, const std::vector<Literal>& expected) {
  std::vector<Literal> got;
  bool is_equal = true;
  for (size_t i = 0; i < step.results.size(); ++i) {
    ASSIGN_OR_RETURN(Literal value, step.Read(step.results[i]));
    is_equal = is_equal && HaveSameBytes(value, expected[i]);
    got.push_back(std::move(value));
  }
  if (is_equal) return Judgement();
  const Extracted extracted = Extract(step);
  const ReadFunction read = [&step](const ObservedArray& array) { return step.Read(array); };
  ASSIGN_OR_RETURN(const std::vector<Literal> inputs, InputsOf(step, extracted, read));
  JudgeOptions options;
  options.rounding = {options_.seed, options_.threads, options_.resources};
  options.is_inexact = options_.is_inexact;
  options.is_strict = options_.is_strict;
  options.name = [&step](size_t leaf) { return NameOf(step.results[leaf]); };
  return JudgeDifference(*extracted.module, inputs, got, expected, options);
}

absl::Status StepCheck::CheckResults(ObservedStep& step, std::vector<Literal> expected) {
  ASSIGN_OR_RETURN(const Judgement judgement, Judge(step, expected));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++counts_.checked;
    if (judgement.kind == Judgement::Kind::kRounded) ++counts_.rounded;
  }
  if (!judgement.is_accusation()) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::unique_ptr<StepFinding> finding, Describe(step, Kind::kWrongResult));
  finding->difference = judgement.text;
  finding->expected = std::move(expected);
  RETURN_IF_ERROR(ExplainByRepetition(step, *finding));
  return Accuse(std::move(finding));
}

// Runs a step with a wrong result again, in other ways, to see what makes it wrong.
absl::Status StepCheck::ExplainByRepetition(ObservedStep& step, StepFinding& finding) const {
  const absl::StatusOr<Repeated> repeated = RepeatStep(step);
  RETURN_IF_ERROR(CheckResources(options_.resources));
  if (!repeated.ok()) {
    absl::StrAppend(&finding.difference, "\nthe step cannot be repeated: ", repeated.status().message());
    return absl::OkStatus();
  }
  const absl::StatusOr<std::vector<Literal>> poisoned = step.Repeat(ObservedStep::Repetition::kPoisoned);
  for (size_t i = 0; i < step.results.size(); ++i) {
    ASSIGN_OR_RETURN(const Literal got, step.Read(step.results[i]));
    const std::string name = NameOf(step.results[i]);
    const absl::optional<Kind> kind = KindOfRepetition(*repeated, i, got);
    if (kind.has_value()) {
      finding.kind = *kind;
      absl::StrAppend(&finding.difference, "\n", DescribeRepetition(*repeated, i, got, *kind, name));
    } else if (poisoned.ok() && !HaveSameBytes((*poisoned)[i], repeated->as_before[i])) {
      finding.kind = Kind::kUnstoredResult;
      const Comparison unstored = CompareArrays((*poisoned)[i], repeated->as_before[i], SameBits());
      absl::StrAppend(&finding.difference, "\n", unstored.differing, " of ", unstored.elements, " elements of ", name,
                      " keep what the memory held before the step");
    }
  }
  return absl::OkStatus();
}

absl::Status StepCheck::CheckTiles(ObservedStep& step) {
  if (step.has_side_effect || step.results.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Repeated repeated, RepeatStep(step));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++counts_.checked;
  }
  for (size_t i = 0; i < step.results.size(); ++i) {
    ASSIGN_OR_RETURN(const Literal got, step.Read(step.results[i]));
    const absl::optional<Kind> kind = KindOfRepetition(repeated, i, got);
    if (!kind.has_value()) continue;
    ASSIGN_OR_RETURN(std::unique_ptr<StepFinding> finding, Describe(step, *kind));
    finding->difference = DescribeRepetition(repeated, i, got, *kind, NameOf(step.results[i]));
    return Accuse(std::move(finding));
  }
  return absl::OkStatus();
}

// Writes the interpreter's own value of the step, and notes where it decides otherwise than the program.
absl::Status StepCheck::FollowReference(ObservedStep& step, std::vector<Literal> reference, bool is_same) {
  if (!is_same) RETURN_IF_ERROR(NoteDecision(step, reference));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++counts_.checked;
  }
  for (size_t i = 0; i < step.results.size(); ++i) step.WriteReference(step.results[i], reference[i]);
  return absl::OkStatus();
}

absl::Status StepCheck::NoteDecision(ObservedStep& step, const std::vector<Literal>& reference) {
  bool may_decide = false;
  for (size_t i = 0; i < step.results.size(); ++i) {
    const PrimitiveType type = step.results[i].shape.element_type();
    ASSIGN_OR_RETURN(const Literal got, step.Read(step.results[i]));
    if (HaveSameBytes(got, reference[i])) continue;
    const bool is_discrete = !IsFloat(type) && !IsComplex(type);
    may_decide = may_decide || is_discrete || !CompareArrays(got, reference[i], DefaultTolerance(type)).matches();
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!may_decide || decisions_.size() >= kMostDecisions) return absl::OkStatus();
  }
  const Extracted extracted = Extract(step);
  const ReadFunction read = [&step](const ObservedArray& array) { return step.Read(array); };
  const ReadFunction read_reference = [&step](const ObservedArray& array) { return step.ReadReference(array); };
  ASSIGN_OR_RETURN(const std::vector<Literal> mine, InputsOf(step, extracted, read));
  ASSIGN_OR_RETURN(const std::vector<Literal> others, InputsOf(step, extracted, read_reference));
  ASSIGN_OR_RETURN(std::string decision, FindDecision(*extracted.module, mine, others, options_.resources));
  if (decision.empty()) return absl::OkStatus();
  const std::lock_guard<std::mutex> lock(mutex_);
  decisions_.push_back({step.number, step.loops, step.instructions.back(), std::move(decision)});
  return absl::OkStatus();
}

}  // namespace xla
