// Diagnostics: what is wrong with a document, where, by which rule, and what to do.
//
// Everything that reads a part of a model (description, tensor files, fed tensors) reports here, as many errors of one
// document as can be distinguished. Which kinds of errors there are is for each version of the standard to say: it has
// an enumeration of them, and a function that describes each (ErrorClass).
#ifndef BUILDERS_NNEF_COMMON_DIAGNOSTICS_H_
#define BUILDERS_NNEF_COMMON_DIAGNOSTICS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/resource_poll.h"

namespace xla {
namespace nnef {

// A version of the standard, as messages name it and what belongs to it.
struct Standard {
  absl::string_view name;  // "NNEF 1.0.4": the one whose sections rules are
  // "fragment": what a document defines and invokes. Empty: names say that themselves.
  absl::string_view callable;
};

// The kind of rule that is broken, with the code that messages show. Statuses carry the code as a payload
// (ErrorCodeOf). An enumeration of a version of the standard converts to it by the function
//   nnef::ErrorClass DescribeErrorClass(Enum error_class);
// beside the enumeration.
class ErrorClass {
 public:
  // None: of a diagnostic that is not filled in yet.
  constexpr ErrorClass() = default;
  // Both outlive every use of it.
  constexpr ErrorClass(absl::string_view code, const Standard* standard) : code_(code), standard_(standard) {}
  template <typename Enum, std::enable_if_t<std::is_enum<Enum>::value, int> = 0>
  ErrorClass(Enum error_class) : ErrorClass(DescribeErrorClass(error_class)) {}  // NOLINT: implicit

  // "E2.3", "shape".
  constexpr absl::string_view code() const { return code_; }
  // nullptr for none.
  constexpr const Standard* standard() const { return standard_; }

  friend bool operator==(const ErrorClass& a, const ErrorClass& b) {
    return a.code_ == b.code_ && a.standard_ == b.standard_;
  }
  friend bool operator!=(const ErrorClass& a, const ErrorClass& b) { return !(a == b); }

 private:
  absl::string_view code_;
  const Standard* standard_ = nullptr;
};

// A text that positions refer to. Diagnostics and syntax trees share it, so that it outlives them.
struct Source {
  std::string name;  // as the user knows it: "model/graph.nnef"
  std::string text;
  std::string module;  // "custom.ops"; empty where there are no modules
};

// A piece of one line of a source. Lines and columns count from 1, columns in bytes. Without a source or with line 0 no
// place is known.
struct Position {
  std::shared_ptr<const Source> source;
  int line = 0;
  int column = 0;
  int length = 1;
};

// "graph.nnef:7:12: "; "" if no place is known.
std::string PlaceText(const Position& position);

// One error, with its place and, inside of what the document defines, the chain of invocations that led there.
struct Diagnostic {
  ErrorClass error_class;
  Position position;
  // What was expected and what was found: lower case, no final full stop.
  std::string message;
  // The section of the specification that says so: "3.2.4". May be empty.
  std::string rule;
  // What to do: "did you mean 'conv'?". May be empty.
  std::string suggestion;
  // From the innermost call outwards: where that was invoked which led here, with its name. Of a long chain only its two
  // ends.
  struct Call {
    Position position;
    std::string name;
  };
  std::vector<Call> calls;

  // graph.nnef:7:12: E2.3: argument 'alpha' ...: expected scalar, got integer (NNEF 1.0.4 section 3.4.2); write 1.0
  //     y = leaky_relu(x, alpha = 1);
  //                               ^
  //   graph.nnef:9:9: in fragment 'block', which is invoked here
  // or, of a standard without a word for it: in nn.conv, called from main.sknd:12:9
  std::string ToString() const;
};

// The diagnostics of one model, in the order found, and the limits within which it is read. Not thread-safe.
class Diagnostics {
 public:
  Diagnostics() : Diagnostics(/*resources=*/nullptr) {}
  // `resources`, which may be nullptr, outlive them.
  explicit Diagnostics(const ResourceContext* resources) : resources_(resources), poll_(resources) {}

  const ResourceContext* resources() const { return resources_; }
  // Whether a limit has been reached, which whoever reads a text asks before each token and expression: the rest is
  // then left out, and that it is counts as an error. `steps`: how many tokens' work is next.
  bool IsOver(int64_t steps = 1) {
    if (limit_.ok()) limit_ = poll_.Check(steps);
    return !limit_.ok();
  }

  void Add(Diagnostic diagnostic);
  void Error(ErrorClass error_class, const Position& position, std::string message, absl::string_view rule = "",
             std::string suggestion = "");
  void Warn(std::string warning) { warnings_.push_back(std::move(warning)); }

  bool has_errors() const { return !errors_.empty() || !limit_.ok(); }
  // Whether further errors are only counted, to keep the message short.
  bool is_full() const { return static_cast<int>(errors_.size()) >= kMaxErrors; }
  int error_count() const { return static_cast<int>(errors_.size()) + omitted_ + (limit_.ok() ? 0 : 1); }
  // At most kMaxErrors are kept; further ones are counted.
  const std::vector<Diagnostic>& errors() const { return errors_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

  // OK without errors; the error of a limit that has been reached; else InvalidArgument with all of them in its
  // message, and a payload that ErrorCodeOf reads.
  absl::Status ToStatus() const;

  static constexpr int kMaxErrors = 20;

 private:
  const ResourceContext* resources_;
  ResourcePoll poll_;
  absl::Status limit_;  // OK: none has been reached
  std::vector<Diagnostic> errors_;
  std::vector<std::string> warnings_;
  int omitted_ = 0;
};

// A status of one error without a place in a text: for containers, tensor files and fed data.
absl::Status ClassifiedError(ErrorClass error_class, absl::string_view message);

// The code of the class of the first error in a status that diagnostics or ClassifiedError made.
absl::optional<std::string> ErrorCodeOf(const absl::Status& status);

// The message of such a status without "E4: " in front, for those who say it again with more about it. Of `status`,
// which must outlive it.
absl::string_view MessageWithoutClass(const absl::Status& status);

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_DIAGNOSTICS_H_
