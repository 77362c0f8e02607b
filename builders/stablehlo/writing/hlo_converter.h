// HloConverter: the state of a conversion, and a function for each kind of instruction.
#ifndef BUILDERS_STABLEHLO_WRITING_HLO_CONVERTER_H_
#define BUILDERS_STABLEHLO_WRITING_HLO_CONVERTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "builders/stablehlo/ir/module.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace stablehlo {

// The leaves of a value, in order.
using Leaves = std::vector<ValueId>;
using Fields = std::vector<NamedAttribute>;

class HloConverter {
 public:
  HloConverter(const HloModule& hlo, const ResourceContext* resources, Module* module);

  // Makes the whole module.
  absl::Status Convert();

 private:
  // What a computation becomes while it is converted: operations in order, and what its instructions have become.
  struct Body {
    std::vector<OperationId> operations;
    std::vector<Leaves> values;  // by HloInstruction::place
    absl::Span<const Leaves> parameters;
    int depth = 0;  // of regions
  };
  // An operation to be added for an instruction.
  struct Draft {
    absl::string_view name;
    Leaves operands;
    Fields attributes;
    std::vector<RegionId> regions;
    std::vector<TypeId> result_types;
  };
  using Handler = absl::Status (HloConverter::*)(const HloInstruction& instruction, Body* body);

  // from_hlo.cc
  absl::Status ConvertEntry();
  absl::Status ConvertFunction(const HloComputation& computation);
  absl::StatusOr<Leaves> EntryParameter(const HloInstruction& parameter, Body* body, std::vector<ValueId>* arguments,
                                        std::vector<AttributeId>* dictionaries);
  absl::StatusOr<Leaves> UnpackTuple(ValueId tuple, const Shape& shape, Body* body);
  AttributeId ArgumentAttributes(const HloInstruction& parameter);
  // The dictionaries of results of @main.
  std::vector<AttributeId> ResultAttributes();
  // Adds the list unless all of it is empty.
  void AddDictionaries(absl::string_view name, const std::vector<AttributeId>& dictionaries, Fields* fields);
  // What the layout of the entry says of an array: an order that is not row-major, memory of the host.
  void AddLayoutWishes(const Shape& shape, Fields* fields);
  Fields ModuleAttributes();
  // `attributes`: those of arguments and results.
  void AddFunction(const std::string& name, bool is_private, const std::vector<ValueId>& arguments,
                   const Fields& attributes, const Leaves& results, Body* body);
  // The function that a computation becomes; it is converted later.
  const std::string& FunctionOf(const HloComputation& computation);
  absl::StatusOr<Leaves> ConvertBody(const HloComputation& computation, Body* body);
  absl::Status ConvertInstruction(const HloInstruction& instruction, Body* body);
  // A region with an argument for each leaf of the parameters, or, with `outer`, without arguments.
  absl::StatusOr<RegionId> ConvertRegion(const HloComputation& computation, const Body& around,
                                         const std::vector<Leaves>* outer = nullptr);
  absl::Status Spend(int64_t operations);
  void AddReturn(absl::string_view name, const Leaves& values, Body* body);

  // convert_types.cc
  absl::StatusOr<TypeId> TypeOf(const Shape& leaf);
  absl::StatusOr<TypeId> TupleTypeOf(const Shape& shape);
  absl::Status AppendTypes(const Shape& shape, std::vector<TypeId>* types);
  TypeId ElementType(PrimitiveType type);
  absl::StatusOr<AttributeId> ConstantOf(const Literal& literal);

  // convert_attributes.cc
  AttributeId Int(int64_t value) { return module_.Int64(value); }
  AttributeId Int32(int64_t value);
  AttributeId Ints(absl::Span<const int64_t> values) { return module_.Int64Array(values); }
  AttributeId Bool(bool value);
  AttributeId Bools(const std::vector<bool>& values);
  AttributeId Float32(float value);
  AttributeId Float64(double value);
  AttributeId Enum(absl::string_view name, absl::string_view value);
  // A matrix of i64 with `columns` columns.
  AttributeId Matrix(const std::vector<int64_t>& values, int64_t columns);
  AttributeId Indices(absl::Span<const int64_t> values);
  AttributeId Array(const std::vector<AttributeId>& elements);
  AttributeId Precisions(absl::string_view dialect, const std::vector<Precision>& precisions);
  AttributeId Dictionary(const FrontendAttributes& attributes);
  absl::Status AddGroups(const HloInstruction& instruction, absl::optional<int64_t> channel_id,
                         const ReplicaGroups& groups, Fields* fields);
  void AddAnnotations(const HloInstruction& instruction, Fields* fields);
  LocationId LocationOf(const OpMetadata& metadata);

  // Puts the operation behind the others, and its results in place of the instruction's value.
  absl::Status Emit(const HloInstruction& instruction, Draft draft, Body* body);
  const Leaves& LeavesOf(const HloInstruction& operand, const Body& body) const { return body.values[operand.place()]; }
  Leaves AllOperands(const HloInstruction& instruction, const Body& body) const;
  absl::Status Unsupported(const HloInstruction& instruction, absl::string_view why) const;

