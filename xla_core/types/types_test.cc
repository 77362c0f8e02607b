// Shapes and literals: what they print, what they refuse, and that copies of a literal never see each other's writes.
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/shape.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(PrimitiveType, NamesAndNumbersAreThoseOfTheTable) {
  for (int i = 1; i < kNumPrimitiveTypes; ++i) {
    const auto type = static_cast<PrimitiveType>(i);
    EXPECT_EQ(GetPrimitiveTypeInfo(type).type, type);
    if (type == BUFFER) continue;
    EXPECT_EQ(PrimitiveTypeFromName(PrimitiveTypeName(type)), type);
  }
  EXPECT_EQ(PrimitiveTypeFromName("F32"), PRIMITIVE_TYPE_INVALID);
  EXPECT_EQ(PrimitiveTypeFromName("f31"), PRIMITIVE_TYPE_INVALID);
}

TEST(PrimitiveType, NarrowFormatsHaveTheWidthOfTheirType) {
  for (int i = 1; i < kNumPrimitiveTypes; ++i) {
    const auto type = static_cast<PrimitiveType>(i);
    if (!IsNarrowFloatType(type)) continue;
    EXPECT_EQ(FormatOf(NarrowFormatOf(type)).bit_width, BitWidth(type)) << PrimitiveTypeName(type);
    EXPECT_STREQ(std::string(FormatOf(NarrowFormatOf(type)).name).c_str(), PrimitiveTypeName(type));
  }
}

TEST(TypeDispatch, GoesByStorage) {
  const auto size = [](auto tag) { return static_cast<int>(sizeof(TagType<decltype(tag)>)); };
  EXPECT_EQ(DispatchByWidth(C128, size), 16);
  EXPECT_EQ(DispatchByWidth(F4E2M1FN, size), 1);
  EXPECT_EQ(DispatchInt(S4, size), 1);
  EXPECT_EQ(DispatchNative(U64, size), 8);
  EXPECT_TRUE(DispatchInt(S4, [](auto tag) { return std::is_signed<TagType<decltype(tag)>>::value; }));
  EXPECT_FALSE(DispatchInt(U2, [](auto tag) { return std::is_signed<TagType<decltype(tag)>>::value; }));
}

TEST(Shape, PrintsAsText) {
  Shape matrix = Shape::Array(F32, {2, 3});
  EXPECT_EQ(matrix.ToString(), "f32[2,3]");
  matrix.SetMissingLayoutsToDefault();
  EXPECT_EQ(matrix.ToString(Shape::LayoutPrinting::kWith), "f32[2,3]{1,0}");
  Shape scalar = Shape::Scalar(S4);
  scalar.SetMissingLayoutsToDefault();
  EXPECT_EQ(scalar.ToString(Shape::LayoutPrinting::kWith), "s4[]");
  EXPECT_EQ(Shape::Token().ToString(), "token[]");
  EXPECT_EQ(Shape::Buffer(matrix).ToString(), "b(f32[2,3])");
  // One that was made as an array is invalid, and can be shown in the message that says so.
  EXPECT_EQ(Shape::Array(BUFFER, {2}).ToString(), "b[2]");
  EXPECT_FALSE(ValidateShape(Shape::Array(BUFFER, {2})).ok());
  EXPECT_EQ(Shape::Array(F32, {2, Shape::kUnboundedSize}).ToString(), "f32[2,?]");
  const bool dynamic[] = {true, false};
  EXPECT_EQ(Shape::Array(F32, {4, 5}, dynamic).ToString(), "f32[<=4,5]");
  const std::vector<Shape> six(6, Shape::Scalar(PRED));
  EXPECT_EQ(Shape::Tuple(six).ToString(), "(pred[], pred[], pred[], pred[], pred[], /*index=5*/pred[])");
  EXPECT_EQ(Shape::Tuple({}).ToString(), "()");
}

