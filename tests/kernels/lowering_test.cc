// Kernels of chosen fusions and instructions against the evaluator, and of every elementwise operation in every type.
#include "backends/kernel_ir/lowering/lowering.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "backends/kernel_ir/kernel_interpreter.h"
#include "gmock/gmock.h"
#include "tests/kernels/expect_kernels.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

constexpr char kAdd[] = "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }";
constexpr char kMax[] = "max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }";

const PrimitiveType kTypes[] = {PRED, S4,  S8,   S16, S32, S64,      U2,     U8,  U16,  U32,
                                U64,  F16, BF16, F32, F64, F8E4M3FN, F8E5M2, C64, C128, F4E2M1FN};

TEST(Lowering, TakesEveryElementwiseOperationInEveryType) {
  for (const HloOpcode opcode : AllOpcodes()) {
    const ElementwiseRow* const row = FindElementwiseRow(opcode);
    if (row == nullptr) continue;
    for (const PrimitiveType type : kTypes) {
      if ((ElementClassOf(type) & row->classes) == 0) continue;
      const std::string t = absl::StrCat(PrimitiveTypeName(type), "[3,5]");
      const std::string result = absl::StrCat(PrimitiveTypeName(ElementwiseResultType(*row, type)), "[3,5]");
      ExpectKernels(
          row->arity == 1
              ? Entry(absl::StrCat("x = ", t, " parameter(0)\nROOT r = ", result, " ", HloOpcodeName(opcode), "(x)"))
              : Entry(absl::StrCat("x = ", t, " parameter(0)\ny = ", t, " parameter(1)\nROOT r = ", result, " ",
                                   HloOpcodeName(opcode), "(x, y)")));
    }
  }
}

TEST(Lowering, MovesElementsOfEveryType) {
  for (const PrimitiveType type : kTypes) {
    const char* const t = PrimitiveTypeName(type);
    ExpectKernels(Entry(absl::StrCat(
        "q = pred[4,6] parameter(3)\nx = ", t, "[4,6] parameter(0)\nv = ", t,
        "[] parameter(1)\ni = s32[] parameter(2)\n", "a = ", t, "[6,4] transpose(x), dimensions={1,0}\n", "b = ", t,
        "[9,8] pad(x, v), padding=2_3x-1_3\n", "c = ", t, "[10,6] pad(x, v), padding=0_0_2x0_0\n", "d = ", t,
        "[2,3] slice(x), slice={[1:4:2],[0:6:2]}\n", "f = ", t, "[4,6] reverse(x), dimensions={1}\n", "g = ", t,
        "[8,6] concatenate(x, x), dimensions={0}\n", "h = ", t,
        "[2,6] dynamic-slice(x, i, i), dynamic_slice_sizes={2,6}\n", "k = ", t,
        "[4,6] dynamic-update-slice(x, d, i, i)\n", "l = ", t, "[3,4,6] broadcast(x), dimensions={1,2}\n", "n = ", t,
        "[3,2,4] reshape(x)\n", "ROOT r = ", t, "[4,6] select(q, x, x)\n")));
  }
}

