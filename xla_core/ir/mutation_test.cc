// Changes of a graph: uses, users, order, names, copies.
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class Mutation : public ::testing::Test {
 protected:
  Mutation() : module_("m"), entry_(module_.AddComputation(std::make_unique<HloComputation>("entry"))) {
    module_.set_entry(entry_);
  }

  HloInstruction* Add(HloOpcode opcode, const std::string& name, std::vector<HloInstruction*> operands) {
    auto instruction = std::make_unique<HloInstruction>(opcode, name, Shape::Scalar(U32));
    for (HloInstruction* operand : operands) instruction->AddOperand(operand);
    return entry_->AddInstruction(std::move(instruction));
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& instruction : entry_->instructions()) names.push_back(instruction->name());
    return names;
  }

  HloModule module_;
  HloComputation* entry_;
};

TEST_F(Mutation, ReplacingAllUsesMovesUsersAndRoot) {
  HloInstruction* x = Add(HloOpcode::kReplicaId, "x", {});
  HloInstruction* twice = Add(HloOpcode::kAdd, "twice", {x, x});
  HloInstruction* both = Add(HloOpcode::kAdd, "both", {x, twice});
  entry_->set_root(x);
  HloInstruction* minus = Add(HloOpcode::kNegate, "minus", {x});
  x->ReplaceAllUsesWith(minus);
  EXPECT_THAT(x->users(), ElementsAre(minus)) << "the replacement's own use stays";
  EXPECT_THAT(minus->users(), ElementsAre(twice, both));
  EXPECT_THAT(twice->operands(), ElementsAre(minus, minus));
  EXPECT_EQ(entry_->root(), minus);
  entry_->Tidy();
  EXPECT_THAT(Names(), ElementsAre("x", "minus", "twice", "both"));
}

TEST_F(Mutation, ReplacingOneOperandKeepsTheOtherUse) {
  HloInstruction* x = Add(HloOpcode::kReplicaId, "x", {});
  HloInstruction* y = Add(HloOpcode::kPartitionId, "y", {});
  HloInstruction* sum = Add(HloOpcode::kAdd, "sum", {x, x});
  sum->ReplaceOperand(0, y);
  EXPECT_THAT(x->users(), ElementsAre(sum));
  sum->ReplaceOperand(1, y);
  EXPECT_THAT(x->users(), IsEmpty());
  EXPECT_THAT(y->users(), ElementsAre(sum));
}

TEST_F(Mutation, ManyUsersCanBeTakenAwayOneByOne) {
  HloInstruction* x = Add(HloOpcode::kReplicaId, "x", {});
  HloInstruction* y = Add(HloOpcode::kPartitionId, "y", {});
  std::vector<HloInstruction*> users;
  for (int i = 0; i < 50000; ++i) users.push_back(Add(HloOpcode::kNegate, "", {x}));
  for (HloInstruction* user : users) user->ReplaceOperand(0, y);
  EXPECT_THAT(x->users(), IsEmpty());
  EXPECT_EQ(y->users().size(), users.size());
}

TEST_F(Mutation, RemovedInstructionsLeaveTheListWhenItIsTidied) {
  HloInstruction* x = Add(HloOpcode::kReplicaId, "x", {});
  HloInstruction* dead = Add(HloOpcode::kNegate, "dead", {x});
  entry_->set_root(x);
  entry_->RemoveInstruction(dead);
  EXPECT_TRUE(dead->is_removed());
  EXPECT_THAT(x->users(), IsEmpty());
  EXPECT_THAT(entry_->LiveInstructions(), ElementsAre(x));
  EXPECT_EQ(entry_->instruction_count(), 2);
  entry_->Tidy();
  EXPECT_THAT(Names(), ElementsAre("x"));
}

TEST_F(Mutation, TidyPutsControlPredecessorsFirst) {
  HloInstruction* x = Add(HloOpcode::kReplicaId, "x", {});
  HloInstruction* y = Add(HloOpcode::kPartitionId, "y", {});
  entry_->set_root(x);
  x->AddControlPredecessor(y);
  EXPECT_THAT(y->control_successors(), ElementsAre(x));
  entry_->Tidy();
  EXPECT_THAT(Names(), ElementsAre("y", "x"));
  HloInstruction* z = Add(HloOpcode::kReplicaId, "z", {});
  x->MoveControlEdgesTo(z);
  EXPECT_FALSE(x->HasControlEdges());
  EXPECT_THAT(z->control_predecessors(), ElementsAre(y));
}

TEST_F(Mutation, NewNamesAreNew) {
  Add(HloOpcode::kReplicaId, "add.1", {});
  EXPECT_EQ(module_.NewName("add.7"), "add");
  EXPECT_EQ(module_.NewName("add.7"), "add.2");
  EXPECT_EQ(module_.NewName("x.1.y"), "x.1.y");
  EXPECT_EQ(module_.NewName("x.1.y"), "x.1.y.1");
  EXPECT_EQ(Add(HloOpcode::kReplicaId, "", {})->name(), "replica-id");
  Add(HloOpcode::kReplicaId, "replica-id.1", {});
  EXPECT_EQ(Add(HloOpcode::kReplicaId, "", {})->name(), "replica-id.2");
}

TEST_F(Mutation, ModulesAreTidiedCalleesFirst) {
  HloInstruction* call = Add(HloOpcode::kCall, "call", {});
  entry_->set_root(call);
  HloComputation* unused = module_.AddComputation(std::make_unique<HloComputation>("unused"));
  HloComputation* callee = module_.AddComputation(std::make_unique<HloComputation>("callee"));
  call->AddCalledComputation(callee);
  module_.Tidy();
  EXPECT_EQ(module_.computations()[0].get(), callee);
  EXPECT_EQ(module_.computations()[1].get(), entry_);
  EXPECT_EQ(module_.computations()[2].get(), unused);
  EXPECT_TRUE(module_.RemoveUnreachableComputations());
  EXPECT_EQ(module_.computations().size(), 2u);
  EXPECT_FALSE(module_.RemoveUnreachableComputations());
}

TEST_F(Mutation, InlinedBodiesTakeArgumentsForParameters) {
  HloComputation* body = module_.AddComputation(std::make_unique<HloComputation>("body"));
  auto parameter = std::make_unique<HloInstruction>(HloOpcode::kParameter, "p", Shape::Scalar(U32));
  parameter->set_attributes(std::make_unique<ParameterAttributes>());
  HloInstruction* p = body->AddInstruction(std::move(parameter));
  auto negate = std::make_unique<HloInstruction>(HloOpcode::kNegate, "n", Shape::Scalar(U32));
  negate->AddOperand(p);
  body->set_root(body->AddInstruction(std::move(negate)));
  HloInstruction* x = Add(HloOpcode::kReplicaId, "x", {});
  HloInstruction* inlined = InlineBody(*body, {x}, entry_);
  EXPECT_EQ(inlined->ToShortString(), "n.1 = u32[] negate(x)");
  HloComputation* copy = AddCloneOfComputation(*body, &module_);
  EXPECT_EQ(copy->name(), "body.1");
  EXPECT_EQ(copy->root()->ToShortString(), "n.2 = u32[] negate(p.1)");
}

}  // namespace
}  // namespace xla
