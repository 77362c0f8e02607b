#include "tests/autopsy/planted_faults.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/autopsy/autopsy.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/step_observer.h"
#include "tests/autopsy/faulty_client.h"
#include "tests/autopsy/planted_rule.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using Verdict = AutopsyResult::Verdict;
using How = FaultyMoment::How;

struct PassFault {
  const char* pass;
  HloOpcode from, to;
};

// One operation each, so that each finds its place in a program that has all of them.
constexpr PassFault kPassFaults[] = {
    {"simplify-algebra", HloOpcode::kSubtract, HloOpcode::kMultiply},
    {"fold-constants", HloOpcode::kMultiply, HloOpcode::kAdd},
    {"merge-equal", HloOpcode::kDivide, HloOpcode::kMultiply},
    {"remove-no-ops", HloOpcode::kMaximum, HloOpcode::kMinimum},
    {"simplify-tuples", HloOpcode::kTanh, HloOpcode::kSin},
    {"canonicalize-dots", HloOpcode::kExp, HloOpcode::kExpm1},
    {"hoist-loop-invariants", HloOpcode::kAdd, HloOpcode::kSubtract},
    {"fuse", HloOpcode::kRsqrt, HloOpcode::kSqrt},
    {"assign-layouts", HloOpcode::kMultiply, HloOpcode::kSubtract},
    {"insert-copies", HloOpcode::kDivide, HloOpcode::kAdd},
};

constexpr HloOpcode kStepFaults[] = {
    HloOpcode::kAdd,  HloOpcode::kSubtract, HloOpcode::kMultiply, HloOpcode::kDivide, HloOpcode::kBroadcast,
    HloOpcode::kTanh, HloOpcode::kExp,      HloOpcode::kRsqrt,    HloOpcode::kReduce, HloOpcode::kDot,
};

constexpr char kDroppedStore[] = "dropped store";
constexpr char kTiles[] = "tiles";
constexpr char kEarlyReuse[] = "early reuse";

std::string NameOf(const PassFault& fault) {
  return absl::StrCat(fault.pass, ": ", HloOpcodeName(fault.from), " becomes ", HloOpcodeName(fault.to));
}

std::string NameOf(HloOpcode opcode) { return absl::StrCat("step: ", HloOpcodeName(opcode)); }

bool Has(const HloInstruction& instruction, HloOpcode opcode) {
  if (instruction.opcode() == opcode) return true;
  if (instruction.opcode() != HloOpcode::kFusion) return false;
  const auto inside = instruction.called_computations()[0]->instructions();
  return std::any_of(inside.begin(), inside.end(), [&](const auto& part) { return Has(*part, opcode); });
}

bool IsFloatArray(const Literal& value) {
  return value.shape().IsArray() && value.shape().element_type() == F32 && value.element_count() >= 4;
}

absl::StatusOr<std::shared_ptr<Client>> Cpu() {
  ClientOptions options;
  options.threads = 2;
  return GetClient("cpu", options);
}

absl::StatusOr<AutopsyResult> Run(std::shared_ptr<Client> client, const HloModule& module,
                                  const std::vector<Literal>& arguments, const std::string& folder) {
  AutopsyOptions options;
  options.client = std::move(client);
  options.folder = folder;
  options.flags = "--backend cpu";
  options.cutting_time = absl::Seconds(5);
  return RunAutopsy(module, {arguments}, options);
}

// The first result that a fault has changed.
struct Place {
  std::string instruction;

  void Note(const FaultyMoment& moment) {
    if (instruction.empty()) instruction = moment.instruction.name();
  }
};

// A wrong value where `changes` says so, in the first elements of results.
Fault WrongValues(const std::function<bool(const FaultyMoment&)>& changes, Place* place) {
  return [=](const FaultyMoment& moment, Literal& result) {
    if (!changes(moment) || !IsFloatArray(result)) return;
    float* const elements = result.mutable_data<float>();
    for (int i = 0; i < 4; ++i) elements[i] = elements[i] * 1.5F + 3;
    place->Note(moment);
  };
}

// The second element keeps what the memory held.
Fault DroppedStores(Place* place) {
  return [=](const FaultyMoment& moment, Literal& result) {
    if (!Has(moment.instruction, HloOpcode::kDot) || !IsFloatArray(result)) return;
    result.mutable_data<float>()[1] = moment.before.data<float>()[1];
    place->Note(moment);
  };
}

// Finds a step that runs between the one that writes a value and the one that reads it.
class Reuses : public StepObserver {
 public:
  absl::Status BeforeStep(ObservedStep& step) override {
    begun_[step.number] = ++clock_;
    if (step.has_side_effect) return absl::OkStatus();
    for (const ObservedArray& operand : step.operands) FindReuser(operand.place, step);
    return absl::OkStatus();
  }
  absl::Status AfterStep(ObservedStep& step) override {
    Ended ended;
    ended.step = step.number;
    ended.begun = begun_[step.number];
    ended.time = ++clock_;
    for (const ObservedArray& result : step.results) {
      if (result.shape.element_type() == F32) ended.writes.push_back(result.place);
    }
    for (const ObservedArray& operand : step.operands) ended.reads.push_back(operand.place);
    ended_.push_back(std::move(ended));
    return absl::OkStatus();
  }

  const EarlyReuse& found() const { return found_; }
  const std::string& reader() const { return reader_; }

 private:
  struct Ended {
    int64_t step = 0, begun = 0, time = 0;
    std::vector<std::string> writes, reads;  // places
  };

