#include "tests/random_nnef2/direct_intrinsics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xla {
namespace nnef2 {
namespace {

using Tensors = std::vector<DirectTensor>;

const Value& AttributeOf(const Scope& scope, absl::string_view name) { return *scope.Find(name); }
int64_t IntOf(const Scope& scope, absl::string_view name) { return AttributeOf(scope, name).item().integer; }

// The rows of coordinates of what is not 0, turned into columns.
Tensors Nonzero(const DirectTensor& input) {
  std::vector<int64_t> found;
  for (size_t i = 0; i < input.elements.size(); ++i) {
    if (input.elements[i] != 0) found.push_back(static_cast<int64_t>(i));
  }
  const int64_t rank = static_cast<int64_t>(input.extents.size());
  const int64_t count = static_cast<int64_t>(found.size());
  DirectTensor index{BaseType::kInt, {rank, count}, std::vector<double>(static_cast<size_t>(rank * count))};
  for (int64_t column = 0; column < count; ++column) {
    int64_t rest = found[static_cast<size_t>(column)];
    for (int64_t d = rank - 1; d >= 0; --d) {
      index.elements[static_cast<size_t>(d * count + column)] =
          static_cast<double>(rest % input.extents[static_cast<size_t>(d)]);
      rest /= input.extents[static_cast<size_t>(d)];
    }
  }
  return {index};
}

Tensors TopK(const Scope& scope, const DirectTensor& input) {
  const int64_t rank = static_cast<int64_t>(input.extents.size());
  const int64_t axis = (IntOf(scope, "axis") + rank) % rank;
  const bool is_largest = IntOf(scope, "largest") != 0;
  const int64_t extent = input.extents[static_cast<size_t>(axis)];
  const int64_t k = std::min(IntOf(scope, "k"), extent);
  int64_t outer = 1, inner = 1;
  for (int64_t d = 0; d < rank; ++d)
    (d < axis ? outer : inner) *= d == axis ? 1 : input.extents[static_cast<size_t>(d)];
  DirectTensor values = input;
  values.extents[static_cast<size_t>(axis)] = k;
  values.elements.assign(static_cast<size_t>(outer * k * inner), 0);
  DirectTensor indices = values;
  indices.base = BaseType::kInt;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      const auto at = [&](int64_t place) {
        return input.elements[static_cast<size_t>((o * extent + place) * inner + i)];
      };
      std::vector<int64_t> order(static_cast<size_t>(extent));
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t a, int64_t b) { return is_largest ? at(a) > at(b) : at(a) < at(b); });
      for (int64_t j = 0; j < k; ++j) {
        const size_t place = static_cast<size_t>((o * k + j) * inner + i);
        values.elements[place] = at(order[static_cast<size_t>(j)]);
        indices.elements[place] = static_cast<double>(order[static_cast<size_t>(j)]);
      }
    }
  }
  return {values, indices};
}

struct Box {
  double top, left, bottom, right;
  double area() const { return (bottom - top) * (right - left); }
};

Box BoxOf(const double* numbers, bool is_center) {
  if (is_center) {
    const double x = numbers[0], y = numbers[1], width = numbers[2], height = numbers[3];
    return {y - height / 2, x - width / 2, y + height / 2, x + width / 2};
  }
  return {std::min(numbers[0], numbers[2]), std::min(numbers[1], numbers[3]), std::max(numbers[0], numbers[2]),
          std::max(numbers[1], numbers[3])};
}

double Overlap(const Box& a, const Box& b) {
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0) return 0;
  const double common = height * width;
  return common / (a.area() + b.area() - common);
}

