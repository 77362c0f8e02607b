// The pretty forms of operations: each is printed as it was read, and its generic form is read as the same.
#include <string>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/text_testing.h"

namespace xla {
namespace stablehlo {
namespace {

// A module of one function with these arguments and operations.
std::string Function(absl::string_view arguments, absl::string_view operations) {
  return absl::StrCat("module {\n  func.func @main(", arguments, ") {\n", operations, "    return\n  }\n}\n");
}

TEST(Forms, Elementwise) {
  ExpectPrintsSame(Function("%a: tensor<4xf32>, %i: tensor<4xi32>, %p: tensor<4xi1>, %s: tensor<f32>",
                            R"(    %0 = stablehlo.sine %a : tensor<4xf32>
    %1 = stablehlo.convert %i : (tensor<4xi32>) -> tensor<4xf32>
    %2 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
    %3 = stablehlo.add %a, %a : tensor<4xf32>
    %4 = stablehlo.is_finite %a : (tensor<4xf32>) -> tensor<4xi1>
    %5 = stablehlo.complex %a, %a : tensor<4xcomplex<f32>>
    %6 = stablehlo.compare LT, %a, %a, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %7 = stablehlo.compare EQ, %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %8 = stablehlo.select %p, %a, %a : tensor<4xi1>, tensor<4xf32>
    %9 = stablehlo.clamp %s, %a, %s : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %10 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4xf32>
    %11 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4xi32>
    %12 = chlo.erf %a : tensor<4xf32> -> tensor<4xf32>
    %13 = chlo.polygamma %a, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %14 = chlo.broadcast_add %a, %s {broadcast_dimensions = array<i64>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
)"));
}

TEST(Forms, DataMovement) {
  ExpectPrintsSame(Function("%a: tensor<2x3xf32>, %s: tensor<f32>, %i: tensor<i32>, %n: tensor<2xi64>",
                            R"(    %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %1 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
    %2 = stablehlo.broadcast_in_dim %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %3 = stablehlo.broadcast %s, sizes = [2, 3] : (tensor<f32>) -> tensor<2x3xf32>
    %4 = stablehlo.dynamic_broadcast_in_dim %s, %n, dims = [] {known_expanding_dimensions = array<i64: 0>} : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
    %5 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    %6 = stablehlo.slice %a [0:1, 0:3:2] : (tensor<2x3xf32>) -> tensor<1x2xf32>
    %7 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %8 = stablehlo.dynamic_update_slice %a, %6, %i, %i : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %9 = stablehlo.pad %a, %s, low = [0, -1], high = [1, 0], interior = [0, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>
    %10 = stablehlo.reverse %a, dims = [1] : tensor<2x3xf32>
    %11 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %12 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<6xf32>
    %13 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<2x3xf32>) -> tensor<i32>
    %14 = stablehlo.set_dimension_size %a, %i, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>
    %15 = stablehlo.tuple %a, %s : tuple<tensor<2x3xf32>, tensor<f32>>
    %16 = stablehlo.get_tuple_element %15[1] : (tuple<tensor<2x3xf32>, tensor<f32>>) -> tensor<f32>
    %17:2 = stablehlo.optimization_barrier %a, %s : tensor<2x3xf32>, tensor<f32>
    stablehlo.optimization_barrier()
    %18 = stablehlo.partition_id : tensor<ui32>
    %19 = stablehlo.create_token : !stablehlo.token
    %20 = stablehlo.after_all %19, %19 : !stablehlo.token
    %values, %indices = chlo.top_k(%a, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
)"));
}

TEST(Forms, Products) {
  ExpectPrintsSame(Function(
      "%a: tensor<2x4x3xf32>, %b: tensor<2x3x5xf32>, %m: tensor<4x3xf32>, %v: tensor<3xf32>, %x: tensor<1x8x8x2xf32>, "
      "%w: tensor<3x3x2x4xf32>",
      R"(    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGH, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x4x3xf32>, tensor<2x3x5xf32>) -> tensor<2x4x5xf32>
    %1 = stablehlo.dot_general %m, %v, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4xf32>
    %2 = stablehlo.dot %m, %v, precision = [DEFAULT, HIGHEST] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4xf32>
    %3 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x4x4x4xf32>
    %4 = stablehlo.einsum %m, %m, config = "ij,kj->ik" : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
    %5 = stablehlo.fft %v, type = RFFT, length = [3] : (tensor<3xf32>) -> tensor<2xcomplex<f32>>
    %6 = stablehlo.cholesky %m, lower = true : tensor<4x3xf32>
    %7 = stablehlo.cholesky %m : tensor<4x3xf32>
)"));
}

TEST(Forms, RandomNumbersAndCalls) {
  ExpectPrintsSame(Function(
      "%s: tensor<f32>, %n: tensor<2xi64>, %st: tensor<2xui64>",
      R"(    %0 = stablehlo.rng %s, %s, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
    %1:2 = stablehlo.rng_bit_generator %st, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    %2 = stablehlo.custom_call @target(%s) {api_version = 4 : i32, backend_config = {k = 1 : i64}, called_computations = [@f], has_side_effect = true, operand_layouts = [dense<> : tensor<0xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<> : tensor<0xindex>]} : (tensor<f32>) -> tensor<f32>
    %3 = stablehlo.custom_call @"odd name"() : () -> tuple<>
    %4 = stablehlo.composite "my.op" %s {composite_attributes = {k = 2.000000e+00 : f64}, decomposition = @impl, version = 1 : i32} : (tensor<f32>) -> tensor<f32>
    %5:2 = func.call @f(%s) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
)"));
}

TEST(Forms, Regions) {
  ExpectPrintsSame(Function(
      "%a: tensor<2x3xf32>, %i: tensor<2x3xi32>, %z: tensor<f32>, %k: tensor<i32>",
      R"(    %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %1:2 = stablehlo.reduce(%a init: %z), (%i init: %k) across dimensions = [0] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
     reducer(%p: tensor<f32>, %r: tensor<f32>) (%q: tensor<i32>, %s: tensor<i32>) {
      stablehlo.return %p, %s : tensor<f32>, tensor<i32>
    }
    %2:2 = stablehlo.while(%x = %k, %y = %a) : tensor<i32>, tensor<2x3xf32>
    cond {
      %4 = stablehlo.compare LT, %x, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = stablehlo.add %x, %x : tensor<i32>
      stablehlo.return %4, %y : tensor<i32>, tensor<2x3xf32>
    }
    %3:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<i32>, %s: tensor<i32>):
      %4 = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    }) : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
)"));
}

TEST(Forms, GenericOnes) {
  ExpectPrintsSame(Function(
      "%a: tensor<4xf32>, %n: tensor<1xi32>",
      R"mlir(    %0 = "stablehlo.gather"(%a, %n) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<1xi32>) -> tensor<f32>
    %1 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %4 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = "stablehlo.async_start"(%a) ({
    ^bb0(%x: tensor<4xf32>):
      %4 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "a", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "a", sub_axis_info = (1)2>]>}> : (tensor<4xf32>) -> tensor<8xf32>
      stablehlo.return %4 : tensor<8xf32>
    }) {xla_shape = "((f32[4]{0}), f32[8]{0})"} : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
    %3 = "stablehlo.async_done"(%2) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
)mlir"));
}

TEST(Forms, Shardy) {
  ExpectPrintsSame(R"(module @m attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  sdy.mesh @one = <[], device_ids=[0]>
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b", ?}p1], replicated={"c"}, unreduced={"d":(1)2}>}) -> (tensor<8x8xf32> {jax.result_info = "result"}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}, {}]> : tensor<8x8xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a"}, {?}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"a"} (%arg1: tensor<4x8xf32>) {
      %3 = stablehlo.negate %arg1 : tensor<4x8xf32>
      sdy.return %3 : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.custom_call @f(%1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, jk]) {i=8, j=8, k=8} reduction={j}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
)");
  ExpectReadsAgain(R"(sdy.mesh @mesh = <["a"=2]> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}]}}
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  sdy.sharding_group %a group_id=7 : tensor<4xf32>
  %0 = sdy.reshard %a <mesh<["q"=2]>, [{"q"}]> : tensor<4xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=BACKWARD : tensor<4xf32>
  %2 = sdy.data_flow_edge %1 sharding=<@mesh, [{}]> : tensor<4xf32>
  %3 = sdy.named_computation<"f">(%2) in_shardings=[<@mesh, [{}]>] (%x: tensor<4xf32>) {
    sdy.return %x : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
)");
}

TEST(Forms, ShardyCollectives) {
  ExpectPrintsSame(R"(module {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.all_gather [{"a"}, {}] %arg0 out_sharding=<@mesh, [{}, {"b"}]> : tensor<8x8xf32>
    %1 = sdy.all_slice [{"a"}, {"b":(1)2}] %0 out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<8x8xf32>
    %2 = sdy.all_to_all [{"b"}: 1->0] %1 out_sharding=<@mesh, [{"a", "b"}, {}]> : tensor<8x8xf32>
    %3 = sdy.collective_permute %2 out_sharding=<@mesh, [{"b", "a"}, {}]> : tensor<8x8xf32>
    %4 = sdy.all_reduce {"a"} %3 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %5 = sdy.reduce_scatter [{}, {"a"}] %4 out_sharding=<@mesh, [{}, {"a"}]> : tensor<8x8xf32>
    %6 = sdy.replicated_to_unreduced {"b"} %5 out_sharding=<@mesh, [{}, {"a"}], unreduced={"b"}> : tensor<8x8xf32>
    %7 = sdy.sharded_to_unreduced [{}, {"a"}] %6 out_sharding=<@mesh, [{}, {}], unreduced={"a", "b"}> : tensor<8x8xf32>
    %8 = sdy.func_data_flow_edge %7 : tensor<8x8xf32>
    %9 = stablehlo.custom_call @f(%8) {a = #sdy<axis_ref_list{"a"}>, b = #sdy<list_of_axis_ref_lists[{}, {"b"}]>, c = #sdy<all_to_all_param_list[{"a"}: 0->1, {"b"}: 1->0]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %9 : tensor<8x8xf32>
  }
}
)");
}

// What older tools printed.
TEST(Forms, OlderOnes) {
  ExpectPrintsAs(R"(func.func @main(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.transpose"(%a) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return %0 : tensor<3x2xf32>
})",
                 R"(module {
  func.func @main(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}
)");
  ExpectReadsAgain("func.func private @f(tensor<?xf32, #mhlo.type_extensions<bounds = [6]>>, i32 {a}) -> ()");
}

}  // namespace
}  // namespace stablehlo
}  // namespace xla
