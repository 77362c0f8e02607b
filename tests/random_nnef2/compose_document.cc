#include "tests/random_nnef2/compose_document.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "builders/nnef2/checking/standard_library.h"

namespace xla {
namespace nnef2 {
namespace {

// Of the document's own; those of the standard library are there.
std::shared_ptr<const Source> ReadModule(const std::string& folder, absl::string_view name) {
  const std::string file = absl::StrCat(absl::StrReplaceAll(name, {{".", "/"}}), ".sknd");
  const std::string path = absl::StrCat(folder, "/", file);
  if (folder.empty() || !std::filesystem::exists(path)) return nullptr;
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return std::make_shared<const Source>(Source{file, text.str(), std::string(name)});
}

}  // namespace

absl::StatusOr<ComposedGraph> ComposeDocument(absl::string_view text, const std::string& folder,
                                              const ComposeOptions& options) {
  Diagnostics diagnostics;
  const auto main = std::make_shared<const Source>(Source{"main.sknd", std::string(text), "main"});
  const ModuleReader reader = [&](absl::string_view name) { return ReadModule(folder, name); };
  const std::shared_ptr<const Program> program = Program::Load(main, reader, &diagnostics);
  if (program == nullptr) return diagnostics.ToStatus();
  const Signatures signatures = CheckProgram(*program, &diagnostics, IsStandardModule);
  if (diagnostics.has_errors()) return diagnostics.ToStatus();
  absl::optional<ComposedGraph> graph = ComposeGraph(program, signatures, options, &diagnostics);
  if (!graph.has_value()) return diagnostics.ToStatus();
  return *std::move(graph);
}

absl::StatusOr<ComposedGraph> ComposeCall(const RandomDocument& call) {
  absl::Status status;
  for (const char* const type : {"real", "int", "bool"}) {
    absl::StatusOr<ComposedGraph> graph = ComposeDocument(absl::Substitute(call.text, type), "", {});
    if (graph.ok()) return graph;
    status = graph.status();
  }
  return status;
}

}  // namespace nnef2
}  // namespace xla