Tensors SuppressNonmax(const Scope& scope, const DirectTensor& boxes, const DirectTensor& scores) {
  const bool is_center = AttributeOf(scope, "box_format").item().text == "CENTER";
  const size_t most = static_cast<size_t>(IntOf(scope, "max_outputs_per_class"));
  const double overlap_limit = AttributeOf(scope, "iou_threshold").item().real;
  const Value& threshold = AttributeOf(scope, "score_threshold");
  const size_t classes = static_cast<size_t>(scores.extents[1]), count = static_cast<size_t>(scores.extents[2]);
  DirectTensor rows{BaseType::kInt, {0, 3}, {}};
  for (size_t b = 0; b < static_cast<size_t>(scores.extents[0]); ++b) {
    for (size_t c = 0; c < classes; ++c) {
      const double* const score = scores.elements.data() + (b * classes + c) * count;
      std::vector<size_t> order;
      for (size_t i = 0; i < count; ++i) {
        if (threshold.is_null || score[i] > threshold.item().real) order.push_back(i);
      }
      std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) { return score[i] > score[j]; });
      std::vector<Box> kept;
      for (const size_t i : order) {
        const Box box = BoxOf(boxes.elements.data() + (b * count + i) * 4, is_center);
        const bool is_free = std::all_of(kept.begin(), kept.end(),
                                         [&](const Box& other) { return Overlap(box, other) <= overlap_limit; });
        if (!is_free || kept.size() >= most) continue;
        kept.push_back(box);
        for (const size_t number : {b, c, i}) rows.elements.push_back(static_cast<double>(number));
        ++rows.extents[0];
      }
    }
  }
  return {rows};
}

// Keys' kernel with parameter a.
double CubicWeight(double distance, double a) {
  const double x = std::fabs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

DirectTensor ResizeAxis(const DirectTensor& input, size_t axis, int64_t size, absl::string_view transform, double a) {
  const int64_t extent = input.extents[axis];
  const double scale = transform == "ALIGNED" ? (size == 1 ? 0 : static_cast<double>(extent - 1) / (size - 1))
                                              : static_cast<double>(extent) / size;
  const double offset = transform == "SYMMETRIC" ? scale / 2 - 0.5 : 0;
  int64_t outer = 1, inner = 1;
  for (size_t d = 0; d < input.extents.size(); ++d) (d < axis ? outer : inner) *= d == axis ? 1 : input.extents[d];
  DirectTensor output = input;
  output.extents[axis] = size;
  output.elements.assign(static_cast<size_t>(outer * size * inner), 0);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < size; ++i) {
      const double place = static_cast<double>(i) * scale + offset;
      for (int64_t tap = -1; tap <= 2; ++tap) {
        const int64_t source = static_cast<int64_t>(std::floor(place)) + tap;
        const double weight = CubicWeight(place - static_cast<double>(source), a);
        const int64_t clamped = std::min(std::max<int64_t>(source, 0), extent - 1);
        for (int64_t k = 0; k < inner; ++k) {
          output.elements[static_cast<size_t>((o * size + i) * inner + k)] +=
              weight * input.elements[static_cast<size_t>((o * extent + clamped) * inner + k)];
        }
      }
    }
  }
  return output;
}

Tensors ResizeCubic(const Scope& scope, DirectTensor tensor) {
  const Value& axes = AttributeOf(scope, "axes");
  const std::string& transform = AttributeOf(scope, "coordinate_transform").item().text;
  const int64_t rank = static_cast<int64_t>(tensor.extents.size());
  for (size_t i = 0; i < axes.items.size(); ++i) {
    const size_t axis = static_cast<size_t>((axes.items[i].integer + rank) % rank);
    tensor = ResizeAxis(tensor, axis, AttributeOf(scope, "size").items[i].integer, transform,
                        AttributeOf(scope, "coeff_a").item().real);
  }
  return {tensor};
}

}  // namespace

absl::StatusOr<std::vector<DirectTensor>> RunIntrinsic(const Definition& definition, const Scope& scope,
                                                       const std::vector<const DirectTensor*>& inputs) {
  const std::string name = definition.QualifiedName();
  if (name == "layout.nonzero") return Nonzero(*inputs[0]);
  if (name == "algo.top_k") return TopK(scope, *inputs[0]);
  if (name == "algo.nonmax_suppress") return SuppressNonmax(scope, *inputs[0], *inputs[1]);
  if (name == "image.cubic_resize") return ResizeCubic(scope, *inputs[0]);
  return absl::UnimplementedError(absl::StrCat("operator '", name, "' has no meaning that could be run"));
}

}  // namespace nnef2
}  // namespace xla
