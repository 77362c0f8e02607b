// ModelFromHlo: one function for each kind of instruction that NNEF can say.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "builders/nnef1/writing/graph_writer.h"
#include "builders/nnef1/writing/write_model.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

// Constants of up to this many elements are written into the description.
constexpr int64_t kSmallConstant = 64;
// Elements of an iota, which becomes data.
constexpr int64_t kMostIotaElements = int64_t{1} << 30;

absl::Status CannotSay(const HloInstruction& instruction, absl::string_view why) {
  return absl::UnimplementedError(absl::StrCat(instruction.ToShortString(), ": NNEF cannot say this: ", why));
}

Extents ExtentsOf(const Shape& shape) { return Extents(shape.dimensions().begin(), shape.dimensions().end()); }

int64_t Product(absl::Span<const int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<int64_t>());
}

bool IsIdentity(absl::Span<const int64_t> permutation) {
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// A number as a value of NNEF; nullopt for those that no literal is (NaN, infinities).
absl::optional<Value> LiteralValue(const Literal& number) {
  const PrimitiveType type = number.shape().element_type();
  if (type == PRED) return Value::Logical(number.data<bool>()[0]);
  if (type == S64) return Value::Integer(number.data<int64_t>()[0]);
  const absl::StatusOr<Literal> wide = LiteralUtil::Convert(number, F64);
  if (!wide.ok() || !std::isfinite(wide->data<double>()[0])) return absl::nullopt;
  return Value::Scalar(wide->data<double>()[0]);
}

// The items of a small constant, if all are literals.
absl::optional<std::vector<Value>> LiteralValues(const Literal& array) {
  std::vector<Value> values;
  const int64_t bytes = ByteWidth(array.shape().element_type());
  for (int64_t i = 0; i < array.element_count(); ++i) {
    const Literal number = Literal::ScalarOf(array.shape().element_type(), array.data<char>() + i * bytes);
    absl::optional<Value> value = LiteralValue(number);
    if (!value.has_value()) return absl::nullopt;
    values.push_back(*std::move(value));
  }
  return values;
}

// Those that the result depends on, operands first.
std::vector<const HloInstruction*> NeededInstructions(const HloComputation& computation) {
  absl::flat_hash_set<const HloInstruction*> needed = {computation.root()};
  std::vector<const HloInstruction*> order;
  for (auto it = computation.instructions().rbegin(); it != computation.instructions().rend(); ++it) {
    if (needed.count(it->get()) == 0) continue;
    needed.insert((*it)->operands().begin(), (*it)->operands().end());
    order.push_back(it->get());
  }
  std::reverse(order.begin(), order.end());
  return order;
}

class Converter {
 public:
  explicit Converter(const HloModule& module) : module_(module), writer_(module.name()) {}

  absl::StatusOr<Model> Convert();

 private:
  using Instruction = const HloInstruction&;
  struct Row {
    HloOpcode opcode;
    absl::Status (Converter::*convert)(Instruction);
  };
  static const std::vector<Row>& Rows();

  absl::Status CheckType(Instruction instruction);
  absl::Status ConvertOne(Instruction instruction);
  absl::Status AddOutputs(Instruction root);

  // ---- The kinds of instructions
  absl::Status Parameter(Instruction instruction);
  absl::Status Constant(Instruction instruction);
  absl::Status Iota(Instruction instruction);
  absl::Status Elementwise(Instruction instruction);
  absl::Status Compare(Instruction instruction);
  absl::Status Clamp(Instruction instruction);
  absl::Status Select(Instruction instruction);
  absl::Status Convert(Instruction instruction);
  absl::Status Copy(Instruction instruction);
  absl::Status Broadcast(Instruction instruction);
  absl::Status Reshape(Instruction instruction);
  absl::Status Transpose(Instruction instruction);
  absl::Status Slice(Instruction instruction);
  absl::Status Reverse(Instruction instruction);
  absl::Status Concatenate(Instruction instruction);
  absl::Status Pad(Instruction instruction);
  absl::Status Reduce(Instruction instruction);
  absl::Status ReduceWindow(Instruction instruction);
  absl::Status Dot(Instruction instruction);
  absl::Status Convolution(Instruction instruction);
  absl::Status Gather(Instruction instruction);
  absl::Status Tuple(Instruction instruction);
  absl::Status GetTupleElement(Instruction instruction);

  // ---- Steps of theirs
  // The tensor that an operand has become; a constant becomes one here, because many are only read (where a reduction
  // starts, what is padded with).
  int Of(const HloInstruction* instruction);
  Value ValueOf(const HloInstruction* instruction) { return Value::Tensor(Of(instruction)); }
  void Set(Instruction instruction, int tensor) { tensors_[&instruction] = tensor; }
  Primitive PrimitiveOf(const Shape& shape) const;
  // An operation whose result is what the instruction gives.
  void SetNew(Instruction instruction, absl::string_view operation, const GraphWriter::Arguments& arguments);
  // The tensor with other extents or another order of dimensions; itself if nothing changes.
  int Reshaped(int tensor, const Extents& extents, absl::string_view name);
  int Transposed(int tensor, absl::Span<const int64_t> axes, absl::string_view name);
  int Reversed(int tensor, absl::Span<const int64_t> axes, absl::string_view name);
  int AddData(const Literal& array, absl::string_view name);
  // The opcode of a computation (a, b) -> a op b.
  static absl::optional<HloOpcode> OpcodeOfReducer(const HloComputation& computation);
  // The value of a scalar constant.
  static const Literal* ConstantOf(const HloInstruction* instruction);
  static bool IsConstant(const HloInstruction* instruction, double value);
  static bool IsNegativeInfinity(const HloInstruction* instruction);
  static bool IsPositiveInfinity(const HloInstruction* instruction);

  const HloModule& module_;
  GraphWriter writer_;
  Model model_;
  bool has_scalar_type_ = false;
  absl::flat_hash_map<const HloInstruction*, int> tensors_;
  absl::flat_hash_map<const HloInstruction*, std::vector<int>> tuples_;
};

struct ElementwiseName {
  HloOpcode opcode;
  const char* operation;
  bool is_logical;  // takes logical tensors, else scalars
};
constexpr ElementwiseName kElementwise[] = {
    {HloOpcode::kAbs, "abs", false},      {HloOpcode::kAcos, "acos", false},
    {HloOpcode::kAcosh, "acosh", false},  {HloOpcode::kAdd, "add", false},
    {HloOpcode::kAnd, "and", true},       {HloOpcode::kAsin, "asin", false},
    {HloOpcode::kAsinh, "asinh", false},  {HloOpcode::kAtanh, "atanh", false},
    {HloOpcode::kCeil, "ceil", false},    {HloOpcode::kCos, "cos", false},
    {HloOpcode::kCosh, "cosh", false},    {HloOpcode::kDivide, "div", false},
    {HloOpcode::kExp, "exp", false},      {HloOpcode::kFloor, "floor", false},
    {HloOpcode::kLog, "log", false},      {HloOpcode::kLogistic, "sigmoid", false},
    {HloOpcode::kMaximum, "max", false},  {HloOpcode::kMinimum, "min", false},
    {HloOpcode::kMultiply, "mul", false}, {HloOpcode::kNegate, "neg", false},
    {HloOpcode::kNot, "not", true},       {HloOpcode::kOr, "or", true},
    {HloOpcode::kPower, "pow", false},    {HloOpcode::kRsqrt, "rsqrt", false},
    {HloOpcode::kSign, "sign", false},    {HloOpcode::kSin, "sin", false},
    {HloOpcode::kSinh, "sinh", false},    {HloOpcode::kSqrt, "sqrt", false},
    {HloOpcode::kSubtract, "sub", false}, {HloOpcode::kTan, "tan", false},
    {HloOpcode::kTanh, "tanh", false},
};

const std::vector<Converter::Row>& Converter::Rows() {
  static const auto* const rows = [] {
    auto* const all = new std::vector<Row>{
        {HloOpcode::kParameter, &Converter::Parameter},
        {HloOpcode::kConstant, &Converter::Constant},
        {HloOpcode::kIota, &Converter::Iota},
        {HloOpcode::kCompare, &Converter::Compare},
        {HloOpcode::kClamp, &Converter::Clamp},
        {HloOpcode::kSelect, &Converter::Select},
        {HloOpcode::kConvert, &Converter::Convert},
        {HloOpcode::kCopy, &Converter::Copy},
        {HloOpcode::kBroadcast, &Converter::Broadcast},
        {HloOpcode::kReshape, &Converter::Reshape},
        {HloOpcode::kTranspose, &Converter::Transpose},
        {HloOpcode::kSlice, &Converter::Slice},
        {HloOpcode::kReverse, &Converter::Reverse},
        {HloOpcode::kConcatenate, &Converter::Concatenate},
        {HloOpcode::kPad, &Converter::Pad},
        {HloOpcode::kReduce, &Converter::Reduce},
        {HloOpcode::kReduceWindow, &Converter::ReduceWindow},
        {HloOpcode::kDot, &Converter::Dot},
        {HloOpcode::kConvolution, &Converter::Convolution},
        {HloOpcode::kGather, &Converter::Gather},
        {HloOpcode::kTuple, &Converter::Tuple},
        {HloOpcode::kGetTupleElement, &Converter::GetTupleElement},
    };
    for (const ElementwiseName& row : kElementwise) all->push_back({row.opcode, &Converter::Elementwise});
    return all;
  }();
  return *rows;
}

absl::StatusOr<Model> Converter::Convert() {
  const HloComputation& entry = *module_.entry();
  if (entry.parameters().empty()) {
    return CannotSay(*entry.root(), "a graph has at least one input, and this program has no parameter");
  }
  // In their order, which need not be that of the list.
  for (const HloInstruction* parameter : entry.parameters()) RETURN_IF_ERROR(ConvertOne(*parameter));
  for (const HloInstruction* instruction : NeededInstructions(entry)) {
    if (instruction->opcode() != HloOpcode::kParameter) RETURN_IF_ERROR(ConvertOne(*instruction));
  }
  RETURN_IF_ERROR(AddOutputs(*entry.root()));
  model_.graph = writer_.TakeGraph();
  return std::move(model_);
}

int Converter::Of(const HloInstruction* instruction) {
  const auto it = tensors_.find(instruction);
  if (it != tensors_.end()) return it->second;
  const int tensor = AddData(*instruction->attributes<ConstantAttributes>().literal, instruction->name());
  Set(*instruction, tensor);
  return tensor;
}

absl::Status Converter::CheckType(Instruction instruction) {
  const Shape& shape = instruction.shape();
  if (shape.IsTuple()) return absl::OkStatus();
  if (!shape.IsArray() || shape.IsDynamic()) return CannotSay(instruction, "only arrays of fixed extents are tensors");
  for (const int64_t extent : shape.dimensions()) {
    if (extent == 0) return CannotSay(instruction, "extents are positive");
  }
  const PrimitiveType type = shape.element_type();
  if (type == S64 || type == PRED) return absl::OkStatus();
  if (type != F32 && type != F64 && type != F16 && type != BF16) {
    return CannotSay(instruction, "element types are f32 (or f64, f16, bf16), s64 and pred");
  }
  if (has_scalar_type_ && type != model_.types.scalar) return CannotSay(instruction, "all floats have one type");
  has_scalar_type_ = true;
  model_.types.scalar = type;
  return absl::OkStatus();
}

absl::Status Converter::ConvertOne(Instruction instruction) {
  RETURN_IF_ERROR(CheckType(instruction));
  for (const Row& row : Rows()) {
    if (row.opcode == instruction.opcode()) return (this->*row.convert)(instruction);
  }
  return CannotSay(instruction, "there is no such operation");
}

absl::Status Converter::AddOutputs(Instruction root) {
  std::vector<int> outputs;
  if (root.shape().IsTuple()) {
    outputs = tuples_.at(&root);
  } else {
    outputs.push_back(Of(&root));
  }
  if (outputs.empty()) return CannotSay(root, "a graph has at least one result");
  std::set<int> taken;
  for (const int output : outputs) {
    const Tensor tensor = writer_.tensor(output);
    const bool is_input = tensor.producer < static_cast<int>(module_.entry()->parameters().size());
    const int result = taken.insert(output).second && !is_input
                           ? output
                           : writer_.Add("copy", {{"x", Value::Tensor(output)}}, tensor.primitive, *tensor.extents,
                                         absl::StrCat(tensor.name, "_copy"));
    taken.insert(result);
    writer_.AddOutput(result);
  }
  return absl::OkStatus();
}

Primitive Converter::PrimitiveOf(const Shape& shape) const {
  const PrimitiveType type = shape.element_type();
  return type == S64 ? Primitive::kInteger : type == PRED ? Primitive::kLogical : Primitive::kScalar;
}

void Converter::SetNew(Instruction instruction, absl::string_view operation, const GraphWriter::Arguments& arguments) {
  Set(instruction, writer_.Add(operation, arguments, PrimitiveOf(instruction.shape()), ExtentsOf(instruction.shape()),
                               instruction.name()));
}

int Converter::Reshaped(int tensor, const Extents& extents, absl::string_view name) {
  const Tensor from = writer_.tensor(tensor);
  if (*from.extents == extents) return tensor;
  return writer_.Add("reshape", {{"input", Value::Tensor(tensor)}, {"shape", IntegerArray(extents)}}, from.primitive,
                     extents, name);
}

int Converter::Transposed(int tensor, absl::Span<const int64_t> axes, absl::string_view name) {
  if (IsIdentity(axes)) return tensor;
  const Tensor from = writer_.tensor(tensor);
  Extents extents;
  for (const int64_t axis : axes) extents.push_back((*from.extents)[axis]);
  return writer_.Add("transpose", {{"input", Value::Tensor(tensor)}, {"axes", IntegerArray(axes)}}, from.primitive,
                     extents, name);
}

int Converter::Reversed(int tensor, absl::Span<const int64_t> axes, absl::string_view name) {
  if (axes.empty()) return tensor;
  const Tensor from = writer_.tensor(tensor);
  std::vector<int64_t> begin, end, stride;
  for (const int64_t axis : axes) {
    begin.push_back(-1);
    end.push_back(-(*from.extents)[axis] - 1);
    stride.push_back(-1);
  }
  return writer_.Add("slice",
                     {{"input", Value::Tensor(tensor)},
                      {"axes", IntegerArray(axes)},
                      {"begin", IntegerArray(begin)},
                      {"end", IntegerArray(end)},
                      {"stride", IntegerArray(stride)}},
                     from.primitive, *from.extents, name);
}

absl::Status Converter::Parameter(Instruction instruction) {
  if (instruction.shape().IsTuple()) return CannotSay(instruction, "inputs are arrays");
  Set(instruction,
      writer_.AddInput(PrimitiveOf(instruction.shape()), ExtentsOf(instruction.shape()), instruction.name()));
  return absl::OkStatus();
}

// A number where it is used, items in the description, or a variable.
int Converter::AddData(const Literal& array, absl::string_view name) {
  const Extents extents = ExtentsOf(array.shape());
  const Primitive primitive = PrimitiveOf(array.shape());
  const bool is_small = array.element_count() <= kSmallConstant;
  absl::optional<std::vector<Value>> values;
  if (is_small) values = LiteralValues(array);
  if (values.has_value() && extents.empty()) return writer_.AddLiteral(values->front());
  if (values.has_value()) {
    return writer_.Add("constant", {{"shape", IntegerArray(extents)}, {"value", Value::Array(*std::move(values))}},
                       primitive, extents, name);
  }
  const std::string label = absl::StrCat("constants/", model_.variables.size());
  model_.variables[label] = std::make_shared<const Literal>(array);
  return writer_.Add("variable", {{"shape", IntegerArray(extents)}, {"label", Value::String(label)}}, primitive,
                     extents, name);
}

absl::Status Converter::Constant(Instruction instruction) {
  const std::shared_ptr<const Literal>& literal = instruction.attributes<ConstantAttributes>().literal;
  if (literal == nullptr) return CannotSay(instruction, "the constant was left out when the program was written");
  return absl::OkStatus();
}

absl::Status Converter::Iota(Instruction instruction) {
  const Shape& shape = instruction.shape();
  const int64_t dimension = instruction.attributes<IotaAttributes>().iota_dimension;
  if (shape.ElementCount() > kMostIotaElements) return CannotSay(instruction, "too many numbers to be written as data");
  ASSIGN_OR_RETURN(Literal numbers, Literal::Allocate(Shape::Array(S64, shape.dimensions())));
  const Extents extents = ExtentsOf(shape);
  const int64_t inner = Product(absl::MakeConstSpan(extents).subspan(dimension + 1));
  int64_t* const items = numbers.mutable_data<int64_t>();
  for (int64_t i = 0; i < numbers.element_count(); ++i) items[i] = i / inner % extents[dimension];
  ASSIGN_OR_RETURN(const Literal array, LiteralUtil::Convert(numbers, shape.element_type()));
  Set(instruction, AddData(array, instruction.name()));
  return absl::OkStatus();
}

absl::Status Converter::Elementwise(Instruction instruction) {
  const auto* const row =
      std::find_if(std::begin(kElementwise), std::end(kElementwise),
                   [&](const ElementwiseName& known) { return known.opcode == instruction.opcode(); });
  const Primitive wanted = row->is_logical ? Primitive::kLogical : Primitive::kScalar;
  if (PrimitiveOf(instruction.shape()) != wanted) {
    return CannotSay(instruction, absl::StrCat("'", row->operation, "' takes ", Type::Tensor(wanted).ToString()));
  }
  if (instruction.operand_count() == 1) {
    SetNew(instruction, row->operation, {{"x", ValueOf(instruction.operand(0))}});
  } else {
    SetNew(instruction, row->operation,
           {{"x", ValueOf(instruction.operand(0))}, {"y", ValueOf(instruction.operand(1))}});
  }
  return absl::OkStatus();
}

absl::Status Converter::Compare(Instruction instruction) {
  const CompareAttributes& attributes = instruction.attributes<CompareAttributes>();
  if (PrimitiveOf(instruction.operand(0)->shape()) != Primitive::kScalar || attributes.type != ComparisonType::kFloat) {
    return CannotSay(instruction, "only scalars are compared, as floats");
  }
  static constexpr std::pair<ComparisonDirection, const char*> kNames[] = {
      {ComparisonDirection::kEq, "eq"}, {ComparisonDirection::kNe, "ne"}, {ComparisonDirection::kGe, "ge"},
      {ComparisonDirection::kGt, "gt"}, {ComparisonDirection::kLe, "le"}, {ComparisonDirection::kLt, "lt"}};
  for (const auto& [direction, name] : kNames) {
    if (direction != attributes.direction) continue;
    SetNew(instruction, name, {{"x", ValueOf(instruction.operand(0))}, {"y", ValueOf(instruction.operand(1))}});
  }
  return absl::OkStatus();
}

// Where bounds cross, HLO gives the upper one, and NNEF's clamp the lower one.
absl::Status Converter::Clamp(Instruction instruction) {
  if (PrimitiveOf(instruction.shape()) != Primitive::kScalar) return CannotSay(instruction, "only scalars are clamped");
  const int bounded =
      writer_.Add("max", {{"x", ValueOf(instruction.operand(0))}, {"y", ValueOf(instruction.operand(1))}},
                  Primitive::kScalar, ExtentsOf(instruction.shape()), absl::StrCat(instruction.name(), "_at_least"));
  SetNew(instruction, "min", {{"x", Value::Tensor(bounded)}, {"y", ValueOf(instruction.operand(2))}});
  return absl::OkStatus();
}

absl::Status Converter::Select(Instruction instruction) {
  SetNew(instruction, "select",
         {{"condition", ValueOf(instruction.operand(0))},
          {"true_value", ValueOf(instruction.operand(1))},
          {"false_value", ValueOf(instruction.operand(2))}});
  return absl::OkStatus();
}

absl::Status Converter::Convert(Instruction instruction) {
  const Primitive from = PrimitiveOf(instruction.operand(0)->shape());
  if (from == PrimitiveOf(instruction.shape())) {
    Set(instruction, Of(instruction.operand(0)));
  } else {
    SetNew(instruction, "cast", {{"input", ValueOf(instruction.operand(0))}});
  }
  return absl::OkStatus();
}

absl::Status Converter::Copy(Instruction instruction) {
  SetNew(instruction, "copy", {{"x", ValueOf(instruction.operand(0))}});
  return absl::OkStatus();
}

// Ones where the operand has no dimension, then repeated there.
absl::Status Converter::Broadcast(Instruction instruction) {
  const DimensionVector& dimensions = instruction.attributes<BroadcastAttributes>().dimensions;
  const Extents to = ExtentsOf(instruction.shape());
  Extents aligned(to.size(), 1);
  std::vector<int64_t> repeats = to;
  // The dimensions of the operand in the order in which the result has them.
  std::vector<int64_t> order(dimensions.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return dimensions[a] < dimensions[b]; });
  for (size_t i = 0; i < dimensions.size(); ++i) {
    aligned[dimensions[i]] = to[dimensions[i]];
    repeats[dimensions[i]] = 1;
  }
  const int ordered = Transposed(Of(instruction.operand(0)), order, absl::StrCat(instruction.name(), "_in_order"));
  const bool is_all = std::all_of(repeats.begin(), repeats.end(), [](int64_t count) { return count == 1; });
  const int tensor =
      Reshaped(ordered, aligned, is_all ? instruction.name() : absl::StrCat(instruction.name(), "_aligned"));
  if (is_all) {
    Set(instruction, tensor);
  } else {
    SetNew(instruction, "tile", {{"input", Value::Tensor(tensor)}, {"repeats", IntegerArray(repeats)}});
  }
  return absl::OkStatus();
}

