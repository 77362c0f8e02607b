#include "tests/random_modules/scope.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/convert_elements.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/check.h"

namespace xla {
namespace {

// The element types with how often they are chosen.
constexpr std::pair<PrimitiveType, int> kTypes[] = {
    {F32, 36},     {S32, 14},       {PRED, 6},       {F64, 7},    {BF16, 7},     {F16, 7},
    {S8, 4},       {U8, 4},         {S16, 2},        {U16, 2},    {U32, 6},      {S64, 4},
    {U64, 4},      {C64, 4},        {C128, 2},       {S4, 2},     {U4, 2},       {S2, 1},
    {U2, 1},       {S1, 1},         {U1, 1},         {F8E5M2, 1}, {F8E4M3FN, 1}, {F8E4M3B11FNUZ, 1},
    {F8E4M3, 1},   {F8E5M2FNUZ, 1}, {F8E4M3FNUZ, 1}, {F8E3M4, 1}, {F4E2M1FN, 1}, {F8E8M0FNU, 1},
    {F6E3M2FN, 1}, {F6E2M3FN, 1},
};

[[noreturn]] void Fail(const HloInstruction& instruction, absl::string_view why) {
  std::fprintf(stderr, "the generator made a wrong instruction: %s: %.*s\n", instruction.ToShortString().c_str(),
               static_cast<int>(why.size()), why.data());
  std::abort();
}

// An element of the set by its weight.
PrimitiveType PickType(unsigned classes, RandomSource& random) {
  int total = 0;
  for (const auto& [type, weight] : kTypes) total += (ElementClassOf(type) & classes) != 0 ? weight : 0;
  int64_t choice = random.Below(total);
  for (const auto& [type, weight] : kTypes) {
    if ((ElementClassOf(type) & classes) == 0) continue;
    if ((choice -= weight) < 0) return type;
  }
  return F32;
}

Literal NumberLiteral(const Shape& shape, double number) {
  absl::StatusOr<Literal> literal = Literal::Zeros(shape);
  CHECK(literal.ok());
  const PrimitiveType real = ComplexComponentType(shape.element_type());
  const int64_t step = ByteWidth(shape.element_type());
  for (int64_t i = 0; i < literal->element_count(); ++i) {
    ConvertElements(F64, real, 1, &number, literal->mutable_data<char>() + i * step);
  }
  return *std::move(literal);
}

}  // namespace

bool IsStaticArray(const Value& value) { return value.shape().IsArray() && !value.shape().IsDynamic(); }

DimensionVector ToVector(absl::Span<const int64_t> dimensions) {
  return DimensionVector(dimensions.begin(), dimensions.end());
}

std::vector<int64_t> Identity(int64_t n) {
  std::vector<int64_t> identity(n);
  std::iota(identity.begin(), identity.end(), 0);
  return identity;
}

int64_t ProductOf(absl::Span<const int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<int64_t>());
}

Shape ArrayShape(PrimitiveType type, absl::Span<const int64_t> dimensions) {
  Shape shape = Shape::Array(type, dimensions);
  shape.SetMissingLayoutsToDefault();
  return shape;
}

HloComputation* ScalarComputation(ModuleState& state, HloOpcode opcode, PrimitiveType type) {
  for (const auto& [key, computation] : state.reducers) {
    if (key == std::make_pair(opcode, type) && state.random.Chance(70)) return computation;
  }
  Scope scope(&state, std::string(HloOpcodeName(opcode)), Scope::Kind::kFusion, 9);
  const Value x = scope.Parameter(Shape::Scalar(type), Facts::Exact(), "x");
  const Value y = scope.Parameter(Shape::Scalar(type), Facts::Exact(), "y");
  HloComputation* const computation =
      scope.Finish(state.random.Chance(80) ? scope.Binary(opcode, x, y) : scope.Binary(opcode, y, x));
  state.reducers.push_back({{opcode, type}, computation});
  return computation;
}

Scope::Scope(ModuleState* state, const std::string& name, Kind kind, int depth)
    : state_(state), kind_(kind), depth_(depth), computation_(std::make_unique<HloComputation>(NewName(name))) {
  // Names of computations and rules of attributes ask for the module.
  computation_->set_parent(state->module);
}

