// The artifacts of one program at several versions of VHLO say what its text says.
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/parse_stablehlo.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/files.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

constexpr char kFolder[] = "builders/stablehlo/tests/artifacts/";

// The programs of a file, as text without names of values and places, by their names.
std::map<std::string, std::string> Programs(const std::string& name) {
  std::map<std::string, std::string> programs;
  const auto file = ReadFile(kFolder + name);
  if (!file.ok()) {
    ADD_FAILURE() << file.status();
    return programs;
  }
  StableHloOptions options;
  options.file_name = name;
  const auto modules = ParseStableHlo(file->data(), options);
  EXPECT_TRUE(modules.ok()) << modules.status();
  if (!modules.ok()) return programs;
  PrintOptions print = PrintOptions::Canonical();
  print.metadata = false;
  for (const auto& module : *modules) programs[module->name()] = ModuleToString(*module, print);
  return programs;
}

class Artifacts : public testing::TestWithParam<const char*> {};

TEST_P(Artifacts, SayWhatTheTextSays) {
  const std::map<std::string, std::string> wanted = Programs("program.mlir");
  const std::map<std::string, std::string> programs = Programs(absl::StrCat(GetParam(), ".mlirbc"));
  EXPECT_GT(programs.size(), 85u);
  for (const auto& [name, program] : programs) {
    const auto found = wanted.find(name);
    ASSERT_NE(found, wanted.end()) << name;
    EXPECT_EQ(program, found->second);
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, Artifacts,
                         testing::Values("0.9.0", "0.14.0", "0.20.0", "1.0.0", "1.4.0", "1.8.0", "1.12.0", "1.17.0"));

}  // namespace
}  // namespace xla
