#include "builders/computation_builder/tests/methods_of_header.h"

#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

// "XlaOp operand" and "const CallOptions& options = {}" give the last word before "=".
std::string NameOfParameter(absl::string_view parameter) {
  parameter = absl::StripAsciiWhitespace(parameter.substr(0, parameter.find('=')));
  return std::string(parameter.substr(parameter.find_last_of(" &*") + 1));
}

// The names of the parameters in a declaration from the position after the opening bracket on.
std::vector<std::string> NamesOfParameters(absl::string_view declaration) {
  std::vector<std::string> names;
  int depth = 1;
  size_t begin = 0;
  for (size_t i = 0; i < declaration.size() && depth > 0; ++i) {
    const char c = declaration[i];
    if (c == '(' || c == '<' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == '}') --depth;
    if ((c != ',' || depth != 1) && depth != 0) continue;
    names.push_back(NameOfParameter(declaration.substr(begin, i - begin)));
    begin = i + 1;
  }
  return names;
}

}  // namespace

std::string ReadWorkspaceFile(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path << " cannot be read";
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> SignaturesOfHeader() {
  const std::string header = ReadWorkspaceFile("builders/computation_builder/computation_builder.h");
  absl::string_view rest = header;
  rest = rest.substr(0, rest.find("\n private:\n  friend"));
  constexpr absl::string_view kReturnType = "\n  XlaOp ";
  std::set<std::string> signatures;
  while (rest.find(kReturnType) != absl::string_view::npos) {
    rest.remove_prefix(rest.find(kReturnType) + kReturnType.size());
    const size_t bracket = rest.find('(');
    signatures.insert(absl::StrCat(rest.substr(0, bracket), "(",
                                   absl::StrJoin(NamesOfParameters(rest.substr(bracket + 1)), ", "), ")"));
  }
  EXPECT_GT(signatures.size(), 100) << "the header is not written as it was";
  return signatures;
}

std::set<std::string> OperationsOfHeader() {
  std::set<std::string> names;
  for (const std::string& signature : SignaturesOfHeader()) names.insert(signature.substr(0, signature.find('(')));
  return names;
}

}  // namespace xla
