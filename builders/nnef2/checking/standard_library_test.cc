// The standard library, checked like any other modules.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/checking/check_program.h"
#include "builders/nnef2/library/library.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

TEST(StandardLibraryTest, IsRight) {
  std::string main;
  for (const LibraryModule& module : StandardLibrary()) absl::StrAppend(&main, "import ", module.name, ";\n");
  absl::StrAppend(&main, "graph G { @compose { } }");
  const ModuleReader reader = [](absl::string_view name) -> std::shared_ptr<const Source> {
    const LibraryModule* const module = FindLibraryModule(name);
    if (module == nullptr) return nullptr;
    return std::make_shared<const Source>(
        Source{absl::StrCat(name, ".sknd"), std::string(module->text), std::string(name)});
  };
  Diagnostics diagnostics;
  const auto source = std::make_shared<const Source>(Source{"main.sknd", main, "main"});
  const std::shared_ptr<const Program> program = Program::Load(source, reader, &diagnostics);
  ASSERT_NE(program, nullptr) << diagnostics.ToStatus();
  CheckProgram(*program, &diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.ToStatus();
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