TEST(Shape, PrintsEveryPropertyOfALayout) {
  Layout layout;
  layout.minor_to_major = {1, 0};
  layout.tiles = {Tile{{8, 128}}, Tile{{Tile::kCombineDimension, 4}}};
  layout.tail_padding_alignment_in_elements = 2;
  layout.index_primitive_type = U32;
  layout.pointer_primitive_type = U64;
  layout.element_size_in_bits = 4;
  layout.memory_space = 5;
  layout.split_configs = {{1, {10, 20}}};
  layout.dynamic_shape_metadata_prefix_bytes = 12;
  EXPECT_EQ(layout.ToString(), "{1,0:T(8,128)(*,4)L(2)#(u32)*(u64)E(4)S(5)SC(1:10,20)M(12)}");
}

TEST(Shape, ComparesWithAndWithoutLayout) {
  const Shape plain = Shape::Array(F32, {2, 3});
  Shape transposed = plain;
  Layout layout;
  layout.minor_to_major = {0, 1};
  transposed.set_layout(layout);
  EXPECT_NE(plain, transposed);
  EXPECT_TRUE(plain.Compatible(transposed));
  EXPECT_FALSE(plain.Compatible(Shape::Array(F32, {3, 2})));
  EXPECT_FALSE(plain.Compatible(Shape::Array(S32, {2, 3})));
  EXPECT_TRUE(plain.Equal(Shape::Array(S32, {2, 3}), Shape::kIgnoreElementType));
  EXPECT_TRUE(Shape::Tuple({plain}).Compatible(Shape::Tuple({transposed})));
  EXPECT_EQ(transposed.WithoutLayout(), plain);
}

TEST(Shape, DynamicDimensionsComeAndGo) {
  Shape shape = Shape::Array(F32, {4, 5});
  shape.set_dynamic_dimension(1, true);
  EXPECT_TRUE(shape.IsDynamic());
  EXPECT_TRUE(Shape::Tuple({Shape::Scalar(F32), shape}).IsDynamic());
  shape.DeleteDimension(1);
  EXPECT_EQ(shape.ToString(), "f32[4]");
  shape.AddDimension(7, true);
  EXPECT_EQ(shape.ToString(), "f32[4,<=7]");
  shape.set_dynamic_dimension(1, false);
  EXPECT_FALSE(shape.IsDynamic());
  EXPECT_EQ(shape, Shape::Array(F32, {4, 7}));
}

TEST(ValidateShape, RefusesWhatCannotBe) {
  EXPECT_TRUE(ValidateShape(Shape::Array(F32, {2, 0, std::numeric_limits<int64_t>::max()})).ok());
  EXPECT_THAT(std::string(ValidateShape(Shape::Array(F32, {int64_t{1} << 62})).message()),
              HasSubstr("its size in bytes does not fit in 63 bits"));
  EXPECT_THAT(std::string(ValidateShape(Shape::Array(S8, {int64_t{1} << 40, int64_t{1} << 40})).message()),
              HasSubstr("does not fit in 63 bits"));
  EXPECT_THAT(std::string(ValidateShape(Shape::Array(F32, {2, -1})).message()),
              HasSubstr("dimension 1 of an array has the negative size -1"));
  EXPECT_FALSE(ValidateShape(Shape()).ok());
  Shape bad_layout = Shape::Array(F32, {2, 3});
  Layout layout;
  layout.minor_to_major = {1, 1};
  bad_layout.set_layout(layout);
  EXPECT_THAT(std::string(ValidateShape(Shape::Tuple({bad_layout})).message()), HasSubstr("no permutation"));
  layout.minor_to_major = {0};
  bad_layout.set_layout(layout);
  EXPECT_THAT(std::string(ValidateShape(bad_layout).message()), HasSubstr("has 1 entries"));
}

TEST(ValidateShape, BoundsTheNesting) {
  Shape shape = Shape::Scalar(F32);
  for (int i = 0; i < Shape::kMaxNestingDepth; ++i) shape = Shape::Tuple({shape});
  EXPECT_TRUE(ValidateShape(shape).ok());
  EXPECT_THAT(std::string(ValidateShape(Shape::Tuple({shape})).message()), HasSubstr("nested deeper than 1000"));
}