TEST(Lowering, KeepsLayouts) {
  ExpectKernels(Entry(R"(
    x = f32[4,6]{0,1} parameter(0)
    y = f32[4,6]{1,0} parameter(1)
    z = f32[2] parameter(2)
    a = f32[4,6]{1,0} add(x, y)
    b = f32[4,6]{0,1} multiply(x, y)
    c = f32[6,4]{0,1} transpose(x), dimensions={1,0}
    d = f32[4,6]{1,0} copy(x)
    f = f32[24]{0} bitcast(x)
    g = f32[2,3,4]{1,0,2} broadcast(z), dimensions={0}
    ROOT h = f32[2,2,6]{0,2,1} reshape(y)
  )"));
}

TEST(Lowering, TransposesBlockByBlock) {
  ExpectKernels(Entry(R"(
    x = f32[70,90] parameter(0)
    y = f32[90,70] parameter(1)
    b = bf16[3,40,50] parameter(2)
    u = bf16[3,50,40] transpose(b), dimensions={0,2,1}
    v = bf16[50,3,40] transpose(b), dimensions={2,0,1}
    c = f32[70,90]{0,1} copy(x)
    s = s8[130,70] parameter(3)
    w = s8[70,130] transpose(s), dimensions={1,0}
    z = c64[40,33] parameter(4)
    zt = c64[33,40] transpose(z), dimensions={1,0}
    t = f32[90,70] transpose(x), dimensions={1,0}
    q = f32[2,20,300] parameter(5)
    ROOT n = f32[2,300,20] transpose(q), dimensions={0,2,1}
  )"));
  ExpectKernels(Entry(R"(
    x = f32[70,90] parameter(0)
    y = f32[90,70] parameter(1)
    t = f32[90,70] transpose(x), dimensions={1,0}
    ROOT s = f32[90,70] subtract(t, y)
  )"),
                /*fuse=*/true);
}

TEST(Lowering, CutsRowsWhereTheirPiecesMeet) {
  ExpectKernels(Entry(R"(
    x = f32[3,1100] parameter(0)
    y = f32[3,50] parameter(1)
    z = f32[3,1300] parameter(2)
    v = f32[] parameter(3)
    a = f32[3,2450] concatenate(x, y, z), dimensions={1}
    b = f32[9,1110] pad(x, v), padding=2_4x3_7
    c = f32[3,58] pad(y, v), padding=0_0x5_3
    ROOT d = f32[3,100] concatenate(y, y), dimensions={1}
  )"));
  ExpectKernels(Entry(R"(
    x = f32[40,1100] parameter(0)
    y = f32[40,1300] parameter(1)
    a = f32[40,2400] concatenate(x, y), dimensions={1}
    ROOT s = f32[30,1900] slice(a), slice={[3:33], [100:2000]}
  )"),
                /*fuse=*/true);
  ExpectKernels(Entry(R"(
    x = f32[5,40] parameter(0)
    y = f32[5,30] parameter(1)
    v = f32[] parameter(2)
    a = f32[5,70] concatenate(x, y), dimensions={1}
    b = f32[5,90] pad(a, v), padding=0_0x12_8
    n = f32[5,90] negate(b)
    ROOT t = f32[5,130] concatenate(n, x), dimensions={1}
  )"),
                /*fuse=*/true);
}

TEST(Lowering, TakesShortRowsInLanes) {
  ExpectKernels(Entry(R"(
    x = f32[100,3] parameter(0)
    a = f32[100,1] parameter(1)
    b = bf16[2,50,5] parameter(2)
    t = f32[3,100] transpose(x), dimensions={1,0}
    back = f32[100,3] transpose(t), dimensions={1,0}
    s = f32[100,4] concatenate(x, a), dimensions={1}
    u = bf16[2,5,50] transpose(b), dimensions={0,2,1}
    ROOT v = bf16[5,2,50] transpose(b), dimensions={2,0,1}
  )"));
  ExpectKernels(Entry(R"(
    x = f32[6,64] parameter(0)
    c = f32[6,32] parameter(1)
    even = f32[6,32] slice(x), slice={[0:6], [0:64:2]}
    odd = f32[6,32] slice(x), slice={[0:6], [1:64:2]}
    p = f32[6,32] multiply(even, c)
    q = f32[6,32] subtract(odd, c)
    pr = f32[6,32,1] reshape(p)
    qr = f32[6,32,1] reshape(q)
    pq = f32[6,32,2] concatenate(pr, qr), dimensions={2}
    ROOT r = f32[6,64] reshape(pq)
  )"),
                /*fuse=*/true);
  ExpectKernels(Entry(R"(
    x = s8[90,3] parameter(0)
    r = s8[90,1] slice(x), slice={[0:90], [0:1]}
    b = s8[90,1] slice(x), slice={[0:90], [2:3]}
    d = s8[90,1] subtract(r, b)
    ROOT t = s8[90,3] concatenate(b, d, r), dimensions={1}
  )"),
                /*fuse=*/true);
}

TEST(Lowering, ReinterpretsBits) {
  ExpectKernels(Entry(R"(
    x = u32[3,4] parameter(0)
    a = u8[3,4,4] bitcast-convert(x)
    b = u32[3,4] bitcast-convert(a)
    c = s4[3,4,8] bitcast-convert(x)
    d = u64[6] parameter(1)
    g = f16[6,4] bitcast-convert(d)
    h = c128[2] parameter(2)
    i = c64[2,2] bitcast-convert(h)
    j = c128[2] bitcast-convert(i)
    ROOT k = pred[3,4,4] bitcast-convert(a)
  )"));
}

TEST(Lowering, GathersWithBatchesAndClamping) {
  ExpectKernels(Entry(R"(
    x = f32[9,4] parameter(0)
    i = s32[3] parameter(1)
    a = f32[3,4] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
    j = u8[2,5,2] parameter(2)
    b = f32[2,3,5,2] gather(x, j), offset_dims={1,3}, collapsed_slice_dims={}, start_index_map={1,0}, index_vector_dim=2, slice_sizes={3,2}
    y = f32[5,7,3] parameter(3)
    k = s64[5,2] parameter(4)
    ROOT c = f32[5,2,3] gather(y, k), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,3}
  )"));
}

// Those of the last row are inside of the array, or beyond its end.
TEST(Lowering, GathersAtCountedPlaces) {
  for (const int64_t size : {100, 95}) {
    ExpectKernels(Entry(absl::StrCat("x = f32[", size, R"(] parameter(0)
      i = s32[19] iota(), iota_dimension=0
      five = s32[] constant(5)
      fives = s32[19] broadcast(five), dimensions={}
      starts = s32[19] multiply(i, fives)
      rows = s32[19,10] broadcast(starts), dimensions={0}
      columns = s32[19,10] iota(), iota_dimension=1
      places = s32[19,10] add(rows, columns)
      at = s32[19,10,1] reshape(places)
      ROOT r = f32[19,10] gather(x, at), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1}
    )")),
                  /*fuse=*/true);
  }
}

TEST(Lowering, ScattersInOrder) {
  ExpectKernels(Entry(R"(
    x = f32[9,4] parameter(0)
    i = s32[6] parameter(1)
    u = f32[6,4] parameter(2)
    a = f32[9,4] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    b = f32[9,4] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second
    j = s32[3,2] parameter(3)
    v = f32[2,3,2] parameter(4)
    y = f32[9,70] parameter(5)
    k = s32[40] parameter(6)
    w = f32[40,70] parameter(7)
    wide = f32[9,70] scatter(y, k, w), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sub
    c = f32[9,4] scatter(x, j, v), update_window_dims={0,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={1,0}, index_vector_dim=1, to_apply=sub
    bins = s32[20] parameter(8)
    at = s32[2,600] parameter(9)
    weights = s32[2,600] parameter(10)
    histogram = s32[20] scatter(bins, at, weights), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=add_integers
    places = s32[300,2] parameter(11)
    ones = f32[300] parameter(12)
    points = f32[9,4] scatter(x, places, ones), update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={1,0}, index_vector_dim=1, to_apply=sub
    starts = s32[300,1] parameter(13)
    rows = f32[300,1,4] parameter(14)
    odd = f32[300,3,1] parameter(15)
    sums = f32[9,4] scatter(x, starts, rows), update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sub
    trailing = s32[300,1,1] parameter(16)
    parts = f32[9,4] scatter(x, trailing, odd), update_window_dims={1}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, index_vector_dim=2, to_apply=sub
    ROOT d = (f32[9,4], f32[9,4]) scatter(x, x, i, u, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=pair
  )",
                      absl::StrCat(kAdd, R"(
second { a = f32[] parameter(0) ROOT b = f32[] parameter(1) }
sub { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(a, b) }
add_integers { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
pair { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3) s = f32[] add(a, d) t = f32[] maximum(b, c) ROOT r = (f32[], f32[]) tuple(s, t) }
)")));
}

// The array is copied, updates go to copies, and these are combined.
TEST(Lowering, ScattersIntoCopies) {
  const std::string functions = R"(
add { p = s32[] parameter(0) q = s32[] parameter(1) ROOT r = s32[] add(p, q) }
most { p = f32[] parameter(0) q = f32[] parameter(1) ROOT r = f32[] maximum(p, q) }
sub { p = f32[] parameter(0) q = f32[] parameter(1) ROOT r = f32[] subtract(p, q) }
)";
  EXPECT_EQ(3, ExpectKernels(Entry(R"(
    bins = s32[7] parameter(0)
    at = s32[701,1] parameter(1)
    weights = s32[701] parameter(2)
    ROOT histogram = s32[7] scatter(bins, at, weights), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add)",
                                   functions)));
  EXPECT_EQ(3, ExpectKernels(Entry(R"(
    x = f32[6,5] parameter(0)
    i = s32[2,515] parameter(1)
    u = f32[2,515,5] parameter(2)
    ROOT most_of = f32[6,5] scatter(x, i, u), update_window_dims={2}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=most)",
                                   functions)));
  // A function whose order matters takes updates in theirs.
  EXPECT_EQ(2, ExpectKernels(Entry(R"(
    x = f32[7] parameter(0)
    at = s32[701,1] parameter(1)
    u = f32[701] parameter(2)
    ROOT differences = f32[7] scatter(x, at, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sub)",
                                   functions)));
}

TEST(Lowering, ReducesRowsColumnsAndAll) {
  ExpectKernels(Entry(R"(
    x = f32[70,131] parameter(0)
    z = f32[] parameter(1)
    rows = f32[70] reduce(x, z), dimensions={1}, to_apply=add
    columns = f32[131] reduce(x, z), dimensions={0}, to_apply=add
    all = f32[] reduce(x, z), dimensions={0,1}, to_apply=max
    y = f32[40,6,33] parameter(2)
    middle = f32[40,33] reduce(y, z), dimensions={1}, to_apply=add
    outer = f32[6] reduce(y, z), dimensions={0,2}, to_apply=add
    c = f32[70,131]{0,1} parameter(3)
    rows_c = f32[70] reduce(c, z), dimensions={1}, to_apply=max
    columns_c = f32[131] reduce(c, z), dimensions={0}, to_apply=max
    ROOT any = f32[70] reduce(x, z), dimensions={1}, to_apply=odd
  )",
                      absl::StrCat(kAdd, "\n", kMax, R"(
odd { a = f32[] parameter(0) b = f32[] parameter(1) h = f32[] constant(0.5) s = f32[] multiply(a, h) ROOT r = f32[] subtract(s, b) }
)")));
}

// Neighbours that fill vectors, that do as several rows, and that are alone; rows that chunks divide, and others.
TEST(Lowering, ReducesColumnsOfManyKinds) {
  for (const char* x : {"3,400,48", "3,400,3", "1111,3", "2,1039,5", "5,33,64", "2,70,127", "3,50,1000", "2,3,700,2"}) {
    const std::string sizes = x;
    const size_t last = sizes.rfind(',');
    const size_t before = sizes.rfind(',', last - 1);
    const bool is_matrix = before == std::string::npos;
    const std::string kept = is_matrix ? sizes.substr(last + 1) : sizes.substr(0, before) + sizes.substr(last);
    const int dimension = static_cast<int>(std::count(sizes.begin(), sizes.end(), ',')) - 1;
    SCOPED_TRACE(sizes);
    ExpectKernels(Entry(absl::StrCat("x = f32[", sizes, "] parameter(0)\nz = f32[] parameter(1)\n", "s = f32[", kept,
                                     "] reduce(x, z), dimensions={", dimension, "}, to_apply=add\n", "y = bf16[", sizes,
                                     "] parameter(2)\nw = bf16[] parameter(3)\nROOT m = bf16[", kept,
                                     "] reduce(y, w), dimensions={", dimension, "}, to_apply=least\n"),
                        absl::StrCat(kAdd, R"(
least { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] minimum(a, b) }
)")));
  }
  // What is reduced depends on the place among columns.
  ExpectKernels(Entry(R"(
    x = f32[1300,3] parameter(0)
    m = f32[3] parameter(1)
    z = f32[] parameter(2)
    ms = f32[1300,3] broadcast(m), dimensions={1}
    d = f32[1300,3] subtract(x, ms)
    d2 = f32[1300,3] multiply(d, d)
    ROOT s = f32[3] reduce(d2, z), dimensions={0}, to_apply=add
  )",
                      kAdd),
                /*fuse=*/true);
}

TEST(Lowering, ReducesInOrderApartFromOthers) {
  EXPECT_EQ(2, ExpectKernels(Entry(R"(
    x = f32[20,70] parameter(0)
    one = f32[] constant(1)
    zero = f32[] constant(0)
    e = f32[20,70] exponential(x)
    products = f32[20] reduce(e, one), dimensions={1}, to_apply=multiply
    sums = f32[20] reduce(e, zero), dimensions={1}, to_apply=add
    ROOT r = (f32[20], f32[20]) tuple(products, sums)
  )",
                                   absl::StrCat(kAdd, R"(
multiply { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] multiply(a, b) }
)")),
                             /*fuse=*/true));
}

TEST(Lowering, FindsExtremaOfNarrowFloats) {
  for (const char* t : {"bf16", "f16"}) {
    for (const char* op : {"maximum", "minimum"}) {
      ExpectKernels(Entry(absl::StrCat("a = ", t, "[9] constant({1, -0, 0, 3, nan, -nan, inf, -inf, -2})\n", "i = ", t,
                                       "[] constant(-0)\n", "pairs = ", t, "[9,9,40] broadcast(a), dimensions={0}\n",
                                       "others = ", t, "[9,9,40] broadcast(a), dimensions={1}\n",
                                       "k = s32[9,9,40] iota(), iota_dimension=2\n", "c = s32[] constant(17)\n",
                                       "cs = s32[9,9,40] broadcast(c), dimensions={}\n",
                                       "here = pred[9,9,40] compare(k, cs), direction=EQ\n", "x = ", t,
                                       "[9,9,40] select(here, pairs, others)\n", "ROOT r = ", t,
                                       "[9,9] reduce(x, i), dimensions={2}, to_apply=f\n"),
                          absl::StrCat("f { a = ", t, "[] parameter(0) b = ", t, "[] parameter(1) ROOT r = ", t, "[] ",
                                       op, "(a, b) }")),
                    /*fuse=*/true);
      ExpectKernels(Entry(absl::StrCat("x = ", t, "[40,1100] parameter(0)\nz = ", t, "[] parameter(1)\n", "a = ", t,
                                       "[] reduce(x, z), dimensions={0,1}, to_apply=f\n", "b = ", t,
                                       "[1100] reduce(x, z), dimensions={0}, to_apply=f\nROOT c = ", t,
                                       "[40] reduce(x, z), dimensions={1}, to_apply=f"),
                          absl::StrCat("f { a = ", t, "[] parameter(0) b = ", t, "[] parameter(1) ROOT r = ", t, "[] ",
                                       op, "(a, b) }")));
    }
  }
}

TEST(Lowering, ReducesLongRowsSeveralBlocksAtOnce) {
  ExpectKernels(Entry(R"(
    x = f32[131072] parameter(0)
    z = f32[] parameter(1)
    sums = f32[] reduce(x, z), dimensions={0}, to_apply=add
    maxima = f32[] reduce(x, z), dimensions={0}, to_apply=max
    y = s32[131072] parameter(2)
    w = s32[] parameter(3)
    ROOT integers = s32[] reduce(y, w), dimensions={0}, to_apply=add_integers
  )",
                      absl::StrCat(kAdd, "\n", kMax, R"(
add_integers { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
)")),
                /*fuse=*/false, KernelCheckOptions());
}

TEST(Lowering, ReducesInTheTypesOfTheInterpreter) {
  for (const PrimitiveType type : kTypes) {
    for (const char* op : {"add", "multiply", "maximum", "minimum", "and", "xor"}) {
      const HloOpcode opcode = *HloOpcodeFromName(op);
      if ((ElementClassOf(type) & FindElementwiseRow(opcode)->classes) == 0) continue;
      const char* const t = PrimitiveTypeName(type);
      ExpectKernels(Entry(absl::StrCat("x = ", t, "[5,37] parameter(0)\nz = ", t, "[] parameter(1)\n", "a = ", t,
                                       "[5] reduce(x, z), dimensions={1}, to_apply=f\n", "b = ", t,
                                       "[37] reduce(x, z), dimensions={0}, to_apply=f\nROOT c = ", t,
                                       "[5,36] reduce-window(x, z), window={size=1x3 pad=0_0x1_0}, to_apply=f"),
                          absl::StrCat("f { a = ", t, "[] parameter(0) b = ", t, "[] parameter(1) ROOT r = ", t, "[] ",
                                       op, "(a, b) }")));
    }
  }
}

TEST(Lowering, TakesReducersOfSeveralArrays) {
  ExpectKernels(Entry(R"(
    x = f32[6,50] parameter(0)
    i = s32[6,50] iota(), iota_dimension=1
    z = f32[] constant(-inf)
    k = s32[] constant(0)
    a = (f32[6], s32[6]) reduce(x, i, z, k), dimensions={1}, to_apply=argmax
    ROOT w = (f32[6,48], s32[6,48]) reduce-window(x, i, z, k), window={size=1x5 pad=0_0x1_1}, to_apply=argmax
  )",
                      R"(
inner { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }
argmax { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3)
  p = pred[] call(a, b), to_apply=inner
  v = f32[] select(p, a, b) k = s32[] select(p, i, j) ROOT r = (f32[], s32[]) tuple(v, k) }
)"));
}

TEST(Lowering, FindsTheBestPairInLanes) {
  ExpectKernels(Entry(R"(
    x = f32[5,100] parameter(0)
    i = s32[5,100] iota(), iota_dimension=1
    z = f32[] constant(-inf)
    k = s32[] constant(0)
    a = (f32[5], s32[5]) reduce(x, i, z, k), dimensions={1}, to_apply=first_maximum
    b = f32[5,100] round-nearest-even(x)
    c = (f32[5], s32[5]) reduce(b, i, z, k), dimensions={1}, to_apply=first_maximum
    nothing = f32[] constant(0)
    n = f32[5,100] broadcast(nothing), dimensions={}
    v = f32[5,100] multiply(x, n)
    l = (f32[5], s32[5]) reduce(v, i, z, k), dimensions={1}, to_apply=first_maximum
    o = (f32[5], s32[5]) reduce(x, i, z, k), dimensions={1}, to_apply=greater
    y = s32[70] parameter(1)
    j = s8[70] parameter(2)
    u = s32[] parameter(3)
    w = s8[] parameter(4)
    ROOT q = (s32[], s8[]) reduce(y, j, u, w), dimensions={0}, to_apply=minimum
  )",
                      R"(
first_maximum { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3)
  gt = pred[] compare(a, b), direction=GT
  unordered = pred[] compare(a, a), direction=NE
  pick = pred[] or(gt, unordered)
  v = f32[] select(pick, a, b)
  eq = pred[] compare(a, b), direction=EQ
  lt = pred[] compare(i, j), direction=LT
  tie = pred[] and(eq, lt)
  either = pred[] or(pick, tie)
  k = s32[] select(either, i, j) ROOT r = (f32[], s32[]) tuple(v, k) }
greater { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3)
  c = pred[] compare(a, b), direction=GT
  v = f32[] select(c, a, b) k = s32[] select(c, i, j) ROOT r = (f32[], s32[]) tuple(v, k) }
minimum { a = s32[] parameter(0) i = s8[] parameter(1) b = s32[] parameter(2) j = s8[] parameter(3)
  c = pred[] compare(b, a), direction=GE
  v = s32[] select(c, a, b)
  eq = pred[] compare(b, a), direction=EQ
  low = s8[] minimum(i, j)
  w = s8[] select(c, i, j)
  k = s8[] select(eq, low, w) ROOT r = (s32[], s8[]) tuple(v, k) }
)"));
}

TEST(Lowering, PoolsSmallWindows) {
  ExpectKernels(Entry(R"(
    x = f32[2,9,11,8] parameter(0)
    z = f32[] parameter(1)
    a = f32[2,5,6,8] reduce-window(x, z), window={size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_1x1_1x0_0}, to_apply=max
    b = f32[2,5,6,8] reduce-window(x, z), window={size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_1x1_1x0_0}, to_apply=add
    c = f32[2,12,11,8] reduce-window(x, z), window={size=1x3x1x1 pad=0_0x3_2x0_0x0_0}, to_apply=max
    d = f32[2,9,8,6] reduce-window(x, z), window={size=1x2x2x3 pad=0_0x-1_2x2_-1x0_0 rhs_dilate=1x1x4x1}, to_apply=max
    ROOT e = f32[2,19,11,8] reduce-window(x, z), window={size=1x2x1x1 pad=0_0x2_1x0_0x0_0 lhs_dilate=1x2x1x1}, to_apply=max
  )",
                      absl::StrCat(kAdd, "\n", kMax)));
}

constexpr char kScanFunctions[] = R"(
  add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
  half { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] add(a, b) }
  complex { a = c64[] parameter(0) b = c64[] parameter(1) ROOT r = c64[] add(a, b) }
  max { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] maximum(a, b) }
  product { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] multiply(b, a) }
  second { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3)
    c = pred[] compare(a, b), direction=GE
    v = f32[] select(c, a, b) k = s32[] select(c, i, j) ROOT r = (f32[], s32[]) tuple(v, k) }
)";

