#include "tools/read_program.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "builders/nnef1/containers/container.h"
#include "builders/webnn/graph_builder.h"
#include "builders/webnn/read_graph_json.h"
#include "tools/shared/program_contents.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr char kAuto[] = "auto";
constexpr char kHlo[] = "hlo";
constexpr char kWebnn[] = "webnn";
constexpr char kNnef[] = "nnef";

// Whether files can have these names without surprises; they come from the program.
bool ArePlainFileNames(const std::vector<std::string>& names) {
  const bool plain = std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return !name.empty() && name[0] != '.' && name.size() < 200 && std::all_of(name.begin(), name.end(), [](char c) {
      return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.';
    });
  });
  return plain && std::set<std::string>(names.begin(), names.end()).size() == names.size();
}

// What the file has for all inputs of the graph to run on; nothing if one lacks.
std::vector<Literal> ArgumentsIn(const webnn::JsonGraph& read, const webnn::GraphDefinition& graph) {
  const std::map<std::string, Literal> given(read.input_values.begin(), read.input_values.end());
  std::vector<Literal> arguments;
  for (const webnn::OperandNode* input : graph.inputs) {
    const auto it = given.find(input->name);
    if (it == given.end()) return {};
    arguments.push_back(it->second);
  }
  return arguments;
}

// The results that a conformance case expects; nullopt if the file is none.
absl::StatusOr<absl::optional<Literal>> ExpectedResult(const JsonValue& json, const webnn::GraphDefinition& graph,
                                                       const std::string& name) {
  const JsonValue* const expected = json.Find("expected");
  if (expected == nullptr) return absl::optional<Literal>();
  std::vector<Literal> results;
  for (const auto& [output, node] : graph.outputs) {
    const JsonValue* const elements = expected->Find(output);
    if (elements == nullptr) return absl::optional<Literal>();
    ASSIGN_OR_RETURN(Literal result,
                     webnn::ReadConstantElements(node->descriptor, *elements, name + ": expected: '" + output + "'",
                                                 graph.nodes->edition()));
    results.push_back(std::move(result));
  }
  return absl::optional<Literal>(Literal::Tuple(std::move(results)));
}

absl::StatusOr<ProgramFile> ReadWebnnProgram(absl::string_view contents, const std::string& name) {
  ASSIGN_OR_RETURN(const JsonValue json, ParseJson(contents, name));
  ASSIGN_OR_RETURN(const webnn::MLEdition edition, webnn::EditionOfJson(json, name));
  webnn::MLGraphBuilder builder(webnn::MLContext::WithoutDevice(edition));
  ASSIGN_OR_RETURN(const webnn::JsonGraph read, webnn::ReadGraphJson(json, name, builder));
  absl::StatusOr<webnn::GraphDefinition> graph = builder.Define(read.outputs);
  RETURN_IF_ERROR(webnn::AtPlace(name, graph.status()));
  absl::StatusOr<std::unique_ptr<HloModule>> module = webnn::LowerToHlo(*graph);
  RETURN_IF_ERROR(webnn::AtPlace(name, module.status()));

  ProgramFile file;
  file.format = "WebNN graph in JSON";
  file.modules.push_back(*std::move(module));
  for (const webnn::OperandNode* input : graph->inputs) file.input_names.push_back(input->name);
  for (const auto& output : graph->outputs) file.output_names.push_back(output.first);
  if (!ArePlainFileNames(file.output_names)) file.output_names.clear();
  std::vector<Literal> arguments = ArgumentsIn(read, *graph);
  if (!arguments.empty()) {
    file.arguments.push_back(std::move(arguments));
    ASSIGN_OR_RETURN(file.result, ExpectedResult(json, *graph, name));
  }
  return file;
}

// A name that no other programs have. What else such a file holds is a mistake that is told in the terms of NNEF.
bool IsNamedAsNnef1(absl::string_view path) {
  for (const absl::string_view suffix : {".nnef", ".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst"}) {
    if (absl::EndsWithIgnoreCase(path, suffix)) return true;
  }
  return false;
}

}  // namespace

void AddFrontendFlag(std::string* frontend, FlagTable* table) {
  table->Choice("frontend", {kAuto, kHlo, kWebnn, kNnef}, frontend,
                "read FILE as HLO, as a WebNN graph in JSON, or as an NNEF 1 model (default: auto, by its content)");
}

void AddNnef1ReadFlags(Nnef1ReadFlags* flags, FlagTable* table) {
  table->List("shape", "NAME=EXTENTS", &flags->shapes,
              "replace the declared extents of an input, as input=4,3,224,224; may be repeated");
  table->Choice("scalars", {"f32", "f64", "f16", "bf16"}, &flags->scalars,
                "compute scalars in this type (default: f32)");
  table->Switch("simulate-quantization", &flags->simulate_quantization, "round tensors as graph.quant specifies");
}

bool IsNnef1(const std::string& path, const std::string& frontend) {
  if (frontend != kAuto) return frontend == kNnef;
  if (IsNamedAsNnef1(path)) return true;
  if (path == "-") {
    const absl::StatusOr<std::shared_ptr<const FileContents>> contents = ReadProgramContents(path);
    return contents.ok() && nnef1::LooksLikeNnef1InMemory((*contents)->data());
  }
  struct stat info;
  // No other programs are folders: one that lacks its description is a damaged model.
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return true;
  return nnef1::LooksLikeNnef1(path);
}

absl::StatusOr<ProgramFile> ReadNnef1Program(const std::string& path, const Nnef1Flags& flags) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Nnef1Program> program, Nnef1Program::Load(path, flags));
  ProgramFile file;
  file.format = "NNEF 1 model";
  file.modules.push_back(program->TakeModule());
  file.warnings = program->warnings();
  file.input_names = program->input_names();
  file.output_names = program->all_names();
  return file;
}

std::string FrontendFor(absl::string_view contents, const std::string& frontend) {
  if (frontend != kAuto) return frontend;
  return webnn::LooksLikeGraphJson(contents) ? kWebnn : kHlo;
}

absl::StatusOr<ProgramFile> ReadProgram(absl::string_view contents, const std::string& name,
                                        const std::string& frontend) {
  return FrontendFor(contents, frontend) == kWebnn ? ReadWebnnProgram(contents, name) : ParseProgram(contents, name);
}

}  // namespace xla
