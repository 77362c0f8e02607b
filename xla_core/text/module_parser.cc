#include "xla_core/text/module_parser.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla_core/text/module_header.h"
#include "xla_core/text/name_uniquer.h"

namespace xla {

std::unique_ptr<HloModule> ModuleParser::Parse() {
  if (!ParseAll()) return nullptr;
  NameTheNameless();
  NumberEverything();
  DropWildStackFrameIds();
  InferEntryLayout();
  return std::move(module_);
}

bool ModuleParser::ParseAll() {
  if (reader_.Is(Keyword::kHloModule)) return ParseHeader() && ParseComputations();
  if (reader_.Is(TokenKind::kEnd)) return reader_.Error("there is no module here, only blanks and comments");
  if (reader_.Is(Keyword::kEntry) || AtComputationWithoutHeader()) {
    if (!ParseComputations()) return false;
    module_->set_name(absl::StrCat("module_", module_->entry()->name()));
    return true;
  }
  return ParseSingleInstructionModule();
}

bool ModuleParser::ParseHeader() {
  reader_.Next();
  absl::string_view name;
  if (!reader_.ParseName(&name, "the name of the module")) return false;
  module_->set_name(std::string(name));
  HloModuleConfig& config = module_->mutable_config();
  return ParseHeaderAttributes(reader_, missing_layout_, &config) &&
         ParseStackFrameTables(reader_, &config.stack_frames);
}

// `name {`, or `name (...) -> `.
bool ModuleParser::AtComputationWithoutHeader() {
  if (!reader_.Is(TokenKind::kName) && !reader_.Is(TokenKind::kIdentifier)) return false;
  TokenReader ahead = reader_;
  ahead.Next();
  if (ahead.Is(TokenKind::kLeftBrace)) return true;
  if (!ahead.Is(TokenKind::kLeftParen)) return false;
  int64_t depth = 0;
  do {
    if (ahead.Is(TokenKind::kEnd) || ahead.Is(TokenKind::kError)) return false;
    depth += ahead.Is(TokenKind::kLeftParen) ? 1 : ahead.Is(TokenKind::kRightParen) ? -1 : 0;
    ahead.Next();
  } while (depth > 0);
  return ahead.Is(TokenKind::kArrow);
}

bool ModuleParser::ParseComputations() {
  do {
    if (!ParseComputation()) return false;
  } while (!reader_.Is(TokenKind::kEnd));
  if (module_->entry() == nullptr) module_->set_entry(module_->computations().back().get());
  return true;
}

// Parses a computation with its signature, which is optional and must agree with parameters and root. Computations
// are known by name only after their end, so that none can call itself.
bool ModuleParser::ParseComputation() {
  const bool is_entry = reader_.Is(Keyword::kEntry);
  if (is_entry && module_->entry() != nullptr) return reader_.Error("expects only one ENTRY");
  if (is_entry) reader_.Next();
  const char* const at = reader_.token().begin;
  absl::string_view name;
  if (!reader_.ParseName(&name, "the name of a computation")) return false;
  Shape result;
  const char* result_at = nullptr;
  bool has_signature = false;
  if (!ParseSignature(&result, &result_at, &has_signature)) return false;

  Scope scope;
  scope.computation = std::make_unique<HloComputation>(std::string(name));
  if (!ParseBody(&scope)) return false;
  HloComputation* computation;
  if (!FinishComputation(&scope, &computation)) return false;
  if (has_signature && !CheckSignature(*computation, result, result_at)) return false;
  const auto inserted = computations_by_name_.emplace(name, NamedComputation{computation, at});
  if (!inserted.second) {
    reader_.ErrorAt(at, absl::StrCat("computation ", Quoted(name), " already exists"));
    reader_.diagnostics().Note(inserted.first->second.at, "previously defined here");
    return false;
  }
  if (is_entry) module_->set_entry(computation);
  return ParseExecutionThread(computation);
}

// Nothing, or `(p: f32[4], q: s32[]) -> f32[4]`.
bool ModuleParser::ParseSignature(Shape* result, const char** result_at, bool* has_signature) {
  *has_signature = reader_.Is(TokenKind::kLeftParen);
  if (!*has_signature) return true;
  const auto parse = [this] { return ParseSignatureParameter(); };
  if (!reader_.ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, parse)) return false;
  if (!reader_.Expect(TokenKind::kArrow, "between the parameters and the result of a computation")) return false;
  *result_at = reader_.token().begin;
  return ParseShape(reader_, MissingLayout::kLeave, result);
}

