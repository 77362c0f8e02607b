// Attributes describe themselves completely; replica groups mean the same in every spelling; users follow operands.
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/ir/opcode.h"

namespace xla {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Groups = std::vector<std::vector<int64_t>>;

TEST(HloOpcode, HasAllOpcodesOnce) {
  EXPECT_EQ(AllOpcodes().size(), 133u);
  for (HloOpcode opcode : AllOpcodes()) EXPECT_EQ(HloOpcodeFromName(HloOpcodeName(opcode)), opcode);
  EXPECT_EQ(HloOpcodeFromName("Add"), absl::nullopt);
}

TEST(Attributes, AreEqualFieldByField) {
  GatherAttributes a;
  a.offset_dims = {1, 2};
  GatherAttributes b = a;
  EXPECT_TRUE(AttributesEqual(a, b));
  EXPECT_EQ(HashAttributes(a), HashAttributes(b));
  b.indices_are_sorted = true;
  EXPECT_FALSE(AttributesEqual(a, b));
  EXPECT_NE(HashAttributes(a), HashAttributes(b));
  EXPECT_FALSE(AttributesEqual(a, ScatterAttributes()));
}

TEST(Attributes, InheritedFieldsCount) {
  AllReduceAttributes a;
  a.channel_id = 3;
  a.replica_groups.groups = {{0, 1}};
  const std::unique_ptr<Attributes> copy = a.Clone();
  EXPECT_TRUE(AttributesEqual(a, *copy));
  static_cast<AllReduceAttributes&>(*copy).channel_id = 4;
  EXPECT_FALSE(AttributesEqual(a, *copy));
}

TEST(Attributes, LiteralsAreComparedByValue) {
  ConstantAttributes a, b;
  a.literal = std::make_shared<Literal>(Literal::Vector<float>({1, 2, 3, 4, 5}));
  b.literal = std::make_shared<Literal>(Literal::Vector<float>({1, 2, 3, 4, 5}));
  EXPECT_TRUE(AttributesEqual(a, b));
  b.literal = nullptr;
  EXPECT_FALSE(AttributesEqual(a, b));
}

TEST(Attributes, EqualThemselvesWithNaN) {
  BatchNormAttributes a;
  a.epsilon = std::numeric_limits<float>::quiet_NaN();
  const BatchNormAttributes b = a;
  EXPECT_TRUE(AttributesEqual(a, b));
  EXPECT_EQ(HashAttributes(a), HashAttributes(b));
  EXPECT_FALSE(AttributesEqual(a, BatchNormAttributes()));
}

TEST(EnumTable, FindsInAnyCaseOnlyWhereAllowed) {
  EXPECT_EQ(PrecisionNames().Find("HIGHEST"), 2);
  EXPECT_EQ(ComparisonDirectionNames().Find("eq"), -1);
  EXPECT_EQ(ComparisonDirectionNames().Find("EQ"), 0);
}

ReplicaGroups Iota(int64_t groups, int64_t size, std::vector<int64_t> dims, std::vector<int> perm = {}) {
  ReplicaGroups result;
  result.form = ReplicaGroups::Form::kIota;
  result.iota_groups = groups;
  result.iota_group_size = size;
  result.iota = {std::move(dims), std::move(perm)};
  return result;
}

TEST(ReplicaGroups, ExpandIotas) {
  EXPECT_EQ(*Iota(2, 4, {8}).Expand(), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(*Iota(4, 2, {2, 4}, {1, 0}).Expand(), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_THAT(std::string(Iota(2, 3, {8}).Expand().status().message()), HasSubstr("hold 6 ids, but the iota has 8"));
  EXPECT_FALSE(Iota(1, 4, {2, 2}, {0, 0}).Expand().ok());
  EXPECT_FALSE(Iota(int64_t{1} << 40, int64_t{1} << 40, {8}).Expand().ok());
}

ReplicaGroups OverMesh(std::vector<MeshAxis> mesh, std::vector<AxisRef> axes) {
  ReplicaGroups result;
  result.form = ReplicaGroups::Form::kMesh;
  result.mesh.axes = std::move(mesh);
  result.axes = std::move(axes);
  return result;
}

TEST(ReplicaGroups, ExpandMeshes) {
  const std::vector<MeshAxis> mesh = {{"x", 2}, {"y", 4}};
  EXPECT_EQ(*OverMesh(mesh, {{1, {}}}).Expand(), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(*OverMesh(mesh, {{0, {}}}).Expand(), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(*OverMesh(mesh, {{1, {}}, {0, {}}}).Expand(), (Groups{{0, 4, 1, 5, 2, 6, 3, 7}}));
  // 'y':(2)2 is the inner half of y.
  EXPECT_EQ(*OverMesh(mesh, {{1, AxisRef::SubAxis{2, 2}}}).Expand(), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(*OverMesh(mesh, {{1, AxisRef::SubAxis{1, 2}}}).Expand(), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_FALSE(OverMesh(mesh, {{2, {}}}).Expand().ok());
  EXPECT_FALSE(OverMesh(mesh, {{0, {}}, {0, {}}}).Expand().ok());
  EXPECT_FALSE(OverMesh(mesh, {{1, AxisRef::SubAxis{3, 1}}}).Expand().ok());
}

TEST(ReplicaGroups, FollowTheOrderOfDevices) {
  ReplicaGroups groups = OverMesh({{"x", 2}, {"y", 2}}, {{0, {}}});
  groups.mesh.device_ids = {3, 2, 1, 0};
  EXPECT_EQ(*groups.Expand(), (Groups{{3, 1}, {2, 0}}));
  groups.mesh.device_ids.clear();
  groups.mesh.iota = IotaTransform{{2, 2}, {1, 0}};
  EXPECT_EQ(*groups.Expand(), (Groups{{0, 1}, {2, 3}}));
  groups.mesh.maximal_device = 5;
  EXPECT_EQ(*groups.Expand(), (Groups{{5}}));
}

// What Count says without expanding is what Expand gives.
TEST(ReplicaGroups, CountAsTheyExpand) {
  const std::vector<MeshAxis> mesh = {{"x", 2}, {"one", 1}, {"y", 4}};
  ReplicaGroups listed = OverMesh(mesh, {{0, {}}});
  listed.mesh.device_ids = {7, 6, 5, 4, 3, 2, 1, 0};
  ReplicaGroups transposed = OverMesh(mesh, {{2, {}}});
  transposed.mesh.iota = IotaTransform{{4, 2}, {1, 0}};
  ReplicaGroups maximal = OverMesh({}, {});
  maximal.mesh.maximal_device = 3;
  const std::vector<ReplicaGroups> forms = {Iota(2, 4, {8}),
                                            Iota(4, 2, {2, 4}, {1, 0}),
                                            OverMesh(mesh, {{2, {}}, {0, {}}}),
                                            OverMesh(mesh, {{2, AxisRef::SubAxis{2, 2}}}),
                                            OverMesh(mesh, {}),
                                            OverMesh(mesh, {{1, {}}}),
                                            listed,
                                            transposed,
                                            maximal};
  for (const ReplicaGroups& form : forms) {
    const Groups groups = *form.Expand();
    EXPECT_EQ(form.Count()->groups, groups.size());
    for (const std::vector<int64_t>& group : groups) EXPECT_EQ(form.Count()->group_size, group.size());
    if (!form.NamesEachIdOnce()) continue;
    std::vector<bool> seen(groups.size() * groups[0].size(), false);
    for (const std::vector<int64_t>& group : groups) {
      for (const int64_t id : group) seen.at(id) = true;
    }
    EXPECT_THAT(seen, Each(true));
  }
  EXPECT_FALSE(listed.NamesEachIdOnce());
  EXPECT_FALSE(maximal.NamesEachIdOnce());
}

TEST(ReplicaGroups, CountRefusesWhatDoesNotExpand) {
  ReplicaGroups few_ids = OverMesh({{"x", 2}, {"y", 4}}, {{0, {}}});
  few_ids.mesh.iota = IotaTransform{{4}, {}};
  const std::vector<ReplicaGroups> forms = {Iota(2, 3, {8}), Iota(1, 4, {2, 2}, {0, 0}),
                                            Iota(int64_t{1} << 40, int64_t{1} << 40, {8}),
                                            OverMesh({{"x", 2}}, {{1, {}}}), OverMesh({{"x", 2}}, {{0, {}}, {0, {}}}),
                                            OverMesh({{"x", 4}}, {{0, AxisRef::SubAxis{3, 1}}}),
                                            // A part beyond the end of its axis.
                                            OverMesh({{"x", 4}, {"y", 2}}, {{0, AxisRef::SubAxis{4, 2}}}), few_ids};
  for (const ReplicaGroups& form : forms) {
    EXPECT_FALSE(form.Count().ok());
    EXPECT_EQ(form.Count().status(), form.Expand().status());
  }
  EXPECT_EQ(few_ids.Count().status().message(), "device_ids of the mesh name 4 devices, its axes 8");
}

TEST(HloInstruction, KnowsEachUserOnce) {
  HloComputation computation("c");
  HloInstruction* x =
      computation.AddInstruction(std::make_unique<HloInstruction>(HloOpcode::kReplicaId, "x", Shape::Scalar(U32)));
  HloInstruction* sum =
      computation.AddInstruction(std::make_unique<HloInstruction>(HloOpcode::kAdd, "sum", Shape::Scalar(U32)));
  sum->AddOperand(x);
  sum->AddOperand(x);
  EXPECT_THAT(x->users(), ElementsAre(sum));
  EXPECT_EQ(sum->ToShortString(), "sum = u32[] add(x, x)");
  EXPECT_EQ(sum->parent(), &computation);
}

TEST(HloComputation, ListsParametersByNumber) {
  HloComputation computation("c");
  for (int number : {1, 0}) {
    auto parameter = std::make_unique<HloInstruction>(HloOpcode::kParameter, "p", Shape::Scalar(F32));
    auto attributes = std::make_unique<ParameterAttributes>();
    attributes->number = number;
    parameter->set_attributes(std::move(attributes));
    computation.AddInstruction(std::move(parameter));
  }
  EXPECT_EQ(computation.parameters()[0], computation.instructions()[1].get());
  computation.instructions()[0]->mutable_attributes<ParameterAttributes>().number = 5;
  EXPECT_EQ(computation.parameters()[1], nullptr);
}

TEST(HloComputation, ForgetsRemovedParametersWhenTidied) {
  HloComputation computation("c");
  std::vector<HloInstruction*> added;
  for (int number : {0, 0, 1}) {
    auto parameter = std::make_unique<HloInstruction>(HloOpcode::kParameter, "p", Shape::Scalar(F32));
    auto attributes = std::make_unique<ParameterAttributes>();
    attributes->number = number;
    parameter->set_attributes(std::move(attributes));
    added.push_back(computation.AddInstruction(std::move(parameter)));
    computation.AddInstruction(std::make_unique<HloInstruction>(HloOpcode::kReplicaId, "x", Shape::Scalar(U32)));
  }
  computation.RemoveInstruction(added[0]);
  computation.Tidy();
  EXPECT_EQ(computation.parameter_count(), 2);
  EXPECT_THAT(computation.parameters(), ElementsAre(added[1], added[2]));
}

}  // namespace
}  // namespace xla
