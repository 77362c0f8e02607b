#include "builders/nnef2/checking/standard_library.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/checking/check_program.h"
#include "builders/nnef2/library/library.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

TEST(StandardLibraryTest, IsParsedOnce) {
  const std::shared_ptr<const Module> layout = StandardModule("layout");
  ASSERT_NE(layout, nullptr);
  EXPECT_EQ(layout->source->module, "layout");
  EXPECT_EQ(StandardModule("layout"), layout);
  EXPECT_EQ(StandardModule("layouts"), nullptr);
  EXPECT_TRUE(IsStandardModule("nn"));
  EXPECT_FALSE(IsStandardModule("main"));
}

// Checked like the modules of a model.
TEST(StandardLibraryTest, IsRight) {
  std::string main;
  for (const LibraryModule& module : StandardLibrary()) absl::StrAppend(&main, "import ", module.name, ";\n");
  absl::StrAppend(&main, "graph G { @compose { } }");
  Diagnostics diagnostics;
  const auto source = std::make_shared<const Source>(Source{"main.sknd", main, "main"});
  const std::shared_ptr<const Program> program = Program::Load(source, /*reader=*/nullptr, &diagnostics);
  ASSERT_NE(program, nullptr) << diagnostics.ToStatus();
  CheckProgram(*program, &diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.ToStatus();
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