  // convert_instructions.cc, convert_calls.cc, convert_collectives.cc
  static Handler FindHandler(HloOpcode opcode);
  absl::Status ConvertPlain(const HloInstruction& instruction, Body* body);
  absl::Status PassOn(const HloInstruction& instruction, Body* body);
  absl::Status ConvertParameter(const HloInstruction& instruction, Body* body);
  absl::Status ConvertConstant(const HloInstruction& instruction, Body* body);
  absl::Status ConvertTuple(const HloInstruction& instruction, Body* body);
  absl::Status ConvertGetTupleElement(const HloInstruction& instruction, Body* body);
  absl::Status ConvertCompare(const HloInstruction& instruction, Body* body);
  absl::Status ConvertIota(const HloInstruction& instruction, Body* body);
  absl::Status ConvertBroadcast(const HloInstruction& instruction, Body* body);
  absl::Status ConvertDimensions(const HloInstruction& instruction, Body* body);
  absl::Status ConvertDimension(const HloInstruction& instruction, Body* body);
  absl::Status ConvertSlice(const HloInstruction& instruction, Body* body);
  absl::Status ConvertDynamicSlice(const HloInstruction& instruction, Body* body);
  absl::Status ConvertPad(const HloInstruction& instruction, Body* body);
  absl::Status ConvertGather(const HloInstruction& instruction, Body* body);
  absl::Status ConvertScatter(const HloInstruction& instruction, Body* body);
  absl::Status ConvertDot(const HloInstruction& instruction, Body* body);
  absl::Status ConvertRaggedDot(const HloInstruction& instruction, Body* body);
  absl::Status ConvertConvolution(const HloInstruction& instruction, Body* body);
  absl::Status ConvertFft(const HloInstruction& instruction, Body* body);
  absl::Status ConvertTriangularSolve(const HloInstruction& instruction, Body* body);
  absl::Status ConvertCholesky(const HloInstruction& instruction, Body* body);
  absl::Status ConvertBatchNorm(const HloInstruction& instruction, Body* body);
  absl::Status ConvertRng(const HloInstruction& instruction, Body* body);
  absl::Status ConvertRngBitGenerator(const HloInstruction& instruction, Body* body);
  absl::Status ConvertReducePrecision(const HloInstruction& instruction, Body* body);
  absl::Status ConvertReduceWindow(const HloInstruction& instruction, Body* body);
  absl::Status ConvertSelectAndScatter(const HloInstruction& instruction, Body* body);
  absl::Status ConvertSort(const HloInstruction& instruction, Body* body);
  absl::Status ConvertTopK(const HloInstruction& instruction, Body* body);
  absl::Status ConvertAfterAll(const HloInstruction& instruction, Body* body);
  absl::Status ConvertBarrier(const HloInstruction& instruction, Body* body);
  absl::Status ConvertWhile(const HloInstruction& instruction, Body* body);
  absl::Status ConvertConditional(const HloInstruction& instruction, Body* body);
  absl::Status ConvertCall(const HloInstruction& instruction, Body* body);
  absl::Status ConvertAsyncStart(const HloInstruction& instruction, Body* body);
  absl::Status ConvertCustomCall(const HloInstruction& instruction, Body* body);
  absl::StatusOr<AttributeId> TypedOptions(const HloInstruction& instruction, const std::string& options);
  void AppendLayouts(const Shape& shape, std::vector<AttributeId>* layouts);
  AttributeId TransferChannel(const HloInstruction& instruction);
  absl::Status ConvertInfeed(const HloInstruction& instruction, Body* body);
  absl::Status ConvertOutfeed(const HloInstruction& instruction, Body* body);
  absl::Status ConvertSend(const HloInstruction& instruction, Body* body);
  absl::Status ConvertRecv(const HloInstruction& instruction, Body* body);
  absl::Status EmitCollective(const HloInstruction& instruction, Draft draft, Body* body);
  absl::Status ConvertAllReduce(const HloInstruction& instruction, Body* body);
  absl::Status ConvertShardingCollective(const HloInstruction& instruction, Body* body);
  absl::Status ConvertAllToAll(const HloInstruction& instruction, Body* body);
  absl::Status ConvertCollectiveBroadcast(const HloInstruction& instruction, Body* body);
  absl::Status ConvertCollectivePermute(const HloInstruction& instruction, Body* body);
  // Whether the instruction is only waited for, so that it may as well happen at once.
  bool IsOnlyAwaited(const HloInstruction& instruction) const;
  absl::Status AppendRegion(const HloInstruction& instruction, int callee, const Body& body, Draft* draft);

  const HloModule& hlo_;
  const ResourceContext* const resources_;
  Module& module_;
  std::vector<OperationId> functions_;
  absl::flat_hash_map<const HloComputation*, std::string> function_names_;
  absl::flat_hash_set<std::string> taken_names_;
  std::vector<const HloComputation*> to_convert_;
  int64_t budget_;  // operations and leaves that may still be made
};

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_WRITING_HLO_CONVERTER_H_
