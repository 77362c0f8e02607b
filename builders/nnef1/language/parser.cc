// Recursive descent, the outermost rules; those inside are in parse_body.h and what that includes. The compositional
// grammar is read throughout, and what a document uses without having enabled it is reported, so that the message can
// name the extension. After an error it goes on after the next semicolon.
#include "builders/nnef1/language/parser.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/language/parse_body.h"
#include "builders/nnef1/language/parse_declaration.h"
#include "builders/nnef1/language/parse_expression.h"
#include "builders/nnef1/language/token_reader.h"

namespace xla {
namespace nnef1 {
namespace {

// The version statement. False if the rest of the statement should be skipped; a document without one is parsed on if
// it begins otherwise.
bool ParseVersion(TokenReader& in) {
  if (!in.At("version")) {
    const bool goes_on = in.At("extension") || in.At("fragment") || in.At("graph");
    in.Unexpected("the version statement first", "3.2.4", "begin with 'version 1.0;'");
    return goes_on;
  }
  in.Skip();
  const Token number = in.Next();
  if (number.kind != TokenKind::kScalar || number.text.find_first_of("eE") != absl::string_view::npos ||
      number.text.back() == '.') {
    return in.Unexpected("a version as MAJOR.MINOR", "3.2.4", "write 'version 1.0;'");
  }
  in.Skip();
  if (number.text != "1.0") {
    in.Error(number.span, absl::StrCat("version ", number.text, " is not supported, expected 1.0"), "3.2.4");
  }
  return in.Expect(";", "after the version", "3.2.4");
}

// Names of extensions; an unknown one is an error, since its meaning is unknown too.
bool ParseExtension(TokenReader& in) {
  in.Skip();
  do {
    Name name;
    if (!in.ExpectName("the name of an extension", "3.2.4", &name)) return false;
    if (name.text == kFragmentExtension) {
      in.EnableFragments();
    } else if (name.text == kOperatorExtension) {
      in.EnableOperators();
    } else {
      in.Error(name.span, absl::StrCat("extension '", name.text, "' is unknown, and the document may depend on it"),
               "3.2.4", absl::StrCat("known ones are ", kFragmentExtension, " and ", kOperatorExtension));
    }
  } while (in.Accept(",") || (!in.At(";") && !in.AtEnd()));
  return in.Expect(";", "after the names of extensions", "3.2.4");
}

bool ParseFragmentDefinition(TokenReader& in, Fragment* fragment) {
  fragment->declaration.position = in.PositionOf(in.Next().span);
  in.Skip();
  if (!ParseDeclaration(in, &fragment->declaration)) return false;
  if (in.Accept(";")) return true;
  if (!in.At("{")) return in.Unexpected("the body of the fragment or ';'", "3.2.2");
  fragment->has_body = true;
  return ParseBody(in, &fragment->body);
}

bool ParseNames(TokenReader& in, std::vector<Name>* names) {
  do {
    names->emplace_back();
    if (!in.ExpectName("an identifier", "3.2.1", &names->back())) return false;
  } while (in.Accept(","));
  return true;
}

bool ParseGraph(TokenReader& in, GraphDefinition* graph) {
  constexpr absl::string_view kRule = "3.2.1";
  in.Skip();
  return in.ExpectName("the name of the graph", kRule, &graph->name) &&
         in.Expect("(", "before the parameters", kRule) && ParseNames(in, &graph->parameters) &&
         in.Expect(")", "after the parameters", kRule) && in.Expect("->", "between parameters and results", kRule) &&
         in.Expect("(", "before the results", kRule) && ParseNames(in, &graph->results) &&
         in.Expect(")", "after the results", kRule) && ParseBody(in, &graph->body);
}

// A document: version, extensions, fragments, graph. After an error, parsing goes on at the next statement or
// definition, so that several errors are found; without a graph there is no document.
std::shared_ptr<const Document> ParseWholeDocument(TokenReader& in) {
  auto document = std::make_shared<Document>();
  document->source = in.source();
  if (!ParseVersion(in)) in.SkipStatement();
  while (in.At("extension")) {
    if (!ParseExtension(in)) in.SkipStatement();
  }
  document->has_fragment_extension = in.has_fragments();
  document->has_operator_extension = in.has_operators();
  while (in.At("fragment")) {
    in.NeedFragments(in.Next().span);
    auto fragment = std::make_shared<Fragment>();
    if (!ParseFragmentDefinition(in, fragment.get())) in.SkipToDefinition();
    document->fragment_places.emplace(fragment->declaration.name, static_cast<int>(document->fragments.size()));
    document->fragments.push_back(std::move(fragment));
  }
  if (!in.At("graph")) {
    in.Unexpected("a graph", "3.2.4", in.At("extension") ? "extensions come before fragments and the graph" : "");
    return nullptr;
  }
  if (!ParseGraph(in, &document->graph)) return nullptr;
  if (in.At("graph")) {
    in.Error(in.Next().span, "a document has one graph, got another", "3.2.4");
  } else if (in.At("fragment")) {
    in.Error(in.Next().span, "fragments come before the graph", "3.2.4");
  } else if (!in.AtEnd()) {
    in.Unexpected("the end of the file after the graph", "3.2.4");
  }
  return in.has_errors() ? nullptr : document;
}

std::shared_ptr<Fragment> ParseOneFragment(TokenReader& in) {
  in.EnableFragments();
  in.EnableOperators();
  auto fragment = std::make_shared<Fragment>();
  if (!in.At("fragment")) {
    in.Unexpected("a fragment", "3.2.2");
    return nullptr;
  }
  if (!ParseFragmentDefinition(in, fragment.get())) return nullptr;
  if (!in.AtEnd()) in.Unexpected("the end of the declaration", "3.2.2");
  return in.has_errors() ? nullptr : fragment;
}

// The lines of a quantization file, those with errors left out.
std::vector<QuantizationLine> ParseLines(TokenReader& in) {
  constexpr absl::string_view kRule = "5.3";
  std::vector<QuantizationLine> lines;
  while (!in.AtEnd()) {
    QuantizationLine line;
    const Token key = in.Next();
    bool is_right = key.kind == TokenKind::kString;
    if (is_right) {
      line.key = UnquoteString(key.text);
      line.key_span = key.span;
      in.Skip();
    } else {
      in.Unexpected("the identifier of a tensor in quotes", kRule);
    }
    is_right = is_right && in.Expect(":", "after the identifier of a tensor", kRule);
    if (is_right && !AtInvocation(in)) is_right = in.Unexpected("a quantisation operation with its arguments", kRule);
    is_right = is_right && ParseInvocation(in, /*is_nested=*/false, &line.invocation) &&
               in.Expect(";", "after the quantisation operation", kRule);
    if (is_right) {
      lines.push_back(std::move(line));
    } else {
      while (!in.AtEnd() && !in.Accept(";")) in.Skip();
    }
  }
  return lines;
}

}  // namespace

std::shared_ptr<const Document> ParseDocument(std::shared_ptr<const Source> source, Diagnostics* diagnostics) {
  TokenReader in(source, ErrorClass::kSyntax, diagnostics);
  return ParseWholeDocument(in);
}

std::shared_ptr<Fragment> ParseFragment(const std::shared_ptr<const Source>& source, Diagnostics* diagnostics) {
  TokenReader in(source, ErrorClass::kSyntax, diagnostics);
  return ParseOneFragment(in);
}

std::vector<QuantizationLine> ParseQuantizationLines(const std::shared_ptr<const Source>& source, bool allow_operators,
                                                     Diagnostics* diagnostics) {
  TokenReader in(source, ErrorClass::kQuantization, diagnostics);
  if (allow_operators) in.EnableOperators();
  return ParseLines(in);
}

}  // namespace nnef1
}  // namespace xla
