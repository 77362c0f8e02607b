// The core of ComputationBuilder: adding instructions one by one, each checked against its row of the op table at once.
#include "builders/computation_builder/computation_builder.h"

#include <atomic>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/computation_builder/computation_node.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

uint64_t NextBuilderId() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

// Letters, digits, `_`, `-` and `.`, not beginning with a digit, `-` or `.`; other characters become `_`. HLO text does
// not have element types as names: s2 becomes s2_.
std::string ValidName(absl::string_view wanted, absl::string_view if_empty) {
  std::string name(wanted.empty() ? if_empty : wanted);
  for (char& c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '.') c = '_';
  }
  if (!absl::ascii_isalpha(static_cast<unsigned char>(name[0])) && name[0] != '_') name.insert(0, "_");
  const PrimitiveType type = PrimitiveTypeFromName(name);
  if (type != PRIMITIVE_TYPE_INVALID && type != TUPLE) name.push_back('_');
  return name;
}

absl::Status CheckOperandCount(const HloInstruction& instruction, const OpDefinition& op) {
  const int count = instruction.operand_count();
  if (count >= op.min_operands && (op.max_operands < 0 || count <= op.max_operands)) return absl::OkStatus();
  const std::string expected = op.max_operands == op.min_operands ? absl::StrCat(op.min_operands)
                               : op.max_operands < 0              ? absl::StrCat("at least ", op.min_operands)
                                                     : absl::StrCat(op.min_operands, " to ", op.max_operands);
  const bool is_one = op.min_operands == 1 && op.max_operands <= 1;
  return absl::InvalidArgumentError(
      absl::StrCat("expected ", expected, is_one ? " operand" : " operands", ", got ", count));
}

// A role that ends in `*` takes any number of computations, one that ends in `?` may be missing.
absl::Status CheckCalleeCount(const HloInstruction& instruction, const OpDefinition& op) {
  size_t fewest = 0;
  size_t most = op.called_computations.size();
  for (const absl::string_view role : op.called_computations) {
    if (role.back() == '*') most = SIZE_MAX;
    if (role.back() != '*' && role.back() != '?') ++fewest;
  }
  const size_t count = instruction.called_computations().size();
  if (count >= fewest && count <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "expected the computations (", absl::StrJoin(op.called_computations, ", "), "), got ", count, " computations"));
}

absl::Status CheckAttributes(const HloInstruction& instruction, const OpDefinition& op) {
  const Attributes* given = instruction.raw_attributes();
  const auto expected = op.make_attributes == nullptr ? nullptr : op.make_attributes();
  const AttributeSchema* given_schema = given == nullptr ? nullptr : &given->schema();
  const AttributeSchema* expected_schema = expected == nullptr ? nullptr : &expected->schema();
  if (given_schema == expected_schema) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(instruction.opcode_name(), " has the attributes ",
                                                 expected_schema == nullptr ? "(none)" : expected_schema->name,
                                                 ", got ", given_schema == nullptr ? "(none)" : given_schema->name));
}

// Rules of collectives count on these numbers.
absl::Status CheckDeviceCounts(const HloModuleConfig& config) {
  constexpr int64_t kMost = 1'000'000;
  if (config.replica_count >= 1 && config.num_partitions >= 1 && config.replica_count <= kMost &&
      config.num_partitions <= kMost / config.replica_count) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("replica_count and num_partitions of the module must be at least 1 and ", "their product at most ",
                   kMost, ", got ", config.replica_count, " and ", config.num_partitions));
}

// A buffer is made of an array shape; rules of buffers do not expect one that was made as an array with that
// element type.
bool HasHollowBuffer(const Shape& shape) {
  if (shape.IsBuffer()) return shape.tuple_shapes().empty();
  for (const Shape& element : shape.tuple_shapes()) {
    if (HasHollowBuffer(element)) return true;
  }
  return false;
}

absl::Status CheckResultShape(const Shape& shape) {
  RETURN_IF_ERROR(ValidateShape(shape));
  if (!shape.IsUnboundedDynamic()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the shape ", shape.ToString(), " has a dimension without a bound; give it one"));
}

}  // namespace

ComputationBuilder::ComputationBuilder(absl::string_view name)
    : name_(ValidName(name, "computation")),
      id_(NextBuilderId()),
      module_(std::make_unique<HloModule>(name_)),
      node_(std::make_shared<ComputationNode>(name_)) {
  node_->computation->set_parent(module_.get());
}

ComputationBuilder::~ComputationBuilder() {
  // A computation that was built has no parent, and may be in use elsewhere.
  if (!finished_) node_->computation->set_parent(nullptr);
}

