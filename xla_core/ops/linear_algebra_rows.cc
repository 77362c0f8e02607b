#include "xla_core/ops/op_definition.h"

namespace xla {

OpDefinition Define_kRng() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.make_attributes = &MakeAttributes<RngAttributes>;
  op.has_side_effect = true;
  return op;
}

OpDefinition Define_kRngBitGenerator() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<RngBitGeneratorAttributes>;
  return op;
}

OpDefinition Define_kRngGetAndUpdateState() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = 0;
  op.make_attributes = &MakeAttributes<RngGetAndUpdateStateAttributes>;
  op.has_side_effect = true;
  return op;
}

OpDefinition Define_kCustomCall() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<CustomCallAttributes>;
  op.called_computations = {"called_computations*"};
  return op;
}

}  // namespace xla
