// CASE all_reduce on one device
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1, 2}
// RESULT
f32[2] {1, 2}

// CASE all_gather on one device
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1, 2}
// RESULT
f32[2] {1, 2}

// CASE reduce_scatter on one device
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1, 2}
// RESULT
f32[2] {1, 2}

// CASE all_to_all on one device
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>, split_count = 1 : i64, split_dimension = 0 : i64}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1, 2}
// RESULT
f32[2] {1, 2}

// CASE collective_permute on one device
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1, 2}
// RESULT
f32[2] {1, 2}

// CASE collective_broadcast on one device
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1, 2}
// RESULT
f32[2] {1, 2}

// CASE all_reduce_c1
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.all_reduce: all_reduce_c1: replica id #0 seen more than once

// CASE all_reduce_c4
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.all_reduce: all_reduce_c4: channel_id must be positive with use_global_device_ids, got 0

// CASE all_gather_c1
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.all_gather: all_gather_c1: all_gather_dim must be at least 0 and less than the rank of f32[2], got 1

// CASE all_gather_c4
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<-1> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.all_gather: all_gather_c4: replica_groups must have ids of at least 0, got -1

// CASE all_gather_c6
func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.all_gather: all_gather_c6: the types of operand and result are those of 2 shards, but a group has 1 devices

// CASE all_to_all_c2
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>, split_count = 3 : i64, split_dimension = 0 : i64}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.all_to_all: all_to_all_c2: dimension 0 of f32[2] must be a multiple of split_count 3

// CASE collective_reduce on one device
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1, 2}
// RESULT
f32[2] {1, 2}

// CASE collective_reduce of several operands
func.func @main(%a: tensor<2xf32>, %b: tensor<f32>) -> (tensor<2xf32>, tensor<f32>) {
  %0:2 = "stablehlo.collective_reduce"(%a, %b) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<f32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<f32>
}
// INPUTS
f32[2] {1, 2}
f32[] 3
// RESULT
( f32[2] {1, 2}, f32[] 3 )

// CASE collective_reduce to a device that only a run tells
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_reduce"(%a) <{has_dynamic_root, replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.collective_reduce: the result can be that of the first replica of each group only, without has_dynamic_root and channel_handle; use all_reduce, which gives it to all

// CASE collective_permute_c2
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.collective_permute: collective_permute_c2: duplicate sources not allowed, got 0 twice

// CASE collective_permute_c3
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.collective_permute: collective_permute_c3: duplicate targets not allowed, got 1 twice

// CASE async_start and async_done
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%q: tensor<2xf32>):
    %2 = "stablehlo.all_gather"(%q) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %2 : tensor<2xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
// INPUTS
f32[2] {1, 2}
// RESULT
f32[2] {1, 2}

// CASE tokens
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all %0, %0 : !stablehlo.token
  return %a : tensor<2xf32>
}
// INPUTS
f32[2] {1, 2}
// RESULT
f32[2] {1, 2}

// CASE refuses send with a channel of another type
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = "stablehlo.send"(%a, %0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %a : tensor<2xf32>
}
// REFUSED stablehlo.send: send_c1: the channel's type must be 2, got 3 for a transfer with the host

// CASE all_to_all_c1
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>, split_count = 1 : i64, split_dimension = 1 : i64}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.all_to_all: all_to_all_c1: split_dimension must be at least 0 and less than the rank of f32[2], got 1

// CASE all_to_all_c3
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = -1 : i64, replica_groups = dense<0> : tensor<1x1xi64>, split_count = 1 : i64, split_dimension = 0 : i64}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.all_to_all: all_to_all_c3: concat_dimension must be at least 0 and less than the rank of f32[2], got -1

// CASE all_to_all_c4
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>, split_count = 0 : i64, split_dimension = 0 : i64}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.all_to_all: all_to_all_c4: split_count must be at least 1, got 0

// CASE collective_permute_c4
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.collective_permute: collective_permute_c4: source_target_pairs must have ids of devices, which are at least 0

// CASE all_reduce_c5
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.all_reduce: all_reduce_c5: region 0 must take 2 scalars, got 3 arguments

// CASE reduce_scatter_c2
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.reduce_scatter: reduce_scatter_c2: scatter_dimension must be at least 0 and less than the rank of f32[2], got 1
