// ComposedGraph: a graph taken apart into primitive operators, with all shapes (NNEF 2.0 chapter 3).
//
// Tensors are numbered; operations stand in an order in which they can run. Branches and loops hold regions, whose
// operations may use the tensors of all regions around them. A primitive operation has the @lower block of its
// definition, and in `bound` the values of all names that the block mentions, tensors excepted.
#ifndef BUILDERS_NNEF2_COMPOSITION_COMPOSED_GRAPH_H_
#define BUILDERS_NNEF2_COMPOSITION_COMPOSED_GRAPH_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "builders/nnef2/checking/program.h"
#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/evaluation/value.h"
#include "builders/nnef2/evaluation/workspace.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

// An extent is kInt, or kSymbolic with the dynamic extent's expression, whose `upper` is its bound.
using Shape = std::vector<Scalar>;

struct ComposedTensor {
  enum class Kind { kComputed, kInput, kConstant, kVariable, kLocal };
  Kind kind = Kind::kComputed;
  std::string name;  // "main.G.conv1.filter"; may be empty
  ElementType element;
  Shape shape;
  // Of constants: one for all elements, or all in row-major order.
  std::vector<Scalar> values;
};

// What an invocation binds; invocations that bind the same share it.
struct BoundOperator {
  const Definition* definition = nullptr;
  // Types, attributes, extents, lengths and helpers.
  Scope scope;
  struct Output {
    ElementType element;
    bool is_pack = false;
    std::vector<Shape> shapes;  // one, or one for each item
    // Of a pack whose length varies; `shapes` are as many as it can have.
    const Symbolic* length = nullptr;
  };
  std::vector<Output> outputs;  // without shapes where the composition determines them
  // Inputs that are not given and have a default: one value for all elements of the shape.
  struct Default {
    Value values;  // one, or one for each tensor of a pack
    Shape shape;
  };
  absl::flat_hash_map<absl::string_view, Default> defaults;
  // Symbols with a greater id stand for extents that the outputs introduce.
  int num_known_symbols = 0;
};

struct ComposedOperation;

// Operations, and what they yield.
struct ComposedRegion {
  std::vector<ComposedOperation> operations;
  std::vector<Value> results;
};

struct ComposedBranch {
  std::vector<ComposedRegion> conditions;   // each yields a bool of one element
  std::vector<ComposedRegion> consequents;  // one more: the last is of `else`
};

struct ComposedLoop {
  struct Carried {
    int initial = 0;  // tensors: the value before the first iteration, and the one that the body sees
    int local = 0;
  };
  struct Scan {
    Value pack;
    int local = 0;
  };
  std::vector<Carried> carried;
  std::vector<Scan> scans;
  absl::optional<int> index;      // the tensor with the number of the iteration
  absl::optional<int64_t> count;  // known while composing; with a count tensor or a condition an upper bound
  absl::optional<int> count_tensor;
  absl::optional<ComposedRegion> condition;
  bool tests_after = false;
  ComposedRegion body;  // yields the next values of `carried`, then one item for each scan output
  // An extent of the scan outputs that each iteration makes for itself. Outside it is one symbol for each iteration;
  // their ids follow each other.
  struct Extent {
    const Symbolic* inside = nullptr;
    int first_outside = 0;
  };
  std::vector<Extent> extents;
};

struct ComposedOperation {
  enum class Kind { kPrimitive, kIntrinsic, kBranch, kLoop };
  Kind kind = Kind::kPrimitive;
  std::shared_ptr<const BoundOperator> bound;  // of primitive and intrinsic ones
  std::vector<Value> inputs;                   // by input of the definition; tensors or null
  std::vector<Value> outputs;
  // The operator's own constants and variables, by name.
  std::vector<std::pair<absl::string_view, Value>> tensors;
  std::shared_ptr<const ComposedBranch> branch;
  std::shared_ptr<const ComposedLoop> loop;
  std::string scope;  // "main.G.block1"
  Position position;
  std::vector<Diagnostic::Call> calls;  // the invocations around it, from the outermost inwards
};

// What must hold when the graph runs: `condition` is 1.
struct RunTimeCheck {
  const Symbolic* condition = nullptr;
  ErrorClass error_class = ErrorClass::kAssert;
  std::string message;
  Position position;
};

struct VariableUpdate {
  Value variable;
  Value value;
};

// Information about a tensor, which does not change the computation.
struct QuantizationInfo {
  std::string tensor;         // scoped name
  std::string operator_name;  // "quant.min_max_linear_quantize"
  const Definition* algorithm = nullptr;
  std::vector<std::pair<std::string, Value>> attributes;  // as they are given
};

struct ComposedGraph {
  std::shared_ptr<const Program> program;
  const Definition* definition = nullptr;
  std::shared_ptr<Workspace> workspace;  // owns the symbols
  std::vector<ComposedTensor> tensors;
  std::vector<Value> inputs;  // by input of the definition: tensors, or packs of them
  std::vector<Value> outputs;
  std::vector<int> variables;
  std::vector<Position> variable_positions;  // where each of them is declared
  std::vector<ComposedOperation> operations;
  std::vector<VariableUpdate> updates;
  std::vector<RunTimeCheck> checks;
  std::vector<QuantizationInfo> quantizations;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_COMPOSITION_COMPOSED_GRAPH_H_
