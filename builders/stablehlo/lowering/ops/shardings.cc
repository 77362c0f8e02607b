// Operations of sdy (Shardy), which say how values are divided over devices. Values are what they are without: what a
// partitioner needs is kept as custom calls and frontend attributes, in the form in which JAX's HLO has it.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "builders/stablehlo/lowering/sdy_shardings.h"
#include "builders/stablehlo/text/attribute_text.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

absl::Status LowerShardingIdentity(OperationCall& call) { return call.ReturnAll(call.operands(), ""); }

absl::Status LowerShardingGroup(OperationCall& call) { return call.ReturnAll({}, ""); }

// A constraint is a mark on its operand.
absl::Status LowerShardingConstraint(OperationCall& call) {
  const AttributeReader attributes = call.attributes();
  const absl::string_view name = attributes.Has("sharding") ? "sharding" : "out_sharding";
  const Attribute* const sharding = attributes.Find(name);
  if (sharding == nullptr) return absl::InvalidArgumentError("requires attribute 'sharding'");
  RETURN_IF_ERROR(CheckSdySharding(call.scope().program(), *sharding, call.shape(0)));
  if (call.scope().program().partition_count() == 1) return LowerShardingIdentity(call);
  const XlaOp marked = call.builder().CustomCall("Sharding", call.operands(), call.shape(0).WithoutLayout());
  ASSIGN_OR_RETURN(const Sharding hlo_sharding, HloShardingOf(call.scope().program(), *sharding));
  call.builder().SetInstructionSharding(marked, hlo_sharding);
  call.builder().SetInstructionFrontendAttribute(
      marked, "xla.sdy.sharding",
      absl::StrCat("#sdy.sharding_per_value<[", ShardingText(call.module(), attributes.FindId(name)), "]>"));
  return call.Return(marked, "");
}

// The region is written in place of the operation: on one device, what it takes and gives is the whole.
absl::Status LowerInlinedRegion(OperationCall& call) {
  ASSIGN_OR_RETURN(const Block* const block, call.BlockOf(0));
  if (static_cast<int>(block->arguments.size()) != call.operand_count()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the region must take ", call.operand_count(), " values, got ", block->arguments.size()));
  }
  for (int i = 0; i < call.operand_count(); ++i) {
    ASSIGN_OR_RETURN(const Shape declared,
                     call.scope().program().shapes().Of(call.module().value(block->arguments[i]).type));
    if (!Allows(declared, call.shape(i))) {
      return absl::InvalidArgumentError(absl::StrCat("argument ", i, " of the region is ", declared.ToString(),
                                                     ", expected ", call.shape(i).ToString()));
    }
    call.scope().SetValue(block->arguments[i], call.operand(i));
  }
  const ProgramLowering::Level level(call.scope().program());
  RETURN_IF_ERROR(level.status());
  ASSIGN_OR_RETURN(const std::vector<XlaOp> results, call.scope().LowerBlock(*block));
  return call.ReturnAll(results, "");
}

// A call of the region on local values, between custom calls that make these of global ones and back.
absl::Status LowerPartitionedComputation(OperationCall& call) {
  ProgramLowering& program = call.scope().program();
  ComputationBuilder& b = call.builder();
  const ComputationLowering::At at(call.scope(), call.operation());
  const AttributeReader attributes = call.attributes();
  const auto text = [&](absl::string_view name) {
    const AttributeId id = attributes.FindId(name);
    return id.ok() ? AttributeText(call.module(), id) : "";
  };
  ASSIGN_OR_RETURN(const Block* const block, call.BlockOf(0));
  RegionForm form;
  form.name = "xla.sdy.manual_computation_body";
  for (const ValueId argument : block->arguments) {
    ASSIGN_OR_RETURN(Shape shape, program.shapes().Of(call.module().value(argument).type));
    form.arguments.push_back(std::move(shape));
  }
  if (static_cast<int>(form.arguments.size()) != call.operand_count()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the region must take ", call.operand_count(), " values, got ", form.arguments.size()));
  }
  std::vector<Shape> globals;
  for (int i = 0; i < call.result_count(); ++i) {
    ASSIGN_OR_RETURN(Shape shape, call.StaticResultShape(i));
    globals.push_back(std::move(shape));
  }
  const auto bundled = [](const std::vector<Shape>& shapes) {
    return shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes);
  };
  CustomCallOptions options;
  options.has_side_effect = true;
  std::vector<XlaOp> locals(call.operands().begin(), call.operands().end());
  if (!locals.empty()) {
    const XlaOp local = b.CustomCall("xla.sdy.GlobalToLocalShape", locals, bundled(form.arguments), options);
    b.SetInstructionFrontendAttribute(local, "xla.sdy.in_shardings", text("in_shardings"));
    b.SetInstructionFrontendAttribute(local, "xla.sdy.manual_axes", text("manual_axes"));
    locals = Unbundle(b, local, static_cast<int>(locals.size()));
  }
  ASSIGN_OR_RETURN(const XlaComputation body, call.scope().LowerRegion(*block, form));
  const XlaOp results = b.Call(body, locals);
  b.SetInstructionFrontendAttribute(results, "inlineable", "false");
  ASSIGN_OR_RETURN(const ProgramShape shape, body.GetProgramShape());
  const int count = shape.result.IsTuple() ? shape.result.tuple_size() : 1;
  if (count != call.result_count()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the region returns ", count, " values, expected ", call.result_count()));
  }
  if (count == 0) return call.ReturnAll({}, "");
  const XlaOp global =
      b.CustomCall("xla.sdy.LocalToGlobalShape", Unbundle(b, results, count), bundled(globals), options);
  b.SetInstructionFrontendAttribute(global, "xla.sdy.manual_axes", text("manual_axes"));
  b.SetInstructionFrontendAttribute(global, "xla.sdy.out_shardings", text("out_shardings"));
  return call.ReturnBundle(global, "");
}