// Shapes of 2^63 parts and more, which no walk would get to the end of.
TEST(Shape, AddsUpWhatTuplesHold) {
  Shape shape = Shape::Array(F32, {2, 3});
  for (int i = 0; i < 10; ++i) shape = Shape::Tuple({shape, shape});
  EXPECT_EQ(shape.leaf_count(), 1024);
  EXPECT_EQ(shape.part_count(), 2047);
  EXPECT_EQ(shape.ByteSize(), 1024 * 24);
  EXPECT_TRUE(ValidateShape(shape).ok());
  EXPECT_LT(shape.ToString().size(), Shape::kMaxTextInMessages + 20);
  EXPECT_THAT(shape.ToString(), EndsWith("..."));
  EXPECT_THAT(shape.ToFullString(), EndsWith(")"));

  Shape other = Shape::Array(F32, {2, 3});
  for (int i = 0; i < 70; ++i) {
    if (i >= 10) shape = Shape::Tuple({shape, shape});
    other = Shape::Tuple({other, other});
  }
  EXPECT_EQ(shape.leaf_count(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(shape, other);
  EXPECT_EQ(shape.StructureHash(), other.StructureHash());
  EXPECT_NE(shape, Shape::Tuple({other, other}));
  EXPECT_FALSE(shape.IsDynamic());
  EXPECT_NE(shape.WithoutLayout().ToString(), "");
  shape.SetMissingLayoutsToDefault();
  EXPECT_NE(shape, other);
  EXPECT_EQ(shape.WithoutLayout(), other);
}

TEST(Shape, AddsUpEmptyTuples) {
  Shape shape = Shape::Tuple({});
  EXPECT_EQ(shape.leaf_count(), 0);
  for (int i = 0; i < 20; ++i) shape = Shape::Tuple({shape, shape});
  EXPECT_EQ(shape.leaf_count(), 0);
  EXPECT_EQ(shape.part_count(), (1 << 21) - 1);
  EXPECT_THAT(std::string(ValidateShape(shape).message()),
              HasSubstr("2097151 parts (leaves and tuples at any depth, counted wherever they appear), expected at "
                        "most 500000"));
}

TEST(Shape, MapsArraysThatAreSharedOnce) {
  const Shape inner = Shape::Tuple({Shape::Scalar(F32), Shape::Token()});
  int calls = 0;
  const Shape mapped = MapArrays(Shape::Tuple({inner, inner, Shape::Buffer(Shape::Scalar(S8))}), [&](const Shape& x) {
    ++calls;
    return Shape::Array(x.element_type(), {2});
  });
  EXPECT_EQ(mapped.ToString(), "((f32[2], token[]), (f32[2], token[]), b(s8[2]))");
  EXPECT_EQ(calls, 2);
}

TEST(Shape, FindsLeaves) {
  const Shape inner = Shape::Tuple({Shape::Scalar(F32), Shape::Token()});
  const Shape shape = Shape::Tuple({inner, Shape::Scalar(S32)});
  EXPECT_EQ(LeafCount(shape), 3);
  EXPECT_EQ(SubshapeAt(shape, {0, 1})->ToString(), "token[]");
  EXPECT_EQ(SubshapeAt(shape, {1, 0}), nullptr);
  EXPECT_EQ(SubshapeAt(shape, {2}), nullptr);
}

TEST(Literal, CopiesShareUntilOneIsWritten) {
  Literal a = Literal::Vector<float>({1, 2, 3, 4, 5, 6});
  Literal b = a;
  EXPECT_EQ(a.untyped_data(), b.untyped_data());
  EXPECT_FALSE(a.IsUnique());
  ASSERT_TRUE(b.MakeWritable(nullptr).ok());
  b.mutable_data<float>()[0] = 9;
  EXPECT_EQ(a.data<float>()[0], 1);
  EXPECT_TRUE(a.IsUnique());
  EXPECT_FALSE(a.BitwiseEquals(b));
}

TEST(Literal, SmallValuesLiveInside) {
  Literal a = Literal::Scalar<int32_t>(7);
  Literal b = std::move(a);
  EXPECT_EQ(*b.data<int32_t>(), 7);
  EXPECT_TRUE(b.IsUnique());
}

TEST(Literal, BorrowedMemoryIsNotWritten) {
  const std::vector<int64_t> memory = {1, 2, 3};
  Literal literal = Literal::Borrow(Shape::Array(S64, {3}), memory.data());
  EXPECT_EQ(literal.untyped_data(), memory.data());
  literal.mutable_data<int64_t>()[1] = 5;
  EXPECT_EQ(memory[1], 2);
  EXPECT_THAT(literal.span<int64_t>(), ElementsAre(1, 5, 3));
}

TEST(Literal, CountsAgainstItsBudget) {
  MemoryBudget budget(1000);
  const Shape shape = Shape::Array(F32, {200});
  {
    auto first = Literal::Zeros(shape, &budget);
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(budget.used(), 800);
    const Literal copy = *first;
    EXPECT_EQ(budget.used(), 800);
    EXPECT_EQ(Literal::Allocate(shape, &budget).status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(first->MakeWritable(&budget).code(), absl::StatusCode::kResourceExhausted);
  }
  EXPECT_EQ(budget.used(), 0);
  EXPECT_EQ(budget.peak(), 800);
}

TEST(Literal, MayLeaveItsBudget) {
  Literal kept;
  {
    MemoryBudget budget(1000);
    auto literal = Literal::Zeros(Shape::Tuple({Shape::Array(F32, {100}), Shape::Array(S8, {100})}), &budget);
    ASSERT_TRUE(literal.ok());
    kept = *std::move(literal);
    kept.LeaveBudget();
    EXPECT_EQ(budget.used(), 0);
  }
  EXPECT_EQ(kept.element(0).data<float>()[99], 0);
}

TEST(Literal, RefusesImpossibleSizes) {
  EXPECT_EQ(Literal::Allocate(Shape::Array(S8, {int64_t{1} << 60})).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Literal::Allocate(Shape::Array(S8, {Shape::kUnboundedSize})).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Literal, ComparesOnlyTheValidPartOfDynamicArrays) {
  Literal a = Literal::FromValues<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  Literal b = Literal::FromValues<int32_t>({2, 3}, {1, 2, 99, 4, 5, 98});
  EXPECT_FALSE(a.BitwiseEquals(b));
  a.SetDynamicSize(1, 2);
  EXPECT_FALSE(a.BitwiseEquals(b));
  b.SetDynamicSize(1, 2);
  EXPECT_TRUE(a.BitwiseEquals(b));
  Literal c;
  c = a;
  EXPECT_EQ(c.dynamic_size(1), 2);
}

TEST(Literal, TuplesGiveUpTheirElements) {
  Literal tuple = Literal::Tuple({Literal::Scalar<float>(1), Literal::Vector<int8_t>({1, 2})});
  EXPECT_EQ(tuple.shape().ToString(), "(f32[], s8[2])");
  const std::vector<Literal> elements = tuple.TakeElements();
  EXPECT_EQ(elements.size(), 2u);
  EXPECT_EQ(tuple.tuple_size(), 0);
}

TEST(SubByte, PacksLowestBitsFirst) {
  const std::vector<uint8_t> s4 = {1, static_cast<uint8_t>(-2), 7};
  const std::vector<uint8_t> packed = PackSubByteElements(s4, 4);
  EXPECT_THAT(packed, ElementsAre(0xE1, 0x07));
  EXPECT_EQ(*UnpackSubByteElements(packed, 4, /*is_signed=*/true, 3), s4);
  EXPECT_THAT(*UnpackSubByteElements({0xE1, 0x07}, 4, /*is_signed=*/false, 4), ElementsAre(1, 14, 7, 0));
  EXPECT_THAT(PackSubByteElements({1, 0, 0, 0, 0, 0, 0, 1, 1}, 1), ElementsAre(0x81, 1));
  EXPECT_THAT(std::string(UnpackSubByteElements({1}, 4, true, 3).status().message()),
              HasSubstr("has 1 bytes, expected 2"));
}

}  // namespace
}  // namespace xla
