#include "builders/stablehlo/writing/from_hlo.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/printer.h"
#include "builders/stablehlo/writing/hlo_converter.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace stablehlo {
namespace {

// What a text may nest, and what is left of it for operations in regions.
constexpr int kMaxRegionDepth = 100;
// Regions may make a program this much larger: a computation that several reductions use is written for each of them.
constexpr int64_t kMaxGrowth = 100;
constexpr int64_t kSmallProgram = 1'000'000;

}  // namespace

HloConverter::HloConverter(const HloModule& hlo, const ResourceContext* resources, Module* module)
    : hlo_(hlo),
      resources_(resources),
      module_(*module),
      taken_names_({"main"}),
      budget_(kSmallProgram + kMaxGrowth * hlo.instruction_count()) {}

absl::Status HloConverter::Spend(int64_t operations) {
  RETURN_IF_ERROR(CheckResources(resources_));
  budget_ -= operations;
  if (budget_ >= 0) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("as StableHLO, module ", hlo_.name(),
                   " would be more than a hundred times as large, because its regions have to be written out"));
}

absl::Status HloConverter::Convert() {
  RETURN_IF_ERROR(ConvertEntry());
  while (!to_convert_.empty()) {
    const HloComputation* const computation = to_convert_.back();
    to_convert_.pop_back();
    RETURN_IF_ERROR(ConvertFunction(*computation));
  }
  const RegionId regions[] = {module_.AddRegion({module_.AddBlock({}, functions_)})};
  const Fields attributes = ModuleAttributes();
  Operation root;
  root.name = "builtin.module";
  root.attributes = attributes;
  root.regions = regions;
  module_.set_root(module_.Add(root));
  return absl::OkStatus();
}

Fields HloConverter::ModuleAttributes() {
  const HloModuleConfig& config = hlo_.config();
  Fields attributes = {{"sym_name", module_.String(hlo_.name())},
                       {"mhlo.num_replicas", Int32(config.replica_count)},
                       {"mhlo.num_partitions", Int32(config.num_partitions)}};
  if (!config.frontend_attributes.empty()) {
    attributes.push_back({"mhlo.frontend_attributes", Dictionary(config.frontend_attributes)});
  }
  return attributes;
}

// The dictionary of an argument of @main.
AttributeId HloConverter::ArgumentAttributes(const HloInstruction& parameter) {
  const int64_t number = parameter.attributes<ParameterAttributes>().number;
  Fields fields;
  AddAnnotations(parameter, &fields);
  for (const InputOutputAlias& alias : hlo_.config().input_output_alias) {
    if (alias.parameter_number != number || !alias.parameter_index.empty()) continue;
    // The result by the number of its leaf.
    const Shape* shape = &hlo_.entry()->root()->shape();
    int64_t leaf = 0;
    for (const int64_t index : alias.output_index) {
      for (int64_t i = 0; i < index; ++i) leaf += shape->tuple_shape(static_cast<int>(i)).leaf_count();
      shape = &shape->tuple_shape(static_cast<int>(index));
    }
    fields.push_back({"tf.aliasing_output", Int32(leaf)});
    break;
  }
  for (const BufferDonor& donor : hlo_.config().buffer_donors) {
    if (donor.parameter_number != number || !donor.parameter_index.empty()) continue;
    fields.push_back({"jax.buffer_donor", Bool(true)});
    break;
  }
  std::vector<AttributeId> replication;
  for (const bool is_same : parameter.attributes<ParameterAttributes>().parameter_replication) {
    replication.push_back(Bool(is_same));
  }
  if (!replication.empty()) fields.push_back({"mhlo.parameter_replication", Array(replication)});
  const auto& layout = hlo_.config().entry_computation_layout;
  if (layout.has_value()) AddLayoutWishes(layout->parameters[number], &fields);
  return module_.Dictionary(std::move(fields));
}

void HloConverter::AddLayoutWishes(const Shape& shape, Fields* fields) {
  if (!shape.IsArray() || !shape.has_layout()) return;
  Layout order;
  order.minor_to_major = shape.layout()->minor_to_major;
  if (!shape.IsRowMajor()) fields->push_back({"mhlo.layout_mode", module_.String(order.ToString())});
  if (shape.layout()->memory_space == Layout::kHostMemorySpace) {
    fields->push_back({"mhlo.memory_kind", module_.String("pinned_host")});
  }
}

std::vector<AttributeId> HloConverter::ResultAttributes() {
  const auto& layout = hlo_.config().entry_computation_layout;
  if (!layout.has_value()) return {};
  std::vector<AttributeId> dictionaries;
  std::vector<const Shape*> left = {&layout->result};
  while (!left.empty()) {
    const Shape& shape = *left.back();
    left.pop_back();
    for (int i = shape.tuple_size() - 1; i >= 0; --i) left.push_back(&shape.tuple_shape(i));
    if (shape.IsTuple()) continue;
    Fields fields;
    AddLayoutWishes(shape, &fields);
    dictionaries.push_back(module_.Dictionary(std::move(fields)));
  }
  return dictionaries;
}

