// docs/computation_builder_2017.md has every operation of the document of 2017, and says nothing that is not so.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "builders/computation_builder/tests/methods_of_header.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using SectionAndOperation = std::pair<std::string, std::string>;

// The list of the document's sections and operations: "# section", then lines "Operation(argument, argument)".
std::set<SectionAndOperation> OperationsOfDocument() {
  std::set<SectionAndOperation> operations;
  std::string section;
  const std::string text = ReadWorkspaceFile("builders/computation_builder/tests/document_2017_operations.txt");
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (absl::ConsumePrefix(&line, "# ")) {
      section = std::string(line);
    } else {
      operations.emplace(section, line);
    }
  }
  return operations;
}

struct Row {
  std::string section;
  std::string operation;
  std::string method;
  std::vector<std::string> tests;
};

std::vector<Row> RowsOfTable() {
  std::vector<Row> rows;
  const std::string text = ReadWorkspaceFile("docs/computation_builder_2017.md");
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::StartsWith(line, "| ") || absl::StartsWith(line, "| ---") || absl::StartsWith(line, "| section ")) {
      continue;
    }
    std::vector<std::string> cells;
    for (const absl::string_view cell : absl::StrSplit(line, '|')) {
      cells.push_back(absl::StrReplaceAll(absl::StripAsciiWhitespace(cell), {{"`", ""}}));
    }
    EXPECT_EQ(cells.size(), 6) << line;
    if (cells.size() != 6) continue;
    rows.push_back({cells[1], cells[2], cells[3], absl::StrSplit(cells[4], ", ", absl::SkipEmpty())});
  }
  return rows;
}

std::set<std::string> TestsOfThisBinary() {
  std::set<std::string> tests;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      tests.insert(absl::StrCat(suite.name(), ".", suite.GetTestInfo(t)->name()));
    }
  }
  return tests;
}

TEST(Coverage, HasEveryOperationOfTheDocumentAndNoOther) {
  std::set<SectionAndOperation> in_table;
  for (const Row& row : RowsOfTable()) {
    EXPECT_TRUE(in_table.emplace(row.section, row.operation).second) << row.operation << " occurs twice";
  }
  const std::set<SectionAndOperation> in_document = OperationsOfDocument();
  EXPECT_GE(in_document.size(), 70);
  EXPECT_THAT(in_table, testing::ContainerEq(in_document));
}

// "Slice(operand, start_indices)" is the beginning of "Slice(operand, start_indices, limit_indices)".
bool IsBeginningOf(absl::string_view operation, absl::string_view method) {
  return absl::StartsWith(method, absl::StripSuffix(operation, ")"));
}

TEST(Coverage, MethodsHaveTheArgumentsOfTheDocumentInItsOrder) {
  const std::set<std::string> signatures = SignaturesOfHeader();
  for (const Row& row : RowsOfTable()) {
    EXPECT_EQ(row.method, row.operation.substr(0, row.operation.find('(')));
    const auto fits = [&](const std::string& method) { return IsBeginningOf(row.operation, method); };
    EXPECT_TRUE(std::any_of(signatures.begin(), signatures.end(), fits)) << "no method begins with " << row.operation;
  }
}

TEST(Coverage, NamesEveryTestAndNoOther) {
  std::set<std::string> in_table;
  for (const Row& row : RowsOfTable()) {
    EXPECT_FALSE(row.tests.empty()) << row.operation;
    in_table.insert(row.tests.begin(), row.tests.end());
  }
  std::set<std::string> in_binary;
  for (const std::string& test : TestsOfThisBinary()) {
    if (!absl::StartsWith(test, "Coverage.")) in_binary.insert(test);
  }
  EXPECT_THAT(in_table, testing::ContainerEq(in_binary));
}

}  // namespace
}  // namespace xla
