// ComputationLowering: writes a function or a region as a computation of HLO.
#ifndef BUILDERS_STABLEHLO_LOWERING_COMPUTATION_LOWERING_H_
#define BUILDERS_STABLEHLO_LOWERING_COMPUTATION_LOWERING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/stablehlo/ir/module.h"

namespace xla {
namespace stablehlo {

class OperationCall;
class ProgramLowering;
struct OperationAnnotations;
struct OperationRow;

// How a region becomes a computation.
struct RegionForm {
  enum class Parameters {
    kEach,    // one for each argument
    kBundle,  // one for all: the value itself if there is only one, else a tuple
  };
  std::string name;
  std::vector<Shape> arguments;  // of the block
  Parameters parameters = Parameters::kEach;
  // Values of the computation around it that the region uses; they follow the arguments.
  std::vector<ValueId> captures;
  // The result is the next state of a loop: captures follow the values that the block returns.
  bool returns_captures = false;
};

// One value: itself, else a tuple of all.
XlaOp Bundle(ComputationBuilder& builder, absl::Span<const XlaOp> values);
// The `count` values of a bundle.
std::vector<XlaOp> Unbundle(ComputationBuilder& builder, XlaOp bundle, int count);

class ComputationLowering {
 public:
  // `program` outlives it.
  ComputationLowering(ProgramLowering& program, absl::string_view name);
  ComputationLowering(const ComputationLowering&) = delete;
  ComputationLowering& operator=(const ComputationLowering&) = delete;

  ProgramLowering& program() const { return program_; }
  ComputationBuilder& builder() { return builder_; }
  const Module& module() const;

  // What the value is here. A constant of outside is written here again; any other value of outside is an error.
  absl::StatusOr<XlaOp> ValueOf(ValueId value);
  // Whether the value has been made here or is an argument here.
  bool Has(ValueId value) const { return values_.contains(value.index); }
  Shape ShapeOf(ValueId value) const;
  Shape ShapeOf(XlaOp op) const { return builder_.ShapeOrInvalid(op); }
  void SetValue(ValueId value, XlaOp op);
  // What known_integers.h has found out about a value here, which a caller may know of an argument; nullopt: nothing.
  // Find returns nullptr for a value that has not been looked at.
  void SetKnownIntegers(ValueId value, absl::optional<DimensionVector> integers) {
    known_[value.index] = std::move(integers);
  }
  const absl::optional<DimensionVector>* FindKnownIntegers(ValueId value) const;

  // Writes the operations of a block and returns what it hands to its terminator.
  absl::StatusOr<std::vector<XlaOp>> LowerBlock(const Block& block);
  // Writes a region, which stands in an operation of this computation, as another computation.
  absl::StatusOr<XlaComputation> LowerRegion(const Block& block, const RegionForm& form);

  // While it lives, what the builder makes is of `operation`: its place and location, without other annotations.
  class At {
   public:
    At(ComputationLowering& scope, const Operation& operation);

   private:
    const std::string file_;
    const OperationScope scope_;
  };
  // The operation that ends the block, which LowerBlock has written.
  const Operation& TerminatorOf(const Block& block) const { return module().operation(block.operations.back()); }
  // The values of this computation that regions use, in the order in which they do; without constants, which are
  // written again where they are used.
  std::vector<ValueId> CapturesOf(absl::Span<const RegionId> regions) const;

 private:
  absl::Status LowerOperation(const Operation& operation);
  absl::Status LowerKnownOperation(const Operation& operation, const OperationRow& row);
  // Gives the builder what all instructions of the operation have, and returns what only its results have.
  absl::StatusOr<OperationAnnotations> Annotate(const Operation& operation);
  absl::Status AnnotateResults(const OperationCall& call, OperationAnnotations annotations);
  void NameResults(const OperationCall& call);
  absl::StatusOr<std::vector<XlaOp>> AddArguments(const Block& block, const RegionForm& form);

  ProgramLowering& program_;
  ComputationBuilder builder_;
  absl::flat_hash_map<int32_t, XlaOp> values_;
  absl::flat_hash_map<int32_t, absl::optional<DimensionVector>> known_;
  const Operation* current_ = nullptr;  // that is being written
};

// Whether the value is a constant, which every computation can have for itself.
bool IsConstant(const Module& module, ValueId value);
// For messages: "%arg0", or "a value" if it has no name.
std::string NameOf(const Module& module, ValueId value);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_COMPUTATION_LOWERING_H_