// ---- Building

absl::Status ComputationBuilder::CheckComplete() const {
  if (node_->computation->instruction_count() == 0) {
    return absl::InvalidArgumentError(absl::StrCat("the computation ", name_, " has no operations"));
  }
  for (size_t number = 0; number < parameters_.size(); ++number) {
    if (parameters_.contains(static_cast<int64_t>(number))) continue;
    return absl::InvalidArgumentError(absl::StrCat("parameter ", number, " of the computation ", name_,
                                                   " is missing: it has ", parameters_.size(),
                                                   " parameters, whose numbers must be 0 and on"));
  }
  return absl::OkStatus();
}

absl::StatusOr<XlaComputation> ComputationBuilder::Build(SourceLocation loc) {
  return Build(XlaOp(this, id_, last_), loc);
}

absl::StatusOr<XlaComputation> ComputationBuilder::Build(XlaOp root, SourceLocation loc) {
  ActiveCall call(this, "Build", loc, {});
  if (!call) return first_error_;
  absl::Status complete = CheckComplete();
  if (complete.ok() && CheckUsable({root})) complete = CheckInfeedOrder();
  if (!complete.ok()) Fail(complete);
  if (!ok()) return first_error_;
  finished_ = true;
  node_->computation->set_root(root.instruction_);
  node_->computation->set_parent(nullptr);
  node_->config = module_->config();
  node_->has_ordered_infeed = !ordered_infeeds_.empty();
  return XlaComputation(node_);
}

XlaComputation ComputationBuilder::BuildOrError(SourceLocation loc) {
  return BuildOrError(XlaOp(this, id_, last_), loc);
}

XlaComputation ComputationBuilder::BuildOrError(XlaOp root, SourceLocation loc) {
  const absl::StatusOr<XlaComputation> computation = Build(root, loc);
  return computation.ok() ? *computation : XlaComputation::FromError(computation.status());
}

absl::StatusOr<std::unique_ptr<HloModule>> ComputationBuilder::BuildModule(SourceLocation loc) {
  return BuildModule(XlaOp(this, id_, last_), loc);
}

absl::StatusOr<std::unique_ptr<HloModule>> ComputationBuilder::BuildModule(XlaOp root, SourceLocation loc) {
  ASSIGN_OR_RETURN(const XlaComputation computation, Build(root, loc));
  return computation.ToModule();
}

// ---- Shapes and the module

const Shape& ComputationBuilder::ShapeOf(XlaOp op) const {
  static const auto& invalid = *new Shape;
  return Owns(op) ? op.instruction_->shape() : invalid;
}

absl::StatusOr<Shape> ComputationBuilder::GetShape(XlaOp op) const {
  if (Owns(op)) return op.instruction_->shape();
  if (!ok()) return first_error_;
  return absl::InvalidArgumentError(op.valid() ? absl::StrCat("the XlaOp is not a value of the builder ", name_)
                                               : "the XlaOp is invalid, so it has no shape");
}

Shape ComputationBuilder::ShapeOrInvalid(XlaOp op) const { return ShapeOf(op); }

HloModuleConfig& ComputationBuilder::mutable_module_config() { return module_->mutable_config(); }

void ComputationBuilder::SetDeviceCounts(int64_t replicas, int64_t partitions, SourceLocation loc) {
  ActiveCall call(this, "SetDeviceCounts", loc, {});
  if (!call) return;
  module_->mutable_config().replica_count = replicas;
  module_->mutable_config().num_partitions = partitions;
  const absl::Status valid = CheckDeviceCounts(module_->config());
  if (!valid.ok()) Fail(valid);
}

void ComputationBuilder::SetUpAlias(ShapeIndex output_index, int64_t parameter_number, ShapeIndex parameter_index,
                                    bool must) {
  module_->mutable_config().input_output_alias.push_back(
      {std::move(output_index), parameter_number, std::move(parameter_index), must});
}

void ComputationBuilder::AddBufferDonor(int64_t parameter_number, ShapeIndex parameter_index) {
  module_->mutable_config().buffer_donors.push_back({parameter_number, std::move(parameter_index)});
}

// ---- Names

// Positions make names like "add.7" differ; only names that were given can clash with them.
std::string ComputationBuilder::GeneratedName(absl::string_view base) const {
  const int64_t position = node_->computation->instruction_count();
  std::string name = absl::StrCat(base, ".", position);
  for (int64_t i = 1; given_names_.contains(name); ++i) name = absl::StrCat(base, ".", position, ".", i);
  return name;
}

