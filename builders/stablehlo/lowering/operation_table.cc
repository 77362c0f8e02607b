#include "builders/stablehlo/lowering/operation_table.h"

#include "absl/container/flat_hash_map.h"

namespace xla {
namespace stablehlo {

const std::vector<OperationRow>& OperationTable() {
  static const auto& table = *[] {
    auto* const all = new std::vector<OperationRow>;
    for (const auto group :
         {ElementwiseOperations, ConversionOperations,   ShapeOperations,         SliceOperations,
          GatherOperations,      ScatterOperations,      ConstantOperations,      ReductionOperations,
          ProductOperations,     ConvolutionOperations,  LinearAlgebraOperations, RandomOperations,
          ControlFlowOperations, CollectiveOperations,   TransferOperations,      CustomCallOperations,
          DynamicOperations,     QuantizationOperations, ChloOperations,          ChloBroadcastOperations,
          ShardingOperations}) {
      const std::vector<OperationRow> rows = group();
      all->insert(all->end(), rows.begin(), rows.end());
    }
    return all;
  }();
  return table;
}

const OperationRow* FindOperation(absl::string_view name) {
  static const auto& by_name = *[] {
    auto* const map = new absl::flat_hash_map<absl::string_view, const OperationRow*>;
    for (const OperationRow& row : OperationTable()) map->emplace(row.name, &row);
    return map;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

}  // namespace stablehlo
}  // namespace xla
