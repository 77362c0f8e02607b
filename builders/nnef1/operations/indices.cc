#include "builders/nnef1/operations/indices.h"

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/reductions.h"
#include "builders/nnef1/operations/wrong_argument.h"

namespace xla {
namespace nnef1 {
namespace {

// An item of a constant that is out of range.
absl::optional<int64_t> OutsideOf(const Value& constant, int64_t extent) {
  const auto is_outside = [&](const Value& index) { return index.integer() < 0 || index.integer() >= extent; };
  if (!constant.is_array()) return is_outside(constant) ? absl::make_optional(constant.integer()) : absl::nullopt;
  for (const Value& item : constant.items()) {
    if (is_outside(item)) return item.integer();
  }
  return absl::nullopt;
}

absl::Status WrongIndex(absl::string_view name, int64_t extent, absl::string_view limit, absl::string_view got) {
  return WrongArgument(
      name, absl::StrCat("indices from 0 to ", extent - 1, ", because ", limit, " has extent ", extent), got);
}

}  // namespace

absl::Status CheckConstantIndices(const OperationCall& call, absl::string_view name, int64_t extent,
                                  absl::string_view limit) {
  const absl::optional<Value> constant = call.ConstantOf(name);
  if (!constant.has_value()) return absl::OkStatus();
  const absl::optional<int64_t> outside = OutsideOf(*constant, extent);
  if (!outside.has_value()) return absl::OkStatus();
  return WrongIndex(name, extent, limit, absl::StrCat(*outside));
}

void CheckIndicesInRun(const LoweringCall& call, absl::string_view name, int64_t extent, absl::string_view limit) {
  const XlaOp indices = call.operand(name);
  if (!indices.valid() || call.ConstantOf(name).has_value()) return;
  ComputationBuilder& b = call.builder();
  const XlaOp inside = b.And(b.Ge(indices, ZerosLike(indices)), b.Lt(indices, FullLike(indices, extent)));
  call.AddCheck(All(inside), WrongIndex(name, extent, limit, "another one").message());
}

}  // namespace nnef1
}  // namespace xla
