#include "passes/check/check_inputs.h"

#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/literal_io/input_spec.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/random_source.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

constexpr uint64_t kSeedsPerDevice = 1000;
constexpr int64_t kWholeNumberLimit = 3;

absl::StatusOr<Literal> IntegerEdges(PrimitiveType type) {
  const uint64_t bits = static_cast<uint64_t>(BitWidth(type));
  const uint64_t sign = uint64_t{1} << (bits - 1);
  // Two's complement wraps what does not fit; for unsigned types "sign" is the middle.
  const std::vector<uint64_t> values = {0,    1,        ~uint64_t{0}, 2,          3,    ~uint64_t{2},
                                        sign, sign - 1, sign + 1,     sign << 1,  bits, bits - 1,
                                        7,    100,      ~uint64_t{6}, sign - bits};
  ASSIGN_OR_RETURN(const Literal wide,
                   LiteralUtil::FromValues<uint64_t>({static_cast<int64_t>(values.size())}, values));
  return LiteralUtil::Convert(wide, type);
}

// Values at which float arithmetic differs most often: both zeros, infinities, NaN, the smallest denormal, small
// fractions, and with `huge` the finite extremes, whose sums overflow. Extremes and the denormal are set as bits, for
// a conversion from double would round them.
absl::StatusOr<Literal> FloatEdges(PrimitiveType type, bool huge) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> values = {0.0, -0.0, 1.0, -1.0, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(),
                                0.5, -1.5, 2.0, 3.0,  -7.0,      0.25,       1.0 / 3};
  const size_t huge_position = values.size();
  if (huge) values.resize(values.size() + 2);
  const size_t denormal_position = values.size();
  values.push_back(0);
  ASSIGN_OR_RETURN(const Literal wide, LiteralUtil::FromValues<double>({static_cast<int64_t>(values.size())}, values));
  ASSIGN_OR_RETURN(Literal edges, LiteralUtil::Convert(wide, type));
  RETURN_IF_ERROR(edges.MakeWritable(nullptr));
  const auto set = [&](size_t position, const void* element) {
    const size_t width = static_cast<size_t>(ByteWidth(type));
    std::memcpy(static_cast<char*>(edges.untyped_mutable_data()) + position * width, element, width);
  };
  if (huge) {
    ASSIGN_OR_RETURN(const Literal lowest, LiteralUtil::MinFiniteValue(type));
    ASSIGN_OR_RETURN(const Literal highest, LiteralUtil::MaxFiniteValue(type));
    set(huge_position, lowest.untyped_data());
    set(huge_position + 1, highest.untyped_data());
  }
  const uint64_t smallest_denormal = 1;  // as bits
  set(denormal_position, &smallest_denormal);
  return edges;
}

// All parts with each other, more or less.
absl::StatusOr<Literal> ComplexEdges(PrimitiveType type, bool huge) {
  ASSIGN_OR_RETURN(const Literal components, FloatEdges(ComplexComponentType(type), huge));
  ASSIGN_OR_RETURN(const Literal parts, LiteralUtil::Convert(components, F64));
  const int64_t count = parts.element_count();
  std::vector<complex128> values;
  for (int64_t i = 0; i < 4 * count; ++i) {
    values.emplace_back(parts.data<double>()[i % count], parts.data<double>()[(i * 5 + i / count) % count]);
  }
  ASSIGN_OR_RETURN(const Literal wide,
                   LiteralUtil::FromValues<complex128>({static_cast<int64_t>(values.size())}, values));
  return LiteralUtil::Convert(wide, type);
}

absl::StatusOr<Literal> WholeNumbers(const Shape& shape, uint64_t seed, MemoryBudget* budget) {
  const PrimitiveType type = shape.element_type();
  const bool is_unsigned = IsUnsignedInt(type);
  InputSpec spec = DefaultInputSpec(Shape::Array(is_unsigned ? U8 : S8, shape.dimensions()), seed);
  spec.int_low = is_unsigned ? 0 : static_cast<uint64_t>(-kWholeNumberLimit);
  spec.int_count = is_unsigned ? kWholeNumberLimit + 1 : 2 * kWholeNumberLimit + 1;
  ASSIGN_OR_RETURN(const Literal bytes, MakeInput(spec, nullptr, budget));
  return LiteralUtil::Convert(bytes, type);
}

