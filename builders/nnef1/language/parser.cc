// A recursive descent parser. It reads the compositional grammar throughout and reports what a document uses without
// having enabled it, so that the message can name the extension. After an error it goes on behind the next semicolon.
#include "builders/nnef1/language/parser.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/language/lexer.h"

namespace xla {
namespace nnef1 {
namespace {

constexpr absl::string_view kFragmentExtension = "KHR_enable_fragment_definitions";
constexpr absl::string_view kOperatorExtension = "KHR_enable_operator_expressions";

// Of binary operators, from the weakest level to the strongest (3.3.3).
struct OperatorRow {
  absl::string_view symbol;
  Operator op;
  int level;
};
constexpr OperatorRow kOperators[] = {
    {"in", Operator::kIn, 0},           {"&&", Operator::kAnd, 1},       {"||", Operator::kOr, 1},
    {"<", Operator::kLess, 2},          {"<=", Operator::kLessEqual, 2}, {">", Operator::kGreater, 2},
    {">=", Operator::kGreaterEqual, 2}, {"==", Operator::kEqual, 2},     {"!=", Operator::kNotEqual, 2},
    {"+", Operator::kAdd, 3},           {"-", Operator::kSubtract, 3},   {"*", Operator::kMultiply, 4},
    {"/", Operator::kDivide, 4},        {"^", Operator::kPower, 5},
};
constexpr int kLevels = 6;

struct BuiltinRow {
  absl::string_view name;
  Builtin builtin;
};
constexpr BuiltinRow kBuiltins[] = {
    {"shape_of", Builtin::kShapeOf}, {"length_of", Builtin::kLengthOf}, {"range_of", Builtin::kRangeOf},
    {"integer", Builtin::kInteger},  {"scalar", Builtin::kScalar},      {"logical", Builtin::kLogical},
    {"string", Builtin::kString},
};

absl::optional<Primitive> PrimitiveOf(const Token& token) {
  for (const Primitive primitive :
       {Primitive::kInteger, Primitive::kScalar, Primitive::kLogical, Primitive::kString, Primitive::kGeneric}) {
    if (token.Is(PrimitiveName(primitive))) return primitive;
  }
  return absl::nullopt;
}

std::string Described(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the file";
  if (token.kind == TokenKind::kKeyword) return absl::StrCat("the keyword '", token.text, "'");
  return absl::StrCat("'", token.text.substr(0, 40), "'");
}

bool TouchesNext(const Token& token, const Token& next) {
  return token.text.data() + token.text.size() == next.text.data();
}

class Parser {
 public:
  Parser(const std::shared_ptr<const Source>& source, ErrorClass error_class, Diagnostics* diagnostics)
      : source_(source),
        error_class_(error_class),
        diagnostics_(*diagnostics),
        errors_before_(diagnostics->error_count()) {
    tokens_ = Tokenize(source, error_class, diagnostics);
  }

  std::shared_ptr<const Document> ParseWholeDocument();
  std::shared_ptr<Fragment> ParseOneFragment();
  std::vector<QuantizationLine> ParseLines(bool allow_operators);

 private:
  // Counts the levels of nesting that are open.
  class Level {
   public:
    explicit Level(Parser* parser) : parser_(*parser) { ++parser_.nesting_; }
    ~Level() { --parser_.nesting_; }

   private:
    Parser& parser_;
  };

  // --- tokens ---
  const Token& Next(size_t ahead = 0) const { return tokens_[std::min(place_ + ahead, tokens_.size() - 1)]; }
  const Token& Last() const { return tokens_[place_ == 0 ? 0 : place_ - 1]; }
  bool At(absl::string_view symbol) const { return Next().Is(symbol); }
  bool AtEnd() const { return Next().kind == TokenKind::kEnd; }
  void Skip() {
    if (!AtEnd()) ++place_;
  }
  bool Accept(absl::string_view symbol) {
    if (!At(symbol)) return false;
    Skip();
    return true;
  }
  bool Expect(absl::string_view symbol, absl::string_view where, absl::string_view rule);
  bool ExpectName(absl::string_view what, absl::string_view rule, Name* name);

  // --- errors ---
  bool has_errors() const { return diagnostics_.error_count() > errors_before_; }
  bool Error(const Span& span, std::string message, absl::string_view rule, std::string suggestion = "");
  // "expected `what`, got ...", unless the lexer has reported what is there.
  bool Unexpected(absl::string_view what, absl::string_view rule, std::string suggestion = "");
  bool TooDeep();
  bool TooManyParameters();
  void NeedOperators(const Span& span, absl::string_view what);
  void NeedFragments(const Span& span);
  void SkipStatement();
  void SkipToDefinition();

