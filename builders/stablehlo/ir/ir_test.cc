#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "builders/stablehlo/ir/attribute_values.h"
#include "builders/stablehlo/ir/compare_modules.h"
#include "builders/stablehlo/ir/module.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace stablehlo {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(Module, InternsTypesAndAttributes) {
  Module module;
  const TypeId f32 = module.Intern(FloatType(FloatKind::kF32));
  const TypeId matrix = module.Intern(TensorType({2, kDynamic}, f32));
  EXPECT_EQ(module.Intern(TensorType({2, kDynamic}, f32)), matrix);
  EXPECT_NE(module.Intern(TensorType({2, 3}, f32)), matrix);
  EXPECT_NE(module.Intern(TensorType({2, kDynamic}, f32, module.Int64Array({1, 2}))), matrix);
  EXPECT_EQ(module.Int64Array({1, 2}), module.Int64Array({1, 2}));
  EXPECT_NE(module.Int64(1), module.Int64(2));
  EXPECT_EQ(module.type(matrix).element, f32);
}

TEST(Module, FreesLargeBytes) {
  Module module;
  const int64_t before = module.arena_bytes();
  const char* const large = module.NewBytes(1 << 20);
  EXPECT_GE(module.arena_bytes(), before + (1 << 20));
  module.FreeBytes(absl::string_view(large, 1 << 20));
  EXPECT_EQ(module.arena_bytes(), before);
  // A piece of a block stays, and so does what the module does not have.
  const char* const small = module.KeepBytes("abc").data();
  module.FreeBytes(absl::string_view(small, 3));
  module.FreeBytes("elsewhere");
  EXPECT_EQ(absl::string_view(small, 3), "abc");
}

TEST(Module, InternsQuantizedTypesByTheBitsOfTheirScales) {
  Module module;
  Quantization quantization;
  quantization.storage = module.Intern(IntegerType(8));
  const std::vector<int64_t> zero_points = {0};
  quantization.zero_points = zero_points;
  const auto intern = [&](double scale) {
    quantization.scales = absl::MakeConstSpan(&scale, 1);
    Type type = SimpleType(TypeKind::kQuantized);
    type.element = module.Intern(FloatType(FloatKind::kF32));
    type.quantization = &quantization;
    return module.Intern(type);
  };
  EXPECT_EQ(intern(0.5), intern(0.5));
  EXPECT_NE(intern(0.0), intern(-0.0));
}

TEST(Module, SortsFieldsAndFindsThem) {
  Module module;
  const AttributeId fields =
      module.Struct("stablehlo.channel_handle", {{"type", module.Int64(1)}, {"handle", module.Int64(7)}});
  EXPECT_EQ(fields,
            module.Struct("stablehlo.channel_handle", {{"handle", module.Int64(7)}, {"type", module.Int64(1)}}));
  EXPECT_THAT(IntegerValue(module, FieldOf(module, fields, "handle")), Optional(7));
  EXPECT_FALSE(FieldOf(module, fields, "hand").ok());
}

TEST(Module, TellsPartsWhatTheyBelongTo) {
  Module module;
  const TypeId type = module.Intern(TensorType({}, module.Intern(FloatType(FloatKind::kF32))));
  const ValueId x = module.NewValue(type, "x");
  const ValueId y = module.NewValue(type, "y");
  Operation negate;
  negate.name = "stablehlo.negate";
  const std::vector<ValueId> operands = {x};
  const std::vector<ValueId> results = {y};
  negate.operands = operands;
  negate.results = results;
  const OperationId inner = module.Add(negate);
  const std::vector<RegionId> regions = {module.AddRegion({module.AddBlock({x}, {inner})})};
  Operation outer;
  outer.name = "func.func";
  outer.regions = regions;
  const OperationId function = module.Add(outer);
  EXPECT_EQ(module.value(y).operation, inner);
  EXPECT_FALSE(module.value(x).operation.ok());
  EXPECT_EQ(module.region(module.block(module.value(x).block).region).operation, function);
  EXPECT_EQ(module.operation(inner).block, module.value(x).block);
}

TEST(Module, KeepsResourcesOnce) {
  Module module;
  EXPECT_TRUE(module.AddResource("k", {module.KeepBytes("abcd"), 4}));
  EXPECT_FALSE(module.AddResource("k", {}));
  EXPECT_EQ(module.FindResource("k")->data, "abcd");
  EXPECT_EQ(module.FindResource("l"), nullptr);
}

