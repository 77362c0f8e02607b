// Making a module of a computation and all that it calls.
//
// Two passes, both without recursion, since computations may nest thousands deep. The first walks over the nodes,
// callees first, and lists the copies to make: one of each node, however many call it. Exceptions are the bodies of
// fusions and of asynchronous operations, which belong to their one caller, and a node that is used on several threads
// of execution. The second pass makes the copies, whose callees then exist already.
#include "builders/computation_builder/computation_node.h"

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// A copy of a node to make.
struct Copy {
  const ComputationNode* node;
  std::string thread;
  bool is_own = false;  // of its one caller
  bool is_fusion = false;
  std::vector<size_t> callees;  // indices of copies, parallel to node->callees
};

class CopyPlan {
 public:
  // Copies in an order in which callees precede callers; the last one is of `entry`.
  static std::vector<Copy> Of(const ComputationNode& entry) {
    CopyPlan plan;
    plan.open_.push_back({&entry, "main"});
    while (!plan.open_.empty()) plan.Step();
    return std::move(plan.done_);
  }

 private:
  using Key = std::pair<const ComputationNode*, std::string>;

  // Resolves the next callee of the innermost open copy, or closes it.
  void Step() {
    Copy& copy = open_.back();
    const size_t next = copy.callees.size();
    if (next == copy.node->callees.size()) return Close();
    const ComputationNode::Callee& callee = copy.node->callees[next];
    Copy wanted = {callee.node.get(), copy.thread};
    wanted.is_fusion = callee.caller->opcode() == HloOpcode::kFusion;
    wanted.is_own = wanted.is_fusion;
    if (callee.caller->opcode() == HloOpcode::kAsyncStart) {
      wanted.is_own = true;
      wanted.thread = callee.caller->attributes<AsyncAttributes>().async_execution_thread;
    }
    if (!wanted.is_own) {
      const auto found = shared_.find(Key(wanted.node, wanted.thread));
      if (found != shared_.end()) return copy.callees.push_back(found->second);
    }
    open_.push_back(std::move(wanted));
  }

  void Close() {
    done_.push_back(std::move(open_.back()));
    open_.pop_back();
    const Copy& copy = done_.back();
    if (!copy.is_own) shared_.emplace(Key(copy.node, copy.thread), done_.size() - 1);
    if (!open_.empty()) open_.back().callees.push_back(done_.size() - 1);
  }

  std::vector<Copy> open_;  // each calls the next
  std::vector<Copy> done_;
  absl::flat_hash_map<Key, size_t> shared_;
};

// Gives instructions and computations names that no other of the module has; the first to come keeps its name.
class ModuleNames {
 public:
  void Claim(HloComputation& computation) {
    MakeUnique(computation, computation_names_);
    instruction_names_.taken.reserve(instruction_names_.taken.size() + computation.instruction_count());
    for (const auto& instruction : computation.instructions()) MakeUnique(*instruction, instruction_names_);
  }

 private:
  struct Names {
    // Views of names that instructions own, which stay where they are.
    absl::flat_hash_set<absl::string_view> taken;
    absl::flat_hash_map<std::string, int64_t> next;
  };

  // "add.7" -> "add"
  static absl::string_view Stem(absl::string_view name) {
    size_t end = name.size();
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') --end;
    if (end < name.size() && end > 1 && name[end - 1] == '.') return name.substr(0, end - 1);
    return name;
  }

  template <typename Named>
  static void MakeUnique(Named& named, Names& names) {
    if (names.taken.insert(named.name()).second) return;
    const std::string stem(Stem(named.name()));
    int64_t& next = names.next[stem];
    do {
      named.set_name(absl::StrCat(stem, ".", ++next));
    } while (!names.taken.insert(named.name()).second);
  }

  Names computation_names_;
  Names instruction_names_;
};

// Metadata that names a file already, which a frontend gave, stays.
void AddCallSite(const ComputationNode::CallSite& site, HloInstruction& instruction) {
  if (site.file == nullptr || !instruction.annotations().metadata.source_file.empty()) return;
  OpMetadata& metadata = instruction.mutable_annotations().metadata;
  metadata.source_file = *site.file;
  metadata.source_line = site.line;
}

