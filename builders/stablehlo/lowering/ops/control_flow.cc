// Operations that run regions or functions: while, if, case, call, composite.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/chlo.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "builders/stablehlo/text/attribute_text.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// ---- while

absl::Status CheckLoopArguments(const OperationCall& call, const Block& block, absl::string_view constraint) {
  if (static_cast<int>(block.arguments.size()) != call.operand_count()) {
    return Broken(constraint, absl::StrCat("the region must take the ", call.operand_count(),
                                           " values of the loop, got ", block.arguments.size(), " arguments"));
  }
  for (int i = 0; i < call.operand_count(); ++i) {
    ASSIGN_OR_RETURN(const Shape declared,
                     call.scope().program().shapes().Of(call.module().value(block.arguments[i]).type));
    if (Allows(declared, call.shape(i))) continue;
    return Broken(constraint, absl::StrCat("argument ", i, " of the region is ", declared.ToString(), ", expected ",
                                           call.shape(i).ToString()));
  }
  return absl::OkStatus();
}

// The state of the loop in HLO: its values, and those of outside that its regions use.
absl::Status LowerWhile(OperationCall& call) {
  ComputationLowering& scope = call.scope();
  ASSIGN_OR_RETURN(const Block* const condition_block, call.BlockOf(0));
  ASSIGN_OR_RETURN(const Block* const body_block, call.BlockOf(1));
  RETURN_IF_ERROR(CheckLoopArguments(call, *condition_block, "while_c1"));
  RETURN_IF_ERROR(CheckLoopArguments(call, *body_block, "while_c2"));
  RegionForm form;
  form.name = "while_condition";
  form.arguments.assign(call.shapes().begin(), call.shapes().end());
  form.parameters = RegionForm::Parameters::kBundle;
  form.captures = scope.CapturesOf(call.operation().regions);
  ASSIGN_OR_RETURN(const XlaComputation condition, scope.LowerRegion(*condition_block, form));
  form.name = "while_body";
  form.returns_captures = true;
  ASSIGN_OR_RETURN(const XlaComputation body, scope.LowerRegion(*body_block, form));

  std::vector<XlaOp> values(call.operands().begin(), call.operands().end());
  for (const ValueId capture : form.captures) {
    ASSIGN_OR_RETURN(const XlaOp value, scope.ValueOf(capture));
    values.push_back(value);
  }
  const XlaOp init = Bundle(call.builder(), values);
  ASSIGN_OR_RETURN(const ProgramShape condition_shape, condition.GetProgramShape());
  if (!condition_shape.result.IsScalarOf(PRED)) {
    return Broken("while_c1", absl::StrCat("cond must return pred[], got ", condition_shape.result.ToString()));
  }
  ASSIGN_OR_RETURN(const ProgramShape body_shape, body.GetProgramShape());
  if (!body_shape.result.Compatible(scope.ShapeOf(init))) {
    return Broken("while_c2", absl::StrCat("body must return the values that it takes, ",
                                           scope.ShapeOf(init).ToString(), ", got ", body_shape.result.ToString()));
  }
  const XlaOp loop = call.builder().While(condition, body, init);
  call.set_bundle(loop);
  std::vector<XlaOp> results = Unbundle(call.builder(), loop, static_cast<int>(values.size()));
  results.resize(call.operand_count());
  return call.ReturnAll(results, "while_c3");
}

// ---- if and case

// Each branch takes what it uses of outside.
absl::Status LowerBranches(OperationCall& call, XlaOp index) {
  ComputationLowering& scope = call.scope();
  std::vector<XlaComputation> branches;
  std::vector<XlaOp> operands;
  for (int i = 0; i < static_cast<int>(call.operation().regions.size()); ++i) {
    ASSIGN_OR_RETURN(const Block* const block, call.BlockOf(i));
    if (!block->arguments.empty()) {
      return Broken(call.Constraint(call.row().regions == 2 ? "c1" : "c2"),
                    absl::StrCat("branch ", i, " must not have arguments, got ", block->arguments.size()));
    }
    RegionForm form;
    form.name = absl::StrCat("branch_", i);
    form.parameters = RegionForm::Parameters::kBundle;
    form.captures = scope.CapturesOf(call.operation().regions.subspan(i, 1));
    ASSIGN_OR_RETURN(XlaComputation branch, scope.LowerRegion(*block, form));
    std::vector<XlaOp> values;
    for (const ValueId capture : form.captures) {
      ASSIGN_OR_RETURN(const XlaOp value, scope.ValueOf(capture));
      values.push_back(value);
    }
    ASSIGN_OR_RETURN(const ProgramShape shape, branch.GetProgramShape());
    if (i > 0) {
      ASSIGN_OR_RETURN(const ProgramShape first, branches[0].GetProgramShape());
      if (!first.result.Compatible(shape.result)) {
        return Broken(call.Constraint(call.row().regions == 2 ? "c2" : "c3"),
                      absl::StrCat("branch 0 and branch ", i, " have mismatched return types: ",
                                   first.result.ToString(), " and ", shape.result.ToString()));
      }
    }
    operands.push_back(Bundle(call.builder(), values));
    branches.push_back(std::move(branch));
  }
  const XlaOp result = scope.ShapeOf(index).IsScalarOf(PRED)
                           ? call.builder().Conditional(index, operands[0], branches[0], operands[1], branches[1])
                           : call.builder().Conditional(index, branches, operands);
  return call.ReturnBundle(result, call.Constraint(call.row().regions == 2 ? "c3" : "c4"));
}