// The region takes and returns what a device has of the operands and results, by their shardings.
absl::Status CheckManualShapes(const OperationCall& call) {
  const ProgramLowering& program = call.scope().program();
  const AttributeReader attributes = call.attributes();
  ASSIGN_OR_RETURN(const AttributeReader manual, attributes.StructOrEmpty("manual_axes"));
  ASSIGN_OR_RETURN(const absl::Span<const AttributeId> names, manual.Elements("axes"));
  std::vector<std::string> axes;
  for (const AttributeId name : names) axes.emplace_back(call.module().attribute(name).text);
  ASSIGN_OR_RETURN(const Block* const block, call.BlockOf(0));
  std::vector<Shape> results;
  for (int i = 0; i < call.result_count(); ++i) results.push_back(call.result_shape(i));
  const auto check = [&](absl::string_view name, absl::Span<const Shape> globals,
                         absl::Span<const ValueId> locals) -> absl::Status {
    const Attribute* const shardings = attributes.Find(name);
    if (shardings == nullptr) return absl::InvalidArgumentError(absl::StrCat("requires attribute '", name, "'"));
    RETURN_IF_ERROR(CheckSdyShardings(program, *shardings, globals));
    ASSIGN_OR_RETURN(const absl::Span<const AttributeId> each,
                     AttributeReader(call.module(), shardings->fields).Elements("shardings"));
    for (size_t i = 0; i < each.size() && i < locals.size(); ++i) {
      ASSIGN_OR_RETURN(const Shape local, LocalShape(program, call.module().attribute(each[i]), globals[i], axes));
      ASSIGN_OR_RETURN(const Shape declared, program.shapes().Of(call.module().value(locals[i]).type));
      if (Allows(declared, local)) continue;
      return absl::InvalidArgumentError(absl::StrCat("by ", name, ", a device has ", local.ToString(), " of ",
                                                     globals[i].ToString(), ", but in the region it is ",
                                                     declared.ToString()));
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(check("in_shardings", call.shapes(), block->arguments));
  const absl::Span<const ValueId> returned = block->operations.empty()
                                                 ? absl::Span<const ValueId>()
                                                 : call.module().operation(block->operations.back()).operands;
  return check("out_shardings", results, returned);
}

absl::Status LowerManualComputation(OperationCall& call) {
  RETURN_IF_ERROR(CheckManualShapes(call));
  if (call.scope().program().partition_count() == 1) return LowerInlinedRegion(call);
  return LowerPartitionedComputation(call);
}

}  // namespace

std::vector<OperationRow> ShardingOperations() {
  constexpr int kAny = OperationRow::kAny;
  return {
      Row("sdy.sharding_constraint", 1, LowerShardingConstraint).OnStorage(),
      Row("sdy.reshard", 1, LowerShardingConstraint).OnStorage(),
      Row("sdy.propagation_barrier", 1, LowerShardingIdentity).OnStorage(),
      Row("sdy.data_flow_edge", 1, LowerShardingIdentity).OnStorage(),
      Row("sdy.func_data_flow_edge", 1, LowerShardingIdentity).OnStorage(),
      Row("sdy.sharding_group", 1, LowerShardingGroup).WithResults(0).OnStorage(),
      Row("sdy.all_gather", 1, LowerShardingConstraint).OnStorage(),
      Row("sdy.all_slice", 1, LowerShardingConstraint).OnStorage(),
      Row("sdy.all_to_all", 1, LowerShardingConstraint).OnStorage(),
      Row("sdy.collective_permute", 1, LowerShardingConstraint).OnStorage(),
      Row("sdy.all_reduce", 1, LowerShardingConstraint).OnStorage(),
      Row("sdy.reduce_scatter", 1, LowerShardingConstraint).OnStorage(),
      Row("sdy.replicated_to_unreduced", 1, LowerShardingConstraint).OnStorage(),
      Row("sdy.sharded_to_unreduced", 1, LowerShardingConstraint).OnStorage(),
      Row("sdy.named_computation", kAny, LowerInlinedRegion).WithResults(kAny).WithRegions(1).OnStorage().Inlining(),
      Row("sdy.manual_computation", kAny, LowerManualComputation)
          .WithResults(kAny)
          .WithRegions(1)
          .OnStorage()
          .Inlining(),
  };
}

}  // namespace stablehlo
}  // namespace xla