  // --- grammar; false after an error ---
  bool ParseVersion();
  bool ParseExtension();
  bool ParseDeclaration(Declaration* declaration);
  bool ParseParameter(Parameter* parameter);
  bool ParseFragmentDefinition(Fragment* fragment);
  bool ParseGraph(GraphDefinition* graph);
  bool ParseNames(std::vector<Name>* names);
  bool ParseBody(std::vector<Assignment>* body);
  bool ParseAssignment(Assignment* assignment);
  bool ParseTargetTuple(Target* target);
  bool ParseTarget(Target* target);
  bool ParseType(Type* type);
  bool ParseTensorType(Type* type);
  bool ParseDefaultValue(Value* value);
  bool ParseNumber(bool is_negative, Value* value);

  bool ParseExpression(Expression* expression, bool allow_if_else = true);
  bool ParseOperators(int level, Expression* expression);
  bool ParseUnary(Expression* expression);
  bool ParsePostfix(Expression* expression);
  bool ParseSubscript(Expression* expression);
  bool ParsePrimary(Expression* expression);
  bool ParseBracketed(Expression* expression);
  bool ParseComprehension(Expression* expression);
  bool ParseParenthesised(Expression* expression);
  bool ParseBuiltin(Builtin builtin, Expression* expression);
  bool ParseInvocation(bool is_nested, Expression* expression);
  bool ParseArgument(Expression* invocation);
  bool AtInvocation() const;
  // What goes on with an expression. In a flat document `[` does not: there a semicolon is missing before it.
  bool AtOperator() const;
  void Finish(const Token& first, Expression* expression) const;