std::string Scope::NewName(const std::string& base) { return absl::StrCat(base, ".", state_->next_number++); }

Value Scope::Add(HloOpcode opcode, absl::Span<const Value> operands, const Facts& facts, Extra extra) {
  if (change_operands_ != nullptr && !operands.empty()) {
    // What it adds itself it makes of operands as they are.
    const OperandChange change = std::exchange(change_operands_, nullptr);
    std::vector<Value> changed(operands.begin(), operands.end());
    if (change(opcode, extra.attributes.get(), &changed)) {
      return AddWithDynamicOperands(opcode, changed, facts, std::move(extra));
    }
    change_operands_ = change;
  }
  const OpDefinition& op = GetOp(opcode);
  Shape shape = extra.shape.has_value() ? *extra.shape : Shape();
  auto instruction =
      std::make_unique<HloInstruction>(opcode, NewName(std::string(HloOpcodeName(opcode))), std::move(shape));
  instruction->set_id(state_->next_number);
  for (const Value& operand : operands) instruction->AddOperand(operand.instruction);
  for (HloComputation* callee : extra.calls) instruction->AddCalledComputation(callee);
  if (extra.attributes == nullptr && op.make_attributes != nullptr) extra.attributes = op.make_attributes();
  instruction->set_attributes(std::move(extra.attributes));
  HloInstruction* const added = computation_->AddInstruction(std::move(instruction));
  if (op.infer_shape != nullptr) {
    absl::StatusOr<Shape> inferred = op.infer_shape(*added);
    if (!inferred.ok()) Fail(*added, inferred.status().message());
    if (!extra.shape.has_value()) added->mutable_shape() = *std::move(inferred);
  }
  if (added->shape().element_type() == PRIMITIVE_TYPE_INVALID) Fail(*added, "has no shape");
  added->mutable_shape().SetMissingLayoutsToDefault();
  Value value{added, facts};
  if (IsInt(value.type()) || value.type() == PRED) value.facts.nan_bits = true;
  values_.push_back(value);
  return value;
}

// The dynamic dimensions of the result are those that the op table infers, whatever its element type is to be.
Value Scope::AddWithDynamicOperands(HloOpcode opcode, absl::Span<const Value> operands, const Facts& facts,
                                    Extra extra) {
  if (!extra.shape.has_value() || !extra.shape->IsArray()) return Add(opcode, operands, facts, std::move(extra));
  HloInstruction probe(opcode, "probe", *extra.shape);
  for (const Value& operand : operands) probe.AddOperand(operand.instruction);
  probe.set_attributes(extra.attributes->Clone());
  absl::StatusOr<Shape> inferred = GetOp(opcode).infer_shape(probe);
  if (!inferred.ok()) Fail(probe, inferred.status().message());
  for (int d = 0; d < inferred->rank(); ++d) extra.shape->set_dynamic_dimension(d, inferred->is_dynamic_dimension(d));
  probe.SetOperands({});
  return Add(opcode, operands, facts, std::move(extra));
}

Value Scope::Unary(HloOpcode opcode, const Value& x) { return Elementwise(opcode, {x}); }

Value Scope::Binary(HloOpcode opcode, const Value& x, const Value& y) { return Elementwise(opcode, {x, y}); }

Value Scope::Elementwise(HloOpcode opcode, absl::Span<const Value> operands) {
  std::vector<Facts> known;
  for (const Value& operand : operands) known.push_back(operand.facts);
  const PrimitiveType type = operands[0].type();
  Facts facts = ElementwiseFacts(opcode, type, known);
  if (state_->functions_are_rounded && !IsInt(type) && FindElementwiseRow(opcode)->max_ulp > 0) {
    facts.exact = false;
    facts.roundings = std::max(facts.roundings, 1);
  }
  return Add(opcode, operands, facts);
}

Value Scope::Compare(ComparisonDirection direction, const Value& x, const Value& y, bool total_order) {
  Facts facts = Facts::Of(DataClass::kAny, PRED);
  facts.exact = x.facts.exact && y.facts.exact;
  return Add(HloOpcode::kCompare, {x, y}, facts, {MakeAttributes<CompareAttributes>([&](CompareAttributes& a) {
               a.direction = direction;
               a.type = total_order ? ComparisonType::kTotalOrder : DefaultComparisonType(x.type());
             })});
}