// A name that no instruction of the computation has. Generated names end with the instruction's position, so that
// only one of them has to be compared.
std::string ComputationBuilder::UniqueName(absl::string_view wanted) {
  const auto is_generated = [this](absl::string_view name) {
    int64_t position;
    const size_t dot = name.rfind('.');
    if (dot == absl::string_view::npos || !absl::SimpleAtoi(name.substr(dot + 1), &position)) return false;
    const auto instructions = node_->computation->instructions();
    return position >= 0 && position < static_cast<int64_t>(instructions.size()) &&
           instructions[position]->name() == name;
  };
  std::string name(wanted);
  if (!is_generated(name) && given_names_.insert(name).second) return name;
  int64_t& suffix = next_suffix_[wanted];
  do {
    name = absl::StrCat(wanted, ".", ++suffix);
  } while (is_generated(name) || !given_names_.insert(name).second);
  return name;
}

// ---- Annotations

void ComputationBuilder::NoteCallSite() {
  ComputationNode::CallSite site;
  if (keep_source_locations_) {
    const SourceLocation loc = CallLocation();
    // Most calls are in the file of the call before.
    const auto& sites = node_->call_sites;
    const bool same_file = !sites.empty() && sites.back().file != nullptr && *sites.back().file == loc.file();
    site.file = same_file ? sites.back().file : &*node_->files.emplace(loc.file()).first;
    site.line = loc.line();
  }
  node_->call_sites.push_back(site);
}

void ComputationBuilder::Annotate(HloInstruction& instruction) const {
  if (!has_annotations_) return;
  InstructionAnnotations& annotations = instruction.mutable_annotations();
  annotations.metadata = metadata_;
  annotations.sharding = sharding_;
  annotations.frontend_attributes = frontend_attributes_;
}

void ComputationBuilder::SetInstructionSharding(XlaOp op, Sharding sharding, SourceLocation loc) {
  if (!CheckMutable(op, "SetInstructionSharding", loc)) return;
  op.instruction_->mutable_annotations().sharding = std::move(sharding);
}

void ComputationBuilder::SetInstructionFrontendAttribute(XlaOp op, std::string key, std::string value,
                                                         SourceLocation loc) {
  if (!CheckMutable(op, "SetInstructionFrontendAttribute", loc)) return;
  op.instruction_->mutable_annotations().frontend_attributes[std::move(key)] = std::move(value);
}

void ComputationBuilder::SetInstructionBackendConfig(XlaOp op, std::string config, SourceLocation loc) {
  if (!CheckMutable(op, "SetInstructionBackendConfig", loc)) return;
  op.instruction_->mutable_annotations().backend_config = std::move(config);
}

void ComputationBuilder::SetInstructionResultAccuracy(XlaOp op, ResultAccuracy accuracy, SourceLocation loc) {
  if (!CheckMutable(op, "SetInstructionResultAccuracy", loc)) return;
  op.instruction_->mutable_annotations().result_accuracy = accuracy;
}

void ComputationBuilder::SetInstructionName(XlaOp op, absl::string_view name, SourceLocation loc) {
  if (!CheckMutable(op, "SetInstructionName", loc)) return;
  op.instruction_->set_name(UniqueName(ValidName(name, op.instruction_->opcode_name())));
}

void ComputationBuilder::AddControlDependency(XlaOp earlier, XlaOp later, SourceLocation loc) {
  ActiveCall call(this, "AddControlDependency", loc, {earlier, later});
  if (!call) return;
  if (earlier.instruction_->id() >= later.instruction_->id()) {
    FailInvalid("the operation that runs first must have been added first; exchange the two");
    return;
  }
  later.instruction_->AddControlPredecessor(earlier.instruction_);
}

// ---- Instructions

// Infers the shape and applies the verifier's rules for the operation at once, so that errors come with the line that
// made it. What is only a warning in other programs is an error here.
absl::Status ComputationBuilder::InferAndVerify(HloInstruction& instruction) {
  const OpDefinition& op = GetOp(instruction.opcode());
  RETURN_IF_ERROR(CheckOperandCount(instruction, op));
  RETURN_IF_ERROR(CheckCalleeCount(instruction, op));
  RETURN_IF_ERROR(CheckDeviceCounts(module_->config()));
  if (op.infer_shape != nullptr) {
    ASSIGN_OR_RETURN(Shape inferred, op.infer_shape(instruction));
    // What was given may have a layout, which no rule infers.
    if (!instruction.shape().Equal(inferred, Shape::kIgnoreLayout)) instruction.mutable_shape() = std::move(inferred);
  }
  RETURN_IF_ERROR(CheckResultShape(instruction.shape()));
  if (op.verify == nullptr) return absl::OkStatus();
  Violations violations;
  op.verify(instruction, violations);
  // Programs that others wrote may be odd; in one that is being written, it is a mistake.
  std::vector<std::string> messages = violations.messages();
  messages.insert(messages.end(), violations.warnings().begin(), violations.warnings().end());
  if (messages.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(messages, "; "));
}

