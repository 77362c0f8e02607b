// planted_faults: an autopsy of a program with each planted fault; prints verdict and time of each.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "tests/autopsy/planted_faults.h"
#include "tools/shared/command_line.h"
#include "tools/shared/flag_table.h"
#include "tools/shared/run_arguments.h"
#include "tools/testing/user_path.h"
#include "xla_core/literal_io/input_spec.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

struct Program {
  std::unique_ptr<HloModule> module;
  std::vector<Literal> arguments;
};

absl::StatusOr<Program> Read(const std::string& folder) {
  Program program;
  const std::string module_file = absl::StrCat(folder, "/module.hlo");
  ASSIGN_OR_RETURN(const FileContents text, ReadFile(module_file));
  ASSIGN_OR_RETURN(program.module, ParseHloModule(text.data()));
  RETURN_IF_ERROR(VerifyModule(*program.module));
  const std::string inputs_file = absl::StrCat(folder, "/inputs.json");
  ASSIGN_OR_RETURN(const FileContents inputs, ReadFile(inputs_file));
  ASSIGN_OR_RETURN(const JsonValue json, ParseJson(inputs.data(), inputs_file));
  ASSIGN_OR_RETURN(const InputSpecs specs, ParseInputSpecs(json, inputs_file));
  ASSIGN_OR_RETURN(DeviceArguments arguments,
                   ArgumentsFromSpecs(ParameterShapes(*program.module), 1, specs, inputs_file, InputResources()));
  program.arguments = std::move(arguments[0]);
  return program;
}

// Whether it was named rightly.
bool Report(const std::string& fault, const absl::StatusOr<PlantedOutcome>& outcome) {
  if (!outcome.ok()) {
    std::printf("%-44s %s\n", fault.c_str(), std::string(outcome.status().message()).c_str());
    return false;
  }
  std::printf("%-44s %5.1f s  %s%s\n", fault.c_str(), absl::ToDoubleSeconds(outcome->time),
              outcome->is_named_rightly ? "" : "WRONG ", outcome->verdict.c_str());
  std::fflush(stdout);
  return outcome->is_named_rightly;
}

int Main(int argc, char** argv) {
  std::string program_folder = "examples/gpt2_generate", output = "/tmp/planted_faults", only;
  FlagTable table("planted_faults [FLAGS]", "Finds faults that are planted in the CPU backend.");
  table.Topic("all", "all flags");
  table.Text("program", "DIR", &program_folder, "a folder with module.hlo and inputs.json");
  table.Text("output", "DIR", &output, "where each autopsy leaves its files");
  table.Text("only", "FAULT", &only, "only the faults whose names begin so");
  const absl::optional<int> ended = ReadCommandLine("planted_faults", argc, argv, table);
  if (ended.has_value()) return *ended;
  const absl::StatusOr<Program> program = Read(UserPath(program_folder));
  if (!program.ok()) return BadUsage("planted_faults", program.status().message());
  int wrong = 0, number = 0;
  for (const std::string& fault : PlantedFaults()) {
    ++number;
    if (fault.rfind(only, 0) != 0) continue;
    const std::string folder = absl::StrCat(UserPath(output), "/", number);
    if (!Report(fault, FindPlantedFault(fault, *program->module, program->arguments, folder))) ++wrong;
  }
  std::printf("%d of them not named rightly\n", wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
