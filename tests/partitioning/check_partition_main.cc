// Partitions random programs, or those of a corpus, with random shardings and compares them with the programs on whole
// arrays.
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "passes/analyses/exactness.h"
#include "passes/check/check_inputs.h"
#include "passes/partitioning/partition_module.h"
#include "re2/re2.h"
#include "tests/conformance/conformance_case.h"
#include "tests/partitioning/operand_tally.h"
#include "tests/partitioning/partition_check.h"
#include "tests/partitioning/random_shardings.h"
#include "tests/partitioning/window_programs.h"
#include "tests/random_modules/random_module.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "tools/shared/run_arguments.h"
#include "tools/testing/user_path.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

struct Flags {
  uint64_t seed = 1;
  int64_t count = 200;
  std::string partitions = "2,4,8";
  std::string passes;
  std::string corpus;
  std::string filter;
  int64_t shardings = 2;
  int64_t ring_bytes = kRingBytes;
  bool windows = false;
  bool print = false;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table(
      "check_partition [FLAGS]",
      "Annotates programs with random shardings, partitions them and compares what all devices compute with "
      "the program on whole arrays, on the interpreter. Exit status: 0 no difference, 1 something found, 2 "
      "bad usage.");
  table.Topic("flags", "all of them");
  table.Seed("seed", &flags.seed, "of the first program and its shardings; the others follow");
  table.Number("count", "N", &flags.count, 1, "random programs");
  table.Switch("windows", &flags.windows,
               "random programs of what needs other shards: windows, slices, gathers, cumulative sums, argmaxes; "
               "shardings of every second one are propagated first");
  table.Text("partitions", "N,N", &flags.partitions, "numbers of devices, which take turns");
  table.Text("passes", "LIST", &flags.passes, "passes to run before partition");
  table.Number("ring-bytes", "N", &flags.ring_bytes, 0,
               "products that move at least this many bytes go around rings; 0: all that can");
  table.Switch("print", &flags.print, "print each program with its shardings");
  table.Text("corpus", "DIR", &flags.corpus, "check the programs of this conformance corpus instead");
  table.Text("filter", "RE", &flags.filter, "only cases of the corpus whose GROUP/NAME matches somewhere");
  table.Number("shardings", "N", &flags.shardings, 1, "shardings of each case of the corpus");
  return table;
}

class Checker {
 public:
  Checker(const Flags& flags, std::vector<int64_t> partitions) : flags_(flags), partitions_(std::move(partitions)) {}

  void Check(const HloModule& module, const std::string& title, uint64_t seed, const std::vector<Literal>& arguments,
             const ExactOutputs& exact, std::function<Tolerance(int output, PrimitiveType type)> tolerance = nullptr,
             bool propagates = false) {
    PartitionCheckOptions options;
    options.tolerance = std::move(tolerance);
    options.devices = partitions_[seed % partitions_.size()];
    const std::string before =
        propagates ? absl::StrCat("propagate-shardings:partitions=", options.devices) : flags_.passes;
    options.passes = absl::StrCat(before, before.empty() ? "" : ",", "partition:partitions=", options.devices,
                                  ":ring-bytes=", flags_.ring_bytes);
    const std::unique_ptr<HloModule> annotated = CloneModule(module);
    AnnotateRandomly(*annotated, options.devices, seed);
    if (flags_.print) std::printf("%s\n", ModuleToString(*annotated).c_str());
    ++programs_;
    auto result = CheckPartition(*annotated, *OnOneDevice(module), options, arguments, exact);
    if (result.status().code() == absl::StatusCode::kUnimplemented) {
      ++refused_;
      return;
    }
    if (result.ok()) {
      const auto tallied = tally_.AddModule(*annotated, before, options.devices, RingsFrom(flags_.ring_bytes));
      if (!tallied.ok()) result = tallied;
    }
    if (result.ok()) {
      compared_ += result->was_compared ? 1 : 0;
      for (const auto& [name, count] : result->counts) counts_[name] += count;
      if (result->difference.empty()) return;
    }
    ++findings_;
    std::printf("FOUND %s, sharding seed %llu, %lld devices: %.3000s\n", title.c_str(),
                static_cast<unsigned long long>(seed), static_cast<long long>(options.devices),
                result.ok() ? result->difference.c_str() : std::string(result.status().message()).c_str());
    std::fflush(stdout);
  }

  int Finish() const {
    std::printf("%s", tally_.ToString().c_str());
    for (const auto& [name, count] : counts_) std::printf("  %8lld  %s\n", static_cast<long long>(count), name.c_str());
    std::printf("%lld programs, %lld compared, %lld refused: %lld findings\n", static_cast<long long>(programs_),
                static_cast<long long>(compared_), static_cast<long long>(refused_), static_cast<long long>(findings_));
    return findings_ > 0 ? kExitResultsDiffer : kExitFine;
  }