absl::Status Converter::Reshape(Instruction instruction) {
  Set(instruction, Reshaped(Of(instruction.operand(0)), ExtentsOf(instruction.shape()), instruction.name()));
  return absl::OkStatus();
}

absl::Status Converter::Transpose(Instruction instruction) {
  Set(instruction, Transposed(Of(instruction.operand(0)), instruction.attributes<DimensionsAttributes>().dimensions,
                              instruction.name()));
  return absl::OkStatus();
}

absl::Status Converter::Slice(Instruction instruction) {
  const std::vector<SliceRange>& ranges = instruction.attributes<SliceAttributes>().ranges;
  std::vector<int64_t> axes, begin, end, stride;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const SliceRange& range = ranges[i];
    if (range.start == 0 && range.stride == 1 && range.limit == instruction.operand(0)->shape().dimension(i)) continue;
    axes.push_back(static_cast<int64_t>(i));
    begin.push_back(range.start);
    end.push_back(range.limit);
    stride.push_back(range.stride);
  }
  if (axes.empty()) {
    Set(instruction, Of(instruction.operand(0)));
    return absl::OkStatus();
  }
  SetNew(instruction, "slice",
         {{"input", ValueOf(instruction.operand(0))},
          {"axes", IntegerArray(axes)},
          {"begin", IntegerArray(begin)},
          {"end", IntegerArray(end)},
          {"stride", IntegerArray(stride)}});
  return absl::OkStatus();
}

