// Reads the programs of a corpus from artifacts of every version of VHLO that has its own form.
//
// jaxlib writes each program again at each version, and says as text what it reads from the newest. What is read from
// an artifact must be the same module, to each location, and the same HLO; so it has the same results.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "builders/stablehlo/bytecode/reader.h"
#include "builders/stablehlo/ir/compare_modules.h"
#include "builders/stablehlo/parse_stablehlo.h"
#include "builders/stablehlo/text/parser.h"
#include "tests/conformance/corpus_flags.h"
#include "tests/conformance/corpus_run.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "tools/testing/user_path.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

namespace fs = std::filesystem;

constexpr char kProgram[] = "versions";
constexpr char kFolder[] = "hlo";
constexpr char kScript[] = "tests/stablehlo/reserialize.py";
constexpr char kText[] = "program.mlir";
constexpr absl::Duration kLimit = absl::Minutes(5);

// The first version, the last one, and those between that have another form of the container or of an operation that
// is used much.
constexpr absl::string_view kVersions[] = {"0.9.0", "0.14.0", "0.20.0", "1.0.0", "1.4.0", "1.8.0", "1.12.0", "1.17.0"};

struct VersionFlags {
  std::string python;
  std::string artifacts;
};

std::string Quoted(const std::string& word) {
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

// Lets jaxlib write the artifacts of `corpus` into `folder`.
absl::Status WriteArtifacts(const std::string& python, const std::string& corpus, const std::string& folder) {
  const std::string command = absl::StrCat(Quoted(python), " ", kScript, " ", Quoted(corpus), " ", Quoted(folder), " ",
                                           absl::StrJoin(kVersions, " "), " 2>/dev/null");
  if (std::system(command.c_str()) == 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("this fails: ", command));
}

// The programs of a file as HLO, without what says where it comes from.
absl::StatusOr<std::string> HloOf(absl::string_view contents) {
  ASSIGN_OR_RETURN(const auto modules, ParseStableHlo(contents));
  PrintOptions print = PrintOptions::Canonical();
  print.metadata = false;
  std::string text;
  for (const auto& module : modules) absl::StrAppend(&text, ModuleToString(*module, print), "\n");
  return text;
}

// Both refuse a program, or give the same.
bool IsSame(const absl::StatusOr<std::string>& a, const absl::StatusOr<std::string>& b) {
  return a.ok() == b.ok() && (!a.ok() || *a == *b);
}

absl::Status CheckVersion(absl::string_view artifact, const stablehlo::Module& wanted,
                          const absl::StatusOr<std::string>& wanted_hlo) {
  ASSIGN_OR_RETURN(const auto module, stablehlo::ReadBytecode(artifact));
  stablehlo::CompareOptions compare;
  compare.with_locations = true;
  const std::string difference = stablehlo::FirstDifference(*module, wanted, compare);
  if (!difference.empty()) return absl::DataLossError(difference);
  if (IsSame(HloOf(artifact), wanted_hlo)) return absl::OkStatus();
  return absl::DataLossError("the HLO differs from that of the text");
}

CaseResult CheckCase(const std::string& folder) {
  CaseResult result;
  const auto fail = [&result](absl::string_view version, const absl::Status& status) {
    result.verdict = Verdict::kFailed;
    absl::StrAppend(&result.message, result.message.empty() ? "" : "\n", version, ": ", status.message());
  };
  const auto text = ReadFile(absl::StrCat(folder, "/", kText));
  const auto wanted = text.ok() ? stablehlo::ParseModule(text->data())
                                : absl::StatusOr<std::unique_ptr<stablehlo::Module>>(text.status());
  if (!wanted.ok()) {
    fail(kText, wanted.status());
    return result;
  }
  const absl::StatusOr<std::string> wanted_hlo = HloOf(text->data());
  for (const absl::string_view version : kVersions) {
    const std::string path = absl::StrCat(folder, "/", version, ".mlirbc");
    if (!fs::exists(path)) continue;
    const auto artifact = ReadFile(path);
    const absl::Status status =
        artifact.ok() ? CheckVersion(artifact->data(), **wanted, wanted_hlo) : artifact.status();
    if (!status.ok()) fail(version, status);
  }
  return result;
}

int CheckAll(const std::string& folder, const CorpusFlags& flags) {
  std::vector<CaseName> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    names.push_back({"stablehlo", it->path().filename().string()});
  }
  for (const absl::string_view version : kVersions) {
    int count = 0;
    for (const CaseName& name : names) {
      count += fs::exists(absl::StrCat(folder, "/", name.title, "/", version, ".mlirbc")) ? 1 : 0;
    }
    std::printf("%s: %d artifacts, %d programs that this version cannot say\n", std::string(version).c_str(), count,
                static_cast<int>(names.size()) - count);
  }
  std::fflush(stdout);
  return RunMatchingCases(kProgram, names, flags, kLimit,
                          [&](int i) { return CheckCase(absl::StrCat(folder, "/", names[i].title)); });
}

FlagTable MakeFlagTable(CorpusFlags& flags, VersionFlags& own) {
  FlagTable table("versions [FLAGS]",
                  "Reads the programs of a conformance corpus from artifacts of each version of VHLO, which jaxlib "
                  "writes, and compares them with what jaxlib reads. Exit status: 0 all passed or skipped, 1 some "
                  "failed, 2 bad usage.");
  AddCorpusFlags(kFolder, flags, table);
  table.Text("python", "FILE", &own.python,
             "an interpreter that has jaxlib, such as VENV/bin/python (default: that which HALO_JAX_PYTHON names)");
  table.Text("artifacts", "DIR", &own.artifacts,
             "a folder with artifacts that an earlier run has kept, or a new one "
             "to keep them in (default: they are not kept)");
  return table;
}

int Main(int argc, char** argv) {
  CorpusFlags flags;
  VersionFlags own;
  FlagTable table = MakeFlagTable(flags, own);
  const absl::optional<int> ended = ReadCommandLine(kProgram, argc, argv, table);
  if (ended.has_value()) return *ended;
  own.artifacts = UserPath(own.artifacts);
  if (!own.artifacts.empty() && fs::exists(own.artifacts)) return CheckAll(own.artifacts, flags);
  const char* const named = std::getenv("HALO_JAX_PYTHON");
  if (own.python.empty() && named != nullptr) own.python = named;
  if (own.python.empty()) {
    std::printf("skipped: --python or HALO_JAX_PYTHON names no interpreter that has jaxlib\n");
    return kExitFine;
  }
  const std::string corpus = CorpusFolder(kFolder, flags);
  if (!fs::exists(corpus)) {
    PrintThatThereIsNoCorpus(kFolder);
    return kExitFine;
  }
  std::string folder = own.artifacts;
  if (folder.empty()) {
    folder = (fs::temp_directory_path() / "halo-artifacts-XXXXXX").string();
    if (mkdtemp(&folder[0]) == nullptr) return BadUsage(kProgram, "cannot make a folder for the artifacts");
  }
  const absl::Status written = WriteArtifacts(own.python, corpus, folder);
  if (!written.ok()) return BadUsage(kProgram, written.message());
  const int status = CheckAll(folder, flags);
  if (own.artifacts.empty()) fs::remove_all(folder);
  return status;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