TEST(Module, KnowsElements) {
  Module module;
  const TypeId f32 = module.Intern(FloatType(FloatKind::kF32));
  EXPECT_EQ(HloElementType(module, module.Intern(IntegerType(1))), PRED);
  EXPECT_EQ(HloElementType(module, module.Intern(IntegerType(4, Signedness::kUnsigned))), U4);
  EXPECT_EQ(HloElementType(module, module.Intern(IntegerType(3))), PRIMITIVE_TYPE_INVALID);
  EXPECT_EQ(HloElementType(module, module.Intern(ComplexType(f32))), C64);
  EXPECT_EQ(ElementBytes(module, module.Intern(ComplexType(f32))), 8);
  EXPECT_EQ(ElementBytes(module, module.Intern(IntegerType(2))), 1);
  EXPECT_EQ(ElementBytes(module, module.Intern(SimpleType(TypeKind::kToken))), 0);
  EXPECT_EQ(ElementCount(TensorType({3, 4}, f32)), 12);
  EXPECT_EQ(ElementCount(TensorType({3, kDynamic, 0}, f32)), -1);
  EXPECT_EQ(ElementCount(TensorType({int64_t{1} << 40, int64_t{1} << 40}, f32)), -1);
  EXPECT_EQ(ElementCount(TensorType({int64_t{1} << 40, int64_t{1} << 40, 0}, f32)), 0);
}

TEST(AttributeValues, ReadsLists) {
  Module module;
  const TypeId i16 = module.Intern(IntegerType(16));
  const AttributeId splat = module.Intern(
      DenseElementsAttribute(module.Intern(TensorType({3}, i16)), absl::string_view("\xfe\xff", 2), /*is_splat=*/true));
  EXPECT_THAT(IntegerList(module, splat), Optional(ElementsAre(-2, -2, -2)));
  EXPECT_THAT(IntegerList(module, module.Int64Array({5, kDynamic})), Optional(ElementsAre(5, kDynamic)));
  const std::vector<AttributeId> elements = {module.Int64(4), module.Intern(BoolAttribute(true))};
  EXPECT_THAT(IntegerList(module, module.Intern(ArrayAttribute(elements))), Optional(ElementsAre(4, 1)));
  const AttributeId huge = module.Intern(DenseElementsAttribute(module.Intern(TensorType({int64_t{1} << 60}, i16)),
                                                                absl::string_view("\1\0", 2), /*is_splat=*/true));
  EXPECT_EQ(IntegerList(module, huge), absl::nullopt);
  EXPECT_EQ(IntegerList(module, module.String("x")), absl::nullopt);
}

TEST(AttributeValues, ReadsFlagsAndText) {
  Module module;
  EXPECT_THAT(FlagValue(module, {}), Optional(false));
  EXPECT_THAT(FlagValue(module, module.Intern(UnitAttribute())), Optional(true));
  EXPECT_EQ(FlagValue(module, module.Int64(1)), absl::nullopt);
  EXPECT_THAT(TextValue(module, module.Intern(EnumAttribute("stablehlo.precision", "HIGH"))),
              Optional(absl::string_view("HIGH")));
  EXPECT_EQ(TextValue(module, module.Int64(1)), absl::nullopt);
}

// A module of one operation without operands.
void Fill(Module* module, absl::string_view name, AttributeId value, LocationId location = {}) {
  Operation operation;
  operation.name = name;
  const std::vector<NamedAttribute> attributes = {{"value", value}};
  operation.attributes = attributes;
  operation.location = location;
  module->set_root(module->Add(operation));
}

TEST(CompareModules, ComparesWhatIdsStandFor) {
  Module a;
  Module b;
  b.Int64(99);
  Fill(&a, "stablehlo.constant", a.Int64(1), a.Intern(FileLocation("f", 1, 2)));
  Fill(&b, "stablehlo.constant", b.Int64(1));
  EXPECT_EQ(FirstDifference(a, b), "");
  CompareOptions with_locations;
  with_locations.with_locations = true;
  EXPECT_EQ(FirstDifference(a, b, with_locations),
            "the locations differ: stablehlo.constant (number 0, line 0) and stablehlo.constant (number 0, line 0)");
  Module c;
  Fill(&c, "stablehlo.constant", c.Int64(2));
  EXPECT_EQ(FirstDifference(a, c),
            "the attributes differ: stablehlo.constant (number 0, line 0) and stablehlo.constant (number 0, line 0)");
}

TEST(CompareModules, TakesSplatsForWhatTheyMean) {
  Module a;
  Module b;
  const TypeId type_a = a.Intern(TensorType({2}, a.Intern(IntegerType(8))));
  const TypeId type_b = b.Intern(TensorType({2}, b.Intern(IntegerType(8))));
  Fill(&a, "c", a.Intern(DenseElementsAttribute(type_a, "x", /*is_splat=*/true)));
  Fill(&b, "c", b.Intern(DenseElementsAttribute(type_b, "xx", /*is_splat=*/false)));
  EXPECT_EQ(FirstDifference(a, b), "");
}

}  // namespace
}  // namespace stablehlo
}  // namespace xla