// Makes the instruction, checks it, and adds it. An instruction that fails stays in the computation, which then can
// never be built.
XlaOp ComputationBuilder::Append(HloOpcode opcode, ArraySlice<XlaOp> operands, std::unique_ptr<Attributes> attributes,
                                 ArraySlice<XlaComputation> called, const Shape& shape) {
  if (!ok() || !CheckCalled(called)) return Invalid();
  if (HasHollowBuffer(shape)) return FailInvalid("`buffer` is no element type; use Shape::Buffer for buffers");
  HloComputation& computation = *node_->computation;
  auto instruction = std::make_unique<HloInstruction>(opcode, GeneratedName(HloOpcodeName(opcode)), shape);
  instruction->set_id(computation.instruction_count());
  instruction->set_parent(&computation);
  if (attributes == nullptr && GetOp(opcode).make_attributes != nullptr) attributes = GetOp(opcode).make_attributes();
  instruction->set_attributes(std::move(attributes));
  for (const XlaOp operand : operands) instruction->AddOperand(operand.instruction_);
  for (const XlaComputation& callee : called) instruction->AddCalledComputation(callee.node_->computation.get());
  Annotate(*instruction);
  NoteCallSite();
  const absl::Status valid = InferAndVerify(*instruction);
  if (!valid.ok()) {
    // Operands count it among their users now, so it stays, as part of a computation that will never be built.
    computation.AddInstruction(std::move(instruction));
    return Fail(valid);
  }
  last_ = computation.AddInstruction(std::move(instruction));
  bool reads_infeed = false;
  for (const XlaComputation& callee : called) {
    node_->callees.push_back({last_, callee.node_});
    reads_infeed |= callee.node_->has_ordered_infeed;
  }
  if (reads_infeed) ordered_infeeds_.push_back(last_);
  return XlaOp(this, id_, last_);
}

// Any operation of HLO by opcode, for those without a function of their own. Attributes must be of the type that the
// opcode has.
XlaOp ComputationBuilder::AddOp(HloOpcode opcode, ArraySlice<XlaOp> operands, std::unique_ptr<Attributes> attributes,
                                ArraySlice<XlaComputation> called, const Shape& shape, SourceLocation loc) {
  ActiveCall call(this, HloOpcodeName(opcode).data(), loc, operands);
  if (!call) return Invalid();
  if (attributes != nullptr) {
    HloInstruction probe(opcode, "", shape);
    probe.set_attributes(std::move(attributes));
    const absl::Status valid = CheckAttributes(probe, GetOp(opcode));
    if (!valid.ok()) return Fail(valid);
    attributes = probe.raw_attributes()->Clone();
  }
  if (opcode != HloOpcode::kParameter) return Append(opcode, operands, std::move(attributes), called, shape);
  const int64_t number = attributes == nullptr ? 0 : static_cast<ParameterAttributes&>(*attributes).number;
  if (!CheckParameterNumber(number)) return Invalid();
  const XlaOp parameter = Append(opcode, operands, std::move(attributes), called, shape);
  if (parameter.valid()) parameters_.emplace(number, parameter.instruction_);
  return parameter;
}

bool ComputationBuilder::CheckParameterNumber(int64_t number) {
  const auto found = parameters_.find(number);
  if (number < 0) {
    FailInvalid(absl::StrCat("the parameter number must be at least 0, got ", number));
  } else if (found != parameters_.end()) {
    FailInvalid(absl::StrCat("parameter ", number, " exists already: ", found->second->name(), ", ",
                             found->second->shape().ToString()));
  }
  return ok();
}

XlaOp ComputationBuilder::Parameter(int64_t number, const Shape& shape, absl::string_view name, SourceLocation loc) {
  ActiveCall call(this, "Parameter", loc, {});
  if (!call) return Invalid();
  if (!CheckParameterNumber(number)) return Invalid();
  auto attributes = std::make_unique<ParameterAttributes>();
  attributes->number = number;
  const XlaOp parameter = Append(HloOpcode::kParameter, {}, std::move(attributes), {}, shape);
  if (!parameter.valid()) return parameter;
  parameters_.emplace(number, parameter.instruction_);
  parameter.instruction_->set_name(UniqueName(ValidName(name, absl::StrCat("p", number))));
  return parameter;
}

}  // namespace xla
