#include "xla_core/ops/op_definition.h"

namespace xla {

OpDefinition Define_kCustomCall() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<CustomCallAttributes>;
  op.called_computations = {"called_computations*"};
  return op;
}

}  // namespace xla
