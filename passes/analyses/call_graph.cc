#include "passes/analyses/call_graph.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/check.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// What a callee learns from a caller that is itself run in context `caller`, through a call of kind `site`.
CallContext Through(CallContext caller, CallContext site) {
  return caller == CallContext::kUnreachable || site == CallContext::kControl ? caller : site;
}

CallContext Join(CallContext a, CallContext b) {
  if (a == CallContext::kUnreachable) return b;
  if (b == CallContext::kUnreachable || a == b) return a;
  return CallContext::kBoth;
}

const char* ContextName(CallContext context) {
  switch (context) {
    case CallContext::kUnreachable:
      return "unreachable";
    case CallContext::kControl:
      return "control";
    case CallContext::kEmbedded:
      return "embedded";
    case CallContext::kBoth:
      return "control and embedded";
  }
  return "";
}

// "body of main/while.3": the names of roles are those of the op table.
std::string Describe(const CallSite& site) {
  const auto& roles = GetOp(site.caller->opcode()).called_computations;
  const size_t role = std::min(static_cast<size_t>(site.callee_index), roles.size() - 1);
  absl::string_view name = roles[role];
  std::string text(name);
  if (name.back() == '*' || name.back() == '?') text.pop_back();
  if (name.back() == '*') absl::StrAppend(&text, "[", site.callee_index - static_cast<int>(role), "]");
  return absl::StrCat(text, " of ", site.caller->parent()->name(), "/", site.caller->name());
}

}  // namespace

CallContext ContextOfCallees(HloOpcode caller) {
  if (HasTrait(caller, opcode_trait::kControlFlow) || caller == HloOpcode::kAsyncStart) return CallContext::kControl;
  return HasTrait(caller, opcode_trait::kAsyncCall) ? CallContext::kUnreachable : CallContext::kEmbedded;
}

bool PassesValuesThrough(const HloInstruction& caller) {
  if (caller.opcode() != HloOpcode::kFusion) return HasTrait(caller.opcode(), opcode_trait::kControlFlow);
  const auto& attributes = caller.attributes<FusionAttributes>();
  return attributes.kind != FusionKind::kCustom && attributes.output_to_operand_aliasing.empty();
}

bool FixesItsCallees(const HloInstruction& caller) {
  return caller.opcode() == HloOpcode::kCustomCall ||
         (caller.opcode() == HloOpcode::kFusion && caller.attributes<FusionAttributes>().kind == FusionKind::kCustom);
}

bool IsFusionBody(const HloComputation& computation) {
  const auto callers = computation.callers();
  return std::any_of(callers.begin(), callers.end(),
                     [](const HloInstruction* caller) { return caller->opcode() == HloOpcode::kFusion; });
}

bool IsFixedByCaller(const HloComputation& computation) {
  const auto callers = computation.callers();
  return std::any_of(callers.begin(), callers.end(),
                     [](const HloInstruction* caller) { return FixesItsCallees(*caller); });
}

FixedComputations::FixedComputations(const HloModule& module) {
  for (auto it = module.computations().rbegin(); it != module.computations().rend(); ++it) {  // callers first
    const auto callers = (*it)->callers();
    const bool is_fixed = std::any_of(callers.begin(), callers.end(), [this](const HloInstruction* caller) {
      return FixesItsCallees(*caller) || Contain(*caller->parent());
    });
    if (is_fixed) fixed_.insert(it->get());
  }
}

CallGraph::CallGraph(const HloModule& module) { CHECK(Build(module, /*resources=*/nullptr).ok()); }

absl::StatusOr<CallGraph> CallGraph::Create(const HloModule& module, const ResourceContext* resources) {
  CallGraph graph;
  RETURN_IF_ERROR(graph.Build(module, resources));
  return graph;
}

// Computations are ordered callees first, so walking them backwards meets each caller before its callees, and one
// pass finds contexts and depths. The context of a callee is the join over all reachable call sites of how the caller
// runs and how the site calls.
absl::Status CallGraph::Build(const HloModule& module, const ResourceContext* resources) {
  ResourcePoll poll(resources);
  nodes_.resize(module.computations().size());
  index_.reserve(nodes_.size());
  for (const auto& computation : module.computations()) index_.emplace(computation.get(), index_.size());
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->is_removed()) continue;
      RETURN_IF_ERROR(poll.Check());
      const CallContext context = ContextOfCallees(instruction->opcode());
      if (context == CallContext::kUnreachable) continue;
      for (size_t i = 0; i < instruction->called_computations().size(); ++i) {
        Node& callee = nodes_[index_.at(instruction->called_computations()[i])];
        callee.call_sites.push_back({instruction.get(), static_cast<int>(i), context});
      }
    }
  }
  // Callees precede their callers in the module.
  for (size_t i = nodes_.size(); i > 0; --i) {
    const HloComputation* const computation = module.computations()[i - 1].get();
    Node& node = nodes_[i - 1];
    if (computation == module.entry()) node.context = CallContext::kControl;
    for (const CallSite& site : node.call_sites) {
      const Node& caller = NodeOf(*site.caller->parent());
      if (caller.context == CallContext::kUnreachable) continue;
      node.context = Join(node.context, Through(caller.context, site.context));
      node.depth = std::max(node.depth, caller.depth + 1);
    }
    if (node.context == CallContext::kControl || node.context == CallContext::kBoth) control_.push_back(computation);
  }
  return absl::OkStatus();
}

const CallSite* CallGraph::OnlyCallSite(const HloComputation& callee) const {
  const Node& node = NodeOf(callee);
  return node.call_sites.size() == 1 ? node.call_sites.data() : nullptr;
}

std::string PrintCallGraph(const HloModule& module, const ResourceContext* resources) {
  const absl::StatusOr<CallGraph> made = CallGraph::Create(module, resources);
  if (!made.ok()) return "";
  const CallGraph& graph = *made;
  ResourcePoll poll(resources);
  std::string text;
  for (size_t i = module.computations().size(); i > 0; --i) {
    const HloComputation& computation = *module.computations()[i - 1];
    absl::StrAppend(&text, computation.name(), ": ", ContextName(graph.Context(computation)), ", ",
                    computation.instruction_count(), " instructions", &computation == module.entry() ? ", entry" : "",
                    "\n");
    for (const CallSite& site : graph.CallSites(computation)) {
      if (poll.IsOver()) return text;
      absl::StrAppend(&text, "  ", Describe(site), "\n");
    }
  }
  return text;
}

}  // namespace xla