void HloConverter::AddDictionaries(absl::string_view name, const std::vector<AttributeId>& dictionaries,
                                   Fields* fields) {
  const AttributeId none = module_.Dictionary({});
  if (std::any_of(dictionaries.begin(), dictionaries.end(), [&](AttributeId each) { return each != none; })) {
    fields->push_back({name, Array(dictionaries)});
  }
}

// Arguments of @main are what they are in HLO, tuples too.
absl::StatusOr<Leaves> HloConverter::EntryParameter(const HloInstruction& parameter, Body* body,
                                                    std::vector<ValueId>* arguments,
                                                    std::vector<AttributeId>* dictionaries) {
  ASSIGN_OR_RETURN(const TypeId type, TupleTypeOf(parameter.shape()));
  const ValueId argument = module_.NewValue(type, parameter.name());
  arguments->push_back(argument);
  dictionaries->push_back(ArgumentAttributes(parameter));
  return UnpackTuple(argument, parameter.shape(), body);
}

absl::StatusOr<Leaves> HloConverter::UnpackTuple(ValueId tuple, const Shape& shape, Body* body) {
  if (!shape.IsTuple()) return Leaves{tuple};
  Leaves leaves;
  for (int i = 0; i < shape.tuple_size(); ++i) {
    RETURN_IF_ERROR(Spend(1));
    ASSIGN_OR_RETURN(const TypeId type, TupleTypeOf(shape.tuple_shape(i)));
    const ValueId element = module_.NewValue(type);
    const NamedAttribute index[] = {{"index", Int32(i)}};
    const ValueId operands[] = {tuple};
    const ValueId results[] = {element};
    Operation get;
    get.name = "stablehlo.get_tuple_element";
    get.operands = operands;
    get.results = results;
    get.attributes = index;
    body->operations.push_back(module_.Add(get));
    ASSIGN_OR_RETURN(const Leaves inner, UnpackTuple(element, shape.tuple_shape(i), body));
    leaves.insert(leaves.end(), inner.begin(), inner.end());
  }
  return leaves;
}

absl::Status HloConverter::ConvertEntry() {
  Body body;
  std::vector<Leaves> parameters;
  std::vector<ValueId> arguments;
  std::vector<AttributeId> dictionaries;
  for (const HloInstruction* parameter : hlo_.entry()->parameters()) {
    ASSIGN_OR_RETURN(Leaves leaves, EntryParameter(*parameter, &body, &arguments, &dictionaries));
    parameters.push_back(std::move(leaves));
  }
  body.parameters = parameters;
  ASSIGN_OR_RETURN(const Leaves results, ConvertBody(*hlo_.entry(), &body));
  Fields attributes;
  AddDictionaries("arg_attrs", dictionaries, &attributes);
  AddDictionaries("res_attrs", ResultAttributes(), &attributes);
  AddFunction("main", /*is_private=*/false, arguments, attributes, results, &body);
  return absl::OkStatus();
}

absl::Status HloConverter::ConvertFunction(const HloComputation& computation) {
  Body body;
  std::vector<Leaves> parameters;
  std::vector<ValueId> arguments;
  for (const HloInstruction* parameter : computation.parameters()) {
    std::vector<TypeId> types;
    RETURN_IF_ERROR(AppendTypes(parameter->shape(), &types));
    Leaves leaves;
    for (const TypeId type : types)
      leaves.push_back(module_.NewValue(type, types.size() == 1 ? parameter->name() : ""));
    arguments.insert(arguments.end(), leaves.begin(), leaves.end());
    parameters.push_back(std::move(leaves));
  }
  body.parameters = parameters;
  ASSIGN_OR_RETURN(const Leaves results, ConvertBody(computation, &body));
  AddFunction(FunctionOf(computation), /*is_private=*/true, arguments, {}, results, &body);
  return absl::OkStatus();
}

const std::string& HloConverter::FunctionOf(const HloComputation& computation) {
  const auto [entry, is_new] = function_names_.try_emplace(&computation);
  if (!is_new) return entry->second;
  std::string name = computation.name();
  for (int i = 1; !taken_names_.insert(name).second; ++i) name = absl::StrCat(computation.name(), ".", i);
  entry->second = std::move(name);
  to_convert_.push_back(&computation);
  return entry->second;
}

void HloConverter::AddReturn(absl::string_view name, const Leaves& values, Body* body) {
  Operation give_back;
  give_back.name = name;
  give_back.operands = values;
  body->operations.push_back(module_.Add(give_back));
}

void HloConverter::AddFunction(const std::string& name, bool is_private, const std::vector<ValueId>& arguments,
                               const Fields& attributes, const Leaves& results, Body* body) {
  AddReturn("func.return", results, body);
  std::vector<TypeId> argument_types;
  for (const ValueId argument : arguments) argument_types.push_back(module_.value(argument).type);
  std::vector<TypeId> result_types;
  for (const ValueId result : results) result_types.push_back(module_.value(result).type);
  const TypeId type = module_.Intern(FunctionType(argument_types, result_types));
  Fields all = {{"sym_name", module_.String(name)},
                {"function_type", module_.Intern(TypeAttribute(type))},
                {"sym_visibility", module_.String(is_private ? "private" : "public")}};
  all.insert(all.end(), attributes.begin(), attributes.end());
  const RegionId regions[] = {module_.AddRegion({module_.AddBlock(arguments, body->operations)})};
  Operation function;
  function.name = "func.func";
  function.attributes = all;
  function.regions = regions;
  functions_.push_back(module_.Add(function));
}

