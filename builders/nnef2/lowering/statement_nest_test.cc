#include "builders/nnef2/lowering/statement_nest.h"

#include <utility>

#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

const NestNode* Loop(NestNodes* nodes, int loop) {
  NestNode node;
  node.kind = NestNode::Kind::kLoop;
  node.loop = loop;
  return nodes->Add(std::move(node));
}

const NestNode* Int(NestNodes* nodes, int64_t value) {
  NestNode node;
  node.scalar = Scalar::Int(value);
  return nodes->Add(std::move(node));
}

const NestNode* Binary(NestNodes* nodes, Operator op, const NestNode* a, const NestNode* b) {
  NestNode node;
  node.kind = NestNode::Kind::kBinary;
  node.op = op;
  node.operands = {a, b};
  return nodes->Add(std::move(node));
}

TEST(StatementNestTest, EqualNodesAreOneObject) {
  NestNodes nodes;
  const NestNode* const sum = Binary(&nodes, Operator::kAdd, Loop(&nodes, 1), Int(&nodes, 2));
  EXPECT_EQ(sum, Binary(&nodes, Operator::kAdd, Loop(&nodes, 1), Int(&nodes, 2)));
  EXPECT_NE(sum, Binary(&nodes, Operator::kAdd, Loop(&nodes, 0), Int(&nodes, 2)));
  EXPECT_EQ(nodes.size(), 5);
  EXPECT_EQ(&nodes.node(sum->id), sum);
}

TEST(StatementNestTest, KnowsTheLoopsOfANode) {
  NestNodes nodes;
  const NestNode* const sum = Binary(&nodes, Operator::kAdd, Loop(&nodes, 2), Loop(&nodes, 0));
  EXPECT_EQ(sum->loops, std::vector<int>({0, 2}));
  EXPECT_EQ(sum->depth, 2);
  EXPECT_TRUE(sum->operands[0]->is_loop(2));
}

TEST(StatementNestTest, PrintsAStatement) {
  StatementNest nest;
  nest.nodes = std::make_shared<NestNodes>();
  nest.loops = {{"i", Scalar::Int(4), 4}, {"j", Scalar::Int(3), 3}};
  nest.op = Operator::kAdd;
  nest.targets = {2};
  nest.indices = {Loop(nest.nodes.get(), 0)};
  const NestNode* const index =
      Binary(nest.nodes.get(), Operator::kAdd, Loop(nest.nodes.get(), 0), Loop(nest.nodes.get(), 1));
  NestNode load;
  load.kind = NestNode::Kind::kLoad;
  load.type = BaseType::kReal;
  load.tensors = {0};
  load.operands = {index};
  nest.values = {nest.nodes->Add(std::move(load))};
  nest.guards = {{index, Int(nest.nodes.get(), 5)}};
  EXPECT_EQ(NestText(nest), "for i < 4, j < 3 if 0 <= (i + j) < 5 %2[i] += %0[(i + j)]");
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
