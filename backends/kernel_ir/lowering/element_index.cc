#include "backends/kernel_ir/lowering/element_index.h"

#include <algorithm>
#include <numeric>

#include "xla_core/support/check.h"

namespace xla {

// The index in dimension d, taken out of the group that the dimension is in by a division and a remainder. Such
// splits are noted: loops along these dimensions would avoid them.
KernelValue IndexArithmetic::At(absl::Span<const int64_t> sizes, const ElementIndex& index, int d) {
  if (sizes[d] == 1) return b_.Index(0);
  // The group of the dimension, and the number of elements of the dimensions after it in the group.
  size_t group = 0;
  int64_t covered = 1;
  for (int i = 0; i < d; ++i) {
    covered *= sizes[i];
    if (covered == index[group].size) {
      ++group;
      covered = 1;
    }
  }
  const IndexGroup& found = index[group];
  if (found.size == sizes[d]) return found.value;
  const int64_t inner = found.size / (covered * sizes[d]);
  KernelValue value = found.value;
  if (inner > 1) {
    splits_.push_back({found.value, inner});
    value = b_.Quotient(value, inner);
  }
  if (covered > 1) {
    splits_.push_back({found.value, inner * sizes[d]});
    value = b_.Remainder(value, sizes[d]);
  }
  return value;
}

ElementIndex IndexArithmetic::Of(absl::Span<const int64_t> sizes, absl::Span<const KernelValue> values) {
  ElementIndex index;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != 1) index.push_back({sizes[d], values[d]});
  }
  return index;
}

// The index of an element from its position in memory: rows before dimension d, the place along it, columns after it,
// all in the physical order.
ElementIndex IndexArithmetic::Along(int d, absl::Span<const int64_t> sizes, absl::Span<const int> order,
                                    KernelValue row, KernelValue at, KernelValue column) {
  IndexGroup groups[] = {{1, row}, {sizes[d], at}, {1, column}};
  DimensionVector physical;
  std::vector<int> place(order.size());
  bool behind = false;
  for (size_t i = 0; i < order.size(); ++i) {
    physical.push_back(sizes[order[i]]);
    place[order[i]] = static_cast<int>(i);
    if (order[i] == d) {
      behind = true;
    } else {
      groups[behind ? 2 : 0].size *= sizes[order[i]];
    }
  }
  ElementIndex index;
  for (const IndexGroup& group : groups) {
    if (group.size != 1) index.push_back(group);
  }
  return Rearrange(physical, Reshape(index, physical), sizes, place, {});
}

KernelValue IndexArithmetic::Linear(const ElementIndex& index) {
  if (index.size() == 1) return index[0].value;
  absl::InlinedVector<std::pair<int64_t, KernelValue>, 4> terms;
  int64_t stride = 1;
  for (size_t i = index.size(); i > 0; --i) {
    terms.push_back({stride, index[i - 1].value});
    stride *= index[i - 1].size;
  }
  return b_.Affine(terms);
}

// Groups of the index regrouped for other dimensions of equally many elements. Only groups whose boundaries do not
// agree are joined and split again.
ElementIndex IndexArithmetic::Reshape(const ElementIndex& index, absl::Span<const int64_t> to) {
  // Blocks of groups and of dimensions that hold equally many elements.
  ElementIndex result;
  size_t d = 0;
  for (size_t i = 0; i < index.size();) {
    ElementIndex block = {index[i]};
    int64_t from_size = index[i++].size;
    while (d < to.size() && to[d] == 1) ++d;
    int64_t to_size = to[d++];
    absl::InlinedVector<int64_t, 4> dimensions = {to_size};
    while (from_size != to_size) {
      if (from_size < to_size) {
        from_size *= index[i].size;
        block.push_back(index[i++]);
      } else {
        if (to[d] != 1) dimensions.push_back(to[d]);
        to_size *= to[d++];
      }
    }
    result.push_back({to_size, Linear(block)});
  }
  return result;
}

// The index of an array whose dimension d is dimension from[d] of another one, or own[d] if from[d] is negative.
// Groups whose dimensions stay neighbours are kept whole, which avoids divisions.
ElementIndex IndexArithmetic::Rearrange(absl::Span<const int64_t> from_sizes, const ElementIndex& index,
                                        absl::Span<const int64_t> sizes, absl::Span<const int> from,
                                        absl::Span<const KernelValue> own) {
  // The groups by their first and last dimension.
  struct Place {
    int first;
    int last;
  };
  absl::InlinedVector<Place, 4> places;
  {
    int d = 0;
    for (const IndexGroup& group : index) {
      while (from_sizes[d] == 1) ++d;
      Place place = {d, d};
      for (int64_t covered = from_sizes[d++]; covered != group.size; ++d) {
        covered *= from_sizes[d];
        if (from_sizes[d] != 1) place.last = d;
      }
      places.push_back(place);
    }
  }
  const auto next_from = [&](int d) {
    do {
      ++d;
    } while (d < static_cast<int>(from_sizes.size()) && from_sizes[d] == 1);
    return d;
  };

  ElementIndex result;
  const int rank = static_cast<int>(sizes.size());
  for (int d = 0; d < rank; ++d) {
    if (sizes[d] == 1) continue;
    if (from[d] < 0) {
      result.push_back({sizes[d], own[d]});
      continue;
    }
    // A whole group, if its dimensions follow each other here too.
    const auto place = std::find_if(places.begin(), places.end(), [&](const Place& p) { return p.first == from[d]; });
    if (place != places.end() && sizes[d] == from_sizes[from[d]]) {
      int at = d;
      int source = from[d];
      while (source != place->last) {
        int next = at + 1;
        while (next < rank && sizes[next] == 1) ++next;
        const int wanted = next_from(source);
        if (next == rank || from[next] != wanted || sizes[next] != from_sizes[wanted]) break;
        at = next;
        source = wanted;
      }
      if (source == place->last) {
        result.push_back(index[place - places.begin()]);
        d = at;
        continue;
      }
    }
    result.push_back({sizes[d], At(from_sizes, index, from[d])});
  }
  return result;
}

KernelValue BlockExtent(KernelBuilder& b, int64_t size, int64_t block, KernelValue number) {
  if (size % block == 0) return b.Index(block);
  const KernelValue left = b.Affine({{-block, number}}, size);
  return b.AsIndex(b.Binary(HloOpcode::kMinimum, left, b.Index(block)), 1, block);
}

std::vector<int> PhysicalOrder(const Shape& shape) {
  std::vector<int> order(shape.rank());
  if (shape.has_layout() && static_cast<int>(shape.layout()->minor_to_major.size()) == shape.rank()) {
    std::copy(shape.layout()->minor_to_major.rbegin(), shape.layout()->minor_to_major.rend(), order.begin());
  } else {
    std::iota(order.begin(), order.end(), 0);
  }
  return order;
}

DimensionVector PhysicalSizes(const Shape& shape) {
  DimensionVector sizes;
  for (const int d : PhysicalOrder(shape)) sizes.push_back(shape.dimension(d));
  return sizes;
}

}  // namespace xla