 private:
  const Flags& flags_;
  const std::vector<int64_t> partitions_;
  RewriteCounts counts_;
  OperandTally tally_;
  int64_t programs_ = 0;
  int64_t compared_ = 0;
  int64_t refused_ = 0;
  int64_t findings_ = 0;
};

void CheckSeed(uint64_t seed, Checker& checker) {
  RandomModuleOptions options;
  options.max_devices = 1;
  const RandomModule random = GenerateRandomModule(seed, options);
  ExactOutputs exact = FindExactOutputs(*random.module);
  // The generator knows which sums are of whole numbers, the analysis what no sum reaches.
  for (size_t i = 0; i < exact.results.size(); ++i) {
    exact.results[i] = exact.results[i] || random.exact_leaves[i];
  }
  checker.Check(*random.module, absl::StrCat("random module ", seed), seed, RandomInputs(*random.module, seed)[0],
                exact);
}

absl::Status CheckWindowProgram(uint64_t seed, Checker& checker) {
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, ParseHloModule(RandomWindowProgram(seed)));
  RETURN_IF_ERROR(VerifyModule(*module));
  CheckInputOptions inputs;
  inputs.kind = CheckInputKind::kWholeNumbers;
  inputs.seed = seed;
  MemoryBudget budget(int64_t{1} << 30);
  ASSIGN_OR_RETURN(const auto arguments, MakeCheckInputs(*module, inputs, &budget));
  ExactOutputs exact = FindExactOutputs(*module);
  exact.results.assign(exact.results.size(), true);
  checker.Check(*module, absl::StrCat("window program ", seed), seed, arguments[0], exact, nullptr, seed % 4 < 2);
  return absl::OkStatus();
}

absl::Status CheckCase(const ConformanceCase& conformance_case, const Flags& flags, Checker& checker) {
  ASSIGN_OR_RETURN(const CaseDescription description, ReadCaseDescription(conformance_case));
  if (description.must_be_refused || description.is_full_size) return absl::OkStatus();
  if (description.replica_count * description.partition_count != 1) return absl::OkStatus();
  ASSIGN_OR_RETURN(const FileContents text, ReadFile(conformance_case.path("module.hlo")));
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, ParseHloModule(text.data()));
  RETURN_IF_ERROR(VerifyModule(*module));
  const std::vector<Shape> parameters = ParameterShapes(*module);
  ASSIGN_OR_RETURN(const DeviceArguments arguments,
                   description.has_inputs
                       ? ArgumentsFromSpecs(parameters, 1, description.inputs, "case.json", InputResources())
                       : RandomArguments(parameters, 1, /*seed=*/0, InputResources()));
  const ExactOutputs exact = FindExactOutputs(*module);
  for (int64_t i = 0; i < flags.shardings; ++i) {
    checker.Check(*module, conformance_case.title(), flags.seed + i, arguments[0], exact,
                  [&](int output, PrimitiveType type) { return description.tolerance.ForOutput(output, type); });
  }
  return absl::OkStatus();
}

int CheckCorpus(const Flags& flags, Checker& checker) {
  const RE2 filter(flags.filter, RE2::Quiet);
  if (!filter.ok()) return BadUsage("check_partition", absl::StrCat("--filter: ", filter.error()));
  const auto cases = ListCases(UserPath(flags.corpus));
  if (!cases.ok()) return BadUsage("check_partition", cases.status().message());
  for (const ConformanceCase& one : *cases) {
    if (one.group == "invalid" || !RE2::PartialMatch(one.title(), filter)) continue;
    const absl::Status status = CheckCase(one, flags, checker);
    if (!status.ok()) return BadUsage("check_partition", absl::StrCat(one.title(), ": ", status.message()));
  }
  return checker.Finish();
}

int Main(int argc, char** argv) {
  Flags flags;
  FlagTable table = MakeFlagTable(flags);
  const absl::optional<int> ended = ReadCommandLine("check_partition", argc, argv, table);
  if (ended.has_value()) return *ended;
  std::vector<int64_t> partitions;
  for (const absl::string_view text : absl::StrSplit(flags.partitions, ',')) {
    partitions.emplace_back();
    if (!absl::SimpleAtoi(text, &partitions.back()) || partitions.back() < 1) {
      return BadUsage("check_partition", absl::StrCat("--partitions: expected numbers of devices, got '", text, "'"));
    }
  }
  Checker checker(flags, std::move(partitions));
  if (!flags.corpus.empty()) return CheckCorpus(flags, checker);
  for (int64_t i = 0; i < flags.count; ++i) {
    if (!flags.windows) {
      CheckSeed(flags.seed + i, checker);
      continue;
    }
    const absl::Status status = CheckWindowProgram(flags.seed + i, checker);
    if (!status.ok()) return BadUsage("check_partition", status.message());
  }
  return checker.Finish();
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
