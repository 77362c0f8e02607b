#include "xla_core/ops/op_definition.h"

namespace xla {

OpDefinition Define_kBroadcast() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<BroadcastAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kReshape() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<ReshapeAttributes>;
  return op;
}

OpDefinition Define_kBitcast() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  return op;
}

OpDefinition Define_kTranspose() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<DimensionsAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kReverse() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<DimensionsAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kSlice() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<SliceAttributes>;
  return op;
}

OpDefinition Define_kDynamicSlice() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<DynamicSliceAttributes>;
  return op;
}

OpDefinition Define_kDynamicUpdateSlice() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = -1;
  return op;
}

OpDefinition Define_kConcatenate() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<DimensionAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kPad() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.make_attributes = &MakeAttributes<PadAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kIota() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = 0;
  op.make_attributes = &MakeAttributes<IotaAttributes>;
  return op;
}

OpDefinition Define_kGather() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.make_attributes = &MakeAttributes<GatherAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kScatter() {
  OpDefinition op;
  op.min_operands = 3;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<ScatterAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kGetDimensionSize() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<DimensionAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kSetDimensionSize() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.make_attributes = &MakeAttributes<DimensionAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kDynamicReshape() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  return op;
}

}  // namespace xla
