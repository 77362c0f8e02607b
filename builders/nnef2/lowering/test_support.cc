#include "builders/nnef2/lowering/test_support.h"

#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef2/checking/check_program.h"
#include "builders/nnef2/composition/compose_graph.h"
#include "builders/nnef2/library/library.h"

namespace xla {
namespace nnef2 {

absl::optional<ComposedGraph> ComposeText(const std::string& text, Diagnostics* diagnostics) {
  const auto main = std::make_shared<const Source>(Source{"main.sknd", text, "main"});
  const ModuleReader reader = [](absl::string_view name) -> std::shared_ptr<const Source> {
    const LibraryModule* const module = FindLibraryModule(name);
    if (module == nullptr) return nullptr;
    return std::make_shared<const Source>(
        Source{absl::StrCat(name, ".sknd"), std::string(module->text), std::string(name)});
  };
  const std::shared_ptr<const Program> program = Program::Load(main, reader, diagnostics);
  if (program == nullptr) return absl::nullopt;
  const TrustedModules is_trusted = [](absl::string_view module) { return FindLibraryModule(module) != nullptr; };
  const Signatures signatures = CheckProgram(*program, diagnostics, is_trusted);
  if (diagnostics->has_errors()) return absl::nullopt;
  return ComposeGraph(program, signatures, ComposeOptions(), diagnostics);
}

std::string StatementText(absl::string_view output, absl::string_view statements) {
  const std::string type(output.substr(0, output.find('[')));
  const std::string pack = absl::StrContains(output, "..") ? "..(2)" : "";
  return absl::StrCat("operator op { @input { x: real[n]; k: int[m]; xs: real[s]..(c); } @output { y: ", output,
                      "; }\n@lower { ", statements,
                      " } }\ngraph G { @input { x: real[4]; k: int[3]; xs: real[2]..(2); } @output { y: ", type, pack,
                      "; } @compose { y", pack, " = op(x, k, xs); } }");
}

}  // namespace nnef2
}  // namespace xla
