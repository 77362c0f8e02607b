#include "builders/nnef2/lowering/region_lowering.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/nnef2/lowering/build_nests.h"
#include "builders/nnef2/lowering/general_form.h"
#include "builders/nnef2/lowering/scalar_emission.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef2 {
namespace {

// Of operations on long packs outputs get no names.
constexpr size_t kMaxCompared = 4096;

OpMetadata MetadataOf(const ComposedOperation& operation) {
  OpMetadata metadata;
  switch (operation.kind) {
    case ComposedOperation::Kind::kPrimitive:
    case ComposedOperation::Kind::kIntrinsic:
      metadata.op_type = operation.bound->definition->QualifiedName();
      break;
    case ComposedOperation::Kind::kBranch:
      metadata.op_type = "if";
      break;
    case ComposedOperation::Kind::kLoop:
      metadata.op_type = "do";
      break;
  }
  metadata.op_name = operation.scope;
  if (operation.position.source != nullptr) metadata.source_file = operation.position.source->name;
  metadata.source_line = operation.position.line;
  return metadata;
}

// The assignment that comes first for an output; accumulations say what an output holds that nothing is assigned to.
Operator FirstAssignment(const Definition& definition, absl::string_view output) {
  for (const Lowering& statement : definition.lowerings) {
    const Expression* base = statement.target.get();
    while (!base->items.empty()) base = base->items[0].get();
    if (base->name == output) return statement.op;
  }
  return Operator::kEqual;
}

}  // namespace

PrimitiveType RegionLowering::TypeOf(BaseType type) const {
  return type == BaseType::kInt ? S32 : type == BaseType::kBool ? PRED : context_.options.real_type;
}

// --- captures ---

RegionLowering::Captures RegionLowering::Capture(const RegionUses& uses) {
  Captures captures;
  for (const int number : uses.tensors) {
    auto pack = packs_.upper_bound(number);
    const bool is_packed = pack != packs_.begin() && number < (--pack)->first + pack->second.size;
    if (is_packed) {
      if (captures.packs.empty() || captures.packs.back() != pack->first) captures.packs.push_back(pack->first);
    } else if (arrays_.count(number) > 0 && tensor(number).kind != ComposedTensor::Kind::kConstant) {
      captures.tensors.push_back(number);
    }
  }
  for (const int symbol : uses.symbols) {
    if (symbols_.count(symbol) > 0) {
      captures.symbols.push_back(symbol);
    } else if (KnowsSymbol(symbol)) {
      const int first = std::prev(extent_packs_.upper_bound(symbol))->first;
      if (captures.extent_packs.empty() || captures.extent_packs.back() != first)
        captures.extent_packs.push_back(first);
    }
  }
  for (const int number : captures.tensors) captures.values.push_back(arrays_.at(number));
  for (const int first : captures.packs) captures.values.push_back(packs_.at(first).array);
  for (const int symbol : captures.symbols) captures.values.push_back(symbols_.at(symbol));
  for (const int first : captures.extent_packs) captures.values.push_back(extent_packs_.at(first).array);
  return captures;
}

void RegionLowering::Receive(const Captures& captures, absl::Span<const XlaOp> values) {
  size_t next = 0;
  for (const int number : captures.tensors) SetArray(number, values[next++]);
  for (const int first : captures.packs) {
    const XlaOp array = values[next++];
    packs_[first] = Pack{array, builder_.ShapeOrInvalid(array).dimensions()[0]};
  }
  for (const int symbol : captures.symbols) SetExtent(symbol, values[next++]);
  for (const int first : captures.extent_packs) {
    const XlaOp array = values[next++];
    extent_packs_[first] = Pack{array, builder_.ShapeOrInvalid(array).dimensions()[0]};
  }
}

void RegionLowering::MakeChecks(const ComposedRegion* region) {
  for (const int number : context_.checks.Own(region)) {
    const XlaOp holds = Extent(Scalar::Of(context_.checks.check(number).check->condition));
    checks_.insert_or_assign(number, builder_.Ne(holds, Zero(&builder_, S32)));
  }
}

// --- operations ---

absl::Status RegionLowering::LowerOperations(const std::vector<ComposedOperation>& operations) {
  for (const ComposedOperation& operation : operations) {
    if (context_.graph.workspace->diagnostics().IsOver(/*steps=*/20)) return absl::OkStatus();
    const ScopedOpMetadata metadata(&builder_, MetadataOf(operation));
    absl::Status status = LowerOperation(operation);
    if (status.ok()) status = builder_.first_error();
    if (status.ok()) {
      NameOutputs(operation);
      continue;
    }
    // What is wrong with a region has its place already.
    const bool has_region = operation.branch != nullptr || operation.loop != nullptr;
    if (has_region || context_.graph.workspace->diagnostics().has_errors()) return status;
    std::vector<std::unique_ptr<Workspace::Call>> calls;
    for (const Diagnostic::Call& call : operation.calls) {
      calls.push_back(std::make_unique<Workspace::Call>(context_.graph.workspace.get(), call.position, call.name));
    }
    if (absl::IsInvalidArgument(status)) {
      context_.graph.workspace->Error(ErrorClass::kValue, operation.position, std::string(status.message()), "2.12");
    } else {
      status = absl::Status(
          status.code(), absl::StrCat(nnef::PlaceText(operation.position), operation.bound->definition->QualifiedName(),
                                      ": ", status.message()));
    }
    while (!calls.empty()) calls.pop_back();
    return status;
  }
  return absl::OkStatus();
}

