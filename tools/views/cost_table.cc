#include "tools/views/cost_table.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/views/instruction_text.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

struct Row {
  std::string name;
  int64_t count = 0;
  InstructionCost cost;  // of all runs
};

InstructionCost OfAllRuns(InstructionCost cost) {
  cost.flops *= cost.runs;
  cost.bytes *= cost.runs;
  cost.transcendentals *= cost.runs;
  return cost;
}

void Add(const InstructionCost& cost, Row& row) {
  ++row.count;
  row.cost.flops += cost.flops;
  row.cost.bytes += cost.bytes;
  row.cost.transcendentals += cost.transcendentals;
}

bool CostsMore(const InstructionCost& a, const InstructionCost& b) {
  if (a.bytes != b.bytes) return a.bytes > b.bytes;
  return a.flops > b.flops;
}

// "1.50 M": three digits and the power of a thousand.
std::string Short(double value) {
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P", " E"};
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < sizeof(kUnits) / sizeof(kUnits[0])) {
    value /= 1000;
    ++unit;
  }
  if (unit == 0) return absl::StrFormat("%.0f", value);
  return absl::StrFormat("%.*f%s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, kUnits[unit]);
}

std::string Line(const Row& row, const Row& total) {
  const double share = total.cost.bytes > 0 ? 100 * row.cost.bytes / total.cost.bytes : 0;
  return absl::StrFormat("%7d %10s %6.1f%% %10s %10s  %s\n", row.count, Short(row.cost.bytes), share,
                         Short(row.cost.flops), Short(row.cost.transcendentals), row.name);
}

// Runs the instructions of what it calls one by one, so that they are counted in its place.
bool HandsOver(const HloInstruction& instruction) {
  return HasTrait(instruction.opcode(), opcode_trait::kControlFlow) || instruction.opcode() == HloOpcode::kAsyncStart;
}

// The instructions that count, callers before callees.
std::vector<const HloInstruction*> CountedInstructions(const HloModule& module) {
  absl::flat_hash_set<const HloComputation*> reached = {module.entry()};
  std::vector<const HloInstruction*> counted;
  // Callees precede their callers in the module.
  for (size_t i = module.computations().size(); i > 0; --i) {
    const HloComputation& computation = *module.computations()[i - 1];
    if (!reached.contains(&computation)) continue;
    for (const auto& instruction : computation.instructions()) {
      if (HandsOver(*instruction)) {
        for (const HloComputation* callee : instruction->called_computations()) reached.insert(callee);
      } else {
        counted.push_back(instruction.get());
      }
    }
  }
  return counted;
}

std::vector<Row> SortedTop(std::vector<Row> rows, int64_t top) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return CostsMore(a.cost, b.cost); });
  if (static_cast<int64_t>(rows.size()) > top) rows.resize(top);
  return rows;
}

std::string Table(absl::string_view heading, const std::vector<Row>& rows, const Row& total) {
  std::string text =
      absl::StrFormat("%7s %10s %7s %10s %10s  %s\n", "count", "bytes", "share", "flops", "transc.", heading);
  for (const Row& row : rows) text += Line(row, total);
  return text;
}

}  // namespace

absl::StatusOr<std::string> CostTable(const HloModule& module, const CostFunction& cost, int64_t top,
                                      const ResourceContext* resources) {
  ResourcePoll poll(resources);
  std::map<std::string, Row> by_opcode;
  std::vector<Row> instructions;
  Row total{"in all"};
  for (const HloInstruction* instruction : CountedInstructions(module)) {
    RETURN_IF_ERROR(poll.Check(1 + instruction->operand_count()));
    const InstructionCost runs = OfAllRuns(cost(*instruction));
    Row& row = by_opcode[std::string(instruction->opcode_name())];
    row.name = std::string(instruction->opcode_name());
    Add(runs, row);
    Add(runs, total);
    if (runs.bytes == 0 && runs.flops == 0) continue;
    instructions.push_back({absl::StrCat(instruction->parent()->name(), "/", instruction->name(), " = ",
                                         ShortShape(*instruction), " ", ShortOperation(*instruction)),
                            1, runs});
  }
  std::vector<Row> opcodes;
  for (auto& [name, row] : by_opcode) opcodes.push_back(std::move(row));
  opcodes = SortedTop(std::move(opcodes), std::numeric_limits<int64_t>::max());
  opcodes.push_back(total);
  return absl::StrCat("module ", module.name(), "\n\n", Table("opcode", opcodes, total), "\n",
                      Table("instruction", SortedTop(std::move(instructions), top), total));
}

}  // namespace xla
