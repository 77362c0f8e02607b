#include "xla_core/ops/op_definition.h"

namespace xla {

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

}  // namespace xla