  // Not among steps that run together with the writer, and none that reads the value itself.
  void FindReuser(const std::string& place, const ObservedStep& reader) {
    const auto has = [&](const std::vector<std::string>& places) {
      return std::find(places.begin(), places.end(), place) != places.end();
    };
    const auto writer =
        std::find_if(ended_.rbegin(), ended_.rend(), [&](const Ended& ended) { return has(ended.writes); });
    if (writer == ended_.rend() || found_.reuser >= 0) return;
    for (const Ended& between : ended_) {
      if (between.begun < writer->time || has(between.reads)) continue;
      found_ = {writer->step, between.step, place};
      reader_ = reader.instructions.back()->name();
      return;
    }
  }

  int64_t clock_ = 0;
  std::map<int64_t, int64_t> begun_;  // by step
  std::vector<Ended> ended_;
  EarlyReuse found_;
  std::string reader_;
};

PlantedOutcome OutcomeOf(const AutopsyResult& result, bool is_named_rightly) {
  PlantedOutcome outcome;
  outcome.text = result.text;
  outcome.verdict = result.text.substr(0, result.text.find('\n'));
  outcome.is_named_rightly = is_named_rightly;
  return outcome;
}

absl::StatusOr<PlantedOutcome> FindWrongRule(const PassFault& fault, const HloModule& module,
                                             const std::vector<Literal>& arguments, const std::string& folder) {
  ASSIGN_OR_RETURN(std::shared_ptr<Client> client, Cpu());
  const PlantedRule rule(fault.pass, fault.from, fault.to);
  ASSIGN_OR_RETURN(const AutopsyResult result, Run(std::move(client), module, arguments, folder));
  const bool is_right =
      result.verdict == Verdict::kPass && result.pass == fault.pass && absl::StrContains(result.rewrite, kPlantedRule);
  return OutcomeOf(result, is_right);
}

// `sign`: a part of the headline that the fault must have.
absl::StatusOr<PlantedOutcome> FindWrongStep(const Fault& fault, const Place& place, const std::string& sign,
                                             const HloModule& module, const std::vector<Literal>& arguments,
                                             const std::string& folder) {
  ASSIGN_OR_RETURN(std::shared_ptr<Client> client, Cpu());
  ASSIGN_OR_RETURN(const AutopsyResult result,
                   Run(MakeFaultyClient(std::move(client), fault), module, arguments, folder));
  if (place.instruction.empty()) return absl::NotFoundError("the program has no such step");
  PlantedOutcome outcome = OutcomeOf(result, false);
  outcome.is_named_rightly = result.verdict == Verdict::kStep && absl::StrContains(outcome.verdict, sign) &&
                             result.instruction == place.instruction;
  return outcome;
}

absl::StatusOr<PlantedOutcome> FindEarlyReuse(const HloModule& module, const std::vector<Literal>& arguments,
                                              const std::string& folder) {
  ASSIGN_OR_RETURN(std::shared_ptr<Client> client, Cpu());
  CompileOptions compile;
  compile.settings["observe-steps"] = "true";
  ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable, client->Compile(module, compile));
  Reuses reuses;
  ExecuteOptions execute;
  execute.profile = &reuses;
  RETURN_IF_ERROR(ExecuteOnLiterals(*executable, arguments, execute).status());
  if (reuses.found().reuser < 0) return absl::NotFoundError("no step runs between two others");
  ASSIGN_OR_RETURN(const AutopsyResult result,
                   Run(MakeFaultyClient(client, reuses.found()), module, arguments, folder));
  PlantedOutcome outcome = OutcomeOf(result, false);
  outcome.is_named_rightly =
      result.verdict == Verdict::kStep && absl::StrContains(outcome.verdict, "reused too early") &&
      result.instruction == reuses.reader() &&
      absl::StrContains(result.text, absl::StrCat("something else after step ", reuses.found().reuser, ","));
  return outcome;
}

absl::StatusOr<PlantedOutcome> Find(const std::string& fault, const HloModule& module,
                                    const std::vector<Literal>& arguments, const std::string& folder) {
  for (const PassFault& wrong : kPassFaults) {
    if (NameOf(wrong) == fault) return FindWrongRule(wrong, module, arguments, folder);
  }
  Place place;
  for (const HloOpcode opcode : kStepFaults) {
    if (NameOf(opcode) != fault) continue;
    const auto has_it = [opcode](const FaultyMoment& moment) { return Has(moment.instruction, opcode); };
    return FindWrongStep(WrongValues(has_it, &place), place, "computes something else", module, arguments, folder);
  }
  if (fault == kDroppedStore) {
    return FindWrongStep(DroppedStores(&place), place, "does not store", module, arguments, folder);
  }
  if (fault == kTiles) {
    const auto decides = [](const FaultyMoment& moment) {
      return Has(moment.instruction, HloOpcode::kDot) && moment.how != How::kBackwards;
    };
    return FindWrongStep(WrongValues(decides, &place), place, "disturb each other", module, arguments, folder);
  }
  if (fault == kEarlyReuse) return FindEarlyReuse(module, arguments, folder);
  return absl::InvalidArgumentError(absl::StrCat("there is no planted fault '", fault, "'"));
}

}  // namespace

std::vector<std::string> PlantedFaults() {
  std::vector<std::string> names;
  for (const PassFault& fault : kPassFaults) names.push_back(NameOf(fault));
  for (const HloOpcode opcode : kStepFaults) names.push_back(NameOf(opcode));
  names.insert(names.end(), {kDroppedStore, kTiles, kEarlyReuse});
  return names;
}

absl::StatusOr<PlantedOutcome> FindPlantedFault(const std::string& fault, const HloModule& module,
                                                const std::vector<Literal>& arguments, const std::string& folder) {
  const absl::Time start = absl::Now();
  ASSIGN_OR_RETURN(PlantedOutcome outcome, Find(fault, module, arguments, folder));
  outcome.time = absl::Now() - start;
  return outcome;
}

}  // namespace xla
