#include "builders/nnef2/evaluation/workspace.h"

#include <algorithm>

namespace xla {
namespace nnef2 {
namespace {

// Of a long chain, how many invocations an error shows at either end.
constexpr size_t kShownCalls = 5;

}  // namespace

bool Workspace::Error(ErrorClass error_class, const Position& position, std::string message, absl::string_view rule,
                      std::string suggestion) {
  Diagnostic diagnostic;
  diagnostic.error_class = error_class;
  diagnostic.position = position;
  diagnostic.message = std::move(message);
  diagnostic.rule = std::string(rule);
  diagnostic.suggestion = std::move(suggestion);
  diagnostic.calls.assign(calls_.rbegin(), calls_.rend());
  if (diagnostic.calls.size() > 2 * kShownCalls) {
    diagnostic.calls.erase(diagnostic.calls.begin() + kShownCalls, diagnostic.calls.end() - kShownCalls);
  }
  diagnostics_->Add(std::move(diagnostic));
  return false;
}

}  // namespace nnef2
}  // namespace xla