absl::Status Converter::Reverse(Instruction instruction) {
  Set(instruction, Reversed(Of(instruction.operand(0)), instruction.attributes<DimensionsAttributes>().dimensions,
                            instruction.name()));
  return absl::OkStatus();
}

absl::Status Converter::Concatenate(Instruction instruction) {
  std::vector<Value> operands;
  for (const HloInstruction* operand : instruction.operands()) operands.push_back(ValueOf(operand));
  SetNew(instruction, "concat",
         {{"values", Value::Array(std::move(operands))},
          {"axis", Value::Integer(instruction.attributes<DimensionAttributes>().dimension)}});
  return absl::OkStatus();
}

const Literal* Converter::ConstantOf(const HloInstruction* instruction) {
  if (instruction->opcode() != HloOpcode::kConstant || instruction->shape().rank() != 0) return nullptr;
  return instruction->attributes<ConstantAttributes>().literal.get();
}

bool Converter::IsConstant(const HloInstruction* instruction, double value) {
  const Literal* const literal = ConstantOf(instruction);
  if (literal == nullptr) return false;
  const absl::StatusOr<Literal> wide = LiteralUtil::Convert(*literal, F64);
  return wide.ok() && wide->data<double>()[0] == value;
}

bool Converter::IsNegativeInfinity(const HloInstruction* instruction) {
  return IsFloat(instruction->shape().element_type()) &&
         IsConstant(instruction, -std::numeric_limits<double>::infinity());
}

