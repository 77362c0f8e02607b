#include "tools/views/module_diff.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/views/instruction_text.h"
#include "tools/views/module_matching.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/attribute_printer.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

constexpr size_t kMaxLineBytes = 300;
constexpr size_t kMaxValueBytes = 60;

std::string LineOf(const HloInstruction& instruction) {
  PrintOptions options = PrintOptions::Short();
  options.elide_large_constants = true;
  const bool is_root = instruction.parent()->root() == &instruction;
  return Cut(absl::StrCat(is_root ? "ROOT " : "", InstructionToString(instruction, options)), kMaxLineBytes);
}

std::string Changed(absl::string_view what, absl::string_view from, absl::string_view to) {
  return absl::StrCat(what, " ", Cut(from, kMaxValueBytes), " -> ", Cut(to, kMaxValueBytes));
}

std::string ShapeText(Shape shape, bool with_layout) {
  return shape.ToFullString(with_layout ? Shape::LayoutPrinting::kWith : Shape::LayoutPrinting::kWithout);
}

// Missing layouts count as row-major.
void CompareShapes(Shape a, Shape b, std::vector<std::string>* changes) {
  a.SetMissingLayoutsToDefault();
  b.SetMissingLayoutsToDefault();
  if (a == b) return;
  const bool layouts_only = a.Equal(b, Shape::kIgnoreLayout);
  changes->push_back(
      Changed(layouts_only ? "layout" : "shape", ShapeText(a, layouts_only), ShapeText(b, layouts_only)));
}

bool IsUnset(const AttributeField& field, const Attributes& attributes) {
  return FieldEqual(field, attributes, *attributes.MakeDefault());
}

// What AppendAttributeValue can print; unset values of some kinds it cannot.
std::string ValueText(const AttributeField& field, const Attributes& attributes) {
  if (field.presence != Presence::kRequired && IsUnset(field, attributes)) return "(default)";
  if (field.kind == FieldKind::kLiteral && field.Get<std::shared_ptr<const Literal>>(attributes) == nullptr) {
    return "{...}";
  }
  AttributePrintOptions options;
  options.elide_large_constants = true;
  std::string text;
  AppendAttributeValue(field, attributes, options, &text);
  return text;
}

void CompareAttributes(const HloInstruction& a, const HloInstruction& b, std::vector<std::string>* changes) {
  const Attributes* const x = a.raw_attributes();
  const Attributes* const y = b.raw_attributes();
  if (x == nullptr || y == nullptr || &x->schema() != &y->schema()) return;
  for (const AttributeField& field : x->schema().fields) {
    if (FieldEqual(field, *x, *y)) continue;
    const std::string from = ValueText(field, *x), to = ValueText(field, *y);
    changes->push_back(from == to ? absl::StrCat(field.name, " (within a long value)") : Changed(field.name, from, to));
  }
}

void CompareAnnotations(const InstructionAnnotations& a, const InstructionAnnotations& b,
                        std::vector<std::string>* changes) {
  const auto sharding = [](const BoxedOptional<Sharding>& s) {
    return s.has_value() ? ShardingToString(*s) : "(none)";
  };
  if (!(a.sharding == b.sharding)) changes->push_back(Changed("sharding", sharding(a.sharding), sharding(b.sharding)));
  if (a.frontend_attributes != b.frontend_attributes) changes->push_back("frontend_attributes");
  if (a.backend_config != b.backend_config) {
    changes->push_back(Changed("backend_config", a.backend_config, b.backend_config));
  }
  if (!(a.result_accuracy == b.result_accuracy)) changes->push_back("result_accuracy");
}

std::vector<std::string> HeaderChanges(const HloModuleConfig& a, const HloModuleConfig& b) {
  std::vector<std::string> changes;
  const auto number = [&](absl::string_view what, int64_t x, int64_t y) {
    if (x != y) changes.push_back(Changed(what, absl::StrCat(x), absl::StrCat(y)));
  };
  number("replica_count", a.replica_count, b.replica_count);
  number("num_partitions", a.num_partitions, b.num_partitions);
  number("is_scheduled", a.is_scheduled, b.is_scheduled);
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() && std::is_permutation(x.begin(), x.end(), y.begin());
  };
  if (!same(a.input_output_alias, b.input_output_alias)) changes.push_back("input_output_alias");
  if (!same(a.buffer_donors, b.buffer_donors)) changes.push_back("buffer_donor");
  return changes;
}

class DiffWriter {
 public:
  DiffWriter(const HloModule& a, const HloModule& b, const ModuleMatching& matching, const DiffOptions& options)
      : a_(a), b_(b), options_(options), matching_(matching), poll_(options.resources) {}

