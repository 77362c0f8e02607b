#include "tests/scaling/program_text.h"

#include <utility>

#include "absl/strings/str_join.h"

namespace xla {

std::string Repeated(int64_t n, absl::string_view text) {
  return Listed(n, [&](int64_t) { return std::string(text); });
}

std::string Listed(int64_t n, absl::FunctionRef<std::string(int64_t i)> item) {
  std::string list;
  for (int64_t i = 0; i < n; ++i) absl::StrAppend(&list, i == 0 ? "" : ", ", item(i));
  return list;
}

std::string ProgramText::Computation(absl::string_view lines) {
  std::string name = absl::StrCat("fn", names_++);
  absl::StrAppend(&computations_, name, " {\n", lines, "}\n");
  return name;
}

const std::string& ProgramText::Adder() {
  if (adder_.empty()) {
    adder_ = Computation(" a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n");
  }
  return adder_;
}

const std::string& ProgramText::Less() {
  if (less_.empty()) {
    less_ =
        Computation(" a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] compare(a, b), direction=LT\n");
  }
  return less_;
}

std::string ProgramText::Parameter(absl::string_view shape) { return Add(shape, " parameter(", parameters_++, ")"); }

std::string ProgramText::AddNamed(std::string name, std::string text) {
  lines_.push_back({name, std::move(text)});
  return name;
}

std::string ProgramText::Build() const {
  std::string text = absl::StrCat(preface_, "HloModule m");
  for (const std::string& attribute : attributes_) absl::StrAppend(&text, ", ", attribute);
  absl::StrAppend(&text, "\n", tables_, computations_, "ENTRY e {\n");
  for (const Line& line : lines_) {
    const bool is_root = results_.size() == 1 && line.name == results_[0];
    absl::StrAppend(&text, is_root ? " ROOT " : " ", line.name, " = ", line.text, "\n");
  }
  if (results_.size() != 1) absl::StrAppend(&text, " ROOT results = tuple(", absl::StrJoin(results_, ", "), ")\n");
  return absl::StrCat(text, "}\n");
}

}  // namespace xla