// A copy of a node's computation in a module, with ids counted through it. Computations are shared between builders,
// so that each module gets copies.
absl::StatusOr<std::unique_ptr<HloComputation>> MakeCopy(const Copy& copy, const std::vector<HloComputation*>& made,
                                                         ResourcePoll& poll, int64_t* next_id) {
  const HloComputation& original = *copy.node->computation;
  auto computation = std::make_unique<HloComputation>(original.name());
  computation->set_execution_thread(copy.thread);
  computation->set_is_fusion_computation(copy.is_fusion);
  std::vector<HloInstruction*> copies;  // by position, which is the id of an instruction of a node
  copies.reserve(original.instruction_count());
  size_t next_callee = 0;
  for (const auto& from : original.instructions()) {
    RETURN_IF_ERROR(poll.Check(1 + from->operand_count()));
    auto to = std::make_unique<HloInstruction>(from->opcode(), from->name(), from->shape());
    to->set_id((*next_id)++);
    to->mutable_shape().SetMissingLayoutsToDefault();
    for (const HloInstruction* operand : from->operands()) to->AddOperand(copies[operand->id()]);
    for (const HloInstruction* predecessor : from->control_predecessors()) {
      to->AddControlPredecessor(copies[predecessor->id()]);
    }
    for (size_t i = 0; i < from->called_computations().size(); ++i) {
      to->AddCalledComputation(made[copy.callees[next_callee++]]);
    }
    if (from->raw_attributes() != nullptr) to->set_attributes(from->raw_attributes()->Clone());
    to->CopyAnnotations(*from);
    AddCallSite(copy.node->call_sites[from->id()], *to);
    copies.push_back(computation->AddInstruction(std::move(to)));
  }
  computation->set_root(copies[original.root()->id()]);
  return computation;
}

// Puts in front of each line of the verifier, "computation c: add.7 = f32[2] add(...): rule", where the instruction was
// added.
absl::Status WithCallSites(const absl::Status& verified, const HloModule& module) {
  if (verified.ok()) return verified;
  absl::flat_hash_map<absl::string_view, const OpMetadata*> sites;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->has_annotations()) sites.emplace(instruction->name(), &instruction->annotations().metadata);
    }
  }
  std::vector<std::string> lines = absl::StrSplit(verified.message(), '\n');
  for (std::string& line : lines) {
    const size_t equals = line.find(" = ");
    if (equals == std::string::npos) continue;
    const size_t space = line.rfind(' ', equals - 1);
    const size_t begin = space == std::string::npos ? 0 : space + 1;
    const auto found = sites.find(absl::string_view(line).substr(begin, equals - begin));
    if (found == sites.end() || found->second->source_file.empty()) continue;
    line.insert(0, absl::StrCat(found->second->source_file.view(), ":", found->second->source_line, ": "));
  }
  return absl::Status(verified.code(), absl::StrJoin(lines, "\n"));
}

// What a module has that was read from text that does not say otherwise.
ProgramShape EntryLayout(const HloComputation& entry) {
  ProgramShape layout;
  for (const HloInstruction* parameter : entry.parameters()) layout.parameters.push_back(parameter->shape());
  layout.result = entry.root()->shape();
  return layout;
}

}  // namespace

// Makes a module of the computation and all that it calls, callees first. Names are made unique, the entry's before
// those of callees, and the whole is verified.
absl::StatusOr<std::unique_ptr<HloModule>> ComputationNode::MakeModule(HloModuleConfig config,
                                                                       const ResourceContext* resources) const {
  ResourcePoll poll(resources);
  auto module = std::make_unique<HloModule>(computation->name());
  module->mutable_config() = std::move(config);
  std::vector<HloComputation*> made;
  int64_t next_id = 0;
  for (const Copy& copy : CopyPlan::Of(*this)) {
    ASSIGN_OR_RETURN(std::unique_ptr<HloComputation> computation, MakeCopy(copy, made, poll, &next_id));
    made.push_back(module->AddComputation(std::move(computation)));
  }
  for (size_t i = 0; i < made.size(); ++i) made[i]->set_id(static_cast<int64_t>(i));
  module->set_entry(made.back());
  if (!module->config().entry_computation_layout.has_value()) {
    module->mutable_config().entry_computation_layout = EntryLayout(*made.back());
  }
  ModuleNames names;
  for (auto it = made.rbegin(); it != made.rend(); ++it) {
    RETURN_IF_ERROR(poll.Check((*it)->instruction_count()));
    names.Claim(**it);
  }
  VerifierOptions options;
  options.resources = resources;
  const absl::Status verified = VerifyModule(*module, options);
  // A limit is not about lines of the program.
  if (!verified.ok()) RETURN_IF_ERROR(CheckResources(resources));
  RETURN_IF_ERROR(WithCallSites(verified, *module));
  return module;
}

// Left to the members' destructors, a chain of thousands of nested computations would recurse as deeply. Instead the
// first destructor on a thread releases what the others, which run within it, would have.
ComputationNode::~ComputationNode() {
  thread_local std::vector<std::shared_ptr<const ComputationNode>>* released = nullptr;
  if (released != nullptr) {
    for (Callee& callee : callees) released->push_back(std::move(callee.node));
    return;
  }
  std::vector<std::shared_ptr<const ComputationNode>> nodes;
  released = &nodes;
  for (Callee& callee : callees) nodes.push_back(std::move(callee.node));
  while (!nodes.empty()) {
    std::shared_ptr<const ComputationNode> node = std::move(nodes.back());
    nodes.pop_back();
    node.reset();
  }
  released = nullptr;
}

}  // namespace xla
