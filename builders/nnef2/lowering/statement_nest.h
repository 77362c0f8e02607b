// StatementNest: one statement of a bound @lower block in a normal form (NNEF 2.0 section 2.12).
//
//   for all indices of `loops`, the first one outermost:
//     if all guards hold and the condition holds:
//       target[indices] = target[indices] op value
//
// Packs are taken apart: each item of a pack index is a loop of its own, each item of a pack of indices an index. What
// is known while the graph is composed is evaluated; locals are put in their places; nulls, guards that always hold and
// choices that are known are gone. What is left is a graph of nodes, equal ones being one object, over the indices of
// the loops, dynamic extents, and elements of tensors:
//
//   y[i,] += x[|stride * i + j|,] * w[j,], i < s, j < n     loops i < 4, j < 3; guard 2 * i + j < 9;
//                                                           value x[2 * i + j] * w[j]
//
// The general form (general_form.h) and whoever recognises statements read it.
#ifndef BUILDERS_NNEF2_LOWERING_STATEMENT_NEST_H_
#define BUILDERS_NNEF2_LOWERING_STATEMENT_NEST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "builders/nnef2/evaluation/value.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

// Operands are nested at most that deep, so that whoever walks nodes may recurse.
inline constexpr int kMaxNestDepth = 1000;

// A scalar that each iteration computes: an int, real or bool.
struct NestNode {
  enum class Kind {
    kScalar,   // `scalar`: known, or an expression of dynamic extents
    kLoop,     // the index of loops[loop]
    kUnary,    // op operands[0]; kSubtract or kNot
    kBinary,   // operands[0] op operands[1], of one type, but for comparisons, which may compare different ones
    kBuiltin,  // function(operands[0])
    kConvert,  // operands[0] as `type`
    kSelect,   // operands[0] ? operands[1] : operands[2]
    kRemap,    // operands[0] if it is an index below `scalar`; below 0 operands[1], beyond operands[2]
    kTable,    // operands[1 + operands[0]], an item of a pack; negative ones count from its end
    kLoad,     // the element of a tensor, whose indices are the operands
  };

  Kind kind = Kind::kScalar;
  int id = 0;  // greater than those of the operands; its place in NestNodes
  int depth = 1;
  BaseType type = BaseType::kInt;
  Scalar scalar;
  int loop = 0;
  Operator op = Operator::kAdd;
  absl::string_view function;
  std::vector<const NestNode*> operands;
  // Of loads: the tensor, or the items of a pack, of which `item` chooses one (nullptr: there is one).
  std::vector<int> tensors;
  const NestNode* item = nullptr;
  // Of ints: bounds of the value. What is not known is as wide as 64 bits.
  int64_t lower = 0;
  int64_t upper = 0;
  // The loops that it depends on, rising.
  std::vector<int> loops;
  // Whether it loads from an output of the operator.
  bool reads_output = false;

  // What it is computed from: the operands, and of loads the item.
  std::vector<const NestNode*> inputs() const;
  bool is_known() const { return kind == Kind::kScalar && scalar.is_known(); }
  bool is_loop(int number) const { return kind == Kind::kLoop && loop == number; }
};

// The nodes of the statements of one operation, equal ones being one object.
class NestNodes {
 public:
  // The node that equals `node`, whose kind, type, operands and values are given; the rest is found here, apart from
  // bounds, reads_output and the loop of kLoop.
  const NestNode* Add(NestNode node);
  int size() const { return static_cast<int>(nodes_.size()); }
  const NestNode& node(int id) const { return *nodes_[id]; }

 private:
  std::vector<std::unique_ptr<NestNode>> nodes_;
  absl::flat_hash_map<std::string, const NestNode*> interned_;
};

// Whether an assignment combines values with what is there: neither = nor :=.
inline bool Accumulates(Operator op) { return op != Operator::kEqual && op != Operator::kUniform; }

struct NestLoop {
  std::string name;  // "i", "i:2" of the second item of a pack
  // kInt, or kSymbolic: a dynamic extent.
  Scalar extent;
  // The greatest that the extent can be; what is computed for all iterations has arrays of this size. > 0.
  int64_t bound = 0;
};

// An iteration does nothing unless 0 <= index < extent. Of an index bound that depends on other loops (j < sizes[k])
// the index is that of the loop.
struct NestGuard {
  const NestNode* index = nullptr;
  const NestNode* extent = nullptr;  // an int
};

struct StatementNest {
  std::shared_ptr<NestNodes> nodes;  // owns the nodes
  const Definition* definition = nullptr;
  const Lowering* statement = nullptr;

  std::vector<NestLoop> loops;
  // = is kEqual, := is kUniform; kAdd, kMultiply, kAnd, kOr, kMinimum, kMaximum accumulate.
  Operator op = Operator::kEqual;
  BaseType type = BaseType::kReal;  // of the targets
  // The output that is assigned, or the items of one that is a pack, whose element types and ranks are the same:
  // `target_item` says which of them; nullptr: all of them, each its own value.
  std::vector<int> targets;
  const NestNode* target_item = nullptr;
  std::vector<const NestNode*> indices;  // in all targets
  // One for each target, or one with `target_item`.
  std::vector<const NestNode*> values;
  std::vector<NestGuard> guards;
  const NestNode* condition = nullptr;  // nullptr: always

  // Whether an iteration depends on what earlier ones have assigned.
  bool reads_output = false;
};

// The extents of the tensor are what ComposedTensor says. The statement as text, for tests and for people:
//   for i < 4, j < 3 if 0 <= 2 * i + j < 9: %2[i] += %0[2 * i + j] * %1[j]
std::string NestText(const StatementNest& nest);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LOWERING_STATEMENT_NEST_H_
