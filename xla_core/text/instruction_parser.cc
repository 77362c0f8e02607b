// Instructions: the part of ModuleParser that reads `[ROOT] name = shape opcode(operands), attributes`.
//
// A Draft collects what has been read; the instruction joins its computation in FinishDefinition, when operands,
// attributes and called computations are known and, if the shape was left out, the op has inferred it. Operands are
// names of instructions that come before, or whole instructions in place, so parsing recurses
// (kMaxInstructionNesting). What a failed instruction would have been called is remembered, so that its users do not
// fail with messages of their own.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/text/annotations_text.h"
#include "xla_core/text/attribute_parser.h"
#include "xla_core/text/instruction_rules.h"
#include "xla_core/text/literal_parser.h"
#include "xla_core/text/module_parser.h"
#include "xla_core/text/sharding_text.h"

namespace xla {
namespace {

constexpr absl::string_view kCommonAttributes[] = {
    "sharding", "frontend_attributes", "control-predecessors", "statistics", "origin", "metadata", "backend_config"};
constexpr absl::string_view kResultAccuracy = "result_accuracy";
constexpr absl::string_view kToApply = "to_apply";

// "branch_computations*" -> "branch_computations".
absl::string_view RoleText(absl::string_view role) {
  if (!role.empty() && (role.back() == '*' || role.back() == '?')) role.remove_suffix(1);
  return role;
}

bool IsRoleList(absl::string_view role) { return !role.empty() && role.back() == '*'; }
bool IsRoleRequired(absl::string_view role) { return !role.empty() && role.back() != '*' && role.back() != '?'; }

std::vector<absl::string_view> ElementTypeNames() {
  std::vector<absl::string_view> names;
  for (int i = 0; i < kNumPrimitiveTypes; ++i) {
    const auto type = static_cast<PrimitiveType>(i);
    if (IsArrayType(type) || type == TOKEN || type == OPAQUE_TYPE) names.push_back(PrimitiveTypeName(type));
  }
  return names;
}

}  // namespace

bool ModuleParser::Draft::Seen(absl::string_view name) const {
  return std::find(seen_attributes.begin(), seen_attributes.end(), name) != seen_attributes.end();
}

// [ROOT] name = definition
bool ModuleParser::ParseInstruction(Scope* scope) {
  const char* const root_at = reader_.token().begin;
  const bool is_root = reader_.Accept(Keyword::kRoot);
  const char* const at = reader_.token().begin;
  absl::string_view name;
  if (!ParseInstructionName(&name)) return false;
  HloInstruction* instruction;
  if (!ParseDefinition(scope, name, at, /*with_attributes=*/true, &instruction)) {
    scope->failed.insert(name);
    return false;
  }
  const auto inserted = scope->by_name.emplace(instruction->name(), NamedInstruction{instruction, at});
  if (!inserted.second) {
    reader_.ErrorAt(at, absl::StrCat("instruction ", Quoted(name), " already exists"));
    reader_.diagnostics().Note(inserted.first->second.at, "previously defined here");
    return false;
  }
  if (!is_root) return true;
  if (scope->root != nullptr) return reader_.ErrorAt(root_at, "one computation should have only one ROOT");
  scope->root = instruction;
  return true;
}

// name =
bool ModuleParser::ParseInstructionName(absl::string_view* name) {
  const Token token = reader_.token();
  if (token.kind == TokenKind::kAttributeName) {
    return reader_.Error(absl::StrCat("expected the name of an instruction, found the attribute '", token.text,
                                      "='; write a blank before '='"));
  }
  if (token.kind == TokenKind::kType) {
    *name = token.text;
  } else if (!reader_.ParseName(name, "the name of an instruction")) {
    return false;
  }
  // As in XLA, with and without a percent sign.
  const PrimitiveType type = PrimitiveTypeFromName(*name);
  if (type != PRIMITIVE_TYPE_INVALID && type != TUPLE) {
    return reader_.ErrorAt(token.begin, absl::StrCat("illegal instruction name ", Quoted(*name),
                                                     ", it is an element type; suggest renaming to ", *name, "_"));
  }
  return reader_.Expect(TokenKind::kEqual, "after the name of an instruction");
}

// Parses what stands after `name =`: shape, opcode, operands, attributes. Instructions may be written in place of
// operands, hence the limit on nesting. The shape may be omitted where it can be inferred.
bool ModuleParser::ParseDefinition(Scope* scope, absl::string_view name, const char* at, bool with_attributes,
                                   HloInstruction** instruction) {
  struct Nesting {
    int& depth;
    explicit Nesting(int& d) : depth(d) { ++depth; }
    ~Nesting() { --depth; }
  } nesting(instruction_nesting_);
  if (instruction_nesting_ > kMaxInstructionNesting) {
    return reader_.Error(absl::StrCat("instructions nested deeper than ", kMaxInstructionNesting, " levels"));
  }
  Draft draft;
  draft.at = at;
  Shape shape;
  draft.has_shape = reader_.IsShape();
  if (draft.has_shape && !ParseShape(reader_, missing_layout_, &shape)) return false;
  if (!ParseOpcode(&draft)) return false;
  draft.instruction = std::make_unique<HloInstruction>(draft.opcode.opcode, std::string(name), std::move(shape));
  draft.typed = draft.instruction.get();
  if (const auto make_attributes = GetOp(draft.opcode.opcode).make_attributes) {
    draft.instruction->set_attributes(make_attributes());
  }
  if (!ParseOperands(scope, &draft) || !CheckOperandCount(draft) || !BeginAsync(&draft)) return false;

  std::string error;
  // The continuations of async sugar call nothing by name.
  const bool continues = draft.opcode.wrapped.has_value() && draft.wrapped == nullptr;
  if (!continues) draft.role_names = CalledComputationNames(*draft.typed, &error);
  if (!error.empty()) return reader_.ErrorAt(draft.operands_at, std::move(error));
  draft.roles.resize(draft.role_names.size());
  if (with_attributes && !ParseAttributes(scope, &draft)) return false;
  return CheckRequiredAttributes(draft) && FinishDefinition(scope, &draft, instruction);
}

// Reads the opcode; a parenthesis must follow. A word followed by a bracket looks like a shape with a misspelled
// type, and the error says so.
bool ModuleParser::ParseOpcode(Draft* draft) {
  if (!reader_.Is(TokenKind::kIdentifier)) {
    return reader_.ErrorExpected(draft->has_shape ? "an opcode" : "a shape or an opcode");
  }
  const Token word = reader_.token();
  const absl::optional<OpcodeText> opcode = OpcodeFromText(word.text);
  if (!opcode.has_value()) {
    const bool like_a_shape = !draft->has_shape && reader_.CharAfterToken() == '[';
    if (like_a_shape) return reader_.ErrorUnknown("element type", ElementTypeNames());
    return reader_.Error(absl::StrCat("unknown opcode ", Quoted(word.text), NearestOpcode(word.text)));
  }
  draft->opcode = *opcode;
  reader_.Next();
  draft->operands_at = reader_.token().begin;
  if (!reader_.Is(TokenKind::kLeftParen)) return reader_.ErrorExpected("'(' at the beginning of operands");
  return true;
}

// With the current token '('.
bool ModuleParser::ParseOperands(Scope* scope, Draft* draft) {
  if (draft->opcode.opcode == HloOpcode::kParameter) return ParseParameterNumber(draft);
  if (draft->opcode.opcode == HloOpcode::kConstant) return ParseConstant(draft);
  reader_.Next();
  // Commas separate, and stray ones are skipped, as XLA has it.
  bool after_operand = false;
  while (!reader_.Is(TokenKind::kRightParen)) {
    if (reader_.Accept(TokenKind::kComma)) {
      after_operand = false;
      continue;
    }
    if (after_operand) return reader_.ErrorExpected("',' or ')' after an operand");
    if (reader_.Is(TokenKind::kDots)) {
      return reader_.Error(
          "this text was printed with compact operands, which leaves operands out; print it again without");
    }
    HloInstruction* operand;
    if (!ParseOperand(scope, &operand)) return false;
    draft->instruction->AddOperand(operand);
    after_operand = true;
  }
  reader_.Next();
  return true;
}

bool ModuleParser::ParseParameterNumber(Draft* draft) {
  if (!draft->has_shape)
    return reader_.ErrorAt(draft->at, "cannot infer the shape of a parameter; write it before the opcode");
  reader_.Next();
  return reader_.ParseNonNegative(&draft->instruction->mutable_attributes<ParameterAttributes>().number,
                                  "the number of a parameter") &&
         reader_.Expect(TokenKind::kRightParen, "after the number of a parameter");
}

bool ModuleParser::ParseConstant(Draft* draft) {
  if (!draft->has_shape)
    return reader_.ErrorAt(draft->at, "cannot infer the shape of a constant; write it before the opcode");
  reader_.Next();
  return ParseLiteral(reader_, draft->instruction->shape(),
                      &draft->instruction->mutable_attributes<ConstantAttributes>().literal) &&
         reader_.Expect(TokenKind::kRightParen, "after the value of a constant");
}

// A name, a shape and a name, or an instruction without attributes; in a single instruction also a shape alone.
bool ModuleParser::ParseOperand(Scope* scope, HloInstruction** operand) {
  const char* const at = reader_.token().begin;
  const auto at_nested = [this] {
    return reader_.Is(TokenKind::kIdentifier) && reader_.Peek().kind == TokenKind::kLeftParen;
  };
  if (!reader_.IsShape()) {
    if (!at_nested()) return ParseOperandName(scope, nullptr, at, operand);
    return ParseDefinition(scope, "", at, /*with_attributes=*/false, operand);
  }
  // Whether an instruction follows the shape can be seen only behind it, so the shape may be read twice.
  TokenReader before = reader_;
  Shape shape;
  if (!ParseShape(reader_, missing_layout_, &shape)) return false;
  if (at_nested()) {
    reader_ = before;
    return ParseDefinition(scope, "", at, /*with_attributes=*/false, operand);
  }
  if (reader_.Is(TokenKind::kComma) || reader_.Is(TokenKind::kRightParen)) {
    if (!scope->undefined_operands_are_parameters) return reader_.ErrorExpected("the name of an operand");
    *operand = AddParameterFor(scope, "", shape);
    return true;
  }
  return ParseOperandName(scope, &shape, at, operand);
}

// Finds an operand by name. In a text of a single instruction, unknown names become parameters of the written shape.
// Names whose definition failed give no second error.
bool ModuleParser::ParseOperandName(Scope* scope, const Shape* shape, const char* shape_at, HloInstruction** operand) {
  const char* const at = reader_.token().begin;
  absl::string_view name;
  if (!reader_.ParseName(&name, "the name of an operand")) return false;
  const auto found = scope->by_name.find(name);
  if (found != scope->by_name.end()) {
    *operand = found->second.instruction;
  } else if (scope->undefined_operands_are_parameters) {
    if (shape == nullptr)
      return reader_.diagnostics().Error(
          at, absl::StrCat("operand ", Quoted(name), " is not defined; write its shape before it"));
    *operand = AddParameterFor(scope, name, *shape);
    return true;
  } else if (scope->failed.contains(name)) {
    return false;
  } else {
    std::vector<absl::string_view> known;
    for (const auto& instruction : scope->computation->instructions()) known.push_back(instruction->name());
    return reader_.diagnostics().Error(
        at, absl::StrCat("instruction ", Quoted(name), " does not exist", DidYouMean(name, known)));
  }
  if (reader_.Is(TokenKind::kPound) && !ParseTupleSuffix(scope, operand)) return false;
  if (shape == nullptr || shape->Compatible((*operand)->shape())) return true;
  return reader_.ErrorAt(shape_at, absl::StrCat("operand ", name, " is written as ", shape->ToString(),
                                                ", but defined as ", (*operand)->shape().ToString()));
}

// #1#0: element 1, and of that element 0.
bool ModuleParser::ParseTupleSuffix(Scope* scope, HloInstruction** operand) {
  while (reader_.Accept(TokenKind::kPound)) {
    const char* const at = reader_.token().begin;
    int64_t index;
    if (!reader_.ParseInt(&index)) return false;
    const Shape& tuple = (*operand)->shape();
    if (!tuple.IsTuple() || index < 0 || index >= tuple.tuple_size()) {
      return reader_.ErrorAt(at, absl::StrCat("there is no element ", index, " of ", tuple.ToString()));
    }
    *operand = TupleElement(scope, *operand, index);
  }
  return true;
}

HloInstruction* ModuleParser::TupleElement(Scope* scope, HloInstruction* tuple, int64_t index) {
  HloInstruction*& element = scope->tuple_elements[{tuple, index}];
  if (element != nullptr) return element;
  auto made = std::make_unique<HloInstruction>(HloOpcode::kGetTupleElement, "",
                                               tuple->shape().tuple_shape(static_cast<int>(index)));
  auto attributes = std::make_unique<GetTupleElementAttributes>();
  attributes->index = index;
  made->set_attributes(std::move(attributes));
  made->AddOperand(tuple);
  element = scope->computation->AddInstruction(std::move(made));
  // A name to go on with: the element may be a tuple whose elements are taken in turn.
  element->set_name(absl::StrCat(tuple->name(), "_", index));
  nameless_instructions_.emplace_back(element, element->name());
  return element;
}

// For the single-instruction form: an operand that nothing defines becomes the next parameter of the entry.
HloInstruction* ModuleParser::AddParameterFor(Scope* scope, absl::string_view name, const Shape& shape) {
  auto parameter = std::make_unique<HloInstruction>(HloOpcode::kParameter, std::string(name), shape);
  auto attributes = std::make_unique<ParameterAttributes>();
  attributes->number = scope->new_parameters++;
  if (name.empty())
    nameless_instructions_.emplace_back(parameter.get(), absl::StrCat("parameter.", attributes->number));
  parameter->set_attributes(std::move(attributes));
  HloInstruction* const added = scope->computation->AddInstruction(std::move(parameter));
  if (!name.empty()) scope->by_name.emplace(added->name(), NamedInstruction{added, name.data()});
  return added;
}

bool ModuleParser::CheckOperandCount(const Draft& draft) {
  const OpDefinition& op = GetOp(draft.opcode.wrapped.value_or(draft.opcode.opcode));
  const bool continues = draft.opcode.wrapped.has_value() && draft.opcode.opcode != HloOpcode::kAsyncStart;
  const int min = continues ? 1 : op.min_operands;
  const int max = continues ? -1 : op.max_operands;
  const int count = draft.instruction->operand_count();
  if (count >= min && (max < 0 || count <= max)) return true;
  if (min == max) {
    return reader_.ErrorAt(draft.operands_at, absl::StrCat("expects ", min, " operands, but has ", count, " operands"));
  }
  return reader_.ErrorAt(draft.operands_at,
                         absl::StrCat("expects at least ", min, max < 0 ? "" : absl::StrCat(" and at most ", max),
                                      " operands, but has ", count, " operands"));
}

// [, name=value]*
bool ModuleParser::ParseAttributes(Scope* scope, Draft* draft) {
  while (reader_.Accept(TokenKind::kComma)) {
    if (!reader_.Is(TokenKind::kAttributeName)) return reader_.ErrorExpected("an attribute, such as dimensions=");
    const absl::string_view name = reader_.token().text;
    if (draft->Seen(name)) return reader_.Error(absl::StrCat("attribute ", name, " already exists"));
    draft->seen_attributes.push_back(name);
    bool known = false;
    if (!ParseAttribute(scope, draft, &known)) return false;
    if (!known) return UnexpectedAttribute(*draft);
  }
  return true;
}

// The current token is the attribute's name until a parser recognises it.
// In the order in which the meaning is most specific: the op's own fields, those of async sugar, called computations,
// attributes that every instruction may have, and at last names of older versions of the format.
bool ModuleParser::ParseAttribute(Scope* scope, Draft* draft, bool* known) {
  if (!ParseSchemaAttribute(draft, known)) return false;
  if (!*known && !ParseAsyncAttribute(draft, known)) return false;
  if (!*known && !ParseCalledComputation(draft, known)) return false;
  if (!*known && !ParseCommonAttribute(scope, draft, known)) return false;
  if (*known) return true;
  const absl::string_view name = reader_.token().text;
  for (HloInstruction* instruction : {draft->typed, draft->instruction.get()}) {
    if (!IsOldAttribute(instruction->opcode(), name)) continue;
    reader_.Next();
    return ParseOldAttribute(reader_, name, instruction, known);
  }
  return true;
}

bool ModuleParser::ParseSchemaAttribute(Draft* draft, bool* known) {
  Attributes* const attributes = draft->typed->mutable_raw_attributes();
  if (attributes == nullptr) return true;
  // The continuations of async sugar have the attributes of neither opcode.
  if (draft->opcode.wrapped.has_value() && draft->wrapped == nullptr) return true;
  const absl::string_view name = reader_.token().text;
  for (const AttributeField& field : attributes->schema().fields) {
    if (field.presence == Presence::kInternal || name != field.name) continue;
    *known = true;
    reader_.Next();
    return ParseAttributeValue(reader_, field, missing_layout_, attributes);
  }
  return true;
}

// A role that ends in `*` takes a list in braces, others a single computation. custom-call may name one of its list
// by `to_apply`.
bool ModuleParser::ParseCalledComputation(Draft* draft, bool* known) {
  const absl::string_view name = reader_.token().text;
  for (size_t i = 0; i < draft->role_names.size(); ++i) {
    const bool one_of_list = draft->typed->opcode() == HloOpcode::kCustomCall && name == kToApply;
    if (RoleText(draft->role_names[i]) != name && !one_of_list) continue;
    *known = true;
    reader_.Next();
    const auto parse = [&] {
      draft->roles[i].emplace_back();
      return ParseComputationName(&draft->roles[i].back());
    };
    return IsRoleList(draft->role_names[i]) && !one_of_list ? reader_.ParseBracedList(parse) : parse();
  }
  return true;
}

// Attributes that every instruction may have. `known` is set if the name is one of them; what follows is then parsed.
bool ModuleParser::ParseCommonAttribute(Scope* scope, Draft* draft, bool* known) {
  HloInstruction& instruction = *draft->instruction;
  const absl::string_view name = reader_.token().text;
  const auto annotations = [&]() -> InstructionAnnotations& {
    *known = true;
    reader_.Next();
    return instruction.mutable_annotations();
  };
  if (name == "metadata") return ParseMetadata(reader_, &annotations().metadata);
  if (name == "sharding") return ParseSharding(reader_, &annotations().sharding.emplace());
  if (name == "frontend_attributes") return ParseFrontendAttributes(reader_, &annotations().frontend_attributes);
  if (name == "backend_config") return reader_.ParseStringOrJson(&annotations().backend_config);
  if (name == "statistics") return ParseStatistics(reader_, &annotations().statistics.emplace());
  if (name == "origin") return ParseOrigin(reader_, &annotations().original_value.emplace());
  if (name == kResultAccuracy && MayHaveResultAccuracy(draft->typed->opcode())) {
    return ParseResultAccuracy(reader_, &annotations().result_accuracy);
  }
  if (name == "control-predecessors") {
    *known = true;
    reader_.Next();
    return ParseControlPredecessors(scope, &instruction);
  }
  return true;
}

// Control predecessors must be defined before, as operands are. An empty list is an error in XLA too.
bool ModuleParser::ParseControlPredecessors(Scope* scope, HloInstruction* instruction) {
  const char* const begin = reader_.token().begin;
  const auto parse = [&] {
    const char* const at = reader_.token().begin;
    absl::string_view name;
    if (!reader_.ParseName(&name, "the name of an instruction")) return false;
    const auto found = scope->by_name.find(name);
    if (found == scope->by_name.end()) {
      if (scope->failed.contains(name)) return false;
      return reader_.diagnostics().Error(at,
                                         absl::StrCat("instruction ", Quoted(name), " is not defined before this one"));
    }
    instruction->AddControlPredecessor(found->second.instruction);
    return true;
  };
  if (!reader_.ParseBracedList(parse)) return false;
  return !instruction->control_predecessors().empty() ||
         reader_.ErrorAt(begin, "control-predecessors= needs at least one name");
}

// Reports the attribute with the nearest known name and all names that the opcode allows; returns false.
bool ModuleParser::UnexpectedAttribute(const Draft& draft) {
  std::vector<absl::string_view> allowed;
  if (const Attributes* attributes = draft.typed->raw_attributes()) {
    for (const AttributeField& field : attributes->schema().fields) {
      if (field.presence != Presence::kInternal) allowed.push_back(field.name);
    }
  }
  for (const std::string& role : draft.role_names) allowed.push_back(RoleText(role));
  allowed.insert(allowed.end(), std::begin(kCommonAttributes), std::end(kCommonAttributes));
  if (MayHaveResultAccuracy(draft.typed->opcode())) allowed.push_back(kResultAccuracy);
  const absl::string_view name = reader_.token().text;
  return reader_.Error(absl::StrCat("unexpected attribute ", Quoted(name), " of ", draft.typed->opcode_name(),
                                    DidYouMean(name, allowed), "; allowed are ", absl::StrJoin(allowed, ", ")));
}

// Checks attributes and computations that the opcode cannot do without. The later steps of an async operation have
// them from the first one.
bool ModuleParser::CheckRequiredAttributes(const Draft& draft) {
  const bool continues = draft.opcode.wrapped.has_value() && draft.wrapped == nullptr;
  if (continues) return true;
  const auto missing = [&](absl::string_view name) {
    return reader_.ErrorAt(draft.at, absl::StrCat("attribute ", name, " is expected but not seen: ",
                                                  draft.typed->opcode_name(), " needs ", name, "="));
  };
  if (const Attributes* attributes = draft.typed->raw_attributes()) {
    for (const AttributeField& field : attributes->schema().fields) {
      if (field.presence == Presence::kRequired && !draft.Seen(field.name)) return missing(field.name);
    }
  }
  for (size_t i = 0; i < draft.role_names.size(); ++i) {
    if (IsRoleRequired(draft.role_names[i]) && draft.roles[i].empty()) return missing(draft.role_names[i]);
  }
  return true;
}

// A computation by name, which must be defined earlier in the text, or its body in braces. Errors suggest similar
// names.
bool ModuleParser::ParseComputationName(HloComputation** computation) {
  if (reader_.Is(TokenKind::kLeftBrace)) return ParseInlineComputation(computation);
  const char* const at = reader_.token().begin;
  absl::string_view name;
  if (!reader_.ParseName(&name, "the name of a computation, or its instructions in braces")) return false;
  const auto found = computations_by_name_.find(name);
  if (found == computations_by_name_.end()) {
    std::vector<absl::string_view> known;
    for (const auto& other : computations_by_name_) known.push_back(other.first);
    std::sort(known.begin(), known.end());
    return reader_.diagnostics().Error(
        at, absl::StrCat("computation does not exist: ", Quoted(name), DidYouMean(name, known),
                         "; computations are defined before they are used"));
  }
  *computation = found->second.computation;
  return true;
}

bool ModuleParser::ParseInlineComputation(HloComputation** computation) {
  Scope scope;
  scope.computation = std::make_unique<HloComputation>("");
  if (!ParseBody(&scope) || !FinishComputation(&scope, computation)) return false;
  nameless_computations_.emplace_back(*computation, "_");
  return true;
}

// What looks at the shapes of a module shall take time in proportion to its text. A short text whose tuples hold tuples
// may have some large shapes left out.
int64_t ModuleParser::InferredPartLimit() const {
  constexpr int64_t kForAnyText = 100000, kPerByte = 8;
  return kForAnyText + kPerByte * static_cast<int64_t>(text_size_);
}

// Shapes may be left out where they follow from operands and attributes, as in XLA's text.
bool ModuleParser::InferShape(Draft* draft) {
  HloInstruction& instruction = *draft->instruction;
  const OpDefinition& op = GetOp(instruction.opcode());
  if (!op.shape_may_be_omitted || op.infer_shape == nullptr) {
    return reader_.ErrorAt(draft->at, absl::StrCat("cannot infer shape for opcode ", instruction.opcode_name(),
                                                   "; write it before the opcode"));
  }
  absl::StatusOr<Shape> shape = op.infer_shape(instruction);
  if (shape.ok() && !ValidateShape(*shape).ok()) shape = ValidateShape(*shape);
  if (!shape.ok()) {
    return reader_.ErrorAt(draft->at, absl::StrCat("cannot infer the shape of ", instruction.opcode_name(), ": ",
                                                   shape.status().message()));
  }
  inferred_parts_ += shape->part_count();
  if (inferred_parts_ > InferredPartLimit()) {
    return reader_.ErrorAt(
        draft->at,
        absl::StrCat("the shapes that this text leaves out, up to this one, have ", inferred_parts_,
                     " parts (leaves and tuples at any depth, counted wherever they appear), expected at most ",
                     InferredPartLimit(), " for a text of ", text_size_, " bytes; write shapes before the opcodes"));
  }
  instruction.mutable_shape() = *std::move(shape);
  if (missing_layout_ == MissingLayout::kRowMajor) instruction.mutable_shape().SetMissingLayoutsToDefault();
  return true;
}

// The order matters: called computations first, because inference looks into them; then what the opcode completes;
// then the shape; then async sugar, which wraps the finished instruction.
bool ModuleParser::FinishDefinition(Scope* scope, Draft* draft, HloInstruction** instruction) {
  for (const auto& role : draft->roles) {
    for (HloComputation* computation : role) {
      draft->typed->AddCalledComputation(computation);
      if (draft->typed->opcode() == HloOpcode::kFusion) computation->set_is_fusion_computation(true);
    }
  }
  const bool continues = draft->opcode.wrapped.has_value() && draft->wrapped == nullptr;
  if (!continues) {
    const auto seen = [draft](absl::string_view name) { return draft->Seen(name); };
    std::string error = CompleteInstruction(draft->typed, draft->has_shape, seen);
    if (!error.empty()) return reader_.ErrorAt(draft->at, std::move(error));
  }
  if (!draft->has_shape && !InferShape(draft)) return false;
  if (!FinishAsyncStart(draft) || !FinishAsyncContinuation(draft)) return false;
  equal_attributes_.Share(draft->instruction.get());
  const bool nameless = draft->instruction->name().empty();
  *instruction = scope->computation->AddInstruction(std::move(draft->instruction));
  if (nameless) nameless_instructions_.emplace_back(*instruction, absl::StrCat((*instruction)->opcode_name(), ".anon"));
  return true;
}

}  // namespace xla