bool Converter::IsPositiveInfinity(const HloInstruction* instruction) {
  return IsFloat(instruction->shape().element_type()) &&
         IsConstant(instruction, std::numeric_limits<double>::infinity());
}

absl::Status Converter::Pad(Instruction instruction) {
  const PaddingConfig& padding = instruction.attributes<PadAttributes>().padding;
  const Literal* const value = ConstantOf(instruction.operand(1));
  const absl::optional<Value> number = value == nullptr ? absl::nullopt : LiteralValue(*value);
  if (!number.has_value() || !number->is_scalar()) {
    return CannotSay(instruction, "only scalars are padded, with a number that is known");
  }
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const PaddingDimension& dimension : padding) {
    if (dimension.interior != 0) return CannotSay(instruction, "nothing is put between items");
    pairs.emplace_back(dimension.low, dimension.high);
  }
  SetNew(instruction, "pad",
         {{"input", ValueOf(instruction.operand(0))}, {"padding", PairArray(pairs)}, {"value", *number}});
  return absl::OkStatus();
}

absl::optional<HloOpcode> Converter::OpcodeOfReducer(const HloComputation& computation) {
  const HloInstruction* const root = computation.root();
  const bool takes_both = computation.instruction_count() == 3 && root->operand_count() == 2 &&
                          root->operand(0)->opcode() == HloOpcode::kParameter &&
                          root->operand(1)->opcode() == HloOpcode::kParameter && root->operand(0) != root->operand(1);
  if (!takes_both) return absl::nullopt;
  return root->opcode();
}

