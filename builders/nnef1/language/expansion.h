// Expansion: one run of the expander over a document: the fragments that it is in, how much it has done, and the errors
// that it has found. Everything that a small document could drive too far is counted here.
#ifndef BUILDERS_NNEF1_LANGUAGE_EXPANSION_H_
#define BUILDERS_NNEF1_LANGUAGE_EXPANSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "builders/nnef1/diagnostics.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/document_tree.h"
#include "builders/nnef1/value.h"

namespace xla {
namespace nnef1 {

// Expressions inside of each other, all calls counted together, and the stack that holds them.
inline constexpr int kMaxDepth = 10000;
inline constexpr size_t kStackBytes = size_t{128} << 20;

// Fragments that call others twice, and those twice, make graphs that no memory holds: all work is counted, in units of
// some ten nanoseconds. A document may cost half a second, and more only as it is longer: a flat one needs some 15
// units for each of its characters.
inline constexpr int64_t kWorkOfAnyDocument = 50'000'000;
inline constexpr int64_t kWorkOfCharacter = 50;
inline constexpr int64_t kWorkOfExpression = 10;
inline constexpr int64_t kWorkOfItem = 10;
inline constexpr int64_t kCharactersOfWork = 16;
inline constexpr int64_t kWorkOfTensor = 100;
inline constexpr int64_t kWorkOfNode = 500;
inline constexpr int64_t kWorkBetweenLooks = 100'000;

// The body of a graph or of a fragment, while it is evaluated.
struct Scope {
  const std::shared_ptr<const Source>* source = nullptr;
  Primitive generic = Primitive::kGeneric;
  absl::flat_hash_map<absl::string_view, Value> names;
};

// What a document of that length may cost.
int64_t MaxWork(const Source& source);

// The state that all parts of the expander share. Functions that can fail return false and have reported the error;
// after a fatal one is_stopped() is true and every caller returns.
class Expansion {
 public:
  Expansion(const Document& document, const ExpandOptions& options, int64_t max_work, Diagnostics* diagnostics)
      : document_(document), options_(options), max_work_(max_work), diagnostics_(*diagnostics) {}

  const Document& document() const { return document_; }
  const ExpandOptions& options() const { return options_; }
  Diagnostics& diagnostics() { return diagnostics_; }

  // --- errors; all return false ---
  bool Error(ErrorClass error_class, const Scope& scope, const Span& span, std::string message, absl::string_view rule,
             std::string suggestion = "");
  // Ends the run.
  bool Fatal(const Scope& scope, const Span& span, std::string message, std::string suggestion = "");
  bool is_stopped() const { return is_stopped_; }

  Position PositionOf(const Scope& scope, const Span& span) const;
  std::vector<Diagnostic::Call> CallChain() const;

  // --- limits; false after a fatal error ---
  bool Work(const Scope& scope, const Span& span, int64_t amount);
  int64_t work() const { return work_; }
  bool IsSmall(const Value& value, const Scope& scope, const Span& span);
  // Of an expression inside of another. Left only if it was entered.
  bool EnterExpression(const Scope& scope, const Span& span);
  void LeaveExpression() { --depth_; }
  // Of the fragment `name`, from `scope`.
  bool EnterCall(const std::string& name, const Scope& scope, const Span& span);
  void LeaveCall() { calls_.pop_back(); }

 private:
  const Document& document_;
  const ExpandOptions& options_;
  const int64_t max_work_;
  Diagnostics& diagnostics_;
  std::vector<Diagnostic::Call> calls_;  // outermost first
  int depth_ = 0;
  int64_t work_ = 0;
  int64_t work_of_next_look_ = 0;  // at the limits
  bool is_stopped_ = false;
};

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_EXPANSION_H_
