#include "backends/vulkan/spirv/spirv_builder.h"

#include <cstring>
#include <utility>

#include "xla_core/support/check.h"

namespace xla {
namespace vulkan {
namespace {

// That of Vulkan 1.2.
constexpr uint32_t kVersion = 0x00010500;

uint32_t FirstWord(spv::Op op, size_t words) {
  return (static_cast<uint32_t>(words + 1) << 16) | static_cast<uint32_t>(op);
}
uint32_t ToWord(spv::StorageClass storage) { return static_cast<uint32_t>(storage); }

// What instructions may do with values of a type that the device can load and store, but not compute with.
bool OnlyMoves(spv::Op op) {
  return op == spv::Op::OpLoad || op == spv::Op::OpStore || op == spv::Op::OpUConvert || op == spv::Op::OpSConvert ||
         op == spv::Op::OpFConvert || op == spv::Op::OpAccessChain;
}

bool IsSubgroupArithmetic(spv::Op op) {
  return op >= spv::Op::OpGroupNonUniformIAdd && op <= spv::Op::OpGroupNonUniformLogicalXor;
}

// What the instruction itself needs, whatever its types.
void AddCapabilitiesOf(spv::Op op, std::set<spv::Capability>* capabilities) {
  if (IsSubgroupArithmetic(op)) capabilities->insert(spv::Capability::GroupNonUniformArithmetic);
  if (op == spv::Op::OpGroupNonUniformShuffle || op == spv::Op::OpGroupNonUniformShuffleXor) {
    capabilities->insert(spv::Capability::GroupNonUniformShuffle);
  }
  if (op == spv::Op::OpGroupNonUniformElect) capabilities->insert(spv::Capability::GroupNonUniform);
}

spv::Capability CapabilityOfControl(spv::ExecutionMode mode) {
  switch (mode) {
    case spv::ExecutionMode::DenormPreserve:
      return spv::Capability::DenormPreserve;
    case spv::ExecutionMode::DenormFlushToZero:
      return spv::Capability::DenormFlushToZero;
    case spv::ExecutionMode::SignedZeroInfNanPreserve:
      return spv::Capability::SignedZeroInfNanPreserve;
    default:
      CHECK(mode == spv::ExecutionMode::RoundingModeRTE);
      return spv::Capability::RoundingModeRTE;
  }
}

}  // namespace

SpirvBuilder::SpirvBuilder() {
  glsl_ = NewId();
  main_ = NewId();
  capabilities_.insert(spv::Capability::Shader);
}

// ---- Types and constants

Id SpirvBuilder::Shared(spv::Op op, Id type, std::vector<uint32_t> operands) {
  std::vector<uint32_t> key = {static_cast<uint32_t>(op), type};
  key.insert(key.end(), operands.begin(), operands.end());
  const auto [it, is_new] = shared_.emplace(std::move(key), 0);
  if (!is_new) return it->second;
  it->second = NewId();
  std::vector<uint32_t> words;
  if (type != 0) words.push_back(type);
  words.push_back(it->second);
  words.insert(words.end(), operands.begin(), operands.end());
  globals_.push_back({op, std::move(words)});
  return it->second;
}

void SpirvBuilder::NoteWide(Id type, spv::Capability capability) {
  wide_types_.insert(type);
  capabilities_.insert(capability);
}

Id SpirvBuilder::VoidType() { return Shared(spv::Op::OpTypeVoid, 0, {}); }
Id SpirvBuilder::BoolType() { return Shared(spv::Op::OpTypeBool, 0, {}); }

Id SpirvBuilder::IntType(int bits) {
  const Id type = Shared(spv::Op::OpTypeInt, 0, {static_cast<uint32_t>(bits), /*signedness=*/0});
  if (bits == 64) NoteWide(type, spv::Capability::Int64);
  if (bits < 32) narrow_types_[type] = bits == 8 ? spv::Capability::Int8 : spv::Capability::Int16;
  return type;
}

Id SpirvBuilder::FloatType(int bits) {
  const Id type = Shared(spv::Op::OpTypeFloat, 0, {static_cast<uint32_t>(bits)});
  if (bits == 64) NoteWide(type, spv::Capability::Float64);
  if (bits == 16) narrow_types_[type] = spv::Capability::Float16;
  return type;
}

Id SpirvBuilder::VectorType(Id component, int count) {
  return Shared(spv::Op::OpTypeVector, 0, {component, static_cast<uint32_t>(count)});
}
Id SpirvBuilder::ArrayType(Id element, uint32_t count) {
  return Shared(spv::Op::OpTypeArray, 0, {element, Word(count)});
}
Id SpirvBuilder::RuntimeArrayType(Id element, uint32_t stride) {
  const size_t before = globals_.size();
  const Id type = Shared(spv::Op::OpTypeRuntimeArray, 0, {element});
  if (globals_.size() != before) Decorate(type, spv::Decoration::ArrayStride, {stride});
  return type;
}
Id SpirvBuilder::PointerType(spv::StorageClass storage, Id pointee) {
  return Shared(spv::Op::OpTypePointer, 0, {ToWord(storage), pointee});
}
Id SpirvBuilder::PairType(Id first, Id second) { return Shared(spv::Op::OpTypeStruct, 0, {first, second}); }

Id SpirvBuilder::Constant(Id type, uint64_t bits) {
  std::vector<uint32_t> words = {static_cast<uint32_t>(bits)};
  if (wide_types_.count(type) != 0) words.push_back(static_cast<uint32_t>(bits >> 32));
  return Shared(spv::Op::OpConstant, type, std::move(words));
}
Id SpirvBuilder::Bool(bool x) { return Shared(x ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, BoolType(), {}); }
Id SpirvBuilder::ConstantArray(Id type, absl::Span<const Id> elements) {
  return Shared(spv::Op::OpConstantComposite, type, {elements.begin(), elements.end()});
}
Id SpirvBuilder::Undefined(Id type) { return Shared(spv::Op::OpUndef, type, {}); }

// ---- Variables

void SpirvBuilder::Decorate(Id target, spv::Decoration decoration, std::initializer_list<uint32_t> literals) {
  std::vector<uint32_t> words = {target, static_cast<uint32_t>(decoration)};
  words.insert(words.end(), literals);
  decorations_.push_back({spv::Op::OpDecorate, std::move(words)});
}
void SpirvBuilder::DecorateMember(Id target, uint32_t member, spv::Decoration decoration,
                                  std::initializer_list<uint32_t> literals) {
  std::vector<uint32_t> words = {target, member, static_cast<uint32_t>(decoration)};
  words.insert(words.end(), literals);
  decorations_.push_back({spv::Op::OpMemberDecorate, std::move(words)});
}

Id SpirvBuilder::Variable(spv::StorageClass storage, Id type, Id initializer) {
  const Id pointer = PointerType(storage, type);
  const Id variable = NewId();
  std::vector<uint32_t> words = {pointer, variable, ToWord(storage)};
  if (initializer != 0) words.push_back(initializer);
  const bool is_local = storage == spv::StorageClass::Function;
  (is_local ? locals_ : globals_).push_back({spv::Op::OpVariable, std::move(words)});
  if (!is_local) interface_.push_back(variable);
  return variable;
}

// Each buffer has a struct of its own, because decorations of bindings may differ where types do not.
Id SpirvBuilder::StorageBuffer(Id array, uint32_t set, uint32_t binding, BufferUse use, bool is_aliased) {
  const Id type = NewId();
  globals_.push_back({spv::Op::OpTypeStruct, {type, array}});
  Decorate(type, spv::Decoration::Block, {});
  DecorateMember(type, 0, spv::Decoration::Offset, {0});
  if (use == BufferUse::kRead) DecorateMember(type, 0, spv::Decoration::NonWritable, {});
  if (use == BufferUse::kShared) DecorateMember(type, 0, spv::Decoration::Coherent, {});
  const Id variable = Variable(spv::StorageClass::StorageBuffer, type, 0);
  Decorate(variable, spv::Decoration::DescriptorSet, {set});
  Decorate(variable, spv::Decoration::Binding, {binding});
  if (is_aliased) Decorate(variable, spv::Decoration::Aliased, {});
  return variable;
}

Id SpirvBuilder::PushConstants(int words) {
  const Id type = NewId();
  std::vector<uint32_t> members(words, IntType(32));
  members.insert(members.begin(), type);
  globals_.push_back({spv::Op::OpTypeStruct, std::move(members)});
  Decorate(type, spv::Decoration::Block, {});
  for (int i = 0; i < words; ++i) {
    DecorateMember(type, static_cast<uint32_t>(i), spv::Decoration::Offset, {static_cast<uint32_t>(4 * i)});
  }
  return Variable(spv::StorageClass::PushConstant, type, 0);
}

Id SpirvBuilder::WorkgroupVariable(Id type) { return Variable(spv::StorageClass::Workgroup, type, 0); }
Id SpirvBuilder::FunctionVariable(Id type) { return Variable(spv::StorageClass::Function, type, 0); }
Id SpirvBuilder::PrivateConstant(Id type, Id initializer) {
  return Variable(spv::StorageClass::Private, type, initializer);
}

Id SpirvBuilder::BuiltIn3(spv::BuiltIn built_in) {
  const Id type = VectorType(IntType(32), 3);
  const auto [it, is_new] = built_ins_.emplace(built_in, 0);
  if (is_new) {
    it->second = Variable(spv::StorageClass::Input, type, 0);
    Decorate(it->second, spv::Decoration::BuiltIn, {static_cast<uint32_t>(built_in)});
  }
  return Load(type, it->second);
}

// ---- The function

void SpirvBuilder::BeginMain(std::array<uint32_t, 3> local_size) {
  const uint32_t mode = static_cast<uint32_t>(spv::ExecutionMode::LocalSize);
  modes_.push_back({spv::Op::OpExecutionMode, {main_, mode, local_size[0], local_size[1], local_size[2]}});
  BeginBlock(NewId());
}

void SpirvBuilder::FloatControl(spv::ExecutionMode mode, int bits) {
  capabilities_.insert(CapabilityOfControl(mode));
  modes_.push_back({spv::Op::OpExecutionMode, {main_, static_cast<uint32_t>(mode), static_cast<uint32_t>(bits)}});
}

// ---- Instructions

// Adds the capabilities for computing with narrow types, which loads, stores and conversions do without.
void SpirvBuilder::NoteUse(spv::Op op, Id type, absl::Span<const uint32_t> operands) {
  AddCapabilitiesOf(op, &capabilities_);
  if (OnlyMoves(op)) return;
  const auto note = [&](Id narrow) {
    const auto it = narrow_types_.find(narrow);
    if (it != narrow_types_.end()) capabilities_.insert(it->second);
  };
  note(type);
  for (const uint32_t operand : operands) {
    const auto it = type_of_.find(operand);
    if (it != type_of_.end()) note(it->second);
  }
}

Id SpirvBuilder::Op(spv::Op op, Id type, absl::Span<const uint32_t> operands) {
  NoteUse(op, type, operands);
  const Id result = NewId();
  if (IsNarrow(type)) type_of_[result] = type;
  std::vector<uint32_t> words = {type, result};
  words.insert(words.end(), operands.begin(), operands.end());
  body_.push_back({op, std::move(words)});
  return result;
}
void SpirvBuilder::Do(spv::Op op, std::initializer_list<uint32_t> operands) {
  AddCapabilitiesOf(op, &capabilities_);
  body_.push_back({op, operands});
}
Id SpirvBuilder::Extended(GLSLstd450 instruction, Id type, std::initializer_list<uint32_t> operands) {
  std::vector<uint32_t> all = {glsl_, static_cast<uint32_t>(instruction)};
  all.insert(all.end(), operands);
  return Op(spv::Op::OpExtInst, type, all);
}
Id SpirvBuilder::Exact(spv::Op op, Id type, std::initializer_list<uint32_t> operands) {
  const Id result = Op(op, type, operands);
  Decorate(result, spv::Decoration::NoContraction, {});
  return result;
}

Id SpirvBuilder::AccessChain(spv::StorageClass storage, Id pointee, Id base, std::initializer_list<Id> indices) {
  const Id type = PointerType(storage, pointee);
  if (storage == spv::StorageClass::StorageBuffer && IsNarrow(pointee)) {
    const bool is_byte = narrow_types_[pointee] == spv::Capability::Int8;
    capabilities_.insert(is_byte ? spv::Capability::StorageBuffer8BitAccess
                                 : spv::Capability::StorageBuffer16BitAccess);
  }
  std::vector<uint32_t> operands = {base};
  operands.insert(operands.end(), indices);
  return Op(spv::Op::OpAccessChain, type, operands);
}

void SpirvBuilder::WorkgroupBarrier() {
  const auto scope = static_cast<uint32_t>(spv::Scope::Workgroup);
  const auto semantics = static_cast<uint32_t>(spv::MemorySemanticsMask::AcquireRelease) |
                         static_cast<uint32_t>(spv::MemorySemanticsMask::UniformMemory) |
                         static_cast<uint32_t>(spv::MemorySemanticsMask::WorkgroupMemory);
  Do(spv::Op::OpControlBarrier, {Word(scope), Word(scope), Word(semantics)});
}

// ---- Control

void SpirvBuilder::BeginBlock(Id label) {
  body_.push_back({spv::Op::OpLabel, {label}});
  current_block_ = label;
}
void SpirvBuilder::BranchTo(Id label) { Do(spv::Op::OpBranch, {label}); }

SpirvBuilder::If SpirvBuilder::BeginIf(Id condition) {
  const If branch = {NewId(), NewId(), NewId()};
  Do(spv::Op::OpSelectionMerge, {branch.merge, static_cast<uint32_t>(spv::SelectionControlMask::MaskNone)});
  Do(spv::Op::OpBranchConditional, {condition, branch.on_true, branch.on_false});
  BeginBlock(branch.on_true);
  return branch;
}
void SpirvBuilder::BeginElse(const If& branch) {
  BranchTo(branch.merge);
  BeginBlock(branch.on_false);
}
void SpirvBuilder::EndIf(const If& branch) {
  BranchTo(branch.merge);
  BeginBlock(branch.merge);
}

// The header has nothing but phis and the merge; the test may have branches of its own.
SpirvBuilder::Loop SpirvBuilder::BeginLoop() {
  Loop loop;
  loop.before = current_block_;
  loop.header = NewId();
  loop.body = NewId();
  loop.next = NewId();
  loop.merge = NewId();
  BranchTo(loop.header);
  BeginBlock(loop.header);
  return loop;
}
void SpirvBuilder::LoopTest(const Loop& loop) {
  Do(spv::Op::OpLoopMerge, {loop.merge, loop.next, static_cast<uint32_t>(spv::LoopControlMask::MaskNone)});
  const Id test = NewId();
  BranchTo(test);
  BeginBlock(test);
}
void SpirvBuilder::LoopBody(const Loop& loop, Id condition) {
  Do(spv::Op::OpBranchConditional, {condition, loop.body, loop.merge});
  BeginBlock(loop.body);
}
void SpirvBuilder::LoopNext(const Loop& loop) {
  BranchTo(loop.next);
  BeginBlock(loop.next);
}
void SpirvBuilder::EndLoop(const Loop& loop) {
  BranchTo(loop.header);
  BeginBlock(loop.merge);
}

Id SpirvBuilder::Phi(Id type, std::initializer_list<uint32_t> incoming) {
  const Id phi = Op(spv::Op::OpPhi, type, incoming);
  phis_[phi] = body_.size() - 1;
  return phi;
}
void SpirvBuilder::AddIncoming(Id phi, Id value, Id block) {
  std::vector<uint32_t>& words = body_[phis_.at(phi)].words;
  words.push_back(value);
  words.push_back(block);
}

// ---- Words

void SpirvBuilder::Append(const Section& section, std::vector<uint32_t>* words) {
  for (const Instruction& instruction : section) {
    words->push_back(FirstWord(instruction.op, instruction.words.size()));
    words->insert(words->end(), instruction.words.begin(), instruction.words.end());
  }
}

void SpirvBuilder::AppendString(const char* text, std::vector<uint32_t>* words) {
  const size_t length = std::strlen(text);
  const size_t begin = words->size();
  words->resize(begin + length / 4 + 1, 0);
  std::memcpy(words->data() + begin, text, length);
}

std::vector<uint32_t> SpirvBuilder::Finish() {
  Do(spv::Op::OpReturn, {});
  const Id function_type = Shared(spv::Op::OpTypeFunction, 0, {VoidType()});
  const Id void_type = VoidType();

  Section head;
  for (const spv::Capability capability : capabilities_) {
    head.push_back({spv::Op::OpCapability, {static_cast<uint32_t>(capability)}});
  }
  std::vector<uint32_t> import = {glsl_};
  AppendString("GLSL.std.450", &import);
  head.push_back({spv::Op::OpExtInstImport, std::move(import)});
  head.push_back(
      {spv::Op::OpMemoryModel,
       {static_cast<uint32_t>(spv::AddressingModel::Logical), static_cast<uint32_t>(spv::MemoryModel::GLSL450)}});
  std::vector<uint32_t> entry = {static_cast<uint32_t>(spv::ExecutionModel::GLCompute), main_};
  AppendString("main", &entry);
  entry.insert(entry.end(), interface_.begin(), interface_.end());
  head.push_back({spv::Op::OpEntryPoint, std::move(entry)});

  Section begin = {{spv::Op::OpFunction,
                    {void_type, main_, static_cast<uint32_t>(spv::FunctionControlMask::MaskNone), function_type}}};
  // Variables of the function come first in its first block.
  begin.push_back(body_.front());
  begin.insert(begin.end(), locals_.begin(), locals_.end());
  body_.erase(body_.begin());

  std::vector<uint32_t> words = {spv::MagicNumber, kVersion, /*generator=*/0, next_id_, /*schema=*/0};
  for (const Section* section : {&head, &modes_, &decorations_, &globals_, &begin, &body_}) Append(*section, &words);
  Append({{spv::Op::OpFunctionEnd, {}}}, &words);
  return words;
}

}  // namespace vulkan
}  // namespace xla
