// The frontend of WebNN graphs in JSON.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "builders/webnn/graph_builder.h"
#include "builders/webnn/read_graph_json.h"
#include "tools/frontends/registry.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

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

absl::StatusOr<ProgramFile> ReadGraph(absl::string_view contents, const std::string& name,
                                      const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const JsonValue json, ParseJson(contents, name, resources));
  ASSIGN_OR_RETURN(const webnn::MLEdition edition, webnn::EditionOfJson(json, name));
  webnn::MLGraphBuilder builder(webnn::MLContext::WithoutDevice(edition));
  ASSIGN_OR_RETURN(const webnn::JsonGraph read,
                   webnn::ReadGraphJson(json, name, builder, DefaultMaxFileBytes(), resources));
  absl::StatusOr<webnn::GraphDefinition> graph = builder.Define(read.outputs);
  RETURN_IF_ERROR(webnn::AtPlace(name, graph.status()));
  absl::StatusOr<std::unique_ptr<HloModule>> module = webnn::LowerToHlo(*graph, resources);
  RETURN_IF_ERROR(CheckResources(resources));
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

FrontendDescription Description() {
  FrontendDescription description;
  description.name = "webnn";
  description.program = "a WebNN graph";
  description.file = "a WebNN graph in JSON";
  return description;
}

class WebnnFrontend : public Frontend {
 public:
  WebnnFrontend() : Frontend(Description()) {}

  Recognition Recognize(const ProgramSource& source) const override {
    const absl::StatusOr<absl::string_view> contents = source.Contents();
    return contents.ok() && webnn::LooksLikeGraphJson(*contents) ? Recognition::kByContent : Recognition::kNot;
  }

  absl::StatusOr<LoadedProgram> Load(const ProgramSource& source, const LoadRequest& request) override {
    ASSIGN_OR_RETURN(const absl::string_view contents, source.Contents());
    LoadedProgram program;
    ASSIGN_OR_RETURN(program.file, ReadGraph(contents, source.name(), request.resources));
    program.details = absl::StrFormat("%d bytes, %d modules", contents.size(), program.file.modules.size());
    return program;
  }
};

const bool kRegistered = [] {
  RegisterFrontend([] { return std::make_unique<WebnnFrontend>(); });
  return true;
}();

}  // namespace
}  // namespace xla
