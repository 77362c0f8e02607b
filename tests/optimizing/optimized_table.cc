// A table of the models of a conformance corpus: instructions and bytes moved before and after `simplify` and `fuse`,
// next to what XLA's own compiler made of them.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "passes/analyses/cost.h"
#include "passes/pass_runner.h"
#include "passes/pipelines.h"
#include "re2/re2.h"
#include "tests/conformance/conformance_case.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "tools/testing/user_path.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// What is asked for: so many of a hundred models move no more bytes than XLA's.
constexpr double kFloorPercent = 75;
constexpr double kAimPercent = 90;

struct Flags {
  std::string corpus;
  std::string groups = "model";
  std::string filter;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table("optimized_table --corpus DIR [FLAGS]",
                  "Prints instructions and bytes moved (operands and results outside of fusions, times trip counts) of "
                  "each model before and after the pipelines simplify and fuse, and of XLA's optimized.hlo, counted "
                  "the same way. Exit status: 0 the floor is reached, 1 it is not, 2 bad usage.");
  table.Topic("flags", "all of them");
  table.Text("corpus", "DIR", &flags.corpus, "the folder with model, train, program ...");
  table.Text("groups", "LIST", &flags.groups, "the folders to look into (default: model)");
  table.Text("filter", "RE", &flags.filter, "only cases whose GROUP/NAME this matches somewhere");
  return table;
}

struct Size {
  int64_t instructions = 0;
  double bytes = 0;
  int64_t unknown_loops = 0;
};

Size SizeOf(const HloModule& module) {
  const CostAnalysis cost(module);
  return {module.instruction_count(), cost.TotalPlainBytes(), cost.UnknownLoops()};
}

struct Row {
  std::string title;
  Size before, simplified, fused, xla;
  double ratio() const { return xla.bytes == 0 ? 1 : fused.bytes / xla.bytes; }
};

absl::StatusOr<std::unique_ptr<HloModule>> Read(const std::string& path) {
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(path));
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ParseHloModule(file.data()));
  RETURN_IF_ERROR(VerifyModule(*module));
  return module;
}

absl::StatusOr<Size> SizeAfter(const HloModule& module, absl::string_view pipeline) {
  ASSIGN_OR_RETURN(const Pipeline steps, PipelineByName(pipeline));
  const std::unique_ptr<HloModule> copy = CloneModule(module);
  PassContext context;
  RETURN_IF_ERROR(RunPasses(steps, {}, context, *copy).status());
  for (const std::string& warning : context.warnings()) std::fprintf(stderr, "%s\n", warning.c_str());
  return SizeOf(*copy);
}

absl::StatusOr<Row> MakeRow(const ConformanceCase& conformance_case) {
  Row row;
  row.title = conformance_case.title();
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> optimized, Read(conformance_case.path("optimized.hlo")));
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, Read(conformance_case.path("module.hlo")));
  row.before = SizeOf(*module);
  row.xla = SizeOf(*optimized);
  ASSIGN_OR_RETURN(row.simplified, SizeAfter(*module, "simplify"));
  ASSIGN_OR_RETURN(row.fused, SizeAfter(*module, "fuse"));
  return row;
}

void Print(const Row& row) {
  const auto cell = [](const Size& size) {
    std::printf(" %6lld %10.3f%s", static_cast<long long>(size.instructions), size.bytes / 1e6,
                size.unknown_loops > 0 ? "?" : " ");
  };
  std::printf("%-44s", row.title.c_str());
  for (const Size* size : {&row.before, &row.simplified, &row.fused, &row.xla}) cell(*size);
  std::printf(" %7.2f\n", row.ratio());
}

// Of the given rows, the share that moves no more bytes than XLA's.
double Percent(const std::vector<Row>& rows) {
  const auto fine = std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.ratio() <= 1; });
  return rows.empty() ? 0 : 100.0 * static_cast<double>(fine) / static_cast<double>(rows.size());
}

int PrintTable(const std::vector<ConformanceCase>& cases, const Flags& flags) {
  const RE2 filter(flags.filter, RE2::Quiet);
  if (!filter.ok()) return BadUsage("optimized_table", absl::StrCat("--filter: ", filter.error()));
  const std::vector<std::string> groups = absl::StrSplit(flags.groups, ',');
  std::printf("%-44s %18s %18s %18s %18s\n%-44s", "", "before", "simplify", "fuse", "XLA", "");
  for (int i = 0; i < 4; ++i) std::printf("  instr         MB ");
  std::printf(" fuse/XLA  (? a loop's trip count is unknown and counts as 1)\n");
  std::vector<Row> rows;
  bool failed = false;
  for (const ConformanceCase& one : cases) {
    const bool wanted = std::find(groups.begin(), groups.end(), one.group) != groups.end();
    if (!wanted || !RE2::PartialMatch(one.title(), filter)) continue;
    const absl::StatusOr<Row> row = MakeRow(one);
    if (absl::IsNotFound(row.status())) continue;
    if (!row.ok()) {
      std::printf("%-44s %s\n", one.title().c_str(), std::string(row.status().message()).c_str());
      failed = true;
      continue;
    }
    Print(*row);
    rows.push_back(*row);
  }
  std::printf("%d models, %.1f %% of them move no more bytes than XLA's (floor %.0f %%, aim %.0f %%)\n",
              static_cast<int>(rows.size()), Percent(rows), kFloorPercent, kAimPercent);
  return !failed && Percent(rows) >= kFloorPercent ? kExitFine : kExitResultsDiffer;
}

int Main(int argc, char** argv) {
  Flags flags;
  FlagTable table = MakeFlagTable(flags);
  const absl::optional<int> ended = ReadCommandLine("optimized_table", argc, argv, table);
  if (ended.has_value()) return *ended;
  flags.corpus = UserPath(flags.corpus);
  const auto cases = ListCases(flags.corpus);
  if (!cases.ok()) return BadUsage("optimized_table", cases.status().message());
  return PrintTable(*cases, flags);
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