Value Scope::Select(const Value& predicate, const Value& on_true, const Value& on_false) {
  return Add(HloOpcode::kSelect, {predicate, on_true, on_false}, Either(on_true.facts, on_false.facts));
}

Value Scope::Convert(const Value& x, PrimitiveType type) {
  return Add(HloOpcode::kConvert, {x}, ConvertFacts(x.type(), type, x.facts), {nullptr, [&] {
                                                                                 Shape shape = x.shape();
                                                                                 shape.set_element_type(type);
                                                                                 return shape;
                                                                               }()});
}

Value Scope::Reshape(const Value& x, absl::Span<const int64_t> dimensions) {
  return Add(HloOpcode::kReshape, {x}, x.facts, {nullptr, ArrayShape(x.type(), dimensions)});
}

Value Scope::Transpose(const Value& x, absl::Span<const int64_t> permutation) {
  return Add(HloOpcode::kTranspose, {x}, x.facts,
             {MakeAttributes<DimensionsAttributes>([&](auto& a) { a.dimensions = ToVector(permutation); })});
}

Value Scope::Broadcast(const Value& x, absl::Span<const int64_t> sizes, absl::Span<const int64_t> dimensions) {
  return Add(HloOpcode::kBroadcast, {x}, x.facts,
             {MakeAttributes<BroadcastAttributes>([&](auto& a) { a.dimensions = ToVector(dimensions); }),
              ArrayShape(x.type(), sizes)});
}

Value Scope::Slice(const Value& x, const std::vector<SliceRange>& ranges) {
  return Add(HloOpcode::kSlice, {x}, x.facts, {MakeAttributes<SliceAttributes>([&](auto& a) { a.ranges = ranges; })});
}

Value Scope::Pad(const Value& x, const Value& value, const PaddingConfig& padding) {
  return Add(HloOpcode::kPad, {x, value}, Either(x.facts, value.facts),
             {MakeAttributes<PadAttributes>([&](auto& a) { a.padding = padding; })});
}

Value Scope::Concatenate(absl::Span<const Value> operands, int64_t dimension) {
  Facts facts = operands[0].facts;
  for (const Value& operand : operands) facts = Either(facts, operand.facts);
  return Add(HloOpcode::kConcatenate, operands, facts,
             {MakeAttributes<DimensionAttributes>([&](auto& a) { a.dimension = dimension; })});
}

Value Scope::Reverse(const Value& x, absl::Span<const int64_t> dimensions) {
  return Add(HloOpcode::kReverse, {x}, x.facts,
             {MakeAttributes<DimensionsAttributes>([&](auto& a) { a.dimensions = ToVector(dimensions); })});
}

Value Scope::Iota(PrimitiveType type, absl::Span<const int64_t> dimensions, int64_t dimension) {
  const double last = std::max<double>(0, static_cast<double>(dimensions[dimension]) - 1);
  Facts facts = last <= WholeNumberLimit(ComplexComponentType(type)) && ComplexComponentType(type) != F8E8M0FNU
                    ? Facts::Whole(0, last)
                    : Facts::Exact();
  return Add(
      HloOpcode::kIota, {}, facts,
      {MakeAttributes<IotaAttributes>([&](auto& a) { a.iota_dimension = dimension; }), ArrayShape(type, dimensions)});
}

Value Scope::Copy(const Value& x) { return Add(HloOpcode::kCopy, {x}, x.facts); }

Value Scope::Tuple(absl::Span<const Value> elements) { return Add(HloOpcode::kTuple, elements, Facts::Exact()); }

Value Scope::GetTupleElement(const Value& tuple, int64_t index, const Facts& facts) {
  return Add(HloOpcode::kGetTupleElement, {tuple}, facts,
             {MakeAttributes<GetTupleElementAttributes>([&](auto& a) { a.index = index; })});
}

