// StartValue: what a target holds before a statement that updates it.
#ifndef BUILDERS_NNEF2_RECOGNITION_START_VALUE_H_
#define BUILDERS_NNEF2_RECOGNITION_START_VALUE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/optional.h"
#include "builders/nnef2/lowering/nest_lowering.h"
#include "builders/nnef2/recognition/loop_values.h"
#include "builders/nnef2/recognition/target_plan.h"

namespace xla {
namespace nnef2 {

class StartValue {
 public:
  // Nothing has been assigned, if `array` is invalid; else its elements.
  explicit StartValue(XlaOp array) : array_(array) {}
  // What `nest` initializes all elements with; it is lowered together with the update. None: it does something else.
  static absl::optional<StartValue> Of(NestLowering* lowering, const StatementNest& nest);

  bool is_given() const { return array_.valid() || nest_ != nullptr; }
  // Whether all elements are known to have this value.
  bool IsAll(double value) const;
  // Whether all elements have the same value.
  bool IsUniform() const { return nest_ != nullptr && nest_->values[0]->loops.empty() && !plan_.extents.empty(); }

  // All elements; zeros if nothing has been assigned.
  XlaOp Whole(NestLowering* lowering, const StatementNest& update);
  // The value of a uniform one, as a scalar.
  XlaOp Scalar();
  // The elements as an array of fewer dimensions, where others are equal: dimension i is dimension *dimensions[i].
  XlaOp Part(std::vector<int64_t>* dimensions);

 private:
  StartValue() = default;

  XlaOp array_;
  NestLowering* lowering_ = nullptr;
  const StatementNest* nest_ = nullptr;
  TargetPlan plan_;
  std::shared_ptr<LoopValues> values_;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_RECOGNITION_START_VALUE_H_