TEST(Lowering, ScansCumulativeWindows) {
  // Columns; strands; both in chunks, with tails and without; results before the first element and fewer than elements.
  ExpectKernels(Entry(R"(
    z = f32[] parameter(0)
    a = f32[130,37] parameter(1)
    a1 = f32[130,37] reduce-window(a, z), window={size=130x1 pad=129_0x0_0}, to_apply=add
    a2 = f32[130,37] reduce-window(a, z), window={size=130x1 pad=0_129x0_0}, to_apply=add
    a3 = f32[130,37] reduce-window(a, z), window={size=1x37 pad=0_0x36_0}, to_apply=product
    a4 = f32[130,40] reduce-window(a, z), window={size=1x37 pad=0_0x40_-1}, to_apply=add
    a5 = f32[90,37] reduce-window(a, z), window={size=130x1 pad=129_-40x0_0}, to_apply=add
    a6 = f32[130,50] reduce-window(a, z), window={size=1x40 pad=0_0x49_3}, to_apply=add
    b = f32[3000] parameter(2)
    b1 = f32[3000] reduce-window(b, z), window={size=3000 pad=2999_0}, to_apply=add
    b2 = f32[3000] reduce-window(b, z), window={size=3000 pad=0_2999}, to_apply=add
    b3 = f32[3000] reduce-window(b, z), window={size=3000 pad=2999_0}, to_apply=product
    c = s32[700,20] parameter(3)
    y = s32[] parameter(4)
    c1 = s32[700,20] reduce-window(c, y), window={size=700x1 pad=699_0x0_0}, to_apply=max
    d = f32[2,600,3]{2,1,0} parameter(5)
    d1 = f32[2,600,3]{1,0,2} reduce-window(d, z), window={size=1x600x1 pad=0_0x599_0x0_0}, to_apply=add
    d2 = f32[2,600,3]{2,1,0} reduce-window(d, z), window={size=1x600x1 pad=0_0x0_599x0_0}, to_apply=add
    e = bf16[9,70] parameter(6)
    w = bf16[] parameter(7)
    e1 = bf16[9,70] reduce-window(e, w), window={size=1x70 pad=0_0x69_0}, to_apply=half
    f = c64[100,16] parameter(8)
    v = c64[] parameter(9)
    ROOT f1 = c64[100,16] reduce-window(f, v), window={size=100x1 pad=99_0x0_0}, to_apply=complex
  )",
                      kScanFunctions));
  ExpectKernels(Entry(R"(
    x = f32[20,40] parameter(0)
    i = s32[20,40] iota(), iota_dimension=1
    z = f32[] constant(-inf)
    k = s32[] constant(-1)
    ROOT w = (f32[20,40], s32[20,40]) reduce-window(x, i, z, k), window={size=1x40 pad=0_0x39_0}, to_apply=second
  )",
                      kScanFunctions));
}