absl::Status Converter::Reduce(Instruction instruction) {
  if (instruction.operand_count() != 2) return CannotSay(instruction, "arrays are reduced one by one");
  const HloInstruction* const start = instruction.operand(1);
  const absl::optional<HloOpcode> opcode = OpcodeOfReducer(*instruction.called_computation(0));
  const bool is_scalar = PrimitiveOf(instruction.shape()) == Primitive::kScalar;
  const bool is_logical = PrimitiveOf(instruction.shape()) == Primitive::kLogical;
  const char* operation = nullptr;
  if (is_scalar && opcode == HloOpcode::kAdd && IsConstant(start, 0)) operation = "sum_reduce";
  if (is_scalar && opcode == HloOpcode::kMaximum && IsNegativeInfinity(start)) operation = "max_reduce";
  if (is_scalar && opcode == HloOpcode::kMinimum && IsPositiveInfinity(start)) operation = "min_reduce";
  if (is_logical && opcode == HloOpcode::kAnd && IsConstant(start, 1)) operation = "all_reduce";
  if (is_logical && opcode == HloOpcode::kOr && IsConstant(start, 0)) operation = "any_reduce";
  if (operation == nullptr) {
    return CannotSay(instruction,
                     "reductions are sums, maxima and minima of scalars, and of logical values, from where "
                     "those start");
  }
  const DimensionVector& axes = instruction.attributes<DimensionsAttributes>().dimensions;
  Extents extents = ExtentsOf(instruction.operand(0)->shape());
  for (const int64_t axis : axes) extents[axis] = 1;
  const Primitive primitive = PrimitiveOf(instruction.shape());
  const int reduced = writer_.Add(operation, {{"input", ValueOf(instruction.operand(0))}, {"axes", IntegerArray(axes)}},
                                  primitive, extents, absl::StrCat(instruction.name(), "_kept"));
  if (axes.empty()) {
    Set(instruction, reduced);
  } else {
    SetNew(instruction, "squeeze", {{"input", Value::Tensor(reduced)}, {"axes", IntegerArray(axes)}});
  }
  return absl::OkStatus();
}

