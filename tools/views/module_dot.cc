#include "tools/views/module_dot.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tools/views/instruction_text.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Graphviz spends minutes on the crossings and the curves of large graphs; beyond this they are given less care.
constexpr int64_t kManyInstructions = 500;

class DotWriter {
 public:
  DotWriter(const HloModule& module, const ResourceContext* resources)
      : module_(module), is_large_(module.instruction_count() > kManyInstructions), poll_(resources) {}

  absl::StatusOr<std::string> Write() {
    FindBodies();
    absl::StrAppend(&out_, "digraph ", DotQuoted(module_.name()), " {\n");
    absl::StrAppend(&out_, "  compound=true; rankdir=TB; fontname=\"Helvetica\"; label=", DotQuoted(module_.name()),
                    "; labelloc=t;\n");
    if (is_large_) absl::StrAppend(&out_, "  splines=line; nslimit=1; mclimit=0.2; maxiter=200;\n");
    absl::StrAppend(&out_,
                    "  node [shape=box, style=\"filled,rounded\", fillcolor=\"#f4f6f8\", color=\"#8a94a0\", "
                    "fontname=\"Helvetica\", fontsize=10];\n  edge [color=\"#6b7683\", fontname=\"Helvetica\", "
                    "fontsize=8, fontcolor=\"#4a5560\"];\n");
    for (const auto& computation : module_.computations()) {
      if (fusion_of_body_.contains(computation.get())) continue;
      RETURN_IF_ERROR(WriteTopCluster(*computation));
    }
    for (const auto& computation : module_.computations()) {
      for (const auto& instruction : computation->instructions()) {
        RETURN_IF_ERROR(poll_.Check(1 + instruction->operand_count()));
        WriteEdges(*instruction);
      }
    }
    absl::StrAppend(&out_, "}\n");
    return std::move(out_);
  }

 private:
  // A fused computation stands inside its fusion if it has one only; what several share counts alone.
  void FindBodies() {
    int64_t next = 0;
    absl::flat_hash_set<const HloComputation*> shared;
    for (const auto& computation : module_.computations()) {
      computation_number_[computation.get()] = static_cast<int64_t>(computation_number_.size());
      for (const auto& instruction : computation->instructions()) {
        node_number_[instruction.get()] = next++;
        for (const HloComputation* callee : instruction->called_computations()) {
          const bool is_fusion = instruction->opcode() == HloOpcode::kFusion;
          if (!fusion_of_body_.emplace(callee, instruction.get()).second || !is_fusion) shared.insert(callee);
        }
      }
    }
    for (const HloComputation* callee : shared) fusion_of_body_.erase(callee);
  }

  bool IsDrawnAsCluster(const HloInstruction& instruction) const {
    if (instruction.opcode() != HloOpcode::kFusion) return false;
    const auto it = fusion_of_body_.find(instruction.called_computation(0));
    return it != fusion_of_body_.end() && it->second == &instruction;
  }

  std::string Node(const HloInstruction& instruction) const { return absl::StrCat("n", node_number_.at(&instruction)); }
  std::string Cluster(const HloComputation& computation) const {
    return absl::StrCat("cluster_", computation_number_.at(&computation));
  }

  // The node that an edge from `instruction` starts at: of a fusion that is a cluster, the root of its body, which may
  // be one in turn.
  const HloInstruction& Source(const HloInstruction& instruction) const {
    const HloInstruction* source = &instruction;
    while (IsDrawnAsCluster(*source)) source = source->called_computation(0)->root();
    return *source;
  }

  // The cluster of a computation with those of its fusions, which nest: an explicit stack, as depth is up to the input.
  absl::Status WriteTopCluster(const HloComputation& top) {
    struct Open {
      const HloComputation* computation;
      size_t next;
    };
    OpenCluster(top, absl::StrCat(&top == module_.entry() ? "entry " : "", top.name()), "#fafbfc");
    std::vector<Open> stack = {{&top, 0}};
    while (!stack.empty()) {
      RETURN_IF_ERROR(poll_.Check());
      Open& open = stack.back();
      if (open.next == open.computation->instructions().size()) {
        absl::StrAppend(&out_, "  }\n");
        stack.pop_back();
        continue;
      }
      const HloInstruction& instruction = *open.computation->instructions()[open.next++];
      if (IsDrawnAsCluster(instruction)) {
        const HloComputation& body = *instruction.called_computation(0);
        OpenCluster(body, absl::StrCat(instruction.name(), " = fusion ", body.name(), "\n", ShortShape(instruction)),
                    "#e8f0e4");
        stack.push_back({&body, 0});
      } else {
        WriteNode(instruction);
      }
    }
    return absl::OkStatus();
  }