Value Scope::Parameter(const Shape& shape, const Facts& facts, const std::string& suffix) {
  const Value value = Add(HloOpcode::kParameter, {}, facts,
                          {MakeAttributes<ParameterAttributes>([&](auto& a) { a.number = parameters_++; }), shape});
  value.instruction->set_name(absl::StrCat(NewName("p"), "_", suffix));
  return value;
}

Value Scope::Constant(Literal literal, const Facts& facts) {
  Shape shape = literal.shape();
  return Add(HloOpcode::kConstant, {}, facts,
             {MakeAttributes<ConstantAttributes>([&](auto& a) {
                shape.SetMissingLayoutsToDefault();
                literal.ResetShape(shape);
                a.literal = std::make_shared<const xla::Literal>(std::move(literal));
              }),
              shape});
}

Value Scope::Constant(const Shape& shape, DataClass data_class) {
  return Constant(MakeData(shape.WithoutLayout(), data_class, /*special_values=*/random().Chance(30), random()),
                  Facts::Of(data_class, shape.element_type()));
}

Value Scope::Number(const Shape& shape, double number) {
  Facts facts = Facts::Exact();
  const PrimitiveType real = ComplexComponentType(shape.element_type());
  if (number - number == 0 && std::abs(number) <= WholeNumberLimit(real) && real != F8E8M0FNU &&
      (number >= 0 || !IsUnsignedInt(real))) {
    facts.bounded = true;
    facts.integral = number == static_cast<double>(static_cast<int64_t>(number)) || IsInt(real);
    facts.low = facts.high = facts.integral ? static_cast<double>(static_cast<int64_t>(number)) : number;
    if (IsComplex(shape.element_type())) facts.low = std::min(facts.low, 0.0), facts.high = std::max(facts.high, 0.0);
    // A number that the type does not hold is rounded.
    if (!facts.integral) facts.low -= std::abs(number) / 2, facts.high += std::abs(number) / 2;
  }
  return Constant(NumberLiteral(shape.WithoutLayout(), number), facts);
}

Value Scope::Splat(const Shape& shape, double number) {
  if (random().Chance(40)) return Number(shape, number);
  return Broadcast(Scalar(shape.element_type(), number), shape.dimensions(), {});
}

Value Scope::Fresh(const Shape& shape, DataClass data_class) {
  if (kind_ != Kind::kEntry || random().Chance(15)) return Constant(shape, data_class);
  Shape with_layout = shape;
  with_layout.SetMissingLayoutsToDefault();
  return Parameter(with_layout, Facts::Of(data_class, shape.element_type()), DataClassName(data_class));
}

absl::optional<Value> Scope::Find(const Wanted& wanted) {
  std::vector<const Value*> fitting;
  for (const Value& value : values_) {
    if (wanted(value)) fitting.push_back(&value);
  }
  if (fitting.empty()) return absl::nullopt;
  const int64_t n = static_cast<int64_t>(fitting.size());
  return *fitting[std::max(random().Below(n), random().Below(n))];
}

Value Scope::Array() {
  if (random().Chance(88)) {
    const absl::optional<Value> found = Find(IsStaticArray);
    if (found.has_value()) return *found;
  }
  return Fresh(ArrayShape(ElementType(element_class::kAny), Dimensions(0, 4)), AnyDataClass());
}

Value Scope::ExactArray(unsigned classes) {
  if (random().Chance(85)) {
    const absl::optional<Value> found = Find([classes](const Value& value) {
      return IsStaticArray(value) && value.facts.exact && (ElementClassOf(value.type()) & classes) != 0;
    });
    if (found.has_value()) return *found;
  }
  return Fresh(ArrayShape(ElementType(classes), Dimensions(0, 4)), AnyDataClass());
}

Value Scope::Like(const Shape& shape, DataClass preferred) {
  const absl::optional<Value> found = Find([&](const Value& value) {
    return IsStaticArray(value) && value.facts.exact && value.type() == shape.element_type() &&
           value.shape().SameDimensions(shape);
  });
  if (found.has_value() && random().Chance(70)) return *found;
  if (random().Chance(25) && preferred != DataClass::kDefinite) {
    return Splat(ArrayShape(shape.element_type(), shape.dimensions()), static_cast<double>(random().Between(0, 3)));
  }
  return Fresh(ArrayShape(shape.element_type(), shape.dimensions()), preferred);
}

