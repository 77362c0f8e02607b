// Diagnostics: what is wrong with a document, where, by which rule, and what to do.
//
// Everything that reads a part of a model (description, tensor files, quantisation file, fed tensors) reports here, as
// many errors of one document as can be distinguished. Source: NNEF 1.0.4, chapters 3, 4.1 and 5; the classes E0, E5
// and E6 are ours.
#ifndef BUILDERS_NNEF1_DIAGNOSTICS_H_
#define BUILDERS_NNEF1_DIAGNOSTICS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/resource_poll.h"

namespace xla {
namespace nnef1 {

// The kind of rule that is broken, with the code that messages show. Statuses carry it as a payload (ErrorClassOf).
enum class ErrorClass {
  kContainer,     // E0: folder or archive
  kSyntax,        // E1: lexical elements, grammar, extensions
  kDeclaration,   // E2.1: fragment definitions
  kInvocation,    // E2.2: structure of arguments
  kType,          // E2.3: types of expressions
  kIdentifier,    // E2.4: use of identifiers
  kArgument,      // E3: values of arguments, shapes
  kTensorData,    // E4: tensor files
  kQuantization,  // E5: quantisation file
  kFedData,       // E6: what is fed at run time
};

// "E2.3".
absl::string_view ErrorClassCode(ErrorClass error_class);

// A text that positions refer to. Diagnostics and syntax trees share it, so that it outlives them.
struct Source {
  std::string name;  // as the user knows it: "model/graph.nnef"
  std::string text;
};

// A piece of one line of a source. Lines and columns count from 1, columns in bytes. Without a source or with line 0 no
// place is known.
struct Position {
  std::shared_ptr<const Source> source;
  int line = 0;
  int column = 0;
  int length = 1;
};

// One error, with its place and, inside fragments, the chain of invocations that led there.
struct Diagnostic {
  ErrorClass error_class = ErrorClass::kSyntax;
  Position position;
  // What was expected and what was found: lower case, no final full stop.
  std::string message;
  // The section of the specification that says so: "3.2.4". May be empty.
  std::string rule;
  // What to do: "did you mean 'conv'?". May be empty.
  std::string suggestion;
  // From the innermost call outwards: where the fragments were invoked that led here, with their names. Of a long chain
  // only its two ends.
  struct Call {
    Position position;
    std::string fragment;
  };
  std::vector<Call> calls;

  // graph.nnef:7:12: E2.3: argument 'alpha' ...: expected scalar, got integer (NNEF 1.0.4 section 3.4.2); write 1.0
  //     y = leaky_relu(x, alpha = 1);
  //                               ^
  //   graph.nnef:9:9: in fragment 'block', which is invoked here
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
  // message, and a payload that ErrorClassOf reads.
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

// The class of the first error in a status that this folder made.
absl::optional<ErrorClass> ErrorClassOf(const absl::Status& status);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_DIAGNOSTICS_H_