  void OpenCluster(const HloComputation& computation, absl::string_view label, absl::string_view color) {
    absl::StrAppend(&out_, "  subgraph ", Cluster(computation), " {\n  style=filled; color=\"#a9b3bd\"; fillcolor=\"",
                    color, "\"; fontsize=11; label=", DotQuoted(label), ";\n");
  }

  void WriteNode(const HloInstruction& instruction) {
    const bool is_root = instruction.parent()->root() == &instruction;
    absl::StrAppend(&out_, "  ", Node(instruction), " [label=",
                    DotQuoted(absl::StrCat(is_root ? "ROOT " : "", instruction.name(), "\n",
                                           ShortOperation(instruction), "\n", ShortShape(instruction))),
                    ", tooltip=", DotQuoted(LongText(instruction)));
    if (is_root) absl::StrAppend(&out_, ", penwidth=2");
    if (instruction.opcode() == HloOpcode::kParameter) absl::StrAppend(&out_, ", fillcolor=\"#fff3d6\"");
    if (instruction.opcode() == HloOpcode::kConstant) absl::StrAppend(&out_, ", fillcolor=\"#e6e6e6\"");
    absl::StrAppend(&out_, "];\n");
  }

  void WriteEdges(const HloInstruction& instruction) {
    if (IsDrawnAsCluster(instruction)) {
      const std::vector<HloInstruction*> parameters = instruction.called_computation(0)->parameters();
      for (size_t i = 0; i < parameters.size(); ++i) WriteOperandEdge(*instruction.operand(i), *parameters[i], -1);
    } else {
      for (int i = 0; i < instruction.operand_count(); ++i) {
        WriteOperandEdge(*instruction.operand(i), instruction, instruction.operand_count() > 1 ? i : -1);
      }
      WriteCallEdges(instruction);
    }
    for (const HloInstruction* predecessor : instruction.control_predecessors()) {
      absl::StrAppend(&out_, "  ", Node(Source(*predecessor)), " -> ", Node(Source(instruction)),
                      " [style=dotted, color=\"#b03a2e\", label=\"control\"];\n");
    }
  }

  void WriteOperandEdge(const HloInstruction& from, const HloInstruction& to, int number) {
    absl::StrAppend(&out_, "  ", Node(Source(from)), " -> ", Node(to), " [label=", DotQuoted(ShortShape(from)));
    if (number >= 0) absl::StrAppend(&out_, ", headlabel=\"", number, "\"");
    absl::StrAppend(&out_, "];\n");
  }

  void WriteCallEdges(const HloInstruction& instruction) {
    for (const HloComputation* callee : instruction.called_computations()) {
      absl::StrAppend(&out_, "  ", Node(Source(*callee->root())), " -> ", Node(instruction),
                      " [style=dashed, constraint=false");
      // A straight line that ends at a cluster's border makes dot complain.
      if (!is_large_) absl::StrAppend(&out_, ", ltail=", Cluster(*callee));
      absl::StrAppend(&out_, "];\n");
    }
  }

  const HloModule& module_;
  const bool is_large_;
  ResourcePoll poll_;
  std::string out_;
  absl::flat_hash_map<const HloComputation*, const HloInstruction*> fusion_of_body_;
  absl::flat_hash_map<const HloComputation*, int64_t> computation_number_;
  absl::flat_hash_map<const HloInstruction*, int64_t> node_number_;
};

}  // namespace

std::string DotQuoted(absl::string_view text) {
  std::string out = "\"";
  for (char c : ValidUtf8(text)) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out + "\"";
}

absl::StatusOr<std::string> ModuleToDot(const HloModule& module, const ResourceContext* resources) {
  return DotWriter(module, resources).Write();
}

}  // namespace xla
