// Changes of a graph: uses, users, order, names, copies.
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

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

TEST_F(Mutation, PlacesAreThoseOfTheListThroughout) {
  const auto expect_places = [this] {
    for (size_t i = 0; i < entry_->instructions().size(); ++i) {
      EXPECT_EQ(entry_->instructions()[i]->place(), static_cast<int64_t>(i));
    }
  };
  HloInstruction* x = Add(HloOpcode::kReplicaId, "x", {});
  HloInstruction* dead = Add(HloOpcode::kNegate, "dead", {x});
  HloInstruction* first = Add(HloOpcode::kPartitionId, "first", {});
  entry_->set_root(x);
  expect_places();
  entry_->RemoveInstruction(dead);
  x->AddControlPredecessor(first);
  expect_places();
  entry_->Tidy();
  EXPECT_THAT(Names(), ElementsAre("first", "x"));
  expect_places();
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

TEST_F(Mutation, ComputationsKnowTheirCallers) {
  HloComputation* a = module_.AddComputation(std::make_unique<HloComputation>("a"));
  HloComputation* b = module_.AddComputation(std::make_unique<HloComputation>("b"));
  HloInstruction* one = Add(HloOpcode::kCall, "one", {});
  one->AddCalledComputation(a);
  HloInstruction* both = Add(HloOpcode::kConditional, "both", {});
  for (HloComputation* callee : {a, b, a}) both->AddCalledComputation(callee);
  EXPECT_THAT(a->callers(), ElementsAre(one, both)) << "each once";
  EXPECT_THAT(b->callers(), ElementsAre(both));
  both->ReplaceCalledComputation(0, b);
  EXPECT_THAT(a->callers(), ElementsAre(one, both)) << "it still calls it";
  both->ReplaceCalledComputation(2, b);
  EXPECT_THAT(a->callers(), ElementsAre(one));
  EXPECT_THAT(b->callers(), ElementsAre(both));
  both->ClearCalledComputations();
  EXPECT_THAT(b->callers(), IsEmpty());
  entry_->RemoveInstruction(one);
  EXPECT_THAT(a->callers(), IsEmpty());
}

TEST_F(Mutation, CallersCountFromWhenTheyAreInTheModule) {
  HloComputation* a = module_.AddComputation(std::make_unique<HloComputation>("a"));
  const auto call_of = [&](HloComputation* callee) {
    auto call = std::make_unique<HloInstruction>(HloOpcode::kConditional, "", Shape::Scalar(U32));
    call->AddCalledComputation(callee);
    call->AddCalledComputation(callee);
    return call;
  };
  auto caller = std::make_unique<HloComputation>("caller");
  caller->set_parent(&module_);
  HloInstruction* call = caller->AddInstruction(call_of(a));
  EXPECT_THAT(a->callers(), IsEmpty());
  HloComputation* added = module_.AddComputation(std::move(caller));
  EXPECT_THAT(a->callers(), ElementsAre(call));
  HloInstruction* second = added->AddInstruction(call_of(a));
  EXPECT_THAT(a->callers(), ElementsAre(call, second));
  HloModule other("other");
  HloComputation* foreign = other.AddComputation(std::make_unique<HloComputation>("foreign"));
  foreign->AddInstruction(call_of(a));
  EXPECT_THAT(a->callers(), ElementsAre(call, second)) << "those of another module do not count";
}

TEST_F(Mutation, ComputationsThatAreFreedCallNothingMore) {
  HloComputation* a = module_.AddComputation(std::make_unique<HloComputation>("a"));
  HloComputation* unused = module_.AddComputation(std::make_unique<HloComputation>("unused"));
  auto call = std::make_unique<HloInstruction>(HloOpcode::kCall, "", Shape::Scalar(U32));
  call->AddCalledComputation(a);
  unused->AddInstruction(std::move(call));
  HloInstruction* used = Add(HloOpcode::kCall, "used", {});
  used->AddCalledComputation(a);
  EXPECT_EQ(a->callers().size(), 2u);
  EXPECT_TRUE(module_.RemoveUnreachableComputations());
  EXPECT_THAT(a->callers(), ElementsAre(used));
}

TEST_F(Mutation, ManyCallersCanBeTakenAwayOneByOne) {
  HloComputation* a = module_.AddComputation(std::make_unique<HloComputation>("a"));
  HloComputation* b = module_.AddComputation(std::make_unique<HloComputation>("b"));
  std::vector<HloInstruction*> callers;
  for (int i = 0; i < 50000; ++i) {
    callers.push_back(Add(HloOpcode::kCall, "", {}));
    callers.back()->AddCalledComputation(a);
  }
  for (HloInstruction* caller : callers) caller->ReplaceCalledComputation(0, b);
  EXPECT_THAT(a->callers(), IsEmpty());
  EXPECT_EQ(b->callers().size(), callers.size());
}

TEST_F(Mutation, EveryChangeGivesTheModuleAnotherVersion) {
  HloInstruction* x = Add(HloOpcode::kReplicaId, "x", {});
  HloInstruction* y = Add(HloOpcode::kNegate, "y", {x});
  HloComputation* callee = module_.AddComputation(std::make_unique<HloComputation>("callee"));
  std::vector<ModuleVersion> seen;
  const auto expect_new = [&](const char* change) {
    for (const ModuleVersion& version : seen) EXPECT_FALSE(version == module_.version()) << change;
    seen.push_back(module_.version());
  };
  expect_new("made");
  entry_->set_root(y);
  expect_new("root");
  HloInstruction* z = Add(HloOpcode::kPartitionId, "z", {});
  expect_new("added");
  y->ReplaceOperand(0, z);
  expect_new("operand");
  y->ReplaceOperand(0, z);
  EXPECT_TRUE(seen.back() == module_.version()) << "nothing has changed";
  z->ReplaceAllUsesWith(x);
  expect_new("uses");
  y->mutable_shape().set_element_type(S32);
  expect_new("shape");
  y->set_attributes(std::make_unique<DimensionAttributes>());
  expect_new("attributes");
  y->mutable_attributes<DimensionAttributes>().dimension = 1;
  expect_new("a field of the attributes");
  y->mutable_annotations().backend_config = "a";
  expect_new("annotations");
  y->AddControlPredecessor(x);
  expect_new("control edge");
  y->DropControlEdges();
  expect_new("control edge dropped");
  y->AddCalledComputation(callee);
  expect_new("call");
  y->ClearCalledComputations();
  expect_new("call dropped");
  entry_->RemoveInstruction(z);
  expect_new("removed");
  entry_->Tidy();
  expect_new("freed");
  module_.RemoveUnreachableComputations();
  expect_new("computation freed");
  module_.mutable_config().replica_count = 2;
  expect_new("config");
  module_.Tidy();
  y->set_name("other");
  EXPECT_TRUE(seen.back() == module_.version()) << "names do not count";
  EXPECT_FALSE(HloModule("m").version() == HloModule("m").version());
}

TEST_F(Mutation, CopiesShareAnnotationsUntilTheyAreChanged) {
  HloInstruction* x = Add(HloOpcode::kReplicaId, "x", {});
  x->mutable_annotations().metadata.op_name = "model/x";
  HloInstruction* copy = AddClone(*x, {}, entry_);
  EXPECT_EQ(&copy->annotations(), &x->annotations());
  copy->mutable_annotations().metadata.op_name = "model/copy";
  EXPECT_EQ(x->annotations().metadata.op_name, "model/x");
  copy->CopyAnnotations(*Add(HloOpcode::kReplicaId, "y", {}));
  EXPECT_FALSE(copy->has_annotations());
}

TEST_F(Mutation, ManyOperandsCanBeReplacedOneByOne) {
  constexpr int kCount = 1000;
  std::vector<HloInstruction*> first, second;
  for (int i = 0; i < kCount; ++i) {
    first.push_back(Add(HloOpcode::kReplicaId, "a" + std::to_string(i), {}));
    second.push_back(Add(HloOpcode::kReplicaId, "b" + std::to_string(i), {}));
  }
  std::vector<HloInstruction*> operands = first;
  operands.insert(operands.end(), first.begin(), first.end());  // each of them twice
  HloInstruction* const wide = Add(HloOpcode::kTuple, "wide", operands);
  first[0]->ReplaceAllUsesWith(first[1]);
  EXPECT_THAT(first[0]->users(), IsEmpty());
  EXPECT_EQ(wide->operand(kCount), first[1]);
  // There and back: an operand that is where it was before.
  wide->ReplaceOperand(1, second[1]);
  wide->ReplaceOperand(1, first[1]);
  EXPECT_THAT(second[1]->users(), IsEmpty());
  for (int i = 1; i < kCount; ++i) {
    wide->ReplaceOperand(i, second[i]);
    EXPECT_THAT(first[i]->users(), ElementsAre(wide)) << "its second place";
    first[i]->ReplaceAllUsesWith(second[i]);
    EXPECT_THAT(first[i]->users(), IsEmpty());
    EXPECT_THAT(second[i]->users(), ElementsAre(wide));
  }
  EXPECT_EQ(wide->operand(0), second[1]);
  wide->AddOperand(first[0]);
  wide->ReplaceOperand(2 * kCount, second[0]);
  EXPECT_THAT(first[0]->users(), IsEmpty());
  for (int i = 1; i < kCount; ++i) EXPECT_EQ(wide->operand(kCount + i), second[i]);
  wide->SetOperands({first[0], first[0]});
  EXPECT_THAT(second[7]->users(), IsEmpty());
  wide->ReplaceOperand(0, second[7]);
  EXPECT_THAT(wide->operands(), ElementsAre(second[7], first[0]));
  EXPECT_THAT(first[0]->users(), ElementsAre(wide));
}

TEST_F(Mutation, ManyUsersKeepTheirOrderUntilOneIsRemoved) {
  HloInstruction* x = Add(HloOpcode::kReplicaId, "x", {});
  HloInstruction* y = Add(HloOpcode::kPartitionId, "y", {});
  std::vector<HloInstruction*> users;
  for (int i = 0; i < 40; ++i) {
    users.push_back(Add(HloOpcode::kNegate, "", {x}));
    EXPECT_THAT(x->users(), ::testing::ElementsAreArray(users));
  }
  while (users.size() > 1) {
    HloInstruction* const taken = users[users.size() / 2];
    taken->ReplaceOperand(0, y);
    users.erase(users.begin() + static_cast<int>(users.size() / 2));
    EXPECT_THAT(x->users(), ::testing::UnorderedElementsAreArray(users));
  }
  EXPECT_EQ(y->users().size(), 39u);
}

TEST_F(Mutation, CopyingEndsAtItsLimits) {
  HloInstruction* x = Add(HloOpcode::kParameter, "x", {});
  entry_->set_root(Add(HloOpcode::kAdd, "sum", {x, x}));
  const absl::StatusOr<std::unique_ptr<HloModule>> copy = CloneModule(module_, ResourceContext({}, "copying"));
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ((*copy)->entry()->root()->operand(1)->name(), "x");
  const auto cancellation = std::make_shared<Cancellation>();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext resources(limits, "copying");
  cancellation->Cancel();
  EXPECT_EQ(CloneModule(module_, resources).status().code(), absl::StatusCode::kCancelled);
}

TEST_F(Mutation, AttributesAreSharedUntilTheyAreWrittenTo) {
  HloInstruction* x = Add(HloOpcode::kIota, "x", {});
  x->set_attributes(std::make_unique<IotaAttributes>());
  entry_->set_root(x);
  const std::unique_ptr<HloModule> copy = CloneModule(module_);
  HloInstruction* copied = copy->entry()->root();
  EXPECT_EQ(copied->raw_attributes(), x->raw_attributes());
  copied->mutable_attributes<IotaAttributes>().iota_dimension = 1;
  EXPECT_EQ(x->attributes<IotaAttributes>().iota_dimension, 0);
  EXPECT_EQ(copied->attributes<IotaAttributes>().iota_dimension, 1);
  const Attributes* const own = copied->raw_attributes();
  copied->mutable_attributes<IotaAttributes>().iota_dimension = 2;
  EXPECT_EQ(copied->raw_attributes(), own) << "a sole owner writes in place";
  EXPECT_NE(AddClone(*x, {}, entry_)->raw_attributes(), x->raw_attributes());
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
