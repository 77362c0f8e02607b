// Constraints of collectives and transfers, each broken by one case.

// CASE all_gather_c2
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_gather: all_gather_c2: replica id #0 seen more than once

// CASE all_gather_c4
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_gather: all_gather_c4: replica_groups must have ids of at least 0, got -1

// CASE all_gather_c5
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_gather: all_gather_c5: channel_id must be positive with use_global_device_ids, got 0

// CASE all_gather_c3: replicas
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_gather: all_gather_c3: replica_groups must list each of the 4 replicas once, got 2

// CASE all_gather_c3: devices
module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_gather: all_gather_c3: replica_groups must list each of the 8 devices once, got 4

// CASE all_gather_c4: beyond the last replica
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 4]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_gather: all_gather_c4: replica_groups has the replica 4, but the program has 4 replicas

// CASE all_gather_c6: the size
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<2xf32>) -> tensor<6xf32> {
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
// REFUSED stablehlo.all_gather: all_gather_c6: the types of operand and result are those of 3 shards, but a group has 2 devices

// CASE all_gather_c6: the type
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<2xf32>) -> tensor<4xf64> {
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf64>
    return %0 : tensor<4xf64>
  }
}
// REFUSED stablehlo.all_gather: all_gather_c6: result 0 is declared as f64[4], expected f32[4]

// CASE all_gather without replica_groups
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64}> : (tensor<2xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_gather: requires attribute 'replica_groups'

// CASE all_reduce_c1
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_reduce: all_reduce_c1: replica id #0 seen more than once

// CASE all_reduce_c3
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_reduce: all_reduce_c3: replica_groups must have ids of at least 0, got -2

// CASE all_reduce_c4
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_reduce: all_reduce_c4: channel_id must be positive with use_global_device_ids, got 0

// CASE all_reduce_c2
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_reduce: all_reduce_c2: replica_groups must list each of the 4 replicas once, got 3

// CASE all_reduce_c3: beyond the last replica
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 7]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_reduce: all_reduce_c3: replica_groups has the replica 7, but the program has 4 replicas

// CASE all_reduce_c5
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %s = stablehlo.add %x, %y : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_reduce: all_reduce_c5: operand #0 is f32[4], which the computation does not take: it works in s32, which must be of the same kind and, if it is no float, not narrower

// CASE all_reduce_c6
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<5xf32> {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<5xf32>
    return %0 : tensor<5xf32>
  }
}
// REFUSED stablehlo.all_reduce: all_reduce_c6: result 0 is declared as f32[5], expected f32[4]

// CASE all_reduce_c7
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf64>
    return %0 : tensor<4xf64>
  }
}
// REFUSED stablehlo.all_reduce: all_reduce_c7: result 0 is declared as f64[4], expected f32[4]

// CASE reduce_scatter_c1
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<3xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// REFUSED stablehlo.reduce_scatter: reduce_scatter_c1: dimension 0 of f32[3] must be a multiple of that of f32[2]

// CASE reduce_scatter_c2
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// REFUSED stablehlo.reduce_scatter: reduce_scatter_c2: scatter_dimension must be at least 0 and less than the rank of f32[4], got 1

// CASE reduce_scatter_c3
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// REFUSED stablehlo.reduce_scatter: reduce_scatter_c3: replica id #1 seen more than once

// CASE reduce_scatter_c5
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// REFUSED stablehlo.reduce_scatter: reduce_scatter_c5: replica_groups must have ids of at least 0, got -1

// CASE reduce_scatter_c6
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// REFUSED stablehlo.reduce_scatter: reduce_scatter_c6: channel_id must be positive with use_global_device_ids, got 0

// CASE reduce_scatter_c4
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// REFUSED stablehlo.reduce_scatter: reduce_scatter_c4: replica_groups must list each of the 4 replicas once, got 2

// CASE reduce_scatter_c7
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %s = stablehlo.add %x, %y : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<4xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// REFUSED stablehlo.reduce_scatter: reduce_scatter_c7: operand #0 is f32[4], which the computation does not take: it works in s32, which must be of the same kind and, if it is no float, not narrower

// CASE reduce_scatter_c8
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<1xf32> {
    %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  }
}
// REFUSED stablehlo.reduce_scatter: reduce_scatter_c8: the types of operand and result are those of 4 shards, but a group has 2 devices

