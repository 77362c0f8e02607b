#include "backends/cpu/codegen/element_lanes.h"

namespace xla {
namespace codegen {

V LaneOffsets(const Element& index, Kind kind, int lanes) {
  LlvmIr& ir = LlvmOf(index.value);
  const V numbers = ir.LaneNumbers(kind, lanes);
  // Numbers of narrow integers wrap around as their quotients would not.
  const V groups = index.lane_repeats == 1
                       ? numbers
                       : ir.ZeroExtend(ir.LaneNumbers(Kind::kI64, lanes) / int64_t{index.lane_repeats}, kind);
  return groups * index.lane_stride;
}

// The scalar in all lanes; an index with a stride gets its offsets added.
Element Spread(const Element& element, int lanes) {
  Element result = element;
  LlvmIr& ir = LlvmOf(element.value);
  result.lane_stride = 0;
  result.lane_repeats = 1;
  result.value = ir.Splat(element.value, lanes);
  if (element.lane_stride != 0 && lanes > 1) {
    result.value = ir.AddIndex(result.value, LaneOffsets(element, Kind::kI64, lanes));
  }
  if (element.imaginary.exists()) result.imaginary = ir.Splat(element.imaginary, lanes);
  if (element.bits.exists()) result.bits = ir.Splat(element.bits, lanes);
  return result;
}

}  // namespace codegen
}  // namespace xla
