#include "builders/stablehlo/lowering/computation_lowering.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/operation_annotations.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "builders/stablehlo/lowering/sdy_shardings.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// Names that the text writes as numbers say nothing.
bool IsNumbered(absl::string_view name) {
  return name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name[0]));
}

bool IsTerminator(absl::string_view name) {
  return name == "stablehlo.return" || name == "func.return" || name == "sdy.return" || name == "mhlo.return";
}

absl::Status UnknownOperation(absl::string_view name) {
  std::vector<absl::string_view> known;
  for (const OperationRow& row : OperationTable()) known.push_back(row.name);
  return absl::InvalidArgumentError(absl::StrCat("there is no such operation", DidYouMean(name, known)));
}

absl::Status WrongCount(absl::string_view what, int expected, size_t found) {
  return absl::InvalidArgumentError(
      absl::StrCat("expected ", expected, " ", what, expected == 1 ? "" : "s", ", got ", found));
}

absl::Status CheckCounts(const Operation& operation, const OperationRow& row) {
  const auto differs = [](int expected, size_t found) {
    return expected != OperationRow::kAny && static_cast<size_t>(expected) != found;
  };
  if (differs(row.operands, operation.operands.size())) {
    return WrongCount("operand", row.operands, operation.operands.size());
  }
  if (differs(row.results, operation.results.size())) {
    return WrongCount("result", row.results, operation.results.size());
  }
  if (differs(row.regions, operation.regions.size())) {
    return WrongCount("region", row.regions, operation.regions.size());
  }
  return absl::OkStatus();
}

bool IsOneOf(XlaOp op, absl::Span<const XlaOp> ops) {
  return std::any_of(ops.begin(), ops.end(), [&](XlaOp other) { return other.IsSameAs(op); });
}

bool FitsAnyShape(const Sharding& sharding) {
  return sharding.named == nullptr && sharding.type != Sharding::Type::kTuple &&
         sharding.type != Sharding::Type::kOther;
}

OpMetadata MetadataOf(const ProgramLowering& program, LocationId location) {
  return location.ok() ? program.locations().Of(location) : OpMetadata();
}

}  // namespace

XlaOp Bundle(ComputationBuilder& builder, absl::Span<const XlaOp> values) {
  return values.size() == 1 ? values[0] : builder.Tuple(values);
}

std::vector<XlaOp> Unbundle(ComputationBuilder& builder, XlaOp bundle, int count) {
  if (count == 1) return {bundle};
  std::vector<XlaOp> values;
  for (int i = 0; i < count; ++i) values.push_back(builder.GetTupleElement(bundle, i));
  return values;
}

bool IsConstant(const Module& module, ValueId value) {
  const OperationId operation = module.value(value).operation;
  return operation.ok() && module.operation(operation).name == "stablehlo.constant";
}

std::string NameOf(const Module& module, ValueId value) {
  const absl::string_view name = module.value(value).name;
  return name.empty() ? "a value" : absl::StrCat("%", name);
}

ComputationLowering::ComputationLowering(ProgramLowering& program, absl::string_view name)
    : program_(program), builder_(name) {
  builder_.SetDeviceCounts(program.replica_count(), program.partition_count());
}

const Module& ComputationLowering::module() const { return program_.module(); }

// ---- Values

absl::StatusOr<XlaOp> ComputationLowering::ValueOf(ValueId value) {
  const auto found = values_.find(value.index);
  if (found != values_.end()) return found->second;
  if (IsConstant(module(), value)) {
    RETURN_IF_ERROR(LowerOperation(module().operation(module().value(value).operation)));
    return values_.at(value.index);
  }
  return absl::UnimplementedError(absl::StrCat(
      NameOf(module(), value), " comes from outside of the region, whose computation in HLO has nothing but ",
      "its arguments and constants; make it an operand of the operation that has the region"));
}

Shape ComputationLowering::ShapeOf(ValueId value) const {
  const auto found = values_.find(value.index);
  return found == values_.end() ? Shape() : builder_.ShapeOrInvalid(found->second);
}

void ComputationLowering::SetValue(ValueId value, XlaOp op) { values_[value.index] = op; }

const absl::optional<DimensionVector>* ComputationLowering::FindKnownIntegers(ValueId value) const {
  const auto found = known_.find(value.index);
  return found == known_.end() ? nullptr : &found->second;
}

// ---- Blocks