  const std::shared_ptr<const Source> source_;
  const ErrorClass error_class_;
  Diagnostics& diagnostics_;
  const int errors_before_;
  std::vector<Token> tokens_;
  size_t place_ = 0;
  int nesting_ = 0;
  bool has_fragments_ = false;
  bool has_operators_ = false;
  bool reported_fragments_ = false;
  bool reported_operators_ = false;
  bool is_quantization_ = false;
};

// --- tokens and errors ---

bool Parser::Error(const Span& span, std::string message, absl::string_view rule, std::string suggestion) {
  diagnostics_.Error(error_class_, nnef1::At(source_, span), std::move(message), rule, std::move(suggestion));
  return false;
}

bool Parser::Unexpected(absl::string_view what, absl::string_view rule, std::string suggestion) {
  if (Next().kind == TokenKind::kInvalid) return false;
  return Error(Next().span, absl::StrCat("expected ", what, ", got ", Described(Next())), rule, std::move(suggestion));
}

bool Parser::Expect(absl::string_view symbol, absl::string_view where, absl::string_view rule) {
  if (Accept(symbol)) return true;
  if (Next().kind == TokenKind::kInvalid) return false;
  const std::string message = absl::StrCat("expected '", symbol, "' ", where, ", got ", Described(Next()));
  // What is missing at the end of a line is missing there, not where the next line begins.
  Span span = Next().span;
  if (place_ > 0 && Last().span.line < span.line) {
    span = Last().span;
    span.column += span.length;
    span.length = 1;
  }
  return Error(span, message, rule);
}

bool Parser::ExpectName(absl::string_view what, absl::string_view rule, Name* name) {
  if (Next().kind != TokenKind::kIdentifier) {
    return Unexpected(what, rule, Next().kind == TokenKind::kKeyword ? "keywords are not identifiers" : "");
  }
  *name = Name{Next().text, Next().span};
  Skip();
  return true;
}

bool Parser::TooDeep() {
  Error(Next().span, absl::StrCat("the nesting is deeper than ", kMaxNesting, " levels"), "",
        "split the expression into several assignments");
  return false;
}

bool Parser::TooManyParameters() {
  return Error(Next().span, absl::StrCat("a fragment has at most ", kMaxParameters, " parameters and results"), "");
}

// Each extension is asked for once, because one line mends all of it.
void Parser::NeedOperators(const Span& span, absl::string_view what) {
  if (has_operators_ || reported_operators_) return;
  reported_operators_ = true;
  if (is_quantization_) {
    Error(span, absl::StrCat("expected a literal, got ", what), "5.3",
          absl::StrCat("values here may be expressions if the description enables ", kOperatorExtension));
    return;
  }
  Error(span, absl::StrCat(what, " must be enabled by the extension ", kOperatorExtension), "3.2.3",
        absl::StrCat("add 'extension ", kOperatorExtension, ";' after the version"));
}

void Parser::NeedFragments(const Span& span) {
  if (has_fragments_ || reported_fragments_) return;
  reported_fragments_ = true;
  Error(span, absl::StrCat("fragments must be enabled by the extension ", kFragmentExtension), "3.2.2",
        absl::StrCat("add 'extension ", kFragmentExtension, ";' after the version"));
}

// To behind the next semicolon, or before the end of a body or the next definition.
void Parser::SkipStatement() {
  while (!AtEnd() && !At("}") && !At("fragment") && !At("graph")) {
    if (Accept(";")) return;
    Skip();
  }
}

void Parser::SkipToDefinition() {
  while (!AtEnd() && !At("fragment") && !At("graph")) Skip();
}

// --- the document ---

std::shared_ptr<const Document> Parser::ParseWholeDocument() {
  auto document = std::make_shared<Document>();
  document->source = source_;
  if (!ParseVersion()) SkipStatement();
  while (At("extension")) {
    if (!ParseExtension()) SkipStatement();
  }
  document->has_fragment_extension = has_fragments_;
  document->has_operator_extension = has_operators_;
  while (At("fragment")) {
    NeedFragments(Next().span);
    auto fragment = std::make_shared<Fragment>();
    if (!ParseFragmentDefinition(fragment.get())) SkipToDefinition();
    document->fragment_places.emplace(fragment->declaration.name, static_cast<int>(document->fragments.size()));
    document->fragments.push_back(std::move(fragment));
  }
  if (!At("graph")) {
    Unexpected("a graph", "3.2.4", At("extension") ? "extensions come before fragments and the graph" : "");
    return nullptr;
  }
  if (!ParseGraph(&document->graph)) return nullptr;
  if (At("graph")) {
    Error(Next().span, "a document has one graph, got another", "3.2.4");
  } else if (At("fragment")) {
    Error(Next().span, "fragments come before the graph", "3.2.4");
  } else if (!AtEnd()) {
    Unexpected("the end of the file after the graph", "3.2.4");
  }
  return has_errors() ? nullptr : document;
}

bool Parser::ParseVersion() {
  if (!At("version")) {
    const bool goes_on = At("extension") || At("fragment") || At("graph");
    Unexpected("the version statement first", "3.2.4", "begin with 'version 1.0;'");
    return goes_on;
  }
  Skip();
  const Token number = Next();
  if (number.kind != TokenKind::kScalar || number.text.find_first_of("eE") != absl::string_view::npos ||
      number.text.back() == '.') {
    return Unexpected("a version as MAJOR.MINOR", "3.2.4", "write 'version 1.0;'");
  }
  Skip();
  if (number.text != "1.0") {
    Error(number.span, absl::StrCat("version ", number.text, " is not supported, expected 1.0"), "3.2.4");
  }
  return Expect(";", "after the version", "3.2.4");
}

bool Parser::ParseExtension() {
  Skip();
  do {
    Name name;
    if (!ExpectName("the name of an extension", "3.2.4", &name)) return false;
    if (name.text == kFragmentExtension) {
      has_fragments_ = true;
    } else if (name.text == kOperatorExtension) {
      has_operators_ = true;
    } else {
      Error(name.span, absl::StrCat("extension '", name.text, "' is unknown, and the document may depend on it"),
            "3.2.4", absl::StrCat("known ones are ", kFragmentExtension, " and ", kOperatorExtension));
    }
  } while (Accept(",") || (!At(";") && !AtEnd()));
  return Expect(";", "after the names of extensions", "3.2.4");
}

bool Parser::ParseGraph(GraphDefinition* graph) {
  constexpr absl::string_view kRule = "3.2.1";
  Skip();
  return ExpectName("the name of the graph", kRule, &graph->name) && Expect("(", "before the parameters", kRule) &&
         ParseNames(&graph->parameters) && Expect(")", "after the parameters", kRule) &&
         Expect("->", "between parameters and results", kRule) && Expect("(", "before the results", kRule) &&
         ParseNames(&graph->results) && Expect(")", "after the results", kRule) && ParseBody(&graph->body);
}

bool Parser::ParseNames(std::vector<Name>* names) {
  do {
    names->emplace_back();
    if (!ExpectName("an identifier", "3.2.1", &names->back())) return false;
  } while (Accept(","));
  return true;
}

// --- fragments ---

std::shared_ptr<Fragment> Parser::ParseOneFragment() {
  has_fragments_ = has_operators_ = true;
  auto fragment = std::make_shared<Fragment>();
  if (!At("fragment")) {
    Unexpected("a fragment", "3.2.2");
    return nullptr;
  }
  if (!ParseFragmentDefinition(fragment.get())) return nullptr;
  if (!AtEnd()) Unexpected("the end of the declaration", "3.2.2");
  return has_errors() ? nullptr : fragment;
}

bool Parser::ParseFragmentDefinition(Fragment* fragment) {
  fragment->declaration.position = nnef1::At(source_, Next().span);
  Skip();
  if (!ParseDeclaration(&fragment->declaration)) return false;
  if (Accept(";")) return true;
  if (!At("{")) return Unexpected("the body of the fragment or ';'", "3.2.2");
  fragment->has_body = true;
  return ParseBody(&fragment->body);
}

bool Parser::ParseDeclaration(Declaration* declaration) {
  constexpr absl::string_view kRule = "3.2.2";
  Name name;
  if (!ExpectName("the name of the fragment", kRule, &name)) return false;
  declaration->name = std::string(name.text);
  declaration->position = nnef1::At(source_, name.span);
  if (Accept("<")) {
    declaration->is_generic = true;
    if (!Expect("?", "in a generic declaration", kRule)) return false;
    if (Accept("=")) {
      declaration->generic_default = PrimitiveOf(Next());
      if (!declaration->generic_default.has_value()) return Unexpected("a primitive type", kRule);
      Skip();
    }
    if (!Expect(">", "after the generic declaration", kRule)) return false;
  }
  if (!Expect("(", "before the parameters", kRule)) return false;
  do {
    if (declaration->parameters.size() == kMaxParameters) return TooManyParameters();
    declaration->parameters.emplace_back();
    if (!ParseParameter(&declaration->parameters.back())) return false;
  } while (Accept(","));
  if (!Expect(")", "after the parameters", kRule) || !Expect("->", "between parameters and results", kRule) ||
      !Expect("(", "before the results", kRule)) {
    return false;
  }
  do {
    if (declaration->results.size() == kMaxParameters) return TooManyParameters();
    declaration->results.emplace_back();
    Result& result = declaration->results.back();
    if (!ExpectName("the name of a result", kRule, &name)) return false;
    result.name = std::string(name.text);
    result.position = nnef1::At(source_, name.span);
    if (!Expect(":", "and a type after the name of a result", kRule) || !ParseType(&result.type)) return false;
  } while (Accept(","));
  return Expect(")", "after the results", kRule);
}

bool Parser::ParseParameter(Parameter* parameter) {
  constexpr absl::string_view kRule = "3.2.2";
  Name name;
  if (!ExpectName("the name of a parameter", kRule, &name)) return false;
  parameter->name = std::string(name.text);
  parameter->position = nnef1::At(source_, name.span);
  if (!Expect(":", "and a type after the name of a parameter", kRule) || !ParseType(&parameter->type)) return false;
  if (!Accept("=")) return true;
  parameter->default_value.emplace();
  return ParseDefaultValue(&*parameter->default_value);
}

bool Parser::ParseType(Type* type) {
  constexpr absl::string_view kRule = "3.2.2";
  const Level level(this);
  if (nesting_ > kMaxNesting) return TooDeep();
  if (const absl::optional<Primitive> primitive = PrimitiveOf(Next())) {
    *type = Type::Of(*primitive);
    Skip();
  } else if (At("tensor")) {
    if (!ParseTensorType(type)) return false;
  } else if (Accept("(")) {
    std::vector<Type> items;
    do {
      items.emplace_back();
      if (!ParseType(&items.back())) return false;
    } while (Accept(","));
    if (items.size() < 2) return Unexpected("',' and a second type, because a tuple has at least two items", kRule);
    if (!Expect(")", "after the types of a tuple", kRule)) return false;
    *type = Type::Tuple(std::move(items));
  } else {
    return Unexpected("a type", kRule, "types are integer, scalar, logical, string, tensor<...>, (...) and ...[]");
  }
  for (int suffixes = 0; Accept("["); ++suffixes) {
    if (!Expect("]", "in the type of an array", kRule)) return false;
    if (nesting_ + suffixes >= kMaxNesting) return TooDeep();
    *type = Type::Array(std::move(*type));
  }
  return true;
}

bool Parser::ParseTensorType(Type* type) {
  constexpr absl::string_view kRule = "3.2.2";
  Skip();
  if (!Expect("<", "after 'tensor'", kRule)) return false;
  if (Accept(">")) {
    *type = Type::UnboundTensor();
    return true;
  }
  const absl::optional<Primitive> primitive = PrimitiveOf(Next());
  if (!primitive.has_value()) return Unexpected("a primitive type", kRule);
  *type = Type::Tensor(*primitive);
  Skip();
  return Expect(">", "after the type of a tensor", kRule);
}

// Literals, and arrays and tuples of them.
bool Parser::ParseDefaultValue(Value* value) {
  constexpr absl::string_view kRule = "3.2.2";
  const Level level(this);
  if (nesting_ > kMaxNesting) return TooDeep();
  const Token token = Next();
  if (token.kind == TokenKind::kString) {
    *value = Value::String(UnquoteString(token.text));
  } else if (token.Is("true") || token.Is("false")) {
    *value = Value::Logical(token.Is("true"));
  } else if (token.Is("[") || token.Is("(")) {
    const absl::string_view closing = token.Is("[") ? "]" : ")";
    Skip();
    std::vector<Value> items;
    if (!(token.Is("[") && At("]"))) {
      do {
        items.emplace_back();
        if (!ParseDefaultValue(&items.back())) return false;
      } while (Accept(","));
    }
    if (token.Is("(") && items.size() < 2) return Unexpected("',' and a second item of the tuple", kRule);
    *value = token.Is("[") ? Value::Array(std::move(items)) : Value::Tuple(std::move(items));
    return Expect(closing, "after the items of a default value", kRule);
  } else {
    const bool is_negative = token.Is("-");
    if (is_negative || token.Is("+")) Skip();
    if (Next().kind != TokenKind::kInteger && Next().kind != TokenKind::kScalar) {
      return Unexpected("a literal as default value", kRule);
    }
    return ParseNumber(is_negative, value);
  }
  Skip();
  return true;
}

// --- bodies ---

bool Parser::ParseBody(std::vector<Assignment>* body) {
  constexpr absl::string_view kRule = "3.2.1";
  if (!Expect("{", "before the body", kRule)) return false;
  if (At("}")) Unexpected("an assignment", kRule, "a body has at least one");
  while (!At("}")) {
    if (AtEnd() || At("graph") || At("fragment")) return Unexpected("'}' after the body", kRule);
    body->emplace_back();
    if (!ParseAssignment(&body->back())) SkipStatement();
  }
  Skip();
  return true;
}

bool Parser::ParseAssignment(Assignment* assignment) {
  if (!ParseTargetTuple(&assignment->target) || !Expect("=", "after the left side of an assignment", "3.2.1")) {
    return false;
  }
  const Token first = Next();
  if (AtInvocation()) {
    // An invocation as a whole needs no extension; if more follows, it was the beginning of an expression.
    const size_t begin = place_;
    if (!ParseInvocation(/*is_nested=*/false, &assignment->value)) return false;
    if (Accept(";")) return true;
    if (!AtOperator()) return Expect(";", "after the assignment", "3.2.1");
    NeedOperators(Next().span, At("if") ? "if-else" : "operators");
    place_ = begin;
    assignment->value = Expression();
  }
  if (!ParseExpression(&assignment->value)) return false;
  if (!Expect(";", "after the assignment", "3.2.1")) return false;
  if (!has_operators_ && !reported_operators_ &&
      (assignment->value.kind != Expression::Kind::kInvocation || assignment->value.is_parenthesised)) {
    Error(first.span, "the right side of an assignment must be an invocation", "3.2.1",
          absl::StrCat("the extension ", kOperatorExtension, " allows other expressions"));
  }
  return true;
}

// lvalue ("," lvalue)*
bool Parser::ParseTargetTuple(Target* target) {
  const Token first = Next();
  if (!ParseTarget(target)) return false;
  if (!At(",")) return true;
  Target tuple;
  tuple.kind = Target::Kind::kTuple;
  tuple.span = first.span;
  tuple.items.push_back(std::move(*target));
  while (Accept(",")) {
    tuple.items.emplace_back();
    if (!ParseTarget(&tuple.items.back())) return false;
  }
  *target = std::move(tuple);
  return true;
}

bool Parser::ParseTarget(Target* target) {
  constexpr absl::string_view kRule = "3.2.1";
  const Level level(this);
  if (nesting_ > kMaxNesting) return TooDeep();
  target->span = Next().span;
  const bool is_array = At("[");
  if (!is_array && !At("(")) {
    Name name;
    if (!ExpectName("an identifier to assign to", kRule, &name)) return false;
    target->name = name.text;
    return true;
  }
  Skip();
  target->kind = is_array ? Target::Kind::kArray : Target::Kind::kTuple;
  if (is_array && Accept("]")) return true;
  do {
    target->items.emplace_back();
    if (!ParseTarget(&target->items.back())) return false;
  } while (Accept(","));
  if (!is_array && target->items.size() < 2) return Unexpected("',' and a second item of the tuple", kRule);
  return Expect(is_array ? "]" : ")", "after the left side of an assignment", kRule);
}

// --- expressions ---

bool Parser::ParseNumber(bool is_negative, Value* value) {
  const Token token = Next();
  Skip();
  const std::string text = absl::StrCat(is_negative ? "-" : "", token.text);
  if (token.kind == TokenKind::kInteger) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(text, &number)) {
      return Error(token.span, absl::StrCat("the integer ", text.substr(0, 40), " does not fit 64 bits"), "3.1");
    }
    *value = Value::Integer(number);
    return true;
  }
  // Too large is infinity, too small is 0, as everywhere with floating-point numbers.
  double number = 0;
  if (!absl::SimpleAtod(text, &number)) return Error(token.span, "expected a number", "3.1");
  *value = Value::Scalar(number);
  return true;
}

// The piece of the first line that the expression covers.
void Parser::Finish(const Token& first, Expression* expression) const {
  expression->span = first.span;
  if (Last().span.line == first.span.line) {
    expression->span.length = Last().span.column + Last().span.length - first.span.column;
  }
}

bool Parser::ParseExpression(Expression* expression, bool allow_if_else) {
  const Level level(this);
  if (nesting_ > kMaxNesting) return TooDeep();
  const Token first = Next();
  if (!ParseOperators(0, expression)) return false;
  if (!allow_if_else || !At("if")) return true;
  NeedOperators(Next().span, "if-else");
  Expression chain;
  chain.kind = Expression::Kind::kIfElse;
  chain.items.push_back(std::move(*expression));
  while (Accept("if")) {
    chain.items.emplace_back();
    if (!ParseExpression(&chain.items.back())) return false;
    if (!Expect("else", "and a second branch after 'if'", "3.2.3")) return false;
    chain.items.emplace_back();
    if (!ParseOperators(0, &chain.items.back())) return false;
  }
  *expression = std::move(chain);
  Finish(first, expression);
  return true;
}

bool Parser::ParseOperators(int level, Expression* expression) {
  if (level == kLevels) return ParseUnary(expression);
  const auto find = [&]() -> const OperatorRow* {
    for (const OperatorRow& row : kOperators) {
      if (row.level == level && At(row.symbol)) return &row;
    }
    return nullptr;
  };
  const Token first = Next();
  if (!ParseOperators(level + 1, expression)) return false;
  const OperatorRow* row = find();
  if (row == nullptr) return true;
  NeedOperators(Next().span, "operators");
  Expression chain;
  chain.kind = Expression::Kind::kBinary;
  chain.details = std::make_unique<Expression::Details>();
  chain.items.push_back(std::move(*expression));
  for (; row != nullptr; row = find()) {
    chain.details->operators.push_back({row->op, Next().span});
    Skip();
    chain.items.emplace_back();
    if (!ParseOperators(level + 1, &chain.items.back())) return false;
  }
  *expression = std::move(chain);
  Finish(first, expression);
  return true;
}

bool Parser::ParseUnary(Expression* expression) {
  const Token first = Next();
  if (!At("+") && !At("-") && !At("!")) return ParsePostfix(expression);
  const Level level(this);
  if (nesting_ > kMaxNesting) return TooDeep();
  Skip();
  const bool is_number = Next().kind == TokenKind::kInteger || Next().kind == TokenKind::kScalar;
  // A subscript would bind tighter, but nothing in a number can be subscripted.
  if (first.Is("-") && is_number) {
    if (!TouchesNext(first, Next())) NeedOperators(first.span, "operators");
    expression->kind = Expression::Kind::kLiteral;
    if (!ParseNumber(/*is_negative=*/true, &expression->literal)) return false;
    Finish(first, expression);
    return true;
  }
  NeedOperators(first.span, "operators");
  expression->kind = Expression::Kind::kUnary;
  expression->details = std::make_unique<Expression::Details>();
  expression->details->operators.push_back({first.Is("+")   ? Operator::kAdd
                                            : first.Is("-") ? Operator::kSubtract
                                                            : Operator::kNot,
                                            first.span});
  expression->items.emplace_back();
  if (!ParseUnary(&expression->items.back())) return false;
  Finish(first, expression);
  return true;
}

bool Parser::ParsePostfix(Expression* expression) {
  const Token first = Next();
  if (!ParsePrimary(expression)) return false;
  for (int subscripts = 1; At("["); ++subscripts) {
    if (nesting_ + subscripts > kMaxNesting) return TooDeep();
    NeedOperators(Next().span, "subscripts");
    Expression subject = std::move(*expression);
    *expression = Expression();
    expression->items.push_back(std::move(subject));
    if (!ParseSubscript(expression)) return false;
    Finish(first, expression);
  }
  return true;
}

// "[" (rvalue | [rvalue] ":" [rvalue]) "]" behind items[0].
bool Parser::ParseSubscript(Expression* expression) {
  constexpr absl::string_view kRule = "3.2.3";
  Skip();
  expression->kind = Expression::Kind::kSubscript;
  expression->items.emplace_back();
  if (!At(":") && !ParseExpression(&expression->items[1])) return false;
  if (Accept(":")) {
    expression->kind = Expression::Kind::kRange;
    expression->items.emplace_back();
    if (!At("]") && !ParseExpression(&expression->items[2])) return false;
  }
  return Expect("]", "after a subscript", kRule);
}

bool Parser::AtInvocation() const {
  if (Next().kind != TokenKind::kIdentifier) return false;
  if (Next(1).Is("(")) return true;
  return Next(1).Is("<") && PrimitiveOf(Next(2)).has_value() && Next(3).Is(">");
}

bool Parser::AtOperator() const {
  for (const OperatorRow& row : kOperators) {
    if (At(row.symbol)) return true;
  }
  return At("if") || (At("[") && has_operators_);
}

bool Parser::ParsePrimary(Expression* expression) {
  const Token first = Next();
  switch (first.kind) {
    case TokenKind::kInteger:
    case TokenKind::kScalar:
      expression->kind = Expression::Kind::kLiteral;
      expression->span = first.span;
      return ParseNumber(/*is_negative=*/false, &expression->literal);
    case TokenKind::kString:
      expression->kind = Expression::Kind::kLiteral;
      expression->span = first.span;
      expression->literal = Value::String(UnquoteString(first.text));
      Skip();
      return true;
    case TokenKind::kIdentifier:
      if (AtInvocation()) return ParseInvocation(/*is_nested=*/true, expression);
      expression->kind = Expression::Kind::kIdentifier;
      expression->span = first.span;
      expression->name = first.text;
      Skip();
      return true;
    case TokenKind::kKeyword:
      if (first.Is("true") || first.Is("false")) {
        expression->kind = Expression::Kind::kLiteral;
        expression->span = first.span;
        expression->literal = Value::Logical(first.Is("true"));
        Skip();
        return true;
      }
      for (const BuiltinRow& row : kBuiltins) {
        if (first.Is(row.name) && Next(1).Is("(")) return ParseBuiltin(row.builtin, expression);
      }
      break;
    case TokenKind::kSymbol:
      if (first.Is("[")) return ParseBracketed(expression);
      if (first.Is("(")) return ParseParenthesised(expression);
      break;
    case TokenKind::kInvalid:
    case TokenKind::kEnd:
      break;
  }
  return Unexpected("an expression", "3.2.1", first.kind == TokenKind::kKeyword ? "keywords are not identifiers" : "");
}

bool Parser::ParseBracketed(Expression* expression) {
  const Token first = Next();
  Skip();
  if (At("for")) {
    NeedOperators(Next().span, "comprehensions");
    if (!ParseComprehension(expression)) return false;
  } else {
    expression->kind = Expression::Kind::kArray;
    if (!At("]")) {
      do {
        expression->items.emplace_back();
        if (!ParseExpression(&expression->items.back())) return false;
      } while (Accept(","));
    }
  }
  if (!Expect("]", "after the items of an array", "3.2.1")) return false;
  Finish(first, expression);
  return true;
}

bool Parser::ParseComprehension(Expression* expression) {
  constexpr absl::string_view kRule = "3.2.3";
  Skip();
  expression->kind = Expression::Kind::kComprehension;
  expression->details = std::make_unique<Expression::Details>();
  do {
    Name name;
    if (!ExpectName("the name of a loop variable", kRule, &name) || !Expect("in", "after a loop variable", kRule)) {
      return false;
    }
    expression->details->loop_names.push_back(name);
    expression->items.emplace_back();
    if (!ParseExpression(&expression->items.back(), /*allow_if_else=*/false)) return false;
  } while (Accept(","));
  expression->items.emplace_back();
  if (Accept("if") && !ParseExpression(&expression->items.back())) return false;
  expression->items.emplace_back();
  return Expect("yield", "and an item in a comprehension", kRule) && ParseExpression(&expression->items.back());
}

bool Parser::ParseParenthesised(Expression* expression) {
  const Token first = Next();
  Skip();
  if (!ParseExpression(expression)) return false;
  if (At(",")) {
    Expression tuple;
    tuple.kind = Expression::Kind::kTuple;
    tuple.items.push_back(std::move(*expression));
    while (Accept(",")) {
      tuple.items.emplace_back();
      if (!ParseExpression(&tuple.items.back())) return false;
    }
    *expression = std::move(tuple);
  } else {
    NeedOperators(first.span, "parentheses around one expression");
  }
  if (!Expect(")", "to match '('", "3.2.1")) return false;
  expression->is_parenthesised = true;
  Finish(first, expression);
  return true;
}

bool Parser::ParseBuiltin(Builtin builtin, Expression* expression) {
  const Token first = Next();
  NeedOperators(first.span, absl::StrCat("the function ", first.text));
  Skip();
  Skip();
  expression->kind = Expression::Kind::kBuiltin;
  expression->builtin = builtin;
  expression->items.emplace_back();
  if (Next().kind == TokenKind::kIdentifier && Next(1).Is("=")) {
    return Error(Next().span, absl::StrCat(first.text, " takes its argument without a name"), "3.2.3");
  }
  if (!ParseExpression(&expression->items[0])) return false;
  if (!Expect(")", absl::StrCat("after the one argument of ", first.text), "3.2.3")) return false;
  Finish(first, expression);
  return true;
}

bool Parser::ParseInvocation(bool is_nested, Expression* expression) {
  const Token first = Next();
  if (is_nested) NeedOperators(first.span, "invocations inside of expressions");
  expression->kind = Expression::Kind::kInvocation;
  expression->name = first.text;
  expression->details = std::make_unique<Expression::Details>();
  Skip();
  if (Accept("<")) {
    expression->details->generic = PrimitiveOf(Next());
    Skip();
    Skip();
  }
  if (!Expect("(", "before the arguments", "3.2.1")) return false;
  if (At(")") && !is_quantization_) return Unexpected("an argument", "3.2.1", "an invocation has at least one");
  if (!At(")")) {
    do {
      if (!ParseArgument(expression)) return false;
    } while (Accept(","));
  }
  if (!Expect(")", "after the arguments", "3.2.1")) return false;
  Finish(first, expression);
  return true;
}

bool Parser::ParseArgument(Expression* invocation) {
  Name name;
  if (Next().kind == TokenKind::kIdentifier && Next(1).Is("=")) {
    name = Name{Next().text, Next().span};
    Skip();
    Skip();
  }
  invocation->details->argument_names.push_back(name);
  invocation->items.emplace_back();
  return ParseExpression(&invocation->items.back());
}

// --- graph.quant ---

std::vector<QuantizationLine> Parser::ParseLines(bool allow_operators) {
  constexpr absl::string_view kRule = "5.3";
  is_quantization_ = true;
  has_operators_ = allow_operators;
  std::vector<QuantizationLine> lines;
  while (!AtEnd()) {
    QuantizationLine line;
    const Token key = Next();
    bool is_right = key.kind == TokenKind::kString;
    if (is_right) {
      line.key = UnquoteString(key.text);
      line.key_span = key.span;
      Skip();
    } else {
      Unexpected("the identifier of a tensor in quotes", kRule);
    }
    is_right = is_right && Expect(":", "after the identifier of a tensor", kRule);
    if (is_right && !AtInvocation()) is_right = Unexpected("a quantisation operation with its arguments", kRule);
    is_right = is_right && ParseInvocation(/*is_nested=*/false, &line.invocation) &&
               Expect(";", "after the quantisation operation", kRule);
    if (is_right) {
      lines.push_back(std::move(line));
    } else {
      while (!AtEnd() && !Accept(";")) Skip();
    }
  }
  return lines;
}

}  // namespace

std::shared_ptr<const Document> ParseDocument(std::shared_ptr<const Source> source, Diagnostics* diagnostics) {
  return Parser(source, ErrorClass::kSyntax, diagnostics).ParseWholeDocument();
}

std::shared_ptr<Fragment> ParseFragment(const std::shared_ptr<const Source>& source, Diagnostics* diagnostics) {
  return Parser(source, ErrorClass::kSyntax, diagnostics).ParseOneFragment();
}

std::vector<QuantizationLine> ParseQuantizationLines(const std::shared_ptr<const Source>& source, bool allow_operators,
                                                     Diagnostics* diagnostics) {
  return Parser(source, ErrorClass::kQuantization, diagnostics).ParseLines(allow_operators);
}

}  // namespace nnef1
}  // namespace xla