  absl::StatusOr<ModuleDiff> Write() {
    const std::vector<std::string> header = HeaderChanges(a_.config(), b_.config());
    if (!header.empty()) absl::StrAppend(&out_, "header: ", absl::StrJoin(header, "; "), "\n");
    for (const auto& computation : a_.computations()) {
      if (matching_.PartnerOf(computation.get()) != nullptr) continue;
      RETURN_IF_ERROR(WriteWhole('-', *computation, &removed_));
    }
    for (const auto& computation : b_.computations()) {
      const HloComputation* const before = matching_.PartnerOf(computation.get());
      RETURN_IF_ERROR(before == nullptr ? WriteWhole('+', *computation, &added_) : WritePair(*before, *computation));
    }
    const bool same = header.empty() && removed_ + added_ + changed_ == 0;
    if (same) return ModuleDiff{true, absl::StrCat("the same: ", same_, " instructions\n")};
    absl::StrAppend(&out_, removed_, " removed, ", added_, " added, ", changed_, " changed, ", same_, " the same\n");
    return ModuleDiff{false, out_};
  }

 private:
  struct Line {
    char mark;  // '-', '+' or ' '
    std::string text;
    std::string about;  // what is changed
  };

  // All of a computation that is in one module only.
  absl::Status WriteWhole(char mark, const HloComputation& computation, int64_t* count) {
    std::vector<Line> lines = {{mark, absl::StrCat("computation ", computation.name()), ""}};
    for (const auto& instruction : computation.instructions()) {
      RETURN_IF_ERROR(poll_.Check(1 + instruction->operand_count()));
      lines.push_back({mark, absl::StrCat("  ", LineOf(*instruction)), ""});
      ++*count;
    }
    for (const Line& line : lines) WriteLine(line);
    absl::StrAppend(&out_, "\n");
    return absl::OkStatus();
  }

  absl::Status WritePair(const HloComputation& before, const HloComputation& after) {
    ASSIGN_OR_RETURN(const std::vector<Line> lines, LinesOf(before, after));
    const bool differ = std::any_of(lines.begin(), lines.end(), [](const Line& line) { return line.mark != ' '; });
    if (!differ) return absl::OkStatus();
    absl::StrAppend(&out_, Colored("1", absl::StrCat("computation ", before.name())));
    if (before.name() != after.name()) absl::StrAppend(&out_, " -> ", after.name());
    absl::StrAppend(&out_, "\n");
    WriteWithContext(lines);
    absl::StrAppend(&out_, "\n");
    return absl::OkStatus();
  }

  // The instructions of `after`, those that were removed in front of what followed them.
  absl::StatusOr<std::vector<Line>> LinesOf(const HloComputation& before, const HloComputation& after) {
    std::map<const HloInstruction*, std::vector<const HloInstruction*>> removed_before;  // looked up only
    std::vector<const HloInstruction*> waiting;
    for (const auto& instruction : before.instructions()) {
      const HloInstruction* const partner = matching_.PartnerOf(instruction.get());
      if (partner == nullptr) {
        waiting.push_back(instruction.get());
      } else if (!waiting.empty()) {
        removed_before[partner] = std::move(waiting);
        waiting.clear();
      }
    }
    std::vector<Line> lines;
    const auto add_removed = [&](const std::vector<const HloInstruction*>& instructions) {
      for (const HloInstruction* instruction : instructions) lines.push_back({'-', LineOf(*instruction), ""});
      removed_ += static_cast<int64_t>(instructions.size());
    };
    for (const auto& instruction : after.instructions()) {
      RETURN_IF_ERROR(poll_.Check(1 + instruction->operand_count()));
      const auto it = removed_before.find(instruction.get());
      if (it != removed_before.end()) add_removed(it->second);
      AddLines(*instruction, &lines);
    }
    add_removed(waiting);
    return lines;
  }

  void AddLines(const HloInstruction& after, std::vector<Line>* lines) {
    const HloInstruction* const before = matching_.PartnerOf(&after);
    if (before == nullptr) {
      ++added_;
      lines->push_back({'+', LineOf(after), ""});
      return;
    }
    const std::vector<std::string> changes = ChangesOf(*before, after);
    if (changes.empty()) {
      ++same_;
      lines->push_back({' ', LineOf(after), ""});
      return;
    }
    ++changed_;
    lines->push_back({'-', LineOf(*before), ""});
    lines->push_back({'+', LineOf(after), absl::StrJoin(changes, "; ")});
  }

  std::vector<std::string> ChangesOf(const HloInstruction& a, const HloInstruction& b) const {
    std::vector<std::string> changes;
    if (a.opcode() != b.opcode()) changes.push_back(Changed("opcode", a.opcode_name(), b.opcode_name()));
    CompareShapes(a.shape(), b.shape(), &changes);
    CompareOperands(a, b, &changes);
    CompareCallees(a, b, &changes);
    CompareAttributes(a, b, &changes);
    if (a.has_annotations() || b.has_annotations()) CompareAnnotations(a.annotations(), b.annotations(), &changes);
    CompareControlEdges(a, b, &changes);
    const bool was_root = a.parent()->root() == &a, is_root = b.parent()->root() == &b;
    if (was_root != is_root) changes.push_back(is_root ? "is the root now" : "is no longer the root");
    return changes;
  }

