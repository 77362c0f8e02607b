#include "xla_core/ops/op_definition.h"

namespace xla {

OpDefinition Define_kReduce() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<DimensionsAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kReduceWindow() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<WindowAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kSelectAndScatter() {
  OpDefinition op;
  op.min_operands = 3;
  op.max_operands = 3;
  op.make_attributes = &MakeAttributes<WindowAttributes>;
  op.called_computations = {"select", "scatter"};
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kScan() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<ScanAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kMap() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<MapAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kSort() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<SortAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kTopK() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<TopKAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kBatchNormTraining() {
  OpDefinition op;
  op.min_operands = 3;
  op.max_operands = 3;
  op.make_attributes = &MakeAttributes<BatchNormAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kBatchNormInference() {
  OpDefinition op;
  op.min_operands = 5;
  op.max_operands = 5;
  op.make_attributes = &MakeAttributes<BatchNormAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kBatchNormGrad() {
  OpDefinition op;
  op.min_operands = 5;
  op.max_operands = 5;
  op.make_attributes = &MakeAttributes<BatchNormAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

}  // namespace xla
