// HLO text of a program that is put together from parts.
#ifndef TESTS_SCALING_PROGRAM_TEXT_H_
#define TESTS_SCALING_PROGRAM_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace xla {

// "x, x, x"
std::string Repeated(int64_t n, absl::string_view text);
// item(0), item(1), ... with commas between them.
std::string Listed(int64_t n, absl::FunctionRef<std::string(int64_t i)> item);

class ProgramText {
 public:
  // Of the header: "replica_count=4". Nothing else is done about one that is added again.
  void Attribute(std::string text) { attributes_.push_back(std::move(text)); }
  // Text between the header and the computations.
  void Table(absl::string_view text) { absl::StrAppend(&tables_, text, "\n"); }
  // Text in front of everything.
  void Preface(absl::string_view text) { absl::StrAppend(&preface_, text); }

  // Adds a computation of these lines and returns its name.
  std::string Computation(absl::string_view lines);
  // The names of computations with two parameters that programs of all kinds call: f32[] add and pred[] compare.
  const std::string& Adder();
  const std::string& Less();

  // ---- The entry. Each function returns the name of what it adds.

  std::string Parameter(absl::string_view shape);
  // `text` is what is right of the equals sign.
  template <typename... Texts>
  std::string Add(const Texts&... texts) {
    return AddNamed(absl::StrCat("v", names_++), absl::StrCat(texts...));
  }
  std::string AddNamed(std::string name, std::string text);
  // Makes the instruction one of the results.
  void Result(std::string name) { results_.push_back(std::move(name)); }

  int64_t parameter_count() const { return parameters_; }

  // With one result that is the root, else a tuple of all.
  std::string Build() const;

 private:
  struct Line {
    std::string name, text;
  };

  std::vector<std::string> attributes_;
  std::string preface_;
  std::string tables_;
  std::string computations_;
  std::vector<Line> lines_;
  std::vector<std::string> results_;
  std::string adder_, less_;
  int64_t names_ = 0;
  int64_t parameters_ = 0;
};

}  // namespace xla

#endif  // TESTS_SCALING_PROGRAM_TEXT_H_