Value Scope::Index(int64_t limit, bool wild) {
  if (wild) {
    const absl::optional<Value> found =
        Find([](const Value& value) { return value.shape().IsScalarOf(S32) && value.facts.exact; });
    if (found.has_value() && random().Chance(70)) return *found;
    return Fresh(Shape::Scalar(S32), random().Chance(30) ? DataClass::kAny : DataClass::kSmall);
  }
  return Scalar(S32, static_cast<double>(random().Between(0, limit)));
}

Value Scope::Predicate(absl::Span<const int64_t> dimensions) {
  const absl::optional<Value> found = Find([&](const Value& value) {
    return IsStaticArray(value) && value.facts.exact && value.type() == PRED && value.dimensions() == dimensions;
  });
  if (found.has_value() && random().Chance(60)) return *found;
  const absl::optional<Value> comparable = Find([&](const Value& value) {
    return IsStaticArray(value) && value.facts.exact && !IsComplex(value.type()) && value.dimensions() == dimensions;
  });
  if (comparable.has_value() && random().Chance(70)) {
    static constexpr ComparisonDirection kDirections[] = {ComparisonDirection::kEq, ComparisonDirection::kNe,
                                                          ComparisonDirection::kGe, ComparisonDirection::kLt};
    return Compare(random().Pick(kDirections), *comparable, Like(comparable->shape()));
  }
  return Fresh(ArrayShape(PRED, dimensions), DataClass::kAny);
}

void Scope::Forget(const Value& value) {
  values_.erase(std::remove_if(values_.begin(), values_.end(),
                               [&](const Value& known) { return known.instruction == value.instruction; }),
                values_.end());
}

void Scope::Hide(const Value& value) {
  Forget(value);
  hidden_.push_back(value);
}

PrimitiveType Scope::ElementType(unsigned classes) { return PickType(classes, random()); }

DimensionVector Scope::Dimensions(int min_rank, int max_rank) {
  static constexpr int64_t kSizes[] = {1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 6, 7, 8, 8};
  // Mostly the dimensions of something that exists, so that values can meet.
  const absl::optional<Value> found = Find(
      [&](const Value& value) { return IsStaticArray(value) && value.rank() >= min_rank && value.rank() <= max_rank; });
  if (found.has_value() && random().Chance(60)) return ToVector(found->dimensions());
  DimensionVector dimensions(random().Between(min_rank, std::max(min_rank, std::min(max_rank, 3))));
  if (max_rank > 3 && random().Chance(10)) dimensions.resize(max_rank);
  for (int64_t& size : dimensions) size = random().Pick(kSizes);
  if (!dimensions.empty() && random().Chance(2)) dimensions[0] = 0;
  if (dimensions.size() == 1 && random().Chance(4)) dimensions[0] = random().Between(9, 70);
  return dimensions;
}

DataClass Scope::AnyDataClass() {
  static constexpr DataClass kClasses[] = {DataClass::kAny,      DataClass::kAny,   DataClass::kOrdinary,
                                           DataClass::kPositive, DataClass::kSmall, DataClass::kSmall,
                                           DataClass::kCount};
  return random().Pick(kClasses);
}

std::vector<int64_t> Scope::Permutation(int64_t n) {
  std::vector<int64_t> permutation = Identity(n);
  for (int64_t i = n - 1; i > 0; --i) std::swap(permutation[i], permutation[random().Below(i + 1)]);
  return permutation;
}

std::vector<Value> Scope::Outputs() {
  std::vector<Value> unused, used;
  for (const Value& value : values_) {
    if (!value.shape().IsArray()) continue;
    (value.instruction->users().empty() ? unused : used).push_back(value);
  }
  for (const Value& value : hidden_) {
    if (value.shape().IsArray() && value.instruction->users().empty()) unused.push_back(value);
  }
  unused.insert(unused.end(), used.rbegin(), used.rend());
  return unused;
}

HloComputation* Scope::Finish(const Value& root) {
  computation_->set_root(root.instruction);
  if (kind_ == Kind::kFusion) computation_->set_is_fusion_computation(false);
  return state_->module->AddComputation(std::move(computation_));
}

}  // namespace xla
