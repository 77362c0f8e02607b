#include "backends/host/memory_traffic.h"

#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"

namespace xla {
namespace {

// f32[100] is 400 bytes, an s32 index 4.
constexpr char kModule[] = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
cut { x.1 = f32[100] parameter(0) i.1 = s32[] parameter(1)
  d.1 = f32[10] dynamic-slice(x.1, i.1), dynamic_slice_sizes={10} ROOT n.1 = f32[10] negate(d.1) }
cut_twice { x.2 = f32[100] parameter(0) i.2 = s32[] parameter(1)
  d.2 = f32[60] dynamic-slice(x.2, i.2), dynamic_slice_sizes={60}
  e.2 = f32[60] dynamic-slice(x.2, i.2), dynamic_slice_sizes={60} ROOT s.2 = f32[60] add(d.2, e.2) }
write { x.3 = f32[100] parameter(0) u.3 = f32[10] parameter(1) i.3 = s32[] parameter(2)
  n.3 = f32[10] negate(u.3) ROOT w.3 = f32[100] dynamic-update-slice(x.3, n.3, i.3) }
ENTRY e {
  x = f32[100] parameter(0)
  i = s32[] parameter(1)
  u = f32[10] parameter(2)
  many = s32[5,1] parameter(3)
  five = f32[5] parameter(4)
  sum = f32[100] add(x, x)
  slice = f32[10] slice(x), slice={[0:10]}
  at = f32[10] dynamic-slice(x, i), dynamic_slice_sizes={10}
  gather = f32[5] gather(x, many), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1,
    slice_sizes={1}
  update = f32[100] dynamic-update-slice(x, u, i)
  scatter = f32[100] scatter(x, many, five), update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
  fused_cut = f32[10] fusion(x, i), kind=kLoop, calls=cut
  fused_twice = f32[60] fusion(x, i), kind=kLoop, calls=cut_twice
  fused_write = f32[100] fusion(x, u, i), kind=kLoop, calls=write
  ROOT t = () tuple()
})";

class MemoryTrafficTest : public testing::Test {
 protected:
  double Bytes(absl::string_view name, bool is_in_place = false) {
    for (const auto& instruction : module_->entry()->instructions()) {
      if (instruction->name() == name) return MemoryTraffic(*instruction, is_in_place);
    }
    ADD_FAILURE() << "no instruction " << name;
    return -1;
  }
  const std::unique_ptr<HloModule> module_ = OrDie(ParseHloModule(kModule));
};

TEST_F(MemoryTrafficTest, CountsOperandsAndResult) { EXPECT_EQ(Bytes("sum"), 3 * 400); }

TEST_F(MemoryTrafficTest, CountsWhatIsTakenFromAnArray) {
  EXPECT_EQ(Bytes("slice"), 40 + 40);
  EXPECT_EQ(Bytes("at"), 40 + 4 + 40);
  EXPECT_EQ(Bytes("gather"), 20 + 20 + 20) << "elements, indices, result";
}

TEST_F(MemoryTrafficTest, AnUpdateInPlaceLeavesTheRestAlone) {
  EXPECT_EQ(Bytes("update"), 400 + 40 + 4 + 400);
  EXPECT_EQ(Bytes("update", /*is_in_place=*/true), 40 + 4 + 40);
  EXPECT_EQ(Bytes("scatter"), 400 + 20 + 20 + 400);
  EXPECT_EQ(Bytes("scatter", /*is_in_place=*/true), 20 + 20 + 20 + 20) << "what is added to is read";
}

TEST_F(MemoryTrafficTest, LooksIntoFusions) {
  EXPECT_EQ(Bytes("fused_cut"), 40 + 4 + 40);
  EXPECT_EQ(Bytes("fused_twice"), 400 + 4 + 240) << "not more than all of the array";
  EXPECT_EQ(Bytes("fused_write"), 400 + 40 + 4 + 400);
  EXPECT_EQ(Bytes("fused_write", /*is_in_place=*/true), 40 + 4 + 40);
}

}  // namespace
}  // namespace xla