absl::Status LowerIf(OperationCall& call) {
  RETURN_IF_ERROR(CheckScalar(call, 0, PRED, "if_i1"));
  return LowerBranches(call, call.operand(0));
}

absl::Status LowerCase(OperationCall& call) {
  if (call.operation().regions.empty()) return Broken("case_c1", "expected at least one branch");
  RETURN_IF_ERROR(CheckScalar(call, 0, S32, "case_i1"));
  return LowerBranches(call, call.operand(0));
}

// ---- Functions

// What is known of the operands while lowering may settle shapes within the function.
absl::StatusOr<XlaComputation> CalleeOf(const OperationCall& call, absl::string_view symbol) {
  std::vector<absl::optional<DimensionVector>> known;
  for (int i = 0; i < call.operand_count(); ++i) {
    const bool may_be_size =
        call.shape(i).IsArray() && IsInt(call.shape(i).element_type()) && call.shape(i).rank() <= 1;
    known.push_back(may_be_size && call.scope().program().DependsOnCall(symbol) ? call.KnownIntegers(i)
                                                                                : absl::nullopt);
  }
  return call.scope().program().Function(symbol, call.shapes(), known);
}

absl::Status LowerCall(OperationCall& call) {
  ASSIGN_OR_RETURN(const std::string symbol, call.attributes().Symbol("callee"));
  ASSIGN_OR_RETURN(const XlaComputation callee, CalleeOf(call, symbol));
  return call.ReturnBundle(call.builder().Call(callee, call.operands()), "");
}

// It takes what the composite takes, and returns what the composite returns.
absl::Status CheckDecomposition(const OperationCall& call, absl::string_view symbol) {
  const ProgramLowering& program = call.scope().program();
  const absl::StatusOr<const FunctionParts*> function = program.FindFunction(symbol);
  if (!function.ok()) return Broken("composite_c2", function.status().message());
  const auto check = [&](absl::string_view what, absl::Span<const TypeId> types, absl::Span<const Shape> shapes,
                         absl::string_view constraint) {
    bool agrees = types.size() == shapes.size();
    for (size_t i = 0; agrees && i < shapes.size(); ++i) {
      const absl::StatusOr<Shape>& declared = program.shapes().Of(types[i]);
      agrees = !declared.ok() || Allows(*declared, shapes[i]) || Allows(shapes[i], *declared);
    }
    if (agrees) return absl::OkStatus();
    return Broken(constraint, absl::StrCat("the ", what, " must be those of the decomposition @", symbol));
  };
  RETURN_IF_ERROR(check("operands", (*function)->argument_types, call.shapes(), "composite_c3"));
  std::vector<Shape> results;
  for (int i = 0; i < call.result_count(); ++i) results.push_back(call.result_shape(i));
  return check("results", (*function)->result_types, results, "composite_c4");
}

// One of CHLO's operations is written as that operation; any other is a call of its decomposition, marked with its
// name.
absl::Status LowerComposite(OperationCall& call) {
  ASSIGN_OR_RETURN(const std::string name, call.attributes().Text("name"));
  if (name.find('.') == std::string::npos) {
    return Broken("composite_c1", absl::StrCat("the name must have a dot after its namespace, got '", name, "'"));
  }
  ASSIGN_OR_RETURN(const int64_t version, call.attributes().Int32Or("version", 0));
  if (version < 0) return Broken("", absl::StrCat("the version must be at least 0, got ", version));
  ASSIGN_OR_RETURN(const std::string symbol, call.attributes().Symbol("decomposition"));
  RETURN_IF_ERROR(CheckDecomposition(call, symbol));
  ASSIGN_OR_RETURN(const AttributeReader fields, call.attributes().StructOrEmpty("composite_attributes"));
  ASSIGN_OR_RETURN(const bool is_known, LowerKnownComposite(call, name, version, fields));
  if (is_known) return absl::OkStatus();
  CompositeOptions options;
  options.name = name;
  options.version = version;
  const AttributeId attributes = call.attributes().FindId("composite_attributes");
  if (attributes.ok()) options.attributes = AttributeText(call.module(), attributes);
  ASSIGN_OR_RETURN(const XlaComputation decomposition, CalleeOf(call, symbol));
  return call.ReturnBundle(call.builder().CompositeCall(decomposition, call.operands(), options), "composite_c4");
}

}  // namespace

std::vector<OperationRow> ControlFlowOperations() {
  constexpr int kAny = OperationRow::kAny;
  return {
      Row("stablehlo.while", kAny, LowerWhile).WithResults(kAny).WithRegions(2).OnStorage(),
      Row("stablehlo.if", 1, LowerIf).WithResults(kAny).WithRegions(2).OnStorage(),
      Row("stablehlo.case", 1, LowerCase).WithResults(kAny).WithRegions(kAny).OnStorage(),
      Row("func.call", kAny, LowerCall).WithResults(kAny).OnStorage(),
      Row("stablehlo.composite", kAny, LowerComposite).WithResults(kAny).WithRegions(kAny).OnStorage(),
  };
}

}  // namespace stablehlo
}  // namespace xla