absl::Status Converter::ReduceWindow(Instruction instruction) {
  if (instruction.operand_count() != 2) return CannotSay(instruction, "arrays are reduced one by one");
  const absl::optional<HloOpcode> opcode = OpcodeOfReducer(*instruction.called_computation(0));
  const bool is_scalar = PrimitiveOf(instruction.shape()) == Primitive::kScalar;
  const bool is_sum = is_scalar && opcode == HloOpcode::kAdd && IsConstant(instruction.operand(1), 0);
  const bool is_maximum = is_scalar && opcode == HloOpcode::kMaximum && IsNegativeInfinity(instruction.operand(1));
  if (!is_sum && !is_maximum) return CannotSay(instruction, "windows are summed from 0, or maximised from -infinity");
  std::vector<int64_t> size, stride, dilation;
  std::vector<std::pair<int64_t, int64_t>> padding;
  for (const WindowDimension& dimension : instruction.attributes<WindowAttributes>().window.dimensions) {
    if (dimension.base_dilation != 1) return CannotSay(instruction, "nothing is put between items");
    size.push_back(dimension.size);
    stride.push_back(dimension.stride);
    dilation.push_back(dimension.window_dilation);
    padding.emplace_back(dimension.padding_low, dimension.padding_high);
  }
  SetNew(instruction, is_sum ? "box" : "max_pool",
         {{"input", ValueOf(instruction.operand(0))},
          {"size", IntegerArray(size)},
          {"border", Value::String(is_sum ? "constant" : "ignore")},
          {"padding", PairArray(padding)},
          {"stride", IntegerArray(stride)},
          {"dilation", IntegerArray(dilation)}});
  return absl::OkStatus();
}

// One side of a dot: dimensions in the order (batch, free, contracted) or (batch, contracted, free), each kind as one.
struct DotSide {
  std::vector<int64_t> order;
  Extents batch;
  int64_t free = 1;
  int64_t contracted = 1;
};