absl::StatusOr<std::vector<XlaOp>> ComputationLowering::LowerBlock(const Block& block) {
  for (const OperationId id : block.operations) {
    const Operation& operation = module().operation(id);
    if (!IsTerminator(operation.name)) {
      RETURN_IF_ERROR(LowerOperation(operation));
      continue;
    }
    if (id != block.operations.back()) {
      return program_.AtPlace(operation, absl::InvalidArgumentError("it must be the last operation of its block"));
    }
    std::vector<XlaOp> values;
    for (const ValueId value : operation.operands) {
      ASSIGN_OR_RETURN(const XlaOp op, ValueOf(value));
      values.push_back(op);
    }
    return values;
  }
  return absl::InvalidArgumentError("a block ends without returning; end it with `return` or `stablehlo.return`");
}

absl::Status ComputationLowering::LowerOperation(const Operation& operation) {
  RETURN_IF_ERROR(program_.CheckLimits());
  const OperationRow* const row = FindOperation(operation.name);
  if (row == nullptr) return program_.AtPlace(operation, UnknownOperation(operation.name));
  absl::Status lowered = CheckCounts(operation, *row);
  if (lowered.ok()) lowered = LowerKnownOperation(operation, *row);
  if (lowered.ok()) return lowered;
  // The builder has said where already.
  if (lowered == builder_.first_error()) program_.NotePlaced();
  return program_.AtPlace(operation, lowered);
}

absl::Status ComputationLowering::LowerKnownOperation(const Operation& operation, const OperationRow& row) {
  const Operation* const outer = std::exchange(current_, &operation);
  const auto restore = absl::MakeCleanup([&] { current_ = outer; });
  OperationCall call(*this, operation, row);
  RETURN_IF_ERROR(call.FindOperands());
  ASSIGN_OR_RETURN(OperationAnnotations of_results, Annotate(operation));
  const std::string file = program_.FileOf(operation);
  absl::optional<OperationScope> scope;
  if (!row.inlines_region) {
    scope.emplace(&builder_, operation.name, call.operands(),
                  SourceLocation::At(file.c_str(), program_.LineOf(operation)));
  }
  RETURN_IF_ERROR(call.Prepare());
  RETURN_IF_ERROR(row.lower(call));
  for (const ValueId result : operation.results) {
    if (!Has(result)) return absl::InternalError("lowered without a value for each result");
  }
  RETURN_IF_ERROR(AnnotateResults(call, std::move(of_results)));
  NameResults(call);
  return builder_.first_error();
}

void ComputationLowering::NameResults(const OperationCall& call) {
  for (const ValueId result : call.operation().results) {
    const absl::string_view name = module().value(result).name;
    const XlaOp op = values_.at(result.index);
    if (!IsNumbered(name) && !IsOneOf(op, call.operands())) builder_.SetInstructionName(op, name);
  }
}

// A sharding by tiles or by element fits the results and need not fit what else the operation becomes, and what sdy
// says is about results.
absl::StatusOr<OperationAnnotations> ComputationLowering::Annotate(const Operation& operation) {
  const AttributeId sharding = operation.attribute("sdy.sharding");
  if (sharding.ok() && !operation.results.empty()) {
    std::vector<Shape> results;
    for (const ValueId result : operation.results) {
      results.push_back(program_.shapes().Of(module().value(result).type).value_or(Shape()));
    }
    RETURN_IF_ERROR(CheckSdyShardings(program_, module().attribute(sharding), results));
  }
  builder_.SetOpMetadata(MetadataOf(program_, operation.location));
  ASSIGN_OR_RETURN(OperationAnnotations annotations, AnnotationsOf(program_, operation.attributes));
  OperationAnnotations of_results;
  if (annotations.sharding.has_value() && !FitsAnyShape(*annotations.sharding)) {
    of_results.sharding.swap(annotations.sharding);
  }
  FrontendAttributes& attributes = annotations.frontend_attributes;
  for (auto it = attributes.begin(); it != attributes.end();) {
    const auto next = std::next(it);
    if (absl::StartsWith(it->first, "xla.sdy.")) of_results.frontend_attributes.insert(attributes.extract(it));
    it = next;
  }
  builder_.SetSharding(std::move(annotations.sharding));
  builder_.SetFrontendAttributes(std::move(attributes));
  return of_results;
}

