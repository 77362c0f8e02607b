#include "xla_core/ops/op_definition.h"

namespace xla {

OpDefinition Define_kParameter() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = 0;
  op.make_attributes = &MakeAttributes<ParameterAttributes>;
  return op;
}

OpDefinition Define_kConstant() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = 0;
  op.make_attributes = &MakeAttributes<ConstantAttributes>;
  return op;
}

OpDefinition Define_kTuple() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = -1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kGetTupleElement() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<GetTupleElementAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kOptBarrier() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kDomain() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<DomainAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kCall() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<CallAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kFusion() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<FusionAttributes>;
  op.called_computations = {"calls"};
  return op;
}

OpDefinition Define_kWhile() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.called_computations = {"condition", "body"};
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kConditional() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.called_computations = {"branch_computations*"};
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kAsyncStart() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<AsyncAttributes>;
  op.called_computations = {"calls"};
  return op;
}

OpDefinition Define_kAsyncUpdate() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<AsyncAttributes>;
  op.called_computations = {"calls?"};
  return op;
}

OpDefinition Define_kAsyncDone() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<AsyncAttributes>;
  op.called_computations = {"calls?"};
  return op;
}

OpDefinition Define_kCopyStart() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<CopyStartAttributes>;
  return op;
}

OpDefinition Define_kCopyDone() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  return op;
}

}  // namespace xla
