// DocumentTree: the syntax tree of a description, and of the bodies that the operation table gives for compounds.
//
// Names are pieces of the source, which the declarations' positions keep alive. Chains of operators and of if-else are
// flat, so that the depth of a tree is bounded by the nesting that the parser allows, not by the length of a line.
#ifndef BUILDERS_NNEF1_DOCUMENT_TREE_H_
#define BUILDERS_NNEF1_DOCUMENT_TREE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef1/declaration.h"
#include "builders/nnef1/diagnostics.h"
#include "builders/nnef1/value.h"

namespace xla {
namespace nnef1 {

// A Position without its source, which the whole tree has in common.
struct Span {
  int line = 0;
  int column = 0;
  int length = 1;
};

inline Position At(const std::shared_ptr<const Source>& source, const Span& span) {
  return Position{source, span.line, span.column, span.length};
}

// An identifier where it is used or declared; `text` points into the source.
struct Name {
  absl::string_view text;
  Span span;
};

// Operators of expressions. On tensors they stand for operations of the standard: kAdd for `add`.
enum class Operator {
  kAdd,       // also unary plus
  kSubtract,  // also unary minus
  kMultiply,
  kDivide,
  kPower,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kAnd,
  kOr,
  kNot,
  kIn,
};

// "<=".
absl::string_view OperatorSymbol(Operator op);

// The functions that are part of the grammar: shape_of, length_of, range_of, and the conversions integer() ...
// string().
enum class Builtin { kShapeOf, kLengthOf, kRangeOf, kInteger, kScalar, kLogical, kString };

// A node of the tree. `kind` says what `items` and the other fields are.
struct Expression {
  enum class Kind {
    kLiteral,        // literal
    kIdentifier,     // name
    kArray,          // [items...]
    kTuple,          // (items...)
    kInvocation,     // name<generic>(items...), where item i is named argument_names[i], or positional if that is empty
    kBuiltin,        // builtin(items[0])
    kUnary,          // operators[0] items[0]
    kBinary,         // items[0] operators[0] items[1] operators[1] items[2]..., grouped from the left
    kSubscript,      // items[0][items[1]]
    kRange,          // items[0][items[1] : items[2]], where a bound that is left out is kMissing
    kIfElse,         // items[0] if items[1] else items[2] if items[3] else items[4]..., grouped from the right
    kComprehension,  // [for loop_names[i] in items[i], ... if items[n-2] yield items[n-1]]; without `if` kMissing
    kMissing,
  };
  struct UsedOperator {
    Operator op = Operator::kAdd;
    Span span;
  };
  // What few expressions have.
  struct Details {
    absl::optional<Primitive> generic;
    std::vector<Name> argument_names;
    std::vector<Name> loop_names;
    std::vector<UsedOperator> operators;
  };

  Kind kind = Kind::kMissing;
  Builtin builtin = Builtin::kShapeOf;
  bool is_parenthesised = false;
  Span span;
  absl::string_view name;
  Value literal;
  std::vector<Expression> items;
  std::unique_ptr<Details> details;  // of invocations, operators and comprehensions
};

// The left side of an assignment.
struct Target {
  enum class Kind { kIdentifier, kArray, kTuple };
  Kind kind = Kind::kIdentifier;
  Span span;
  absl::string_view name;
  std::vector<Target> items;
};

// `target = value;`: the items of a tuple or array on the left get those on the right, one by one.
struct Assignment {
  Target target;
  Expression value;
};

// An operation that the document declares, with a body or, for a custom operation, without.
struct Fragment {
  Declaration declaration;
  bool has_body = false;
  std::vector<Assignment> body;

  const std::shared_ptr<const Source>& source() const { return declaration.position.source; }
};

// The `graph` of a document: its parameters are given by `external`, its results are what a run returns.
struct GraphDefinition {
  Name name;
  std::vector<Name> parameters;
  std::vector<Name> results;
  std::vector<Assignment> body;
};

// The whole tree, which owns its parts. It keeps the source alive, into which names point.
struct Document {
  std::shared_ptr<const Source> source;
  bool has_fragment_extension = false;
  bool has_operator_extension = false;
  std::vector<std::shared_ptr<const Fragment>> fragments;
  GraphDefinition graph;
  // Places in `fragments`, the first of each name.
  absl::flat_hash_map<std::string, int> fragment_places;
};

// The fragment of that name: of the document, or else the standard's operation. nullptr if there is none.
const Fragment* FindFragment(const Document& document, absl::string_view name);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_DOCUMENT_TREE_H_
