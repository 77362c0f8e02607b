// NodeBuilder: makes the nodes of a statement, and evaluates what is known already.
#ifndef BUILDERS_NNEF2_LOWERING_NODE_BUILDER_H_
#define BUILDERS_NNEF2_LOWERING_NODE_BUILDER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "builders/nnef2/evaluation/workspace.h"
#include "builders/nnef2/lowering/statement_nest.h"

namespace xla {
namespace nnef2 {

// Operands are never nullptr. Where a function returns nullptr it has said in *error why: a division by zero, an index
// that is always out of range, operands that are nested too deep.
class NodeBuilder {
 public:
  NodeBuilder(NestNodes* nodes, SymbolTable* symbols) : nodes_(*nodes), symbols_(*symbols) {}

  const NestNode* Known(const Scalar& scalar, BaseType type);
  const NestNode* Int(int64_t value) { return Known(Scalar::Int(value), BaseType::kInt); }
  const NestNode* Bool(bool value) { return Known(Scalar::Bool(value), BaseType::kBool); }
  // `bound` > 0: the index lies below.
  const NestNode* Loop(int loop, int64_t bound);
  const NestNode* Unary(Operator op, const NestNode* x, std::string* error);
  const NestNode* Binary(Operator op, const NestNode* x, const NestNode* y, std::string* error);
  const NestNode* Builtin(absl::string_view function, const NestNode* x, std::string* error);
  const NestNode* Convert(BaseType type, const NestNode* x, std::string* error);
  const NestNode* Select(const NestNode* condition, const NestNode* x, const NestNode* y, std::string* error);
  // `extent`: an int.
  const NestNode* Remap(const NestNode* index, const NestNode* below, const NestNode* beyond, const Scalar& extent,
                        std::string* error);
  // An item of a pack, by an index that counts from the end where it is negative.
  const NestNode* Table(const std::vector<const NestNode*>& items, const NestNode* index, std::string* error);
  // `item` may be nullptr if there is one tensor.
  const NestNode* Load(BaseType type, const std::vector<int>& tensors, const NestNode* item,
                       std::vector<const NestNode*> indices, bool reads_output, std::string* error);

 private:
  const NestNode* Add(NestNode node, std::string* error);

  NestNodes& nodes_;
  SymbolTable& symbols_;
};

// The least and the greatest value of an extent.
int64_t LowerBound(const Scalar& extent);
int64_t UpperBound(const Scalar& extent);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LOWERING_NODE_BUILDER_H_