absl::Status RegionLowering::LowerOperation(const ComposedOperation& operation) {
  switch (operation.kind) {
    case ComposedOperation::Kind::kPrimitive:
      return LowerPrimitive(operation);
    case ComposedOperation::Kind::kIntrinsic:
      return LowerIntrinsic(operation);
    case ComposedOperation::Kind::kBranch:
      return LowerBranch(operation);
    case ComposedOperation::Kind::kLoop:
      return LowerLoop(operation);
  }
  return absl::OkStatus();
}

void RegionLowering::NameOutputs(const ComposedOperation& operation) {
  // Each output is compared with each input, which may be what it is.
  size_t num_inputs = 1, num_outputs = 0;
  for (const Value& input : operation.inputs) num_inputs += input.items.size();
  for (const Value& output : operation.outputs) num_outputs += output.items.size();
  if (num_inputs * num_outputs > kMaxCompared) return;
  for (const Value& output : operation.outputs) {
    for (const Scalar& item : output.items) {
      const int number = static_cast<int>(item.integer);
      const auto array = arrays_.find(number);
      if (array == arrays_.end() || tensor(number).name.empty()) continue;
      bool is_input = false;
      for (const Value& input : operation.inputs) {
        for (const Scalar& operand : input.items) {
          const auto other = arrays_.find(static_cast<int>(operand.integer));
          is_input = is_input || (other != arrays_.end() && other->second.IsSameAs(array->second));
        }
      }
      if (!is_input) builder_.SetInstructionName(array->second, tensor(number).name);
    }
  }
}

absl::Status RegionLowering::LowerNests(const std::vector<StatementNest>& nests, int* next,
                                        std::map<int, XlaOp>* outputs) {
  const StatementNest& nest = nests[*next];
  std::vector<XlaOp> initial, results;
  for (const int target : nest.targets) {
    const auto found = outputs->find(target);
    initial.push_back(found == outputs->end() ? XlaOp() : found->second);
  }
  const Recogniser recogniser = context_.options.recogniser;
  const int lowered = recogniser == nullptr ? 0 : recogniser(*this, nests, *next, initial, &results);
  if (lowered == 0) RETURN_IF_ERROR(LowerGeneralForm(*this, nest, initial, &results));
  *next += std::max(lowered, 1);
  RETURN_IF_ERROR(builder_.first_error());
  for (size_t i = 0; i < nest.targets.size(); ++i) {
    const xla::Shape expected = ShapeOf(nest.targets[i]);
    const xla::Shape found = builder_.ShapeOrInvalid(results[i]);
    if (!found.Compatible(expected)) {
      return absl::InternalError(absl::StrCat("lowered to ", found.ToString(), ", expected ", expected.ToString()));
    }
    outputs->insert_or_assign(nest.targets[i], results[i]);
    SetArray(nest.targets[i], results[i]);
  }
  return absl::OkStatus();
}

absl::Status RegionLowering::LowerPrimitive(const ComposedOperation& operation) {
  std::vector<StatementNest> nests;
  if (!BuildNests(context_.graph, operation, &nests)) return context_.graph.workspace->diagnostics().ToStatus();
  const Definition& definition = *operation.bound->definition;
  // Statements may read outputs before they are assigned.
  assigned_.clear();
  for (size_t i = 0; i < operation.outputs.size(); ++i) {
    const Operator first = FirstAssignment(definition, definition.outputs[i].name.text);
    for (const Scalar& item : operation.outputs[i].items) {
      const int number = static_cast<int>(item.integer);
      for (const Scalar& extent : tensor(number).shape) {
        const bool is_new = extent.kind == Scalar::Kind::kSymbolic &&
                            extent.symbolic->kind == Symbolic::Kind::kSymbol &&
                            extent.symbolic->id >= operation.bound->num_known_symbols;
        if (!is_new || KnowsExtent(extent)) continue;
        return absl::UnimplementedError(absl::StrCat("output '", definition.outputs[i].name.text, "' has the extent ",
                                                     extent.symbolic->ToString(),
                                                     ", which no statement of @lower determines; give it as an "
                                                     "expression of the extents of inputs"));
      }
      const PrimitiveType type = TypeOf(tensor(number).element.base);
      assigned_.insert(number);
      SetArray(number, builder_.Broadcast(NeutralElement(&builder_, first, type), BoundsOf(number)));
    }
  }
  std::map<int, XlaOp> outputs;
  for (int next = 0; next < static_cast<int>(nests.size());) {
    if (context_.graph.workspace->diagnostics().IsOver(/*steps=*/20)) break;
    RETURN_IF_ERROR(LowerNests(nests, &next, &outputs));
  }
  assigned_.clear();
  return absl::OkStatus();
}

}  // namespace nnef2
}  // namespace xla
