#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "passes/expanding/lapack_calls.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

// s, d, c or z, as LAPACK names types.
absl::optional<PrimitiveType> TypeOfLetter(char letter) {
  if (letter == 's') return F32;
  if (letter == 'd') return F64;
  if (letter == 'c') return C64;
  if (letter == 'z') return C128;
  return absl::nullopt;
}

// XLA's own targets, of all types.
constexpr absl::string_view kQr = "Qr";
constexpr absl::string_view kProductOfReflectors = "ProductOfElementaryHouseholderReflectors";

// The routine, by its name for real elements, and the type it is for; nothing if the target is another, or XLA's for a
// type that LAPACK does not have.
std::string RealName(absl::string_view routine, PrimitiveType type) {
  if (!IsComplex(type)) return std::string(routine);
  if (routine == "ungqr") return "orgqr";
  if (routine == "unmqr") return "ormqr";
  if (routine == "heevd") return "syevd";
  // There are no complex routines of these names.
  if (routine == "orgqr" || routine == "ormqr" || routine == "syevd") return "";
  return std::string(routine);
}

struct Routine {
  std::string name;  // for real elements
  PrimitiveType type;
};

// What the target stands for. Nothing if it is another, or XLA's for a type that LAPACK does not have.
absl::optional<Routine> RoutineOf(absl::string_view target, const Shape& operand) {
  if (target == kQr || target == kProductOfReflectors) {
    const PrimitiveType type = operand.IsArray() ? operand.element_type() : PRIMITIVE_TYPE_INVALID;
    if (type != F32 && type != F64 && type != C64 && type != C128) return absl::nullopt;
    return Routine{target == kQr ? "geqrf" : "orgqr", type};
  }
  if (!absl::ConsumePrefix(&target, "lapack_") || !absl::ConsumeSuffix(&target, "_ffi") || target.empty()) {
    return absl::nullopt;
  }
  const absl::optional<PrimitiveType> type = TypeOfLetter(target[0]);
  if (!type.has_value()) return absl::nullopt;
  return Routine{RealName(target.substr(1), *type), *type};
}

}  // namespace

Shape LapackCallSite::Array(PrimitiveType element_type, std::initializer_list<int64_t> dims) const {
  DimensionVector all = batch_dims;
  all.insert(all.end(), dims.begin(), dims.end());
  return Shape::Array(element_type, all);
}

bool LapackCallSite::Has(const std::vector<Shape>& operands, const std::vector<Shape>& results) const {
  if (call->operand_count() != static_cast<int64_t>(operands.size())) return false;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!call->operand(static_cast<int>(i))->shape().Compatible(operands[i])) return false;
  }
  return call->shape().Compatible(results.size() == 1 ? results[0] : Shape::Tuple(results));
}

char LapackCallSite::Char(absl::string_view name, absl::string_view allowed) const {
  const absl::StatusOr<char> value = attributes.GetChar(name, allowed);
  return value.ok() ? *value : 0;
}

HloInstruction* LapackCallSite::Results(const std::vector<HloInstruction*>& results, InstructionBuilder& build) const {
  if (results.size() == 1) return build.Reshape(results[0], call->shape().dimensions());
  std::vector<HloInstruction*> elements;
  for (size_t i = 0; i < results.size(); ++i) {
    elements.push_back(build.Reshape(results[i], call->shape().tuple_shape(static_cast<int>(i)).dimensions()));
  }
  return build.Tuple(elements);
}

bool IsLapackTarget(absl::string_view target) {
  return absl::StartsWith(target, "lapack_") || target == kQr || target == kProductOfReflectors;
}

// Reads target, attributes and shapes of a LAPACK call. nullopt for other calls, and for sizes whose products
// overflow what LAPACK or the expansion can count.
absl::optional<LapackCallSite> AsLapackCall(const HloInstruction& call) {
  if (call.operand_count() == 0) return {};
  const std::string& target = call.attributes<CustomCallAttributes>().custom_call_target;
  const Shape& shape = call.operand(0)->shape();
  const absl::optional<Routine> routine = RoutineOf(target, shape);
  if (!routine.has_value()) return {};
  // XLA's own targets have none.
  const bool has_attributes = absl::StartsWith(target, "lapack_");
  absl::StatusOr<FfiAttributes> attributes =
      FfiAttributes::Parse(has_attributes ? absl::string_view(call.annotations().backend_config) : "");
  if (!attributes.ok() || !shape.IsArray() || shape.element_type() != routine->type || shape.rank() < 2) return {};
  const int64_t m = shape.dimension(shape.rank() - 2), n = shape.dimension(shape.rank() - 1);
  DimensionVector batch_dims(shape.dimensions().begin(), shape.dimensions().end() - 2);
  int64_t elements = 0, all = 0, batch = 1;
  if (!CheckedMul(m, n, &elements) || std::max({m, n, elements}) > std::numeric_limits<int32_t>::max()) return {};
  for (const int64_t size : batch_dims) {
    if (!CheckedMul(batch, size, &batch)) return {};
  }
  // Masks and products of whole batches are written down, each with the bytes of the widest type.
  if (!CheckedMul(batch, elements, &all) || !CheckedMul(all, 16, &all)) return {};
  return LapackCallSite{
      &call, routine->name, *std::move(attributes), routine->type, std::move(batch_dims), batch, m, n};
}

}  // namespace xla