absl::Status ComputationLowering::AnnotateResults(const OperationCall& call, OperationAnnotations annotations) {
  if (!annotations.sharding.has_value() && annotations.frontend_attributes.empty()) return absl::OkStatus();
  XlaOp op = call.bundle();
  if (call.result_count() == 1) {
    const ValueId result = call.operation().results[0];
    op = values_.at(result.index);
    if (IsOneOf(op, call.operands())) {
      // The operation changes nothing; its operand has annotations of its own.
      if (program_.partition_count() == 1) return absl::OkStatus();
      op = builder_.CustomCall("Sharding", {op}, builder_.ShapeOrInvalid(op).WithoutLayout());
      SetValue(result, op);
    }
  }
  if (!op.valid()) return absl::OkStatus();
  // A loop may carry more than it returns, for which nothing is said.
  absl::optional<Sharding>& sharding = annotations.sharding;
  const bool fits = sharding.has_value() && (sharding->type != Sharding::Type::kTuple || call.result_count() == 1 ||
                                             static_cast<int64_t>(sharding->tuple.size()) == ShapeOf(op).leaf_count());
  if (fits) builder_.SetInstructionSharding(op, *std::move(sharding));
  for (auto& attribute : annotations.frontend_attributes) {
    builder_.SetInstructionFrontendAttribute(op, attribute.first, std::move(attribute.second));
  }
  return builder_.first_error();
}

ComputationLowering::At::At(ComputationLowering& scope, const Operation& operation)
    : file_(scope.program_.FileOf(operation)),
      scope_(&scope.builder_, operation.name, {}, SourceLocation::At(file_.c_str(), scope.program_.LineOf(operation))) {
  scope.builder_.SetOpMetadata(MetadataOf(scope.program_, operation.location));
  scope.builder_.ClearSharding();
  scope.builder_.ClearFrontendAttributes();
}

// ---- Regions

absl::StatusOr<std::vector<XlaOp>> ComputationLowering::AddArguments(const Block& block, const RegionForm& form) {
  std::vector<Shape> shapes = form.arguments;
  std::vector<ValueId> values(block.arguments.begin(), block.arguments.end());
  values.insert(values.end(), form.captures.begin(), form.captures.end());
  std::vector<XlaOp> arguments;
  if (form.parameters == RegionForm::Parameters::kBundle) {
    const Shape state = shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes);
    arguments = Unbundle(builder_, builder_.Parameter(0, state, "state"), static_cast<int>(shapes.size()));
  } else {
    for (size_t i = 0; i < shapes.size(); ++i) {
      const absl::string_view name = module().value(values[i]).name;
      const LocationId location = module().value(values[i]).location;
      if (location.ok()) builder_.SetOpMetadata(program_.locations().Of(location));
      arguments.push_back(builder_.Parameter(static_cast<int64_t>(i), shapes[i], IsNumbered(name) ? "" : name));
    }
  }
  for (size_t i = 0; i < values.size(); ++i) SetValue(values[i], arguments[i]);
  RETURN_IF_ERROR(builder_.first_error());
  return arguments;
}

absl::StatusOr<XlaComputation> ComputationLowering::LowerRegion(const Block& block, const RegionForm& form) {
  const ProgramLowering::Level level(program_);
  RETURN_IF_ERROR(level.status());
  RegionForm whole = form;
  for (const ValueId capture : form.captures) whole.arguments.push_back(ShapeOf(capture));
  ComputationLowering inner(program_, form.name);
  std::vector<XlaOp> arguments;
  {
    const At at(inner, *current_);
    ASSIGN_OR_RETURN(arguments, inner.AddArguments(block, whole));
  }
  ASSIGN_OR_RETURN(std::vector<XlaOp> results, inner.LowerBlock(block));
  if (form.returns_captures) {
    results.insert(results.end(), arguments.end() - static_cast<int64_t>(form.captures.size()), arguments.end());
  }
  const At at(inner, TerminatorOf(block));
  return inner.builder_.Build(Bundle(inner.builder_, results));
}

std::vector<ValueId> ComputationLowering::CapturesOf(absl::Span<const RegionId> regions) const {
  std::vector<ValueId> captures;
  absl::flat_hash_set<int32_t> seen;
  std::vector<RegionId> left(regions.rbegin(), regions.rend());
  while (!left.empty()) {
    const Region& region = module().region(left.back());
    left.pop_back();
    for (const BlockId block : region.blocks) {
      for (const OperationId id : module().block(block).operations) {
        const Operation& operation = module().operation(id);
        left.insert(left.end(), operation.regions.begin(), operation.regions.end());
        for (const ValueId value : operation.operands) {
          if (!Has(value) || IsConstant(module(), value)) continue;
          if (seen.insert(value.index).second) captures.push_back(value);
        }
      }
    }
  }
  return captures;
}

}  // namespace stablehlo
}  // namespace xla
