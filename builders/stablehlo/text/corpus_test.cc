// Programs that JAX and others wrote: those of the corpus in the folder that HALO_CORPUS names. Each is read, and what
// was read is printed in both forms and read again.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "builders/stablehlo/text/text_testing.h"

namespace xla {
namespace stablehlo {
namespace {

std::vector<std::filesystem::path> Programs(const std::filesystem::path& corpus) {
  std::vector<std::filesystem::path> programs;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus, error)) {
    if (entry.path().filename() == "module.mlir") programs.push_back(entry.path());
  }
  std::sort(programs.begin(), programs.end());
  return programs;
}

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

TEST(Corpus, IsReadAndPrinted) {
  const char* const corpus = std::getenv("HALO_CORPUS");
  if (corpus == nullptr) GTEST_SKIP() << "HALO_CORPUS does not name a corpus";
  const std::vector<std::filesystem::path> programs = Programs(std::filesystem::path(corpus) / "hlo");
  EXPECT_FALSE(programs.empty());
  for (const std::filesystem::path& program : programs) {
    SCOPED_TRACE(program.string());
    const std::string text = Contents(program);
    // Some of those that are wrong are wrong in their text.
    const bool is_invalid = program.parent_path().parent_path().filename() == "invalid";
    if (is_invalid && ErrorOf(text) != "no error") continue;
    ExpectReadsAgain(text);
  }
}

}  // namespace
}  // namespace stablehlo
}  // namespace xla
