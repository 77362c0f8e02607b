// Reads all documents of the corpus that HALO_CORPUS names: those that break a rule of the grammar are refused at their
// line, and the others are printed idempotently.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "builders/nnef2/language/parser.h"
#include "builders/nnef2/language/printer.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> FindDocuments(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".sknd") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The value of a field of the case beside the document; all cases are written alike.
std::string FieldOf(const std::string& json, absl::string_view field) {
  const size_t error = json.find("\"expected_error\"");
  if (error == std::string::npos) return "";
  const size_t begin = json.find(absl::StrCat("\"", field, "\":"), error);
  if (begin == std::string::npos) return "";
  const std::string rest = json.substr(begin + field.size() + 3);
  const size_t first = rest.find_first_not_of(" \"");
  return rest.substr(first, rest.find_first_of(",\"}\n", first) - first);
}

TEST(CorpusTest, ParsesAndPrintsAllDocuments) {
  const char* const corpus = std::getenv("HALO_CORPUS");
  const std::string folder = absl::StrCat(corpus == nullptr ? "" : corpus, "/nnef2");
  if (corpus == nullptr || !std::filesystem::is_directory(folder)) GTEST_SKIP() << "HALO_CORPUS names no corpus";
  for (const std::string& path : FindDocuments(folder)) {
    SCOPED_TRACE(path);
    const std::string json = ReadFile(absl::StrCat(path.substr(0, path.size() - 5), ".json"));
    const std::string error_class = FieldOf(json, "class");
    const bool is_refused = error_class == "lex" || error_class == "syntax";
    Diagnostics diagnostics;
    const auto source = std::make_shared<const Source>(Source{"main.sknd", ReadFile(path), "main"});
    const std::shared_ptr<const Module> module = ParseModule(source, &diagnostics);
    if (is_refused) {
      ASSERT_EQ(module, nullptr);
      int line = 0;
      if (!absl::SimpleAtoi(FieldOf(json, "line"), &line)) continue;
      EXPECT_EQ(diagnostics.errors().front().position.line, line) << diagnostics.ToStatus();
      continue;
    }
    if (module == nullptr) {
      // Some faults of other classes are faults of the grammar here.
      EXPECT_FALSE(error_class.empty()) << diagnostics.ToStatus();
      continue;
    }
    const std::string printed = PrintModule(*module);
    Diagnostics again;
    const std::shared_ptr<const Module> reread =
        ParseModule(std::make_shared<const Source>(Source{"main.sknd", printed, "main"}), &again);
    ASSERT_NE(reread, nullptr) << again.ToStatus() << printed;
    EXPECT_EQ(PrintModule(*reread), printed);
  }
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
