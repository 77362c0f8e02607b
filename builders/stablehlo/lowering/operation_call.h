// OperationCall: one operation of StableHLO while it becomes HLO; what a row of the operation table works with.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPERATION_CALL_H_
#define BUILDERS_STABLEHLO_LOWERING_OPERATION_CALL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/stablehlo/ir/module.h"
#include "builders/stablehlo/lowering/attribute_reader.h"

namespace xla {
namespace stablehlo {

class ComputationLowering;
struct OperationRow;

// InvalidArgument: the constraint of the StableHLO specification that does not hold, by its label there ("slice_c3"),
// and how. Names of constraints stand at the checks and in the tests. Empty: there is none that says so.
absl::Status Broken(absl::string_view constraint, absl::string_view message);

// Names of the constraints on results: on their sizes, on their element types, and on how many there are.
struct ResultConstraints {
  // One for all of them.
  ResultConstraints(absl::string_view all) : sizes(all), type(all), count(all) {}           // NOLINT
  ResultConstraints(const char* all) : ResultConstraints(absl::string_view(all)) {}         // NOLINT
  ResultConstraints(const std::string& all) : ResultConstraints(absl::string_view(all)) {}  // NOLINT
  // Each by itself; `count` of operations with any number of results only.
  ResultConstraints(absl::string_view of_sizes, absl::string_view of_type, absl::string_view of_count = "")
      : sizes(of_sizes), type(of_type), count(of_count) {}

  absl::string_view sizes;
  absl::string_view type;
  absl::string_view count;
};

// Operands are of the shapes that they have in HLO, which may be better known than their types say. Those of quantized
// types are the numbers that they stand for, and results are rounded to theirs, unless the row says that it works on
// what is stored.
class OperationCall {
 public:
  // Made by ComputationLowering, which outlives it.
  OperationCall(ComputationLowering& scope, const Operation& operation, const OperationRow& row)
      : scope_(scope), operation_(operation), row_(row) {}
  // Finds the operands, of which constants may have to be written here first. Errors: a value that is not available
  // here.
  absl::Status FindOperands();
  // Gets operands and result types ready. Errors: a type that HLO lacks.
  absl::Status Prepare();

  const Operation& operation() const { return operation_; }
  const OperationRow& row() const { return row_; }
  ComputationLowering& scope() const { return scope_; }
  const Module& module() const;
  ComputationBuilder& builder() const;
  AttributeReader attributes() const { return AttributeReader(module(), operation_.attributes); }
  // "slice_c3" of "stablehlo.slice" and "c3"; "" of "".
  std::string Constraint(absl::string_view label) const;

  int operand_count() const { return static_cast<int>(operands_.size()); }
  XlaOp operand(int i) const { return operands_[i]; }
  absl::Span<const XlaOp> operands() const { return operands_; }
  const Shape& shape(int i) const { return operand_shapes_[i]; }
  TypeId operand_type(int i) const;
  absl::Span<const Shape> shapes() const { return operand_shapes_; }
  // Integers of an operand that is known while lowering: a constant, or computed from constants and sizes.
  absl::optional<DimensionVector> KnownIntegers(int i) const;

  int result_count() const { return static_cast<int>(operation_.results.size()); }
  // What the type of a result says; a size that it leaves open is Shape::kUnboundedSize. The type of a quantized result
  // is that of the numbers that it stands for, as for operands.
  const Shape& result_shape(int i = 0) const { return result_shapes_[i]; }
  TypeId result_type(int i = 0) const;
  // The same, all sizes of which are to be known. Errors: says that the operation's shape is not known.
  absl::StatusOr<Shape> StaticResultShape(int i = 0) const;

  // ---- Results. Errors: those of the builder; a shape that does not agree with the type, by the name of a constraint.

  absl::Status Return(XlaOp result, const ResultConstraints& constraints) { return ReturnAll({result}, constraints); }
  absl::Status ReturnAll(absl::Span<const XlaOp> results, const ResultConstraints& constraints);
  // One value for a single result, else a tuple of all.
  absl::Status ReturnBundle(XlaOp bundle, const ResultConstraints& constraints);
  // The instruction that has the annotations of all results together, where they are parts of one; ReturnBundle sets it.
  void set_bundle(XlaOp bundle) { bundle_ = bundle; }
  // Not valid: there is none.
  XlaOp bundle() const { return bundle_; }

  // ---- Regions

  const Region& region(int i) const;
  // The one block of a region. Errors: it has none, or several.
  absl::StatusOr<const Block*> BlockOf(int region) const;
  // A computation with a parameter for each argument of the block, whose result is one value, or a tuple of several.
  // `arguments`: what the arguments are to be. Errors: others are declared; values of outside that are not constants.
  absl::StatusOr<XlaComputation> FunctionOf(int region, absl::Span<const Shape> arguments,
                                            absl::string_view constraint);
  // The same, whose results are to be these.
  absl::StatusOr<XlaComputation> FunctionOf(int region, absl::Span<const Shape> arguments,
                                            absl::Span<const Shape> results, absl::string_view constraint);

 private:
  absl::Status CheckResult(int i, const Shape& found, const ResultConstraints& constraints) const;

  ComputationLowering& scope_;
  const Operation& operation_;
  const OperationRow& row_;
  std::vector<XlaOp> operands_;
  std::vector<Shape> operand_shapes_;
  std::vector<Shape> result_shapes_;
  XlaOp bundle_;
};

// Whether `declared` allows the array or tuple `found`: the same, where it does not leave a size open.
bool Allows(const Shape& declared, const Shape& found);

// Each of 0 to rank - 1 at most once, by the names of two constraints.
absl::Status CheckDimensions(absl::string_view what, absl::Span<const int64_t> dimensions, int64_t rank,
                             absl::string_view range_constraint, absl::string_view unique_constraint);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPERATION_CALL_H_
