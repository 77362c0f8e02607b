// SyntaxTree: a SkriptND module as it is written. Names are pieces of the source, which the module keeps alive.
//
// Nesting is bounded by the parser (kMaxExpressionDepth, kMaxRegionDepth), chains of operators included, so that
// whatever walks a tree may recurse.
#ifndef BUILDERS_NNEF2_SYNTAX_TREE_H_
#define BUILDERS_NNEF2_SYNTAX_TREE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef2/diagnostics.h"

namespace xla {
namespace nnef2 {

inline constexpr int kMaxExpressionDepth = 200;
inline constexpr int kMaxRegionDepth = 50;

// A Position without its source, which a whole module has in common.
struct Span {
  int line = 0;
  int column = 0;
  int length = 1;
};

inline Position At(const std::shared_ptr<const Source>& source, const Span& span) {
  return Position{source, span.line, span.column, span.length};
}

// An identifier where it is used or declared. Qualified ones are made up of several words, "nn.conv".
struct Name {
  absl::string_view text;
  Span span;

  bool empty() const { return text.empty(); }
};

// Where a piece of the text begins and ends, as offsets: comments are printed by them.
struct TextRange {
  size_t begin = 0;
  size_t end = 0;
};

// The types that have a name in the language, the abstract ones first.
enum class BaseType { kType, kArith, kNum, kInt, kReal, kBool, kStr };

// "real".
absl::string_view BaseTypeName(BaseType type);

enum class Operator {
  kPower,
  kMultiply,
  kDivide,
  kCeilDivide,
  kModulo,
  kAdd,       // also unary plus
  kSubtract,  // also unary minus
  kMinimum,
  kMaximum,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kUniform,  // := of folds
  kIs,
  kIn,
  kAnd,
  kOr,
  kXor,
  kImply,
  kNot,
  kIsGiven,  // prefix ?
};

// "<=".
absl::string_view OperatorSymbol(Operator op);
// 7 for **, which binds most tightly, to 1 for =>.
int OperatorLevel(Operator op);

enum class Member { kShape, kRank, kSize };

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

// A node of the tree. `kind` says what `items` and the other fields are.
struct Expression {
  enum class Kind {
    kInteger,     // integer
    kReal,        // real; `text` is its spelling
    kBool,        // integer
    kString,      // text
    kFormat,      // pieces[0] items[0] pieces[1] ... items[n-1] pieces[n]
    kIdentifier,  // name
    kMember,      // name.member
    kCast,        // name(items[0]), or the default value name()
    kBuiltin,     // `name`(items[0])
    kList,        // [items...], which alone may hold kExpand, kRange and kZip
    kExpand,      // items[0] .. or items[0] ..(items[1])
    kRange,       // items[0] : items[1] : items[2], any of them nullptr where they may be missing
    kZip,         // (items...) ..
    kIndex,       // items[0] [ items[1] ], where items[1] may be a kRange
    kAccess,      // items[0] [ items[1], ... ], which may hold kExpand and kBounded
    kSubstitute,  // items[0] [ items[1] ] <- items[2]
    kUnary,       // op items[0]
    kBinary,      // items[0] op items[1]
    kFold,        // items[0] op .. or, cumulative, items[0] op ...
    kSelect,      // items[0] ? items[1] : items[2], the last of which may be missing
    kCoalesce,    // items[0] ?? items[1]
    kBounded,     // |items[0]| or |items[0] <> items[1] : items[2]|
    kOmitted,     // ~
  };

