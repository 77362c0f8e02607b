#include "builders/nnef2/language/parser.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/language/parse_computation.h"
#include "builders/nnef2/language/parse_declaration.h"
#include "builders/nnef2/language/parse_expression.h"
#include "builders/nnef2/language/token_reader.h"

namespace xla {
namespace nnef2 {
namespace {

// The statements up to the closing brace. Of one that is wrong, the rest is skipped.
template <typename Statement>
void ParseStatements(TokenReader& in, bool (*parse)(TokenReader&, Statement*), std::vector<Statement>* statements) {
  while (!in.At("}") && !in.AtEnd() && !in.At(TokenKind::kBlock)) {
    Statement statement;
    if (parse(in, &statement)) {
      statements->push_back(std::move(statement));
    } else {
      in.SkipStatement();
    }
  }
}

void ParseBlockBody(TokenReader& in, BlockKind kind, Definition* definition) {
  switch (kind) {
    case BlockKind::kDtype:
      return ParseStatements(in, ParseTypeParameter, &definition->types);
    case BlockKind::kAttrib:
      return ParseStatements(in, ParseParameter, &definition->attributes);
    case BlockKind::kInput:
      return ParseStatements(in, ParseParameter, &definition->inputs);
    case BlockKind::kUsing:
      return ParseStatements(in, ParseUsing, &definition->helpers);
    case BlockKind::kConstant:
      return ParseStatements(in, ParseParameter, &definition->constants);
    case BlockKind::kVariable:
      return ParseStatements(in, ParseParameter, &definition->variables);
    case BlockKind::kOutput:
      return ParseStatements(in, ParseParameter, &definition->outputs);
    case BlockKind::kAssert:
      return ParseStatements(in, ParseAssertion, &definition->assertions);
    case BlockKind::kLower:
      return ParseStatements(in, ParseLowering, &definition->lowerings);
    case BlockKind::kCompose:
      return ParseStatements(in, ParseComponent, &definition->components);
    case BlockKind::kUpdate:
      return ParseStatements(in, ParseComponent, &definition->updates);
    case BlockKind::kQuantize:
      return ParseStatements(in, ParseQuantization, &definition->quantizations);
  }
}

BlockKind KindOfBlock(absl::string_view name) {
  int kind = 0;
  while (BlockName(static_cast<BlockKind>(kind)) != name) ++kind;
  return static_cast<BlockKind>(kind);
}

// "@input { ... }".
bool ParseBlock(TokenReader& in, Definition* definition) {
  Definition::Block block{KindOfBlock(in.Next().text), TextRange{in.begin(), 0}, in.Next().span};
  if (definition->Has(block.kind)) {
    in.Error(block.span,
             absl::StrCat("block ", BlockName(block.kind), " stands twice in '", definition->name.text, "'"), "2.2",
             "join the blocks");
  }
  in.Skip();
  if (!in.Expect("{", "after the name of a block", "2.2")) return false;
  const size_t place = definition->blocks.size();
  definition->blocks.push_back(block);
  ParseBlockBody(in, block.kind, definition);
  if (!in.Expect("}", "after a block", "2.2")) return false;
  definition->blocks[place].range.end = in.end();
  return true;
}

// After an error between blocks: past the braces of what is not a block, or to the next block.
void SkipStrangeBlock(TokenReader& in) {
  int depth = 0;
  while (!in.AtEnd()) {
    if (depth == 0 && (in.At("}") || in.At(TokenKind::kBlock))) return;
    if (in.At("{")) ++depth;
    if (in.At("}")) --depth;
    in.Skip();
    if (depth == 0 && in.Last().Is("}")) return;
  }
}

bool AtDefinition(const TokenReader& in) { return in.At("operator") || in.At("graph") || in.At("public"); }

// "operator op { ... }".
bool ParseDefinition(TokenReader& in, Definition* definition) {
  definition->source = in.source();
  definition->range.begin = in.begin();
  definition->is_public = in.Accept("public");
  definition->is_graph = in.At("graph") && !definition->is_public;
  if (!definition->is_graph && !in.At("operator")) return in.Unexpected("'operator' after 'public'", "2.2");
  in.Skip();
  if (!in.ExpectName(definition->is_graph ? "the name of a graph" : "the name of an operator", "2.2",
                     &definition->name) ||
      !in.Expect("{", "after the name of a definition", "2.2")) {
    return false;
  }
  while (!in.At("}") && !in.AtEnd()) {
    if (!in.At(TokenKind::kBlock)) {
      in.Unexpected("a block or '}'", "2.2", "declarations stand in blocks: @input { x: real[n]; }");
      SkipStrangeBlock(in);
    } else if (!ParseBlock(in, definition)) {
      SkipStrangeBlock(in);
    }
  }
  if (!in.Expect("}", "after a definition", "2.2")) return false;
  definition->range.end = in.end();
  return true;
}

bool ParseImport(TokenReader& in, Import* import) {
  import->range.begin = in.begin();
  in.Skip();
  do {
    Name name;
    if (!in.ExpectQualifiedName("the name of a module", "2.15", &name)) return false;
    import->modules.push_back(name);
  } while (in.Accept(","));
  if (!in.Expect(";", "after an import", "2.15")) return false;
  import->range.end = in.end();
  return true;
}

void SkipToDefinition(TokenReader& in) {
  int depth = 0;
  while (!in.AtEnd()) {
    if (depth <= 0 && (AtDefinition(in) || in.At("import"))) return;
    if (in.At("{")) ++depth;
    if (in.At("}")) --depth;
    in.Skip();
  }
}

void ParseTopLevel(TokenReader& in, Module* module) {
  if (in.At("import")) {
    if (!module->definitions.empty()) in.Unexpected("imports before all definitions", "2.15");
    Import import;
    if (ParseImport(in, &import)) {
      module->imports.push_back(std::move(import));
    } else {
      in.SkipStatement();
    }
  } else if (AtDefinition(in)) {
    auto definition = std::make_unique<Definition>();
    const bool is_complete = ParseDefinition(in, definition.get());
    module->definitions.push_back(std::move(definition));
    if (!is_complete) SkipToDefinition(in);
  } else {
    in.Unexpected("'import', 'operator' or 'graph'", "2.2");
    in.Skip();
    SkipToDefinition(in);
  }
}

}  // namespace

std::shared_ptr<const Module> ParseModule(const std::shared_ptr<const Source>& source, Diagnostics* diagnostics) {
  const int errors_before = diagnostics->error_count();
  auto module = std::make_shared<Module>();
  module->source = source;
  const LexerRange all{0, source->text.size(), 1, 1};
  TokenReader in(source, Tokenize(source, all, &module->comments, diagnostics), diagnostics);
  while (!in.AtEnd()) ParseTopLevel(in, module.get());
  if (diagnostics->error_count() > errors_before || diagnostics->IsOver()) return nullptr;
  return module;
}

}  // namespace nnef2
}  // namespace xla
