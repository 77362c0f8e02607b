#include "xla_core/ir/hlo_module.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "xla_core/ir/name_table.h"

namespace xla {
namespace {

// Computations with what they call, callees first, each once, without recursion: calls may nest deeply.
class CalleeOrder {
 public:
  void Visit(HloComputation* start) {
    Enter(start);
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.next == step.callees.size()) {
        order_.push_back(step.computation);
        path_.pop_back();
      } else {
        Enter(step.callees[step.next++]);
      }
    }
  }
  const std::vector<HloComputation*>& order() const { return order_; }
  bool Visited(const HloComputation* computation) const { return seen_.contains(computation); }

 private:
  struct Step {
    HloComputation* computation;
    std::vector<HloComputation*> callees;
    size_t next;
  };

  void Enter(HloComputation* computation) {
    if (!seen_.insert(computation).second) return;
    Step step{computation, {}, 0};
    for (const auto& instruction : computation->instructions()) {
      for (HloComputation* callee : instruction->called_computations()) step.callees.push_back(callee);
    }
    path_.push_back(std::move(step));
  }

  absl::flat_hash_set<const HloComputation*> seen_;
  std::vector<Step> path_;
  std::vector<HloComputation*> order_;
};

uint64_t NextUniqueId() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

HloModule::HloModule(std::string name) : unique_id_(NextUniqueId()), name_(std::move(name)) {}
HloModule::~HloModule() = default;

HloComputation* HloModule::AddComputation(std::unique_ptr<HloComputation> computation) {
  computation->set_parent(this);
  computation->is_in_module_ = true;
  computation->instructions_.shrink_to_fit();  // most that are added with instructions in them are complete
  ++changes_;
  if (computation->name().empty()) computation->set_name(NewName("computation"));
  if (names_ != nullptr) names_->Take(computation->name());
  for (const auto& instruction : computation->instructions()) {
    if (names_ != nullptr || instruction->name().empty()) NameNewInstruction(instruction.get());
    computation->NoteAllCalls(instruction.get());
  }
  computations_.push_back(std::move(computation));
  return computations_.back().get();
}

std::string HloModule::NewName(absl::string_view wanted) {
  if (names_ == nullptr) {
    names_ = std::make_unique<NameTable>();
    for (const auto& computation : computations_) {
      names_->Take(computation->name());
      for (const auto& instruction : computation->instructions()) names_->Take(instruction->name());
    }
  }
  return names_->New(wanted);
}

void HloModule::NameNewInstruction(HloInstruction* instruction) {
  if (instruction->name().empty()) {
    instruction->set_name(NewName(instruction->opcode_name()));
  } else if (names_ != nullptr) {
    names_->Take(instruction->name());
  }
}

bool HloModule::RemoveUnreachableComputations() {
  CalleeOrder reachable;
  if (entry_ != nullptr) reachable.Visit(entry_);
  const auto unreachable = [&](const std::unique_ptr<HloComputation>& computation) {
    return !reachable.Visited(computation.get());
  };
  for (const auto& computation : computations_) {
    if (!unreachable(computation)) continue;
    for (const auto& instruction : computation->instructions()) instruction->ClearCalledComputations();
    changes_ += computation->version() + 1;
  }
  const auto end = std::remove_if(computations_.begin(), computations_.end(), unreachable);
  const bool removed = end != computations_.end();
  computations_.erase(end, computations_.end());
  return removed;
}

ModuleVersion HloModule::version() const {
  ModuleVersion version = {unique_id_, changes_};
  for (const auto& computation : computations_) version.changes += computation->version();
  return version;
}

void HloModule::Tidy() {
  CalleeOrder visit;
  for (const auto& computation : computations_) {
    computation->Tidy();
    visit.Visit(computation.get());
  }
  const auto same = [](const std::unique_ptr<HloComputation>& a, const HloComputation* b) { return a.get() == b; };
  if (std::equal(computations_.begin(), computations_.end(), visit.order().begin(), visit.order().end(), same)) return;
  ++changes_;
  absl::flat_hash_map<const HloComputation*, std::unique_ptr<HloComputation>> owned;
  for (auto& computation : computations_) {
    const HloComputation* const key = computation.get();
    owned.emplace(key, std::move(computation));
  }
  computations_.clear();
  for (HloComputation* computation : visit.order()) computations_.push_back(std::move(owned.at(computation)));
}

}  // namespace xla
