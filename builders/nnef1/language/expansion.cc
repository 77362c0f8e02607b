#include "builders/nnef1/language/expansion.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/language/operators.h"

namespace xla {
namespace nnef1 {
namespace {

// Calls of fragments inside of each other. A fragment that calls itself without end gets here.
constexpr int kMaxCalls = 1000;
// Of a longer chain of calls, its two ends are kept.
constexpr size_t kKeptCalls = 5;

}  // namespace

int64_t MaxWork(const Source& source) {
  return kWorkOfAnyDocument + kWorkOfCharacter * static_cast<int64_t>(source.text.size());
}

// The bodies that the operation table gives for compounds are not text of the user: what happens inside of them happens
// where they were invoked.
Position Expansion::PositionOf(const Scope& scope, const Span& span) const {
  if (*scope.source == document_.source) return At(document_.source, span);
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
    if (call->position.source == document_.source) return call->position;
  }
  return At(*scope.source, span);
}

std::vector<Diagnostic::Call> Expansion::CallChain() const {
  std::vector<Diagnostic::Call> chain;
  const size_t size = calls_.size();
  for (size_t i = 0; i < size; ++i) {
    if (i >= kKeptCalls && i + kKeptCalls < size) continue;
    const Diagnostic::Call& call = calls_[size - 1 - i];
    if (call.position.source == document_.source) chain.push_back(call);
  }
  return chain;
}

bool Expansion::Error(ErrorClass error_class, const Scope& scope, const Span& span, std::string message,
                      absl::string_view rule, std::string suggestion) {
  Diagnostic diagnostic;
  diagnostic.error_class = error_class;
  diagnostic.position = PositionOf(scope, span);
  diagnostic.message = std::move(message);
  diagnostic.rule = std::string(rule);
  diagnostic.suggestion = std::move(suggestion);
  diagnostic.calls = CallChain();
  diagnostics_.Add(std::move(diagnostic));
  return false;
}

bool Expansion::Fatal(const Scope& scope, const Span& span, std::string message, std::string suggestion) {
  if (!is_stopped_) Error(ErrorClass::kArgument, scope, span, std::move(message), "", std::move(suggestion));
  is_stopped_ = true;
  return false;
}

bool Expansion::Work(const Scope& scope, const Span& span, int64_t amount) {
  work_ += amount;
  if (work_ >= work_of_next_look_) {
    work_of_next_look_ = work_ + kWorkBetweenLooks;
    const absl::Status limit = CheckResources(options_.resources);
    if (!limit.ok()) return Fatal(scope, span, std::string(limit.message()));
  }
  if (work_ <= max_work_) return true;
  return Fatal(scope, span, "the document expands to more operations and values than can be handled");
}

bool Expansion::IsSmall(const Value& value, const Scope& scope, const Span& span) {
  if (value.total_values() <= kMaxValues) return true;
  return Fatal(scope, span, absl::StrCat("more than ", kMaxValues, " values in one are refused"));
}

bool Expansion::EnterExpression(const Scope& scope, const Span& span) {
  if (!Work(scope, span, kWorkOfExpression)) return false;
  if (depth_ >= kMaxDepth) {
    return Fatal(scope, span, absl::StrCat("expressions and calls are nested more than ", kMaxDepth, " deep"));
  }
  ++depth_;
  return true;
}

bool Expansion::EnterCall(const std::string& name, const Scope& scope, const Span& span) {
  if (static_cast<int>(calls_.size()) >= kMaxCalls) {
    return Fatal(scope, span, absl::StrCat("fragments call each other more than ", kMaxCalls, " deep"),
                 absl::StrCat("a recursion of '", name, "' needs an if-else that ends it"));
  }
  calls_.push_back({At(*scope.source, span), name});
  return true;
}

}  // namespace nnef1
}  // namespace xla
