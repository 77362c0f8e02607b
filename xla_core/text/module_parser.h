// Reads one module from tokens: computations, instructions, operands. The public interface is parser.h.
//
// Instructions are built as they are read, since text defines everything before it is used. What has no name in the
// text (nested operands, inline computations, wrapped computations of async sugar) gets one at the end, when all
// written names are known.
#ifndef XLA_CORE_TEXT_MODULE_PARSER_H_
#define XLA_CORE_TEXT_MODULE_PARSER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/text/equal_attributes.h"
#include "xla_core/text/opcode_text.h"
#include "xla_core/text/shape_parser.h"
#include "xla_core/text/token_reader.h"

namespace xla {

// Parses one module and is used up by that. Methods return false after an error that they have reported; after a
// wrong instruction, parsing goes on with the next one, so that several errors of a file are found at once.
class ModuleParser {
 public:
  ModuleParser(TokenReader& reader, MissingLayout missing_layout)
      : reader_(reader),
        missing_layout_(missing_layout),
        text_size_(reader.BytesLeft()),
        module_(std::make_unique<HloModule>("")) {}

  // nullptr after an error, which is then in the reader's diagnostics.
  std::unique_ptr<HloModule> Parse();

 private:
  // Instructions and inline computations nest at most this deep: reading them recurses through several functions.
  static constexpr int kMaxInstructionNesting = 200;

  // A name with its hash, so that a table that grows does not read all names again.
  class HashedName {
   public:
    HashedName(absl::string_view name) : name_(name), hash_(absl::Hash<absl::string_view>()(name)) {}

    friend bool operator==(const HashedName& a, const HashedName& b) {
      return a.hash_ == b.hash_ && a.name_ == b.name_;
    }
    template <typename H>
    friend H AbslHashValue(H state, const HashedName& name) {
      return H::combine(std::move(state), name.hash_);
    }

   private:
    absl::string_view name_;
    size_t hash_;
  };
  struct NamedInstruction {
    HloInstruction* instruction;
    const char* at;
  };
  // A computation while it is read.
  struct Scope {
    std::unique_ptr<HloComputation> computation;
    absl::flat_hash_map<HashedName, NamedInstruction> by_name;
    // Elements taken by `name#1`, so that equal suffixes share one instruction.
    absl::flat_hash_map<std::pair<HloInstruction*, int64_t>, HloInstruction*> tuple_elements;
    HloInstruction* root = nullptr;
    // Names of instructions that could not be read: their users fail without another message.
    absl::flat_hash_set<absl::string_view> failed;
    // The single-instruction form: operands that are not defined become parameters.
    bool undefined_operands_are_parameters = false;
    int64_t new_parameters = 0;
  };
  // An instruction while it is read. `typed` carries the attributes of the written opcode: it is the instruction itself
  // or, for the start of async sugar, the wrapped one.
  struct Draft {
    const char* at = nullptr;           // of the name, or of the opcode if there is none
    const char* operands_at = nullptr;  // of the opening parenthesis
    OpcodeText opcode;
    bool has_shape = false;
    std::unique_ptr<HloInstruction> instruction;
    std::unique_ptr<HloInstruction> wrapped;
    std::unique_ptr<HloComputation> wrapped_computation;
    HloInstruction* typed = nullptr;
    absl::InlinedVector<absl::string_view, 8> seen_attributes;
    std::vector<std::string> role_names;              // what the computations it calls are called
    std::vector<std::vector<HloComputation*>> roles;  // in the order of role_names
    bool Seen(absl::string_view name) const;
  };

  // module_parser.cc
  bool ParseAll();
  bool ParseHeader();
  bool AtComputationWithoutHeader();
  bool ParseComputations();
  bool ParseComputation();
  bool ParseSignature(Shape* result, const char** result_at, bool* has_signature);
  bool ParseSignatureParameter();
  bool ParseBody(Scope* scope);
  bool SkipToNextInstruction(const char* wrong);
  bool FinishComputation(Scope* scope, HloComputation** computation);
  bool ParseExecutionThread(HloComputation* computation);
  bool CheckSignature(const HloComputation& computation, const Shape& result, const char* at);
  bool ParseSingleInstructionModule();
  void InferEntryLayout();
  void NameTheNameless();
  void NumberEverything();
  void DropWildStackFrameIds();

  // instruction_parser.cc
  bool ParseInstruction(Scope* scope);
  bool ParseInstructionName(absl::string_view* name);
  // From the shape or opcode on. `name` may be empty.
  bool ParseDefinition(Scope* scope, absl::string_view name, const char* at, bool with_attributes,
                       HloInstruction** instruction);
  bool ParseOpcode(Draft* draft);
  bool ParseOperands(Scope* scope, Draft* draft);
  bool ParseParameterNumber(Draft* draft);
  bool ParseConstant(Draft* draft);
  bool ParseOperand(Scope* scope, HloInstruction** operand);
  bool ParseOperandName(Scope* scope, const Shape* shape, const char* shape_at, HloInstruction** operand);
  bool ParseTupleSuffix(Scope* scope, HloInstruction** operand);
  HloInstruction* AddParameterFor(Scope* scope, absl::string_view name, const Shape& shape);
  HloInstruction* TupleElement(Scope* scope, HloInstruction* tuple, int64_t index);
  bool CheckOperandCount(const Draft& draft);
  bool ParseAttributes(Scope* scope, Draft* draft);
  bool ParseAttribute(Scope* scope, Draft* draft, bool* known);
  bool ParseSchemaAttribute(Draft* draft, bool* known);
  bool ParseCalledComputation(Draft* draft, bool* known);
  bool ParseCommonAttribute(Scope* scope, Draft* draft, bool* known);
  bool ParseControlPredecessors(Scope* scope, HloInstruction* instruction);
  bool UnexpectedAttribute(const Draft& draft);
  bool CheckRequiredAttributes(const Draft& draft);
  bool InferShape(Draft* draft);
  int64_t InferredPartLimit() const;
  bool ParseComputationName(HloComputation** computation);
  bool ParseInlineComputation(HloComputation** computation);
  bool FinishDefinition(Scope* scope, Draft* draft, HloInstruction** instruction);

  // async_sugar_parser.cc
  bool BeginAsync(Draft* draft);
  bool ParseAsyncAttribute(Draft* draft, bool* known);
  bool FinishAsyncStart(Draft* draft);
  bool FinishAsyncContinuation(Draft* draft);
  HloInstruction* AsyncStartOf(HloInstruction* continuation) const;

  TokenReader& reader_;
  const MissingLayout missing_layout_;
  const size_t text_size_;
  std::unique_ptr<HloModule> module_;
  struct NamedComputation {
    HloComputation* computation;
    const char* at;
  };
  absl::flat_hash_map<absl::string_view, NamedComputation> computations_by_name_;
  absl::flat_hash_set<const HloComputation*> async_callees_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> async_starts_;    // of async-updates
  std::vector<std::pair<HloInstruction*, std::string>> nameless_instructions_;  // with the base of their names
  std::vector<std::pair<HloComputation*, std::string>> nameless_computations_;
  EqualAttributes equal_attributes_;
  int instruction_nesting_ = 0;
  int64_t inferred_parts_ = 0;  // of all shapes that were left out; see Shape::part_count
};

}  // namespace xla

#endif  // XLA_CORE_TEXT_MODULE_PARSER_H_
