// The operation table: what there is to know about each operation of StableHLO and CHLO.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPERATION_TABLE_H_
#define BUILDERS_STABLEHLO_LOWERING_OPERATION_TABLE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "builders/stablehlo/lowering/operation_call.h"
#include "xla_core/ir/opcode.h"

namespace xla {
namespace stablehlo {

// Sets of element types.
enum ElementClass : uint8_t {
  kPredClass = 1,
  kSignedClass = 2,
  kUnsignedClass = 4,
  kFloatClass = 8,
  kComplexClass = 16,
};
inline constexpr uint8_t kIntClass = kSignedClass | kUnsignedClass;
inline constexpr uint8_t kAnyClass = kPredClass | kIntClass | kFloatClass | kComplexClass;

struct OperationRow {
  // Any number of operands or results.
  static constexpr int kAny = -1;

  absl::string_view name;  // "stablehlo.slice"
  // Counts that the operation must have; what is beyond them, the function checks.
  int operands = 1;
  int results = 1;
  int regions = 0;
  // Checks the constraints of the specification, then writes the operation and returns its results.
  absl::Status (*lower)(OperationCall& call) = nullptr;
  // For the functions that many rows share: what it is in HLO, and which element types it takes.
  HloOpcode opcode = HloOpcode::kParameter;
  uint8_t classes = kAnyClass;
  // It moves what is stored of a quantized tensor, or takes and gives values of any type.
  bool works_on_storage = false;
  // Its region may be written in its place, each operation of which has a place of its own.
  bool inlines_region = false;

  // The same row with another value in one field.
  OperationRow WithResults(int count) const {
    OperationRow row = *this;
    row.results = count;
    return row;
  }
  OperationRow WithRegions(int count) const {
    OperationRow row = *this;
    row.regions = count;
    return row;
  }
  OperationRow WithClasses(uint8_t element_classes) const {
    OperationRow row = *this;
    row.classes = element_classes;
    return row;
  }
  OperationRow OnStorage() const {
    OperationRow row = *this;
    row.works_on_storage = true;
    return row;
  }
  OperationRow Inlining() const {
    OperationRow row = *this;
    row.inlines_region = true;
    return row;
  }
};

// A row with one result and no regions.
inline OperationRow Row(absl::string_view name, int operands, absl::Status (*lower)(OperationCall& call)) {
  OperationRow row;
  row.name = name;
  row.operands = operands;
  row.lower = lower;
  return row;
}

// nullptr: StableHLO has no such operation, or it is not one that stands in a block.
const OperationRow* FindOperation(absl::string_view name);
// In the order of the files of ops/.
const std::vector<OperationRow>& OperationTable();

// Each group of rows, one function for each file of ops/.
std::vector<OperationRow> ElementwiseOperations();
std::vector<OperationRow> ConversionOperations();  // compare, select, clamp, convert ...
std::vector<OperationRow> ShapeOperations();       // reshape, transpose, broadcast ...
std::vector<OperationRow> SliceOperations();       // slice, pad, concatenate ...
std::vector<OperationRow> GatherOperations();      // gather, torch_index_select
std::vector<OperationRow> ScatterOperations();
std::vector<OperationRow> ConstantOperations();   // constant, iota, tuples, identities
std::vector<OperationRow> ReductionOperations();  // reduce, sort, map
std::vector<OperationRow> ProductOperations();    // dot, dot_general, einsum
std::vector<OperationRow> ConvolutionOperations();
std::vector<OperationRow> LinearAlgebraOperations();  // cholesky, fft, batch_norm ...
std::vector<OperationRow> RandomOperations();
std::vector<OperationRow> ControlFlowOperations();  // while, if, case, call, composite
std::vector<OperationRow> CollectiveOperations();
std::vector<OperationRow> TransferOperations();  // infeed, send ...
std::vector<OperationRow> CustomCallOperations();
std::vector<OperationRow> DynamicOperations();  // dynamic_reshape ...
std::vector<OperationRow> QuantizationOperations();
std::vector<OperationRow> ChloOperations();
std::vector<OperationRow> ChloBroadcastOperations();  // chlo.broadcast_add ...
std::vector<OperationRow> ShardingOperations();       // sdy

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPERATION_TABLE_H_