TEST(Lowering, ScansWithinFusions) {
  ExpectKernels(Entry(R"(
    x = f32[30,40] parameter(0)
    z = f32[] constant(0)
    half = f32[] constant(0.5)
    h = f32[30,40] broadcast(half), dimensions={}
    y = f32[30,40] multiply(x, h)
    s = f32[30,40] reduce-window(y, z), window={size=1x40 pad=0_0x39_0}, to_apply=add
    ROOT r = f32[30,40] subtract(s, x)
  )",
                      kScanFunctions),
                /*fuse=*/true);
}

TEST(Lowering, MultipliesMatrices) {
  ExpectKernels(Entry(R"(
    a = f32[3,5,7] parameter(0)
    b = f32[3,7,4] parameter(1)
    d = f32[3,5,4] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
    c = f32[3,4,7] parameter(2)
    f = f32[3,5,4] dot(a, c), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
    s = s8[6,40] parameter(3)
    t = s8[40,5] parameter(4)
    g = s32[6,5] dot(s, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    p = pred[4,3] parameter(5)
    q = pred[3,2] parameter(6)
    h = pred[4,2] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    u = bf16[6,40] parameter(7)
    i = bf16[6,6] dot(u, u), lhs_contracting_dims={1}, rhs_contracting_dims={1}
    w = c64[3,3] parameter(8)
    ROOT j = c64[3,3] dot(w, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  )"));
}

TEST(Lowering, ConvolvesWithEverything) {
  ExpectKernels(Entry(R"(
    x = f32[2,9,8,4] parameter(0)
    k = f32[3,2,2,6] parameter(1)
    a = f32[2,4,9,6] convolution(x, k), window={size=3x2 stride=2x1 pad=0_1x1_1 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f, feature_group_count=2
    y = f32[4,9,5] parameter(2)
    l = f32[6,5,3] parameter(3)
    b = f32[2,6,17] convolution(y, l), window={size=3 pad=1_1 lhs_dilate=2}, dim_labels=b0f_oi0->bf0, batch_group_count=2
    s = s8[1,3,7] parameter(4)
    m = s8[3,2,3] parameter(5)
    ROOT c = s32[1,2,3] convolution(s, m), window={size=3 rhs_dilate=2}, dim_labels=bf0_io0->bf0
  )"));
}

TEST(Lowering, FusesSoftmaxAndNorms) {
  const std::string functions = absl::StrCat(kAdd, "\n", kMax);
  const int phases = ExpectKernels(Entry(R"(
    x = f32[24,200] parameter(0)
    low = f32[] constant(-inf)
    zero = f32[] constant(0)
    m = f32[24] reduce(x, low), dimensions={1}, to_apply=max
    mb = f32[24,200] broadcast(m), dimensions={0}
    d = f32[24,200] subtract(x, mb)
    e = f32[24,200] exponential(d)
    s = f32[24] reduce(e, zero), dimensions={1}, to_apply=add
    sb = f32[24,200] broadcast(s), dimensions={0}
    ROOT r = f32[24,200] divide(e, sb)
  )",
                                         functions),
                                   /*fuse=*/true);
  EXPECT_EQ(phases, 1);
  EXPECT_EQ(ExpectKernels(Entry(R"(
    x = f32[3,8,200] parameter(0)
    g = f32[200] parameter(1)
    zero = f32[] constant(0)
    n = f32[] constant(0.005)
    eps = f32[] constant(1e-5)
    t = f32[3,8] reduce(x, zero), dimensions={2}, to_apply=add
    nb = f32[3,8] broadcast(n), dimensions={}
    mean = f32[3,8] multiply(t, nb)
    mb = f32[3,8,200] broadcast(mean), dimensions={0,1}
    d = f32[3,8,200] subtract(x, mb)
    q = f32[3,8,200] multiply(d, d)
    v = f32[3,8] reduce(q, zero), dimensions={2}, to_apply=add
    va = f32[3,8] multiply(v, nb)
    eb = f32[3,8] broadcast(eps), dimensions={}
    ve = f32[3,8] add(va, eb)
    i = f32[3,8] rsqrt(ve)
    ib = f32[3,8,200] broadcast(i), dimensions={0,1}
    y = f32[3,8,200] multiply(d, ib)
    gb = f32[3,8,200] broadcast(g), dimensions={2}
    ROOT r = f32[3,8,200] multiply(y, gb)
  )",
                                functions),
                          /*fuse=*/true),
            1);
}

TEST(Lowering, FusesSoftmaxOfShortRows) {
  const std::string functions = absl::StrCat(kAdd, "\n", kMax);
  for (const char* const sizes : {"500,10", "33,16", "4,25,2", "7000,5", "3,5"}) {
    const std::string rows(sizes, absl::string_view(sizes).rfind(','));
    const std::string kept = rows.find(',') == std::string::npos ? "0" : "0,1";
    const std::string last = rows.find(',') == std::string::npos ? "1" : "2";
    const auto body = absl::StrCat("x = f32[", sizes, "] parameter(0)\n",
                                   "low = f32[] constant(-inf)\nzero = f32[] constant(0)\n", "m = f32[", rows,
                                   "] reduce(x, low), dimensions={", last, "}, to_apply=max\n", "mb = f32[", sizes,
                                   "] broadcast(m), dimensions={", kept, "}\n", "d = f32[", sizes,
                                   "] subtract(x, mb)\n", "e = f32[", sizes, "] exponential(d)\n", "s = f32[", rows,
                                   "] reduce(e, zero), dimensions={", last, "}, to_apply=add\n", "sb = f32[", sizes,
                                   "] broadcast(s), dimensions={", kept, "}\n", "ROOT r = f32[", sizes,
                                   "] divide(e, sb)\n");
    EXPECT_EQ(ExpectKernels(Entry(body, functions), /*fuse=*/true), 1) << sizes;
  }
}

TEST(Lowering, KeepsRowsThatFillVectors) {
  ExpectKernels(Entry(R"(
    x = f32[40,16] parameter(0)
    y = f32[40,16] parameter(1)
    zero = f32[] constant(0)
    p = f32[40,16] multiply(x, y)
    s = f32[40] reduce(p, zero), dimensions={1}, to_apply=add
    ROOT t = (f32[40,16], f32[40]) tuple(p, s)
  )",
                      kAdd),
                /*fuse=*/true);
}

TEST(Lowering, KeepsWhatWouldBeComputedAgainAndAgain) {
  ExpectKernels(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
f { x = f32[40,90] parameter(0) z = f32[] constant(0)
  s = f32[90] reduce(x, z), dimensions={0}, to_apply=add
  t = f32[] reduce(x, z), dimensions={0,1}, to_apply=add
  sb = f32[40,90] broadcast(s), dimensions={1}
  tb = f32[40,90] broadcast(t), dimensions={}
  a = f32[40,90] add(x, sb)
  ROOT r = f32[40,90] subtract(a, tb) }
ENTRY e { x = f32[40,90] parameter(0) ROOT r = f32[40,90] fusion(x), kind=kInput, calls=f }
)");
}

TEST(Lowering, WritesSeveralResults) {
  ExpectKernels(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
f { x = f32[12,130] parameter(0) z = f32[] constant(0) c = f32[3] constant({1,2,5})
  e = f32[12,130] exponential(x)
  s = f32[12] reduce(e, z), dimensions={1}, to_apply=add
  t = f32[130,12] transpose(e), dimensions={1,0}
  cb = f32[3,4] broadcast(c), dimensions={0}
  cf = f32[12] reshape(cb)
  n = f32[12] add(s, cf)
  ROOT r = (f32[12,130], f32[12], f32[130,12], f32[12]) tuple(e, s, t, n) }
ENTRY e { x = f32[12,130] parameter(0) ROOT r = (f32[12,130], f32[12], f32[130,12], f32[12]) fusion(x), kind=kInput, calls=f }
)");
}

TEST(Lowering, UpdatesInPlaceWhereItMay) {
  ExpectKernels(R"(HloModule m
f { x = f32[20,30] parameter(0) u = f32[1,30] parameter(1) i = s32[] parameter(2) z = s32[] constant(0)
  v = f32[1,30] add(u, u)
  ROOT r = f32[20,30] dynamic-update-slice(x, v, i, z) }
g { x = f32[20,30] parameter(0) u = f32[1,30] parameter(1) i = s32[] parameter(2) z = s32[] constant(0)
  o = f32[1,30] dynamic-slice(x, z, i), dynamic_slice_sizes={1,30}
  v = f32[1,30] add(u, o)
  ROOT r = f32[20,30] dynamic-update-slice(x, v, i, z) }
ENTRY e { x = f32[20,30] parameter(0) u = f32[1,30] parameter(1) i = s32[] parameter(2)
  a = f32[20,30] fusion(x, u, i), kind=kLoop, calls=f
  b = f32[20,30] fusion(x, u, i), kind=kLoop, calls=g, output_to_operand_aliasing={{}: (0, {})}
  ROOT r = (f32[20,30], f32[20,30]) tuple(a, b) }
)");
}

// A row is cut where the padding begins and ends, and each piece reads the element of y that it writes.
TEST(Lowering, WorksInPlacePieceByPiece) {
  constexpr char kStencil[] = R"(HloModule m
f { x = f32[6,300] parameter(0) y = f32[6,300] parameter(1) z = f32[] constant(0)
  p = f32[6,302] pad(x, z), padding=0_0x1_1
  l = f32[6,300] slice(p), slice={[0:6], [0:300]} r = f32[6,300] slice(p), slice={[0:6], [2:302]}
  s = f32[6,300] add(l, r) ROOT d = f32[6,300] subtract(y, s) }
ENTRY e { x = f32[6,300] parameter(0) y = f32[6,300] parameter(1)
  ROOT d = f32[6,300] fusion(x, y), kind=kLoop, calls=f, output_to_operand_aliasing={{}: (1, {})} }
)";
  ExpectKernels(kStencil);
  const auto module = ParseHloModule(kStencil);
  const HloInstruction& fusion = *(*module)->entry()->root();
  const auto of_y = LowerInstruction(fusion, LoweringTarget(), {1});
  ASSERT_TRUE(of_y.ok()) << of_y.status();
  EXPECT_EQ(of_y->kernel.phases.size(), 1u) << KernelToString(of_y->kernel);
  // Neighbours of x are read after they would have been written.
  const auto of_x = LowerInstruction(fusion, LoweringTarget(), {0});
  ASSERT_TRUE(of_x.ok()) << of_x.status();
  EXPECT_EQ(of_x->kernel.phases.size(), 2u) << KernelToString(of_x->kernel);
}

// Along each dimension, of sizes that are powers of two and not; equal keys stay in order; results in the operands' place.
TEST(Lowering, SortsByMerging) {
  constexpr char kLess[] = R"(less { a = s32[] parameter(0) b = s32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3)
  n = s32[] constant(3) x = s32[] divide(a, n) y = s32[] divide(b, n) ROOT r = pred[] compare(x, y), direction=LT }
more { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER })";
  const auto phases = [&](const char* body) { return ExpectKernels(Entry(body, kLess)); };
  EXPECT_EQ(phases("k = s32[3,37] parameter(0)\nv = f32[3,37] parameter(1)\nROOT s = (s32[3,37], f32[3,37]) sort(k, v), "
                   "dimensions={1}, is_stable=true, to_apply=less"),
            7);
  EXPECT_EQ(phases("k = s32[16,5,2] parameter(0)\nv = f32[16,5,2] parameter(1)\nROOT s = (s32[16,5,2], f32[16,5,2]) "
                   "sort(k, v), dimensions={0}, is_stable=true, to_apply=less"),
            5);
  EXPECT_EQ(phases("x = f32[200] parameter(0)\nROOT s = f32[200] sort(x), dimensions={0}, to_apply=more"), 9);
  EXPECT_EQ(phases("x = f32[7,1] parameter(0)\nROOT s = f32[7,1] sort(x), dimensions={1}, to_apply=more"), 1);
  ExpectKernels(Entry("x = f32[0,4] parameter(0)\nROOT s = f32[0,4] sort(x), dimensions={1}, to_apply=more", kLess));
}