// A name with or without colon, then a shape. Nothing compares them with the parameters.
bool ModuleParser::ParseSignatureParameter() {
  if (reader_.Accept(TokenKind::kLeftParen)) {
    // XLA prints a parameter that has no name as (unknown).
    if (!reader_.Accept(Keyword::kUnknown)) return reader_.ErrorExpected("the name of a parameter");
    if (!reader_.Expect(TokenKind::kRightParen, "after (unknown")) return false;
  } else {
    absl::string_view name;
    if (!reader_.ParseName(&name, "the name of a parameter")) return false;
  }
  reader_.Accept(TokenKind::kColon);
  Shape shape;
  return ParseShape(reader_, MissingLayout::kLeave, &shape);
}

bool ModuleParser::ParseBody(Scope* scope) {
  const char* const begin = reader_.token().begin;
  if (!reader_.Expect(TokenKind::kLeftBrace, "at the beginning of the instructions of a computation")) return false;
  bool failed = false;
  while (!reader_.Is(TokenKind::kRightBrace)) {
    const char* const instruction = reader_.token().begin;
    if (ParseInstruction(scope)) continue;
    failed = true;
    if (!SkipToNextInstruction(instruction)) return false;
  }
  if (failed) return false;
  if (scope->computation->instruction_count() == 0) {
    return reader_.ErrorAt(begin, "a computation needs at least one instruction");
  }
  reader_.Next();
  return true;
}

// After an error, goes on at a line that begins like an instruction or closes the computation, so that several mistakes
// show at once: at that of the present token, if the wrong instruction ended before it, or at a later one. False if
// there is none nearby, or if there are errors enough.
bool ModuleParser::SkipToNextInstruction(const char* wrong) {
  constexpr int kMaxSkippedLines = 100;  // each may cost a look at the whole text, for a comment that does not end
  const char* const end = reader_.text_end();
  const char* at = std::find(wrong, reader_.token().begin, '\n');
  for (const char* next = at; next != reader_.token().begin; next = std::find(next + 1, reader_.token().begin, '\n')) {
    at = next;
  }
  for (int line = 0; line < kMaxSkippedLines && !reader_.diagnostics().full(); ++line) {
    at = std::find(at, end, '\n');
    if (at == end) return false;
    ++at;
    Lexer lexer(absl::string_view(at, end - at));
    Token first = lexer.Next();
    if (first.Is(Keyword::kRoot)) first = lexer.Next();
    const bool named = first.kind == TokenKind::kName || first.kind == TokenKind::kIdentifier;
    if (first.kind != TokenKind::kRightBrace && !(named && lexer.Next().kind == TokenKind::kEqual)) continue;
    reader_.ContinueAt(at);
    return true;
  }
  return false;
}

bool ModuleParser::FinishComputation(Scope* scope, HloComputation** computation) {
  HloComputation& c = *scope->computation;
  c.set_root(scope->root != nullptr ? scope->root : c.instructions().back().get());
  *computation = module_->AddComputation(std::move(scope->computation));
  return true;
}

bool ModuleParser::CheckSignature(const HloComputation& computation, const Shape& result, const char* at) {
  const HloInstruction& root = *computation.root();
  return root.shape().Compatible(result) ||
         reader_.ErrorAt(at, absl::StrCat("shape of computation ", computation.name(), ", ", result.ToString(),
                                          ", is not compatible with that of its root instruction ", root.name(), ", ",
                                          root.shape().ToString()));
}

