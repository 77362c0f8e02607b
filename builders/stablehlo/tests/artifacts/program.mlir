module {

  func.func @collectives_all_reduce_on_one_device(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @collectives_all_gather_on_one_device(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @collectives_reduce_scatter_on_one_device(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<0> : tensor<1x1xi64>, scatter_dimension = 0 : i64}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @collectives_all_to_all_on_one_device(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>, split_count = 1 : i64, split_dimension = 0 : i64}> : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @collectives_collective_permute_on_one_device(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @collectives_collective_broadcast_on_one_device(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @collectives_async_start_and_async_done(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.async_start"(%arg0) ({
    ^bb0(%arg1: tensor<2xf32>):
      %2 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %2 : tensor<2xf32>
    }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
    %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func @collectives_tokens(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.create_token : !stablehlo.token
    %1 = stablehlo.after_all %0, %0 : !stablehlo.token
    return %arg0 : tensor<2xf32>
  }
  func.func @constants_a_splat() -> tensor<2x2xf32> {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<2x2xf32>
    return %cst : tensor<2x2xf32>
  }
  func.func @constants_nested_lists() -> tensor<2x2xi8> {
    %c = stablehlo.constant dense<[[1, -2], [3, -1]]> : tensor<2x2xi8>
    return %c : tensor<2x2xi8>
  }
  func.func @constants_pred() -> tensor<2xi1> {
    %c = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    return %c : tensor<2xi1>
  }
  func.func @constants_complex_numbers() -> tensor<2xcomplex<f32>> {
    %cst = stablehlo.constant dense<[(1.000000e+00,2.000000e+00), (-0.000000e+00,0x7F800000)]> : tensor<2xcomplex<f32>>
    return %cst : tensor<2xcomplex<f32>>
  }
  func.func @constants_bytes() -> tensor<2xi32> {
    %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    return %c : tensor<2xi32>
  }
  func.func @constants_four_bits() -> tensor<2xi4> {
    %c = stablehlo.constant dense<[7, -8]> : tensor<2xi4>
    return %c : tensor<2xi4>
  }
  func.func @constants_many_equal_elements() -> tensor<i32> {
    %c = stablehlo.constant dense<2> : tensor<100000xi32>
    %0 = stablehlo.slice %c [99999:100000] : (tensor<100000xi32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func @constants_iota() -> tensor<2x3xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func @constants_tuple_and_get_tuple_element(%arg0: tensor<f32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<f32>, tensor<i32>>
    %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func @constants_optimization_barrier(%arg0: tensor<f32>, %arg1: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
    %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<f32>, tensor<i32>
    return %0#0, %0#1 : tensor<f32>, tensor<i32>
  }
  func.func @constants_get_dimension_size(%arg0: tensor<2x3xf32>) -> tensor<i32> {
    %0 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
  func.func @constants_set_dimension_size(%arg0: tensor<4xi32>, %arg1: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<4xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<4>>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<?xi32, #stablehlo.bounds<4>>, tensor<i32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func @constants_replica_id_and_partition_id() -> (tensor<ui32>, tensor<ui32>) {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.partition_id : tensor<ui32>
    return %0, %1 : tensor<ui32>, tensor<ui32>
  }
  func.func @constants_no_results(%arg0: tensor<f32>) {
    %0 = stablehlo.negate %arg0 : tensor<f32>
    return
  }
  func.func @control_flow_while_with_values_of_outside(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_1 = %c) : tensor<i32>, tensor<i32>
    cond {
      %1 = stablehlo.compare LT, %iterArg, %arg0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %iterArg_1, %arg1 : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      stablehlo.return %2, %1 : tensor<i32>, tensor<i32>
    }
    return %0#1 : tensor<i32>
  }
  func.func @control_flow_if_takes_region_0_where_the_condition_holds(%arg0: tensor<i1>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = "stablehlo.if"(%arg0) ({
      %1 = stablehlo.negate %arg1 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }, {
      stablehlo.return %arg1 : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    return %0 : tensor<i32>
  }
  func.func @control_flow_case_takes_the_last_branch_for_an_index_out_of_range(%arg0: tensor<i32>) -> (tensor<i32>, tensor<f32>) {
    %0:2 = "stablehlo.case"(%arg0) ({
      %c = stablehlo.constant dense<1> : tensor<i32>
      %cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>
      stablehlo.return %c, %cst : tensor<i32>, tensor<f32>
    }, {
      %c = stablehlo.constant dense<2> : tensor<i32>
      %cst = stablehlo.constant dense<2.500000e+00> : tensor<f32>
      stablehlo.return %c, %cst : tensor<i32>, tensor<f32>
    }) : (tensor<i32>) -> (tensor<i32>, tensor<f32>)
    return %0#0, %0#1 : tensor<i32>, tensor<f32>
  }
  func.func private @control_flow_call_a_function_twice_square(%arg0: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func @control_flow_call_a_function_twice(%arg0: tensor<i32>) -> tensor<i32> {
    %0 = call @control_flow_call_a_function_twice_square(%arg0) : (tensor<i32>) -> tensor<i32>
    %1 = call @control_flow_call_a_function_twice_square(%0) : (tensor<i32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @control_flow_composite_of_an_unknown_name_is_its_decomposition_square(%arg0: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func @control_flow_composite_of_an_unknown_name_is_its_decomposition(%arg0: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.composite "my.square" %arg0 {composite_attributes = {k = 2 : i64}, decomposition = @control_flow_composite_of_an_unknown_name_is_its_decomposition_square, version = 3 : i32} : (tensor<i32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
  func.func @conversions_compare_without_a_type(%arg0: tensor<2xui8>, %arg1: tensor<2xui8>) -> tensor<2xi1> {
    %0 = stablehlo.compare LT, %arg0, %arg1 : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
    return %0 : tensor<2xi1>
  }
  func.func @conversions_select_by_elements(%arg0: tensor<2xi1>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<2xi1>, tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @conversions_clamp_with_scalar_limits(%arg0: tensor<i32>, %arg1: tensor<3xi32>, %arg2: tensor<i32>) -> tensor<3xi32> {
    %0 = stablehlo.clamp %arg0, %arg1, %arg2 : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func @conversions_convert_floats_to_integers(%arg0: tensor<3xf32>) -> tensor<3xi8> {
    %0 = stablehlo.convert %arg0 : (tensor<3xf32>) -> tensor<3xi8>
    return %0 : tensor<3xi8>
  }
  func.func @conversions_convert_complex_numbers_to_real_ones(%arg0: tensor<1xcomplex<f32>>) -> tensor<1xf64> {
    %0 = stablehlo.convert %arg0 : (tensor<1xcomplex<f32>>) -> tensor<1xf64>
    return %0 : tensor<1xf64>
  }
  func.func @conversions_bitcast_convert_to_a_narrower_type(%arg0: tensor<1xf32>) -> tensor<1x4xui8> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<1xf32>) -> tensor<1x4xui8>
    return %0 : tensor<1x4xui8>
  }
  func.func @conversions_reduce_precision(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.reduce_precision %arg0, format = e5m2 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @custom_calls_LayoutConstraint_with_layouts(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.custom_call @LayoutConstraint(%arg0) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func private @custom_calls_a_comparator_of_its_own_more(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.compare GT, %arg0, %arg1, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func @custom_calls_a_comparator_of_its_own(%arg0: tensor<5xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @TopK(%arg0) {called_computations = [@custom_calls_a_comparator_of_its_own_more]} : (tensor<5xf32>) -> tuple<tensor<2xf32>, tensor<2xi32>>
    %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2xf32>, tensor<2xi32>>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func @custom_calls_Sharding(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{replicated}"} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @dynamic_dynamic_reshape_by_a_constant(%arg0: tensor<4xi32>) -> tensor<2x2xi32> {
    %c = stablehlo.constant dense<2> : tensor<2xi64>
    %0 = stablehlo.dynamic_reshape %arg0, %c : (tensor<4xi32>, tensor<2xi64>) -> tensor<2x2xi32>
    return %0 : tensor<2x2xi32>
  }
  func.func @dynamic_shapes_that_sizes_of_arrays_settle(%arg0: tensor<2xi32>, %arg1: tensor<3xi32>) -> tensor<3x2xi32> {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<2xi32>) -> tensor<i32>
    %1 = stablehlo.get_dimension_size %arg1, dim = 0 : (tensor<3xi32>) -> tensor<i32>
    %2 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %3 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
    %4 = stablehlo.concatenate %3, %2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %5 = stablehlo.dynamic_broadcast_in_dim %arg0, %4, dims = [1] : (tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xi32>
    %6 = stablehlo.add %5, %5 : tensor<?x?xi32>
    %7 = stablehlo.convert %6 : (tensor<?x?xi32>) -> tensor<3x2xi32>
    return %7 : tensor<3x2xi32>
  }
  func.func private @dynamic_shapes_that_calls_settle_count(%arg0: tensor<i32>) -> tensor<?xi32> {
    %0 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
    return %1 : tensor<?xi32>
  }
  func.func @dynamic_shapes_that_calls_settle(%arg0: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<2xi32>) -> tensor<i32>
    %1 = call @dynamic_shapes_that_calls_settle_count(%0) : (tensor<i32>) -> tensor<?xi32>
    %2 = stablehlo.convert %1 : (tensor<?xi32>) -> tensor<2xi32>
    return %2 : tensor<2xi32>
  }
  func.func @dynamic_dynamic_pad(%arg0: tensor<2xi32>) -> tensor<4xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<1xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<1xi64>
    %0 = stablehlo.dynamic_pad %arg0, %c, %c_0, %c_0, %c_1 : (tensor<2xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func @dynamic_real_dynamic_slice(%arg0: tensor<4xi32>) -> tensor<2xi32> {
    %c = stablehlo.constant dense<1> : tensor<1xi64>
    %c_0 = stablehlo.constant dense<3> : tensor<1xi64>
    %0 = stablehlo.real_dynamic_slice %arg0, %c, %c_0, %c : (tensor<4xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @dynamic_shape_assertion_that_holds(%arg0: tensor<4xi32>) -> tensor<4xi32> {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<4xi32>) -> tensor<i32>
    %c = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%1, %0) {api_version = 2 : i32, error_message = "wrong size {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    return %arg0 : tensor<4xi32>
  }
  func.func @dynamic_dynamic_top_k(%arg0: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
    %c = stablehlo.constant dense<2> : tensor<i32>
    %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%arg0, %c) {api_version = 2 : i32} : (tensor<4xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
    return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
  }
  func.func @dynamic_dynamic_rng_bit_generator(%arg0: tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>) {
    %c = stablehlo.constant dense<3> : tensor<1xi64>
    %0:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%arg0, %c) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<1xi64>) -> (tensor<2xui64>, tensor<3xui32>)
    return %0#0, %0#1 : tensor<2xui64>, tensor<3xui32>
  }
  func.func @elementwise_abs(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.abs %arg0 : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func @elementwise_ceil(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.ceil %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @elementwise_count_leading_zeros(%arg0: tensor<3xui8>) -> tensor<3xui8> {
    %0 = stablehlo.count_leading_zeros %arg0 : tensor<3xui8>
    return %0 : tensor<3xui8>
  }
  func.func @elementwise_floor(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.floor %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @elementwise_is_finite(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = stablehlo.is_finite %arg0 : (tensor<3xf32>) -> tensor<3xi1>
    return %0 : tensor<3xi1>
  }
  func.func @elementwise_not(%arg0: tensor<2xi1>) -> tensor<2xi1> {
    %0 = stablehlo.not %arg0 : tensor<2xi1>
    return %0 : tensor<2xi1>
  }
  func.func @elementwise_popcnt(%arg0: tensor<2xi8>) -> tensor<2xi8> {
    %0 = stablehlo.popcnt %arg0 : tensor<2xi8>
    return %0 : tensor<2xi8>
  }
  func.func @elementwise_real(%arg0: tensor<1xcomplex<f32>>) -> tensor<1xf32> {
    %0 = stablehlo.real %arg0 : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  }
  func.func @elementwise_imag(%arg0: tensor<1xcomplex<f32>>) -> tensor<1xf32> {
    %0 = stablehlo.imag %arg0 : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  }
  func.func @elementwise_round_nearest_afz(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.round_nearest_afz %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @elementwise_round_nearest_even(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @elementwise_sign(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.sign %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @elementwise_and(%arg0: tensor<2xi8>, %arg1: tensor<2xi8>) -> tensor<2xi8> {
    %0 = stablehlo.and %arg0, %arg1 : tensor<2xi8>
    return %0 : tensor<2xi8>
  }
  func.func @elementwise_or(%arg0: tensor<2xi8>, %arg1: tensor<2xi8>) -> tensor<2xi8> {
    %0 = stablehlo.or %arg0, %arg1 : tensor<2xi8>
    return %0 : tensor<2xi8>
  }
  func.func @elementwise_xor(%arg0: tensor<2xi8>, %arg1: tensor<2xi8>) -> tensor<2xi8> {
    %0 = stablehlo.xor %arg0, %arg1 : tensor<2xi8>
    return %0 : tensor<2xi8>
  }
  func.func @elementwise_shift_left(%arg0: tensor<2xi8>, %arg1: tensor<2xi8>) -> tensor<2xi8> {
    %0 = stablehlo.shift_left %arg0, %arg1 : tensor<2xi8>
    return %0 : tensor<2xi8>
  }
  func.func @elementwise_shift_right_arithmetic(%arg0: tensor<2xi8>, %arg1: tensor<2xi8>) -> tensor<2xi8> {
    %0 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<2xi8>
    return %0 : tensor<2xi8>
  }
  func.func @elementwise_shift_right_logical(%arg0: tensor<2xi8>, %arg1: tensor<2xi8>) -> tensor<2xi8> {
    %0 = stablehlo.shift_right_logical %arg0, %arg1 : tensor<2xi8>
    return %0 : tensor<2xi8>
  }
  func.func @elementwise_complex(%arg0: tensor<1xf32>, %arg1: tensor<1xf32>) -> tensor<1xcomplex<f32>> {
    %0 = stablehlo.complex %arg0, %arg1 : tensor<1xcomplex<f32>>
    return %0 : tensor<1xcomplex<f32>>
  }
  func.func @elementwise_maximum_of_complex_numbers_goes_by_real__then_by_imaginary_parts(%arg0: tensor<3xcomplex<f32>>, %arg1: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<3xcomplex<f32>>
    return %0 : tensor<3xcomplex<f32>>
  }
  func.func @gathers_gather_rows(%arg0: tensor<3x2xi32>, %arg1: tensor<2x1xi32>) -> tensor<2x2xi32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
    return %0 : tensor<2x2xi32>
  }
  func.func @gathers_scatter_adds_rows(%arg0: tensor<3x2xi32>, %arg1: tensor<2x1xi32>, %arg2: tensor<2x2xi32>) -> tensor<3x2xi32> {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<3x2xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<3x2xi32>
    return %0 : tensor<3x2xi32>
  }
  func.func @gathers_torch_index_select(%arg0: tensor<3x2xi32>, %arg1: tensor<2xi32>) -> tensor<2x2xi32> {
    %0 = "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<3x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
    return %0 : tensor<2x2xi32>
  }
  func.func @linear_algebra_triangular_solve(%arg0: tensor<2x2xf32>, %arg1: tensor<2x1xf32>) -> tensor<2x1xf32> {
    %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    return %0 : tensor<2x1xf32>
  }
  func.func @linear_algebra_fft(%arg0: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [2] : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
    return %0 : tensor<2xcomplex<f32>>
  }
  func.func @products_dot_general(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
  func.func @products_dot_general_with_a_batch(%arg0: tensor<2x2xi32>, %arg1: tensor<2x2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @products_dot_general_with_an_algorithm(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<f32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @products_dot_of_a_matrix_and_a_vector(%arg0: tensor<2x2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @products_einsum(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.einsum %arg0, %arg1, config = "ij,jk->ik" : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
  func.func @products_unary_einsum(%arg0: tensor<2x3xf32>) -> tensor<2xf32> {
    %0 = stablehlo.unary_einsum %arg0, config = "ij->i" : (tensor<2x3xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @products_convolution(%arg0: tensor<1x4x1xf32>, %arg1: tensor<2x1x1xf32>) -> tensor<1x3x1xf32> {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
    return %0 : tensor<1x3x1xf32>
  }
  func.func @products_convolution_with_strides__padding_and_dilation(%arg0: tensor<1x4x1xf32>, %arg1: tensor<2x1x1xf32>) -> tensor<1x2x1xf32> {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 0]], lhs_dilate = [1], rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x2x1xf32>
    return %0 : tensor<1x2x1xf32>
  }
  func.func @products_convolution_with_a_reversed_window(%arg0: tensor<1x4x1xf32>, %arg1: tensor<2x1x1xf32>) -> tensor<1x3x1xf32> {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
    return %0 : tensor<1x3x1xf32>
  }
  func.func @random_rng_bit_generator(%arg0: tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>) {
    %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
    return %output_state, %output : tensor<2xui64>, tensor<3xui32>
  }
  func.func @random_rng() -> tensor<2xi1> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<2> : tensor<1xi64>
    %0 = stablehlo.rng %cst, %cst_0, %c, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.compare GE, %0, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    return %2 : tensor<2xi1>
  }
  func.func @reductions_sort_two_arrays(%arg0: tensor<3xi32>, %arg1: tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>) {
    %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = -1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
      %1 = stablehlo.compare GT, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<3xi32>, tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>)
    return %0#0, %0#1 : tensor<3xi32>, tensor<3xf32>
  }
  func.func @reductions_map(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) -> tensor<2xi32> {
    %0 = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %1 = stablehlo.multiply %arg2, %arg3 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @reductions_reduce_window(%arg0: tensor<4xi32>) -> tensor<2xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.reduce_window"(%arg0, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @reductions_reduce_window_with_padding_and_dilations(%arg0: tensor<4xi32>) -> tensor<2xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.reduce_window"(%arg0, %c) <{base_dilations = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 2>, window_dimensions = array<i64: 2>, window_strides = array<i64: 3>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @reductions_select_and_scatter(%arg0: tensor<4xi32>, %arg1: tensor<2xi32>) -> tensor<4xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %1 = stablehlo.compare GE, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }, {
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %1 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func @shapes_transpose(%arg0: tensor<2x3xi32>) -> tensor<3x2xi32> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
    return %0 : tensor<3x2xi32>
  }
  func.func @shapes_reverse(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func @shapes_broadcast_adds_dimensions_in_front(%arg0: tensor<2xi32>) -> tensor<2x2xi32> {
    %0 = stablehlo.broadcast %arg0, sizes = [2] : (tensor<2xi32>) -> tensor<2x2xi32>
    return %0 : tensor<2x2xi32>
  }
  func.func @slices_dynamic_slice(%arg0: tensor<5xi32>, %arg1: tensor<i32>) -> tensor<2xi32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @slices_dynamic_update_slice(%arg0: tensor<5xi32>, %arg1: tensor<2xi32>, %arg2: tensor<i32>) -> tensor<5xi32> {
    %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
    return %0 : tensor<5xi32>
  }
  func.func @slices_pad_with_negative_and_interior_padding(%arg0: tensor<3xi32>, %arg1: tensor<i32>) -> tensor<5xi32> {
    %0 = stablehlo.pad %arg0, %arg1, low = [1], high = [-1], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<5xi32>
    return %0 : tensor<5xi32>
  }
}