DotSide SideOf(const Shape& shape, const DimensionVector& batch, const DimensionVector& contracted) {
  DotSide side;
  std::vector<bool> is_taken(shape.rank(), false);
  for (const int64_t dimension : batch) {
    side.order.push_back(dimension);
    side.batch.push_back(shape.dimension(dimension));
    is_taken[dimension] = true;
  }
  for (const int64_t dimension : contracted) is_taken[dimension] = true;
  for (int64_t dimension = 0; dimension < shape.rank(); ++dimension) {
    if (is_taken[dimension]) continue;
    side.order.push_back(dimension);
    side.free *= shape.dimension(dimension);
  }
  for (const int64_t dimension : contracted) {
    side.order.push_back(dimension);
    side.contracted *= shape.dimension(dimension);
  }
  return side;
}

absl::Status Converter::Dot(Instruction instruction) {
  const DotAttributes& attributes = instruction.attributes<DotAttributes>();
  const HloInstruction* const lhs = instruction.operand(0);
  const HloInstruction* const rhs = instruction.operand(1);
  if (PrimitiveOf(instruction.shape()) != Primitive::kScalar || PrimitiveOf(lhs->shape()) != Primitive::kScalar ||
      PrimitiveOf(rhs->shape()) != Primitive::kScalar) {
    return CannotSay(instruction, "only scalars are multiplied");
  }
  const DotSide left = SideOf(lhs->shape(), attributes.lhs_batch_dims, attributes.lhs_contracting_dims);
  const DotSide right = SideOf(rhs->shape(), attributes.rhs_batch_dims, attributes.rhs_contracting_dims);
  Extents left_extents = left.batch, right_extents = right.batch, extents = left.batch;
  left_extents.insert(left_extents.end(), {left.free, left.contracted});
  extents.insert(extents.end(), {left.free, right.free});
  // As it stands if it is (batch, contracted, free): the usual form of weights.
  std::vector<int64_t> usual(right.order.begin(), right.order.begin() + right.batch.size());
  usual.insert(usual.end(), attributes.rhs_contracting_dims.begin(), attributes.rhs_contracting_dims.end());
  usual.insert(usual.end(), right.order.begin() + right.batch.size(),
               right.order.end() - attributes.rhs_contracting_dims.size());
  const bool is_usual = IsIdentity(usual);
  if (is_usual) {
    right_extents.insert(right_extents.end(), {right.contracted, right.free});
  } else {
    right_extents.insert(right_extents.end(), {right.free, right.contracted});
  }
  const std::string& name = instruction.name();
  const int left_matrix = Reshaped(Transposed(Of(lhs), left.order, absl::StrCat(name, "_lhs_order")), left_extents,
                                   absl::StrCat(name, "_lhs"));
  const int right_matrix =
      Reshaped(is_usual ? Of(rhs) : Transposed(Of(rhs), right.order, absl::StrCat(name, "_rhs_order")), right_extents,
               absl::StrCat(name, "_rhs"));
  const bool is_result = extents == ExtentsOf(instruction.shape());
  const int product = writer_.Add("matmul",
                                  {{"A", Value::Tensor(left_matrix)},
                                   {"B", Value::Tensor(right_matrix)},
                                   {"transposeB", Value::Logical(!is_usual)}},
                                  Primitive::kScalar, extents, is_result ? name : absl::StrCat(name, "_matrix"));
  Set(instruction, Reshaped(product, ExtentsOf(instruction.shape()), name));
  return absl::OkStatus();
}

// (batch or output channels, channels, spatial...), as NNEF has them.
std::vector<int64_t> Order(int64_t first, int64_t second, const DimensionVector& spatial) {
  std::vector<int64_t> order = {first, second};
  order.insert(order.end(), spatial.begin(), spatial.end());
  return order;
}

std::vector<int64_t> Inverse(absl::Span<const int64_t> permutation) {
  std::vector<int64_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) inverse[permutation[i]] = static_cast<int64_t>(i);
  return inverse;
}