// Nothing, or `, execution_thread="name"`.
bool ModuleParser::ParseExecutionThread(HloComputation* computation) {
  if (!reader_.Accept(TokenKind::kComma)) return true;
  if (!reader_.IsAttribute("execution_thread")) return reader_.ErrorExpected("execution_thread= after a computation");
  reader_.Next();
  std::string thread;
  if (!reader_.ParseString(&thread)) return false;
  computation->set_execution_thread(std::move(thread));
  return true;
}

// Accepts a text of one instruction without a module: undefined operands become parameters, and the instruction is
// the root of the entry.
bool ModuleParser::ParseSingleInstructionModule() {
  reader_.Accept(Keyword::kRoot);
  const char* const begin = reader_.token().begin;
  absl::string_view name;
  const bool named =
      (reader_.Is(TokenKind::kName) || reader_.Is(TokenKind::kIdentifier)) && reader_.Peek().kind == TokenKind::kEqual;
  if (named && !ParseInstructionName(&name)) return false;
  if (!named && !reader_.IsShape() &&
      !(reader_.Is(TokenKind::kIdentifier) && reader_.Peek().kind == TokenKind::kLeftParen)) {
    return reader_.ErrorExpected("HloModule, ENTRY, a computation or an instruction");
  }
  Scope scope;
  scope.undefined_operands_are_parameters = true;
  scope.computation = std::make_unique<HloComputation>("");
  HloInstruction* root;
  if (!ParseDefinition(&scope, name, begin, /*with_attributes=*/true, &root)) return false;
  if (!reader_.Is(TokenKind::kEnd)) return reader_.ErrorExpected("the end of the text after a single instruction");
  scope.root = root;
  HloComputation* computation;
  if (!FinishComputation(&scope, &computation)) return false;
  const std::string module_name(name.empty() ? root->opcode_name() : name);
  computation->set_name(module_name);
  module_->set_name(module_name);
  module_->set_entry(computation);
  module_->mutable_config().is_scheduled = true;
  return true;
}

void ModuleParser::InferEntryLayout() {
  HloModuleConfig& config = module_->mutable_config();
  if (config.entry_computation_layout.has_value()) return;
  ProgramShape layout;
  for (const HloInstruction* parameter : module_->entry()->parameters()) {
    if (parameter == nullptr) return;  // numbers with gaps: the verifier has more to say about that
    layout.parameters.push_back(parameter->shape());
  }
  layout.result = module_->entry()->root()->shape();
  config.entry_computation_layout = std::move(layout);
}

void ModuleParser::NameTheNameless() {
  if (!nameless_instructions_.empty()) {
    NameUniquer names;
    for (const auto& nameless : nameless_instructions_) nameless.first->set_name("");
    for (const auto& computation : module_->computations()) {
      for (const auto& instruction : computation->instructions()) names.Reserve(instruction->name());
    }
    for (const auto& nameless : nameless_instructions_) nameless.first->set_name(names.Unique(nameless.second));
  }
  if (!nameless_computations_.empty()) {
    NameUniquer names;
    for (const auto& computation : module_->computations()) names.Reserve(computation->name());
    for (const auto& nameless : nameless_computations_) nameless.first->set_name(names.Unique(nameless.second));
  }
}

void ModuleParser::NumberEverything() {
  int64_t next_computation = 0;
  int64_t next_instruction = 0;
  for (const auto& computation : module_->computations()) {
    computation->set_id(next_computation++);
    for (const auto& instruction : computation->instructions()) instruction->set_id(next_instruction++);
  }
}

// An id that names no frame of the tables would mislead; without tables it says nothing and stays.
void ModuleParser::DropWildStackFrameIds() {
  const auto frames = static_cast<int64_t>(module_->config().stack_frames.stack_frames.size());
  if (module_->config().stack_frames.empty()) return;
  for (const auto& computation : module_->computations()) {
    for (const auto& instruction : computation->instructions()) {
      const int32_t id = instruction->annotations().metadata.stack_frame_id;
      if (id < 0 || id > frames) instruction->mutable_annotations().metadata.stack_frame_id = 0;
    }
  }
}

}  // namespace xla