  void CompareOperands(const HloInstruction& a, const HloInstruction& b, std::vector<std::string>* changes) const {
    if (a.operand_count() != b.operand_count()) {
      changes->push_back(absl::StrCat(a.operand_count(), " -> ", b.operand_count(), " operands"));
      return;
    }
    for (int i = 0; i < a.operand_count(); ++i) {
      if (matching_.PartnerOf(a.operand(i)) == b.operand(i)) continue;
      if (matching_.ComputeTheSame(a.operand(i), b.operand(i))) continue;
      changes->push_back(Changed(absl::StrCat("operand ", i), a.operand(i)->name(), b.operand(i)->name()));
    }
  }

  void CompareCallees(const HloInstruction& a, const HloInstruction& b, std::vector<std::string>* changes) const {
    const auto x = a.called_computations(), y = b.called_computations();
    if (x.size() != y.size()) {
      changes->push_back(absl::StrCat(x.size(), " -> ", y.size(), " called computations"));
      return;
    }
    for (size_t i = 0; i < x.size(); ++i) {
      if (matching_.PartnerOf(x[i]) == y[i] || matching_.ComputeTheSame(x[i]->root(), y[i]->root())) continue;
      changes->push_back(Changed("called computation", x[i]->name(), y[i]->name()));
    }
  }

  void CompareControlEdges(const HloInstruction& a, const HloInstruction& b, std::vector<std::string>* changes) const {
    if (a.control_predecessors().empty() && b.control_predecessors().empty()) return;
    const absl::flat_hash_set<const HloInstruction*> now(b.control_predecessors().begin(),
                                                         b.control_predecessors().end());
    absl::flat_hash_set<const HloInstruction*> before;
    for (const HloInstruction* predecessor : a.control_predecessors()) {
      const HloInstruction* const partner = matching_.PartnerOf(predecessor);
      before.insert(partner);
      if (partner == nullptr || !now.contains(partner)) {
        changes->push_back(absl::StrCat("no longer waits for ", predecessor->name()));
      }
    }
    for (const HloInstruction* predecessor : b.control_predecessors()) {
      if (!before.contains(predecessor)) changes->push_back(absl::StrCat("waits for ", predecessor->name()));
    }
  }

  void WriteWithContext(const std::vector<Line>& lines) {
    const auto count = static_cast<int64_t>(lines.size());
    std::vector<bool> shown(lines.size(), false);
    // Steps since, and until, the last line that differs.
    int64_t near = options_.context + 1;
    for (int64_t i = 0; i < count; ++i) {
      near = lines[i].mark != ' ' ? 0 : near + 1;
      shown[i] = shown[i] || near <= options_.context;
    }
    near = options_.context + 1;
    for (int64_t i = count - 1; i >= 0; --i) {
      near = lines[i].mark != ' ' ? 0 : near + 1;
      shown[i] = shown[i] || near <= options_.context;
    }
    bool skipped = false;
    for (int64_t i = 0; i < count; ++i) {
      if (shown[i]) {
        WriteLine({lines[i].mark, absl::StrCat("  ", lines[i].text), lines[i].about});
      } else if (!skipped) {
        absl::StrAppend(&out_, "    ...\n");
      }
      skipped = !shown[i];
    }
  }

  void WriteLine(const Line& line) {
    std::string text = absl::StrCat(std::string(1, line.mark), " ", ValidUtf8(line.text));
    if (line.mark != ' ') text = Colored(line.mark == '-' ? "31" : "32", text);
    absl::StrAppend(&out_, text, "\n");
    if (!line.about.empty()) absl::StrAppend(&out_, Colored("33", absl::StrCat("      # ", line.about)), "\n");
  }

  std::string Colored(absl::string_view color, absl::string_view text) const {
    if (!options_.color) return std::string(text);
    return absl::StrCat("\x1b[", color, "m", text, "\x1b[0m");
  }

  const HloModule& a_;
  const HloModule& b_;
  const DiffOptions& options_;
  const ModuleMatching& matching_;
  ResourcePoll poll_;
  std::string out_;
  int64_t removed_ = 0, added_ = 0, changed_ = 0, same_ = 0;
};

}  // namespace

absl::StatusOr<ModuleDiff> DiffModules(const HloModule& a, const HloModule& b, const DiffOptions& options) {
  ASSIGN_OR_RETURN(const ModuleMatching matching, ModuleMatching::Create(a, b, options.resources));
  return DiffWriter(a, b, matching, options).Write();
}

}  // namespace xla