absl::Status Converter::Convolution(Instruction instruction) {
  const ConvolutionAttributes& attributes = instruction.attributes<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& labels = attributes.dim_labels;
  const std::string& name = instruction.name();
  if (PrimitiveOf(instruction.shape()) != Primitive::kScalar)
    return CannotSay(instruction, "only scalars are convolved");
  if (attributes.batch_group_count != 1) return CannotSay(instruction, "batches have no groups");
  if (labels.input_spatial.empty()) return CannotSay(instruction, "convolutions have spatial dimensions");
  std::vector<int64_t> stride, dilation, factor, reversed;
  std::vector<std::pair<int64_t, int64_t>> padding;
  bool is_reverse_operation = false;
  for (const WindowDimension& dimension : attributes.window.dimensions) {
    is_reverse_operation = is_reverse_operation || dimension.base_dilation != 1;
  }
  const std::vector<int64_t> output_order = Order(labels.output_batch, labels.output_feature, labels.output_spatial);
  Extents extents;
  for (const int64_t dimension : output_order) extents.push_back(instruction.shape().dimension(dimension));
  const std::vector<int64_t> input_order = Order(labels.input_batch, labels.input_feature, labels.input_spatial);
  for (size_t i = 0; i < attributes.window.dimensions.size(); ++i) {
    const WindowDimension& dimension = attributes.window.dimensions[i];
    if (is_reverse_operation && dimension.stride != 1) {
      return CannotSay(instruction, "a window does not go in steps where items are put between items");
    }
    // A transposed convolution goes through its filter backwards.
    if (dimension.window_reversal != is_reverse_operation) reversed.push_back(static_cast<int64_t>(i) + 2);
    dilation.push_back(dimension.window_dilation);
    if (!is_reverse_operation) {
      stride.push_back(dimension.stride);
      padding.emplace_back(dimension.padding_low, dimension.padding_high);
      continue;
    }
    const int64_t reach = (dimension.size - 1) * dimension.window_dilation;
    const int64_t before = reach - dimension.padding_low;
    const int64_t small = instruction.operand(0)->shape().dimension(labels.input_spatial[i]);
    stride.push_back(dimension.base_dilation);
    padding.emplace_back(before, (small - 1) * dimension.base_dilation + reach + 1 - before - extents[i + 2]);
  }
  if (is_reverse_operation && attributes.feature_group_count != 1) {
    return CannotSay(instruction, "a transposed convolution in groups has its filter in another order");
  }
  const int input = Transposed(Of(instruction.operand(0)), input_order, absl::StrCat(name, "_input"));
  const std::vector<int64_t> filter_order =
      is_reverse_operation ? Order(labels.kernel_input_feature, labels.kernel_output_feature, labels.kernel_spatial)
                           : Order(labels.kernel_output_feature, labels.kernel_input_feature, labels.kernel_spatial);
  const int filter = Reversed(Transposed(Of(instruction.operand(1)), filter_order, absl::StrCat(name, "_filter")),
                              reversed, absl::StrCat(name, "_turned_filter"));
  const std::vector<int64_t> back = Inverse(output_order);
  const int output = writer_.Add(is_reverse_operation ? "deconv" : "conv",
                                 {{"input", Value::Tensor(input)},
                                  {"filter", Value::Tensor(filter)},
                                  {"padding", PairArray(padding)},
                                  {"stride", IntegerArray(stride)},
                                  {"dilation", IntegerArray(dilation)},
                                  {"groups", Value::Integer(attributes.feature_group_count)}},
                                 Primitive::kScalar, extents, IsIdentity(back) ? name : absl::StrCat(name, "_output"));
  Set(instruction, Transposed(output, back, name));
  return absl::OkStatus();
}

// Along one axis, whole slices of the others.
absl::Status Converter::Gather(Instruction instruction) {
  const GatherAttributes& attributes = instruction.attributes<GatherAttributes>();
  const HloInstruction* const operand = instruction.operand(0);
  const HloInstruction* const indices = instruction.operand(1);
  const auto refuse = [&] { return CannotSay(instruction, "items are gathered along one axis, at indices of s64"); };
  const bool is_along_one_axis =
      attributes.start_index_map.size() == 1 && attributes.collapsed_slice_dims.size() == 1 &&
      attributes.collapsed_slice_dims[0] == attributes.start_index_map[0] && attributes.operand_batching_dims.empty();
  if (!is_along_one_axis || PrimitiveOf(indices->shape()) != Primitive::kInteger) return refuse();
  const int64_t axis = attributes.start_index_map[0];
  for (int64_t i = 0; i < operand->shape().rank(); ++i) {
    if (attributes.slice_sizes[i] != (i == axis ? 1 : operand->shape().dimension(i))) return refuse();
  }
  Extents index_extents = ExtentsOf(indices->shape());
  const int64_t index_rank = indices->shape().rank();
  if (attributes.index_vector_dim < index_rank)
    index_extents.erase(index_extents.begin() + attributes.index_vector_dim);
  // The dimensions of the operand before the axis, those of the indices, those after the axis.
  const auto index_count = static_cast<int64_t>(index_extents.size());
  for (int64_t i = 0; i < static_cast<int64_t>(attributes.offset_dims.size()); ++i) {
    if (attributes.offset_dims[i] != (i < axis ? i : i + index_count)) return refuse();
  }
  const int places = Reshaped(Of(indices), index_extents, absl::StrCat(instruction.name(), "_indices"));
  SetNew(instruction, "gather",
         {{"input", ValueOf(operand)}, {"indices", Value::Tensor(places)}, {"axis", Value::Integer(axis)}});
  return absl::OkStatus();
}

absl::Status Converter::Tuple(Instruction instruction) {
  std::vector<int>& elements = tuples_[&instruction];
  for (const HloInstruction* operand : instruction.operands()) {
    if (operand->shape().IsTuple()) return CannotSay(instruction, "tuples are not nested");
    elements.push_back(Of(operand));
  }
  return absl::OkStatus();
}

absl::Status Converter::GetTupleElement(Instruction instruction) {
  Set(instruction, tuples_.at(instruction.operand(0))[instruction.attributes<GetTupleElementAttributes>().index]);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Model> ModelFromHlo(const HloModule& module) { return Converter(module).Convert(); }

}  // namespace nnef1
}  // namespace xla