// Puts edge values in place of half of the elements: all of them in turn, in an order of the seed, so that none is
// missing from an array that has room for them.
absl::Status AddEdges(const CheckInputOptions& options, Literal& array) {
  const PrimitiveType type = array.shape().element_type();
  ASSIGN_OR_RETURN(const Literal edges, EdgeValues(type, options.huge));
  RETURN_IF_ERROR(array.MakeWritable(nullptr));
  DispatchByWidth(type, [&](auto tag) {
    using T = TagType<decltype(tag)>;
    T* const elements = array.mutable_data<T>();
    const T* const special = edges.data<T>();
    const uint64_t special_count = static_cast<uint64_t>(edges.element_count());
    uint64_t step = 1 + SplitMix64(options.seed, 0) % special_count;
    while (std::gcd(step, special_count) != 1) ++step;
    uint64_t next = SplitMix64(options.seed, 1) % special_count;
    for (int64_t i = 0; i < array.element_count(); ++i) {
      if (SplitMix64(~options.seed, static_cast<uint64_t>(i)) % 2 == 0) continue;
      elements[i] = special[next];
      next = (next + step) % special_count;
    }
  });
  return absl::OkStatus();
}

// Full with ordinary numbers, else of any size.
void SetDynamicSizes(const CheckInputOptions& options, Literal& array) {
  for (int i = 0; i < array.shape().rank(); ++i) {
    if (!array.shape().is_dynamic_dimension(i)) continue;
    const int64_t bound = array.shape().dimension(i);
    const uint64_t random = SplitMix64(options.seed, static_cast<uint64_t>(i)) % (static_cast<uint64_t>(bound) + 1);
    array.SetDynamicSize(i, options.kind == CheckInputKind::kOrdinary ? bound : static_cast<int64_t>(random));
  }
}

absl::StatusOr<Literal> MakeArray(const Shape& shape, const CheckInputOptions& options, MemoryBudget* budget) {
  const Shape bounded = Shape::Array(shape.element_type(), shape.dimensions());
  if (options.kind == CheckInputKind::kWholeNumbers && shape.element_type() != PRED) {
    return WholeNumbers(bounded, options.seed, budget);
  }
  ASSIGN_OR_RETURN(Literal array, MakeInput(DefaultInputSpec(bounded, options.seed), nullptr, budget));
  if (options.kind == CheckInputKind::kEdgeValues && shape.element_type() != PRED) {
    RETURN_IF_ERROR(AddEdges(options, array));
  }
  return array;
}

absl::StatusOr<Literal> MakeLeaf(const Shape& shape, const CheckInputOptions& options, MemoryBudget* budget) {
  if (shape.IsToken()) return Literal::Token();
  if (!shape.IsArray()) {
    return absl::UnimplementedError(absl::StrCat("no value of shape ", shape.ToString(), " can be made"));
  }
  ASSIGN_OR_RETURN(Literal array, MakeArray(shape, options, budget));
  array.ResetShape(shape);
  SetDynamicSizes(options, array);
  return array;
}

}  // namespace

absl::StatusOr<Literal> EdgeValues(PrimitiveType type, bool huge) {
  if (IsComplex(type)) return ComplexEdges(type, huge);
  if (IsFloat(type)) return FloatEdges(type, huge);
  if (IsInt(type)) return IntegerEdges(type);
  return Literal::Vector<bool>({false, true});
}

// One argument list for each device, leaf by leaf, each leaf from a seed of its own: equal options give equal
// arguments in every run and on every machine.
absl::StatusOr<std::vector<std::vector<Literal>>> MakeCheckInputs(const HloModule& module,
                                                                  const CheckInputOptions& options,
                                                                  MemoryBudget* budget) {
  std::vector<Shape> shapes;
  for (const HloInstruction* parameter : module.entry()->parameters()) shapes.push_back(parameter->shape());
  const std::vector<Shape> leaf_shapes = LeafShapes(shapes);
  const HloModuleConfig& config = module.config();
  const int64_t devices = (options.replica_count == 0 ? config.replica_count : options.replica_count) *
                          (options.partition_count == 0 ? config.num_partitions : options.partition_count);
  std::vector<std::vector<Literal>> arguments;
  for (int64_t device = 0; device < devices; ++device) {
    std::vector<Literal> leaves;
    for (size_t i = 0; i < leaf_shapes.size(); ++i) {
      CheckInputOptions leaf_options = options;
      leaf_options.seed = options.seed + i + kSeedsPerDevice * static_cast<uint64_t>(device);
      ASSIGN_OR_RETURN(Literal leaf, MakeLeaf(leaf_shapes[i], leaf_options, budget));
      leaves.push_back(std::move(leaf));
    }
    arguments.push_back(UnflattenLeaves(shapes, std::move(leaves)));
  }
  return arguments;
}

}  // namespace xla