// NaN among the elements, which < puts nowhere; keys by expressions, several of them, and the other way round.
TEST(Lowering, SortsByKeysAsTheInterpreterDoes) {
  constexpr char kOrders[] = R"(
up { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
down { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = pred[] compare(b, a), direction=LT }
both { a = f32[] parameter(0) b = f32[] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3)
  x = f32[] abs(a) y = f32[] abs(b) same = pred[] compare(x, y), direction=EQ
  greater = pred[] compare(x, y), direction=GT later = pred[] compare(i, j), direction=GT
  rest = pred[] and(same, later) ROOT r = pred[] or(greater, rest) })";
  ExpectKernels(Entry("x = f32[3,50] parameter(0)\nROOT s = f32[3,50] sort(x), dimensions={1}, to_apply=up", kOrders));
  ExpectKernels(
      Entry("x = bf16[70,2] parameter(0)\nROOT s = bf16[70,2] sort(x), dimensions={0}, to_apply=down", kOrders));
  ExpectKernels(
      Entry("x = f32[130] parameter(0)\ni = s32[130] parameter(1)\nROOT s = (f32[130], s32[130]) sort(x, i), "
            "dimensions={0}, to_apply=both",
            kOrders));
}

// Of three kinds of elements each comes before the next one, and the last one before the first: what comes out is not
// defined, but it has each element once.
TEST(Lowering, SortsKeepAllElementsIfTheComparatorContradictsItself) {
  auto module = ParseHloModule(R"(HloModule m
beats { a = s32[] parameter(0) b = s32[] parameter(1) three = s32[] constant(3) one = s32[] constant(1)
  next = s32[] add(a, one) x = s32[] remainder(next, three) y = s32[] remainder(b, three)
  ROOT r = pred[] compare(x, y), direction=EQ }
ENTRY e { x = s32[500] parameter(0) ROOT s = s32[500] sort(x), dimensions={0}, to_apply=beats })");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto lowered = LowerInstruction(*(*module)->entry()->root(), SmallTiles().target);
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  std::vector<Literal> arrays;
  for (const KernelBuffer& buffer : lowered->kernel.buffers) {
    arrays.push_back(*Literal::Zeros(Shape::Array(buffer.type, {buffer.element_count})));
  }
  std::vector<int32_t> elements(500);
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<int32_t>(i * 7919 % 1000);
  std::copy(elements.begin(), elements.end(), arrays[0].mutable_data<int32_t>());
  KernelRunOptions options;
  options.check_independence = true;
  ASSERT_EQ(RunKernelOnArrays(lowered->kernel, absl::MakeSpan(arrays), options), absl::OkStatus());
  EXPECT_THAT(arrays[1].span<int32_t>(), testing::UnorderedElementsAreArray(elements));
}

