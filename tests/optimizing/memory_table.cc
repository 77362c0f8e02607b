// A table of the memory plans of a conformance corpus, or of random modules: bytes of the arena next to the fewest that
// any plan could do with. Every plan is checked by running the program on it with marks in place of data.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "passes/memory/buffer_assignment.h"
#include "passes/memory/testing/check_assignment.h"
#include "passes/pass_runner.h"
#include "passes/pipelines.h"
#include "re2/re2.h"
#include "tests/conformance/conformance_case.h"
#include "tests/random_modules/random_module.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "tools/testing/user_path.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

struct Flags {
  std::string corpus;
  std::string groups = "model,train,program";
  std::string filter;
  std::string passes = "flatten-call-graph,schedule-for-memory,insert-copies";
  std::string pipeline;
  int64_t random = 0;
  int64_t seed = 0;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table("memory_table [--corpus DIR] [--random N] [FLAGS]",
                  "Plans the memory of programs, checks each plan, and prints its size next to the lower bound. Exit "
                  "status: 0 all plans are right, 1 one is not, 2 bad usage.");
  table.Topic("flags", "all of them");
  table.Text("corpus", "DIR", &flags.corpus, "the folder with model, train, program ...");
  table.Text("groups", "LIST", &flags.groups, "the folders to look into");
  table.Text("filter", "RE", &flags.filter, "only cases whose GROUP/NAME this matches somewhere");
  table.Text("passes", "LIST", &flags.passes, "what runs before, as --passes of hlo-opt");
  table.Text("pipeline", "NAME", &flags.pipeline, "this pipeline runs before instead");
  table.Number("random", "N", &flags.random, 0, "also this many random modules, not printed one by one");
  table.Number("seed", "S", &flags.seed, 0, "of the first random module");
  return table;
}

struct Row {
  int64_t instructions = 0;
  int64_t copies = 0;
  int64_t arena = 0;
  int64_t bound = 0;
  bool planned = false;
  double ratio() const { return bound == 0 ? 1 : static_cast<double>(arena) / static_cast<double>(bound); }
};

absl::StatusOr<Row> Plan(HloModule& module, const Flags& flags) {
  ASSIGN_OR_RETURN(const Pipeline steps,
                   flags.pipeline.empty() ? ParsePasses(flags.passes) : PipelineByName(flags.pipeline));
  PassContext context;
  PassRunnerOptions options;
  options.strict = true;
  RETURN_IF_ERROR(RunPasses(steps, options, context, module).status());
  Row row;
  row.instructions = module.instruction_count();
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      row.copies += instruction->opcode() == HloOpcode::kCopy ? 1 : 0;
    }
  }
  const absl::StatusOr<BufferAssignment> assignment = AssignBuffers(module);
  // What meets other devices is never copied, so such computations may stay shared.
  if (absl::IsFailedPrecondition(assignment.status()) &&
      absl::StrContains(assignment.status().message(), "flatten-call-graph")) {
    return row;
  }
  RETURN_IF_ERROR(assignment.status());
  row.planned = true;
  row.arena = assignment->arena_bytes();
  row.bound = assignment->arena_lower_bound();
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const absl::Status checked = CheckAssignment(module, *assignment, seed);
    if (!checked.ok() && !absl::IsDeadlineExceeded(checked)) return checked;
  }
  return row;
}

// Counts what is wrong.
class Table {
 public:
  explicit Table(const Flags& flags) : flags_(flags) {}

  void Add(const std::string& title, HloModule& module, bool print) {
    const absl::StatusOr<Row> row = Plan(module, flags_);
    if (!row.ok()) {
      std::printf("%-44s %s\n", title.c_str(), std::string(row.status().message()).c_str());
      ++wrong_;
      return;
    }
    if (!row->planned) return;
    if (print) {
      std::printf("%-44s %7lld %6lld %12lld %12lld %6.3f\n", title.c_str(), static_cast<long long>(row->instructions),
                  static_cast<long long>(row->copies), static_cast<long long>(row->arena),
                  static_cast<long long>(row->bound), row->ratio());
    }
    worst_ = std::max(worst_, row->ratio());
    sum_ += row->ratio();
    ++count_;
  }
  int Finish() const {
    std::printf("%lld plans, arena to lower bound: mean %.4f, worst %.3f; %lld wrong\n", static_cast<long long>(count_),
                count_ == 0 ? 1 : sum_ / static_cast<double>(count_), worst_, static_cast<long long>(wrong_));
    return wrong_ == 0 ? kExitFine : kExitResultsDiffer;
  }

 private:
  const Flags& flags_;
  int64_t count_ = 0;
  int64_t wrong_ = 0;
  double sum_ = 0;
  double worst_ = 1;
};

absl::Status AddCorpus(const Flags& flags, Table* table) {
  ASSIGN_OR_RETURN(const std::vector<ConformanceCase> cases, ListCases(flags.corpus));
  const RE2 filter(flags.filter, RE2::Quiet);
  if (!filter.ok()) return absl::InvalidArgumentError(absl::StrCat("--filter: ", filter.error()));
  const std::vector<std::string> groups = absl::StrSplit(flags.groups, ',');
  for (const ConformanceCase& one : cases) {
    const bool wanted = std::find(groups.begin(), groups.end(), one.group) != groups.end();
    if (!wanted || !RE2::PartialMatch(one.title(), filter)) continue;
    const absl::StatusOr<FileContents> file = ReadFile(one.path("module.hlo"));
    if (!file.ok()) continue;
    ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, ParseHloModule(file->data()));
    if (!VerifyModule(*module).ok()) continue;
    table->Add(one.title(), *module, /*print=*/true);
  }
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  Flags flags;
  FlagTable flag_table = MakeFlagTable(flags);
  const absl::optional<int> ended = ReadCommandLine("memory_table", argc, argv, flag_table);
  if (ended.has_value()) return *ended;
  flags.corpus = UserPath(flags.corpus);
  std::printf("%-44s %7s %6s %12s %12s %6s\n", "", "instr", "copies", "arena", "lower bound", "ratio");
  Table table(flags);
  if (!flags.corpus.empty()) {
    const absl::Status added = AddCorpus(flags, &table);
    if (!added.ok()) return BadUsage("memory_table", added.message());
  }
  for (int64_t i = 0; i < flags.random; ++i) {
    const uint64_t seed = static_cast<uint64_t>(flags.seed + i);
    const RandomModule random = GenerateRandomModule(seed);
    table.Add(absl::StrCat("random module of seed ", seed), *random.module, /*print=*/false);
  }
  return table.Finish();
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
