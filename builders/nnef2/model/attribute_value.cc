// ParseAttributeValue: an expression without names.
#include "builders/nnef2/evaluation/evaluator.h"
#include "builders/nnef2/language/lexer.h"
#include "builders/nnef2/language/parse_expression.h"
#include "builders/nnef2/language/token_reader.h"
#include "builders/nnef2/model/model.h"

namespace xla {
namespace nnef2 {

absl::StatusOr<Value> ParseAttributeValue(absl::string_view text) {
  const auto source = std::make_shared<const Source>(Source{"value", std::string(text), ""});
  Diagnostics diagnostics;
  std::vector<Comment> comments;
  TokenReader in(source, Tokenize(source, {0, source->text.size(), 1, 1}, &comments, &diagnostics), &diagnostics);
  ExpressionPtr expression;
  const bool is_parsed =
      ParseExpression(in, &expression) && (in.AtEnd() || in.Unexpected("the end of the value", "2.5"));
  if (!is_parsed || diagnostics.has_errors()) return diagnostics.ToStatus();
  Workspace workspace(/*is_definition=*/false, &diagnostics);
  const Scope scope;
  Value value = Evaluator(&workspace, source, &scope).EvaluateStatic(*expression, "the value of an attribute");
  if (value.is_error || diagnostics.has_errors()) return diagnostics.ToStatus();
  return value;
}

}  // namespace nnef2
}  // namespace xla