absl::StatusOr<Leaves> HloConverter::ConvertBody(const HloComputation& computation, Body* body) {
  if (body->depth > kMaxRegionDepth) {
    return absl::UnimplementedError(absl::StrCat(computation.name(), ": StableHLO text nests at most ", kMaxRegionDepth,
                                                 " regions; make the inner ones calls"));
  }
  body->values.resize(computation.instructions().size());
  for (const auto& instruction : computation.instructions()) {
    RETURN_IF_ERROR(ConvertInstruction(*instruction, body));
  }
  return body->values[computation.root()->place()];
}

absl::Status HloConverter::ConvertInstruction(const HloInstruction& instruction, Body* body) {
  RETURN_IF_ERROR(Spend(1 + instruction.shape().leaf_count()));
  const Handler handler = FindHandler(instruction.opcode());
  if (handler == nullptr) return Unsupported(instruction, "StableHLO does not have this operation");
  return (this->*handler)(instruction, body);
}

absl::Status HloConverter::Unsupported(const HloInstruction& instruction, absl::string_view why) const {
  return absl::UnimplementedError(
      absl::StrCat(instruction.ToShortString(), ": ", why, "; write the program as HLO (--to text)"));
}

absl::StatusOr<RegionId> HloConverter::ConvertRegion(const HloComputation& computation, const Body& around,
                                                     const std::vector<Leaves>* outer) {
  Body body;
  body.depth = around.depth + 1;
  std::vector<Leaves> parameters;
  std::vector<ValueId> arguments;
  if (outer == nullptr) {
    for (const HloInstruction* parameter : computation.parameters()) {
      std::vector<TypeId> types;
      RETURN_IF_ERROR(AppendTypes(parameter->shape(), &types));
      Leaves leaves;
      for (const TypeId type : types) {
        leaves.push_back(module_.NewValue(type, types.size() == 1 ? parameter->name() : ""));
      }
      arguments.insert(arguments.end(), leaves.begin(), leaves.end());
      parameters.push_back(std::move(leaves));
    }
  } else {
    parameters = *outer;
  }
  body.parameters = parameters;
  ASSIGN_OR_RETURN(const Leaves results, ConvertBody(computation, &body));
  AddReturn("stablehlo.return", results, &body);
  return module_.AddRegion({module_.AddBlock(arguments, body.operations)});
}

// Adds the operation and gives the values of its results to `results`.
absl::Status HloConverter::Emit(const HloInstruction& instruction, Draft draft, Body* body) {
  AddAnnotations(instruction, &draft.attributes);
  const bool has_types = !draft.result_types.empty();
  if (!has_types) RETURN_IF_ERROR(AppendTypes(instruction.shape(), &draft.result_types));
  Leaves results;
  for (size_t i = 0; i < draft.result_types.size(); ++i) {
    const std::string name =
        draft.result_types.size() == 1 ? instruction.name() : absl::StrCat(instruction.name(), "#", i);
    results.push_back(module_.NewValue(draft.result_types[i], name));
  }
  Operation operation;
  operation.name = draft.name;
  operation.operands = draft.operands;
  operation.results = results;
  operation.attributes = draft.attributes;
  operation.regions = draft.regions;
  operation.location = LocationOf(instruction.annotations().metadata);
  body->operations.push_back(module_.Add(operation));
  body->values[instruction.place()] = std::move(results);
  return absl::OkStatus();
}

Leaves HloConverter::AllOperands(const HloInstruction& instruction, const Body& body) const {
  Leaves all;
  for (const HloInstruction* operand : instruction.operands()) {
    const Leaves& leaves = LeavesOf(*operand, body);
    all.insert(all.end(), leaves.begin(), leaves.end());
  }
  return all;
}

absl::Status HloConverter::AppendRegion(const HloInstruction& instruction, int callee, const Body& body, Draft* draft) {
  ASSIGN_OR_RETURN(const RegionId region, ConvertRegion(*instruction.called_computation(callee), body));
  draft->regions.push_back(region);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Module>> FromHlo(const HloModule& hlo, const ResourceContext* resources) {
  const ResourceContext own(resources, "converting the program to StableHLO");
  auto module = std::make_unique<Module>();
  RETURN_IF_ERROR(HloConverter(hlo, &own, module.get()).Convert());
  return module;
}

absl::StatusOr<std::string> StableHloText(const HloModule& hlo, const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Module> module, FromHlo(hlo, resources));
  PrintOptions options;
  options.with_locations = true;
  return PrintModule(*module, options);
}

}  // namespace stablehlo
}  // namespace xla