int CountOf(const std::string& text, const std::string& what) {
  int count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// Rows and columns that end within a tile, sums in lanes, batches, padding that asks of each element whether it counts,
// and what is computed from the products.
TEST(Lowering, ComputesProductsTileByTile) {
  constexpr char kProducts[] = R"(HloModule m
f { x = f32[13,70] parameter(0) y = f32[70,19] parameter(1) b = f32[19] parameter(2)
  d = f32[13,19] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  bb = f32[13,19] broadcast(b), dimensions={1} ROOT r = f32[13,19] add(d, bb) }
ENTRY e { x = f32[13,70] parameter(0) y = f32[70,19] parameter(1) b = f32[19] parameter(2)
  u = f32[3,11,70] parameter(3) v = f32[3,9,70] parameter(4)
  image = bf16[2,9,10,5] parameter(5) kernel = bf16[3,3,5,12] parameter(6)
  plain = f32[13,19] fusion(x, y, b), kind=kLoop, calls=f
  lanes = f32[3,11,9] dot(u, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  conv = bf16[2,9,10,12] convolution(image, kernel), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  ROOT r = (f32[13,19], f32[3,11,9], bf16[2,9,10,12]) tuple(plain, lanes, conv) }
)";
  ExpectKernels(kProducts);
  const auto module = ParseHloModule(kProducts);
  const auto text_of = [&](const char* name) {
    const HloInstruction* found = nullptr;
    for (const auto& instruction : (*module)->entry()->instructions()) {
      if (instruction->name() == name) found = instruction.get();
    }
    const auto lowered = LowerInstruction(*found, LoweringTarget::Workgroups(/*invocations=*/64, 16 * 1024));
    EXPECT_TRUE(lowered.ok()) << lowered.status();
    return lowered.ok() ? KernelToString(lowered->kernel) : std::string();
  };
  // 8 rows and 8 columns: 16 loads for 64 products.
  const std::string plain = text_of("plain");
  EXPECT_EQ(CountOf(plain, " reduce "), 1) << plain;
  EXPECT_EQ(CountOf(plain, " load f32 x"), 8) << plain;
  EXPECT_EQ(CountOf(plain, " load f32 y"), 8) << plain;
  EXPECT_EQ(CountOf(plain, " multiply "), 64) << plain;
  EXPECT_THAT(text_of("lanes"), testing::HasSubstr(" lanes 32 "));
}

// Rows that are kept, blocks that are transposed and running sums are scratch of some kilobytes.
TEST(Lowering, SpillsScratchThatADeviceDoesNotHave) {
  KernelCheckOptions options = SmallTiles();
  options.other_target = LoweringTarget::Workgroups(/*invocations=*/64, /*shared_bytes=*/1024);
  options.other_target->kept_bytes = 1 << 20;
  ExpectKernels(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
f { x = f32[9,700] parameter(0) z = f32[] constant(0)
  e = f32[9,700] exponential(x)
  s = f32[9] reduce(e, z), dimensions={1}, to_apply=add
  sb = f32[9,700] broadcast(s), dimensions={0}
  ROOT r = f32[9,700] divide(e, sb) }
g { x = f32[70,90] parameter(0) t = f32[90,70] transpose(x), dimensions={1,0} ROOT n = f32[90,70] negate(t) }
ENTRY e { x = f32[9,700] parameter(0) y = f32[70,90] parameter(1) z = f32[] constant(0)
  softmax = f32[9,700] fusion(x), kind=kInput, calls=f
  turned = f32[90,70] fusion(y), kind=kLoop, calls=g
  sums = f32[70,90] reduce-window(y, z), window={size=70x1 pad=69_0x0_0}, to_apply=add
  ROOT r = (f32[9,700], f32[90,70], f32[70,90]) tuple(softmax, turned, sums) }
)",
                /*fuse=*/false, options);
}

TEST(Lowering, RefusesLanesThatADeviceDoesNotHave) {
  auto module =
      ParseHloModule(Entry("x = f32[8,700] parameter(0)\nz = f32[] constant(0)\n"
                           "ROOT s = f32[8] reduce(x, z), dimensions={1}, to_apply=add",
                           "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }"));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto lowered = LowerInstruction(*(*module)->entry()->root(), LoweringTarget::Workgroups(64, 64));
  EXPECT_EQ(lowered.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(lowered.status().message(), "s: a tile needs 128 bytes of shared memory, the device has 64");
}

TEST(Lowering, SaysWhyNot) {
  auto module = ParseHloModule(Entry("x = f32[8] parameter(0)\nROOT s = f32[8] sort(x), dimensions={0}, to_apply=less",
                                     "less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, "
                                     "b), direction=LT }"));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto lowered = LowerInstruction(*(*module)->entry()->root());
  EXPECT_EQ(lowered.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(lowered.status().message(), "s: no kernel for sort: there is no rule for it");
}

}  // namespace
}  // namespace xla