  Kind kind = Kind::kOmitted;
  Span span;
  Operator op = Operator::kAdd;
  Member member = Member::kShape;
  bool is_cumulative = false;
  bool is_parenthesized = false;
  // An access by one index without the comma that it needs: x[|i|].
  bool lacks_comma = false;
  int depth = 1;
  absl::string_view name;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<std::string> pieces;
  // Of strings: their tokens, which follow each other.
  std::vector<absl::string_view> tokens;
  std::vector<ExpressionPtr> items;
};

// "int" or the name of a generic type.
struct TypeReference {
  Name name;
  absl::optional<BaseType> base;  // none: the name of a generic type, or an unknown one
};

// A component of a shape: "k + 1", "s..(d)", "..e", "~|10 ..(3)".
struct Extent {
  Span span;
  bool is_spread = false;  // differs between the items of a tensor pack
  bool is_pack = false;
  ExpressionPtr value;   // nullptr: ~
  ExpressionPtr bound;   // may be nullptr
  ExpressionPtr length;  // of packs; nullptr: anonymous
};

// "..(n)".
struct PackSpec {
  bool is_pack = false;
  bool is_omitted = false;  // ..(~)
  ExpressionPtr length;     // nullptr: anonymous
  ExpressionPtr bound;
};

// "i < n".
struct IndexBound {
  Name symbol;
  ExpressionPtr bound;
};

// A declaration in @attrib, @input, @output, @constant or @variable.
struct Parameter {
  TextRange range;
  Name name;
  bool is_optional = false;
  TypeReference type;
  Name rank;  // of ^(rank); may be empty
  bool has_shape = false;
  std::vector<Extent> shape;
  PackSpec pack;
  ExpressionPtr value;  // may be nullptr
  std::vector<IndexBound> bounds;
};

// "T: num = real;"
struct TypeParameter {
  TextRange range;
  Name name;
  TypeReference bound;
  absl::optional<TypeReference> default_type;
};

// What a helper is, or a part of a list that is taken to pieces.
struct UsingItem {
  std::vector<Name> names;  // several: (a, b)..
  bool is_pack = false;
  ExpressionPtr length;  // may be nullptr
};

struct Using {
  TextRange range;
  Span span;
  bool is_list = false;
  std::vector<UsingItem> items;
  ExpressionPtr value;
};

struct Assertion {
  TextRange range;
  Span span;
  ExpressionPtr condition;
  ExpressionPtr message;  // may be nullptr
  struct Argument {
    ExpressionPtr label;     // may be nullptr
    absl::string_view text;  // of the value, which is its label then
    ExpressionPtr value;
  };
  std::vector<Argument> arguments;
};

// "unroll..(k -> n) t = e, y[i,] += x[i,] * t, i < n | t > 0.0;"
struct Lowering {
  TextRange range;
  Span span;
  Name unroll_index;  // empty: not unrolled
  ExpressionPtr unroll_count;
  struct Local {
    Name name;
    ExpressionPtr value;
  };
  std::vector<Local> locals;
  ExpressionPtr target;
  // = is kEqual, := is kUniform; + * && || << >> accumulate (&= |= <= >= are their signs).
  Operator op = Operator::kEqual;
  ExpressionPtr value;
  std::vector<IndexBound> bounds;
  ExpressionPtr condition;  // may be nullptr
};

struct AttributeValue {
  Name name;
  ExpressionPtr value;
};

struct Invocation {
  Span span;
  Name target;
  std::vector<TypeReference> types;
  std::vector<AttributeValue> attributes;
  std::vector<ExpressionPtr> arguments;  // kOmitted among them
};

struct Region;

// What may be run: "l: op{a=1}(x)", "l: { ... yield y; }", "x".
struct Callable {
  enum class Kind { kInvocation, kRegion, kExpression };
  Kind kind = Kind::kExpression;
  Span span;
  Name label;  // may be empty
  Invocation invocation;
  std::unique_ptr<Region> region;
  ExpressionPtr expression;
};

struct ResultItem {
  Name name;
  bool has_type = false;
  TypeReference type;
  std::vector<Extent> shape;
  bool is_pack = false;
  ExpressionPtr length;
};

// "~", "y..(n)", "[a, b..(k)]".
struct Result {
  Span span;
  bool is_dropped = false;
  bool is_list = false;
  std::vector<ResultItem> items;
};

struct Branch {
  std::vector<Callable> conditions;
  std::vector<Callable> consequents;  // one more than conditions: the last is of `else`
};

struct Carried {
  Name name;
  bool has_type = false;
  TypeReference type;
  std::vector<Extent> shape;
  ExpressionPtr value;
};

struct Scan {
  Name name;
  ExpressionPtr value;
};

struct Loop {
  std::vector<Carried> carried;
  std::vector<Scan> scans;
  absl::optional<Callable> condition;
  bool tests_after = false;
  bool is_unrolled = false;
  Name index;           // may be empty
  ExpressionPtr count;  // may be nullptr
  Callable body;
};

struct Component {
  enum class Kind { kCallable, kBranch, kLoop };
  TextRange range;
  Span span;
  std::vector<Result> results;
  Kind kind = Kind::kCallable;
  Callable callable;
  Branch branch;
  Loop loop;
};

struct Region {
  std::vector<Component> components;
  TextRange yield_range;
  std::vector<ExpressionPtr> yields;
};

struct Quantization {
  TextRange range;
  Name tensor;
  Invocation algorithm;  // without arguments
};

// The blocks, in the order in which they are processed.
enum class BlockKind {
  kDtype,
  kAttrib,
  kInput,
  kUsing,
  kConstant,
  kVariable,
  kOutput,
  kAssert,
  kLower,
  kCompose,
  kUpdate,
  kQuantize
};
inline constexpr int kNumBlockKinds = 12;

// "@dtype".
absl::string_view BlockName(BlockKind kind);

struct Definition {
  TextRange range;
  bool is_graph = false;
  bool is_public = false;
  Name name;
  std::shared_ptr<const Source> source;
  // The blocks in the order of the text.
  struct Block {
    BlockKind kind;
    TextRange range;
    Span span;
  };
  std::vector<Block> blocks;

  std::vector<TypeParameter> types;
  std::vector<Parameter> attributes;
  std::vector<Parameter> inputs;
  std::vector<Parameter> outputs;
  std::vector<Parameter> constants;
  std::vector<Parameter> variables;
  std::vector<Using> helpers;
  std::vector<Assertion> assertions;
  std::vector<Lowering> lowerings;
  std::vector<Component> components;
  std::vector<Component> updates;
  std::vector<Quantization> quantizations;

  bool Has(BlockKind kind) const {
    for (const Block& block : blocks) {
      if (block.kind == kind) return true;
    }
    return false;
  }
  Position At(const Span& span) const { return nnef2::At(source, span); }
  // "nn.conv".
  std::string QualifiedName() const;
};

struct Import {
  TextRange range;
  std::vector<Name> modules;
};

// A piece from # to the end of its line.
struct Comment {
  size_t begin = 0;
  absl::string_view text;
};

struct Module {
  std::shared_ptr<const Source> source;
  std::vector<Comment> comments;
  std::vector<Import> imports;
  std::vector<std::unique_ptr<Definition>> definitions;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_SYNTAX_TREE_H_