// CASE reduce_scatter_c9
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<2xf64> {
    %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
}
// REFUSED stablehlo.reduce_scatter: reduce_scatter_c9: result 0 is declared as f64[2], expected f32[2]

// CASE all_to_all_c5
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_to_all: all_to_all_c5: replica id #0 seen more than once

// CASE all_to_all_c7
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_to_all: all_to_all_c7: replica_groups must have ids of at least 0, got -1

// CASE all_to_all_c6: replicas
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_to_all: all_to_all_c6: replica_groups must list each of the 4 replicas once, got 2

// CASE all_to_all_c6: partitions
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_to_all: all_to_all_c6: replica_groups must list each of the 4 partitions once, got 2

// CASE all_to_all_c7: beyond the last partition
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 5]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_to_all: all_to_all_c7: replica_groups has the partition 5, but the program has 4 partitions

// CASE all_to_all_c8
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.all_to_all: all_to_all_c8: groups must have split_count = 4 devices, got 2

// CASE all_to_all_c9
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// REFUSED stablehlo.all_to_all: all_to_all_c9: result 0 is declared as f32[8], expected f32[4]

// CASE collective_permute_c1
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1, 0]]> : tensor<1x3xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.collective_permute: collective_permute_c1: the attribute 'source_target_pairs' must be a tensor of integers with rows of two

// CASE collective_permute without pairs
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.collective_permute: collective_permute_c1: requires attribute 'source_target_pairs'

// CASE collective_permute_c4: beyond the last replica
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.collective_permute: collective_permute_c4: source_target_pairs has the replica 2, but the program has 2 replicas

// CASE collective_permute_c5
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<5xf32> {
    %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<5xf32>
    return %0 : tensor<5xf32>
  }
}
// REFUSED stablehlo.collective_permute: collective_permute_c5: result 0 is declared as f32[5], expected f32[4]

// CASE collective_broadcast_c1
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.collective_broadcast: collective_broadcast_c1: replica id #0 seen more than once

// CASE collective_broadcast_c2
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.collective_broadcast: collective_broadcast_c2: replica_groups must have ids of at least 0, got -1

// CASE collective_broadcast_c2: beyond the last replica
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 9]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// REFUSED stablehlo.collective_broadcast: collective_broadcast_c2: replica_groups has the replica 9, but the program has 4 replicas

// CASE collective_broadcast_c3
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<5xf32> {
    %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<5xf32>
    return %0 : tensor<5xf32>
  }
}
// REFUSED stablehlo.collective_broadcast: collective_broadcast_c3: result 0 is declared as f32[5], expected f32[4]

// CASE infeed_c2
func.func @main(%a: !stablehlo.token) -> (!stablehlo.token, !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%a) : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return %0#0, %0#1 : !stablehlo.token, !stablehlo.token
}
// REFUSED stablehlo.infeed: infeed_c2: result 0 must be a tensor, because only the last one is a token, got token[]

// CASE infeed_c3
func.func @main(%a: !stablehlo.token) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = "stablehlo.infeed"(%a) : (!stablehlo.token) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
// REFUSED stablehlo.infeed: infeed_c3: the last result must be a token

// CASE infeed_c1
func.func @main(%a: !stablehlo.token) {
  "stablehlo.infeed"(%a) : (!stablehlo.token) -> ()
  return
}
// REFUSED stablehlo.infeed: infeed_c1: expected at least a token as result

// CASE recv_c1
func.func @main(%a: !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %0#0, %0#1 : tensor<4xf32>, !stablehlo.token
}
// REFUSED stablehlo.recv: recv_c1: the channel's type must be 3, got 1 for a transfer with the host

// CASE recv_c3
func.func @main(%a: !stablehlo.token) -> (!stablehlo.token, !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return %0#0, %0#1 : !stablehlo.token, !stablehlo.token
}
// REFUSED stablehlo.recv: recv_c3: result 0 must be a tensor, because only the last one is a token, got token[]

// CASE recv_c4
func.func @main(%a: !stablehlo.token) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = "stablehlo.recv"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
// REFUSED stablehlo.recv: recv_c4: the last result must be a token

// CASE recv_c2
func.func @main(%a: !stablehlo.token) {
  "stablehlo.recv"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> ()
  return
}
// REFUSED stablehlo.recv: recv_c2: expected at least a token as result
