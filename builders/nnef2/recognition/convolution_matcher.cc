#include "builders/nnef2/recognition/convolution_matcher.h"

#include <utility>

namespace xla {
namespace nnef2 {

absl::optional<IndexedArray> ArrayOf(const NestLowering& lowering, int tensor,
                                     const std::vector<const NestNode*>& nodes, size_t num_loops) {
  IndexedArray array{nodes, {}, {}, lowering.BoundsOf(tensor), &lowering.tensor(tensor).shape};
  for (const NestNode* const node : nodes) {
    absl::optional<MovedIndex> index = MovedIndexOf(*node, num_loops);
    if (!index.has_value()) return absl::nullopt;
    array.indices.push_back(index->affine);
    array.moved.push_back(*std::move(index));
  }
  return array;
}

absl::optional<ConvolutionParts> ConvolutionMatcher::Match() {
  if (!SortLoops() || !FindSpatial() || !FindBatch() || !FindChannels() || !CheckGuards()) return absl::nullopt;
  return parts_;
}

bool ConvolutionMatcher::SortLoops() {
  parts_.is_transposed = std::any_of(output_.indices.begin(), output_.indices.end(),
                                     [&](const AffineIndex& index) { return IsWindow(index, image_); });
  const IndexedArray& windowed = parts_.is_transposed ? output_ : image_;
  const IndexedArray& plain = parts_.is_transposed ? image_ : output_;
  for (int i = 0; i < static_cast<int>(nest_.loops.size()); ++i) {
    const bool in_image = image_.Uses(i), in_filter = filter_.Uses(i), in_output = output_.Uses(i);
    const int count = (in_image ? 1 : 0) + (in_filter ? 1 : 0) + (in_output ? 1 : 0);
    if (count < 2) return false;
    Role role = Role::kGroup;
    if (count == 2) role = !in_filter ? Role::kBatch : in_image ? Role::kIn : Role::kOut;
    for (const AffineIndex& index : windowed.indices) {
      if (!index.Uses(i) || !IsWindow(index, plain)) continue;
      role = filter_.Uses(i) ? Role::kItem : Role::kPlace;
    }
    roles_.push_back(role);
  }
  return true;
}

bool ConvolutionMatcher::IsWindow(const AffineIndex& index, const IndexedArray& plain) const {
  const std::vector<int> loops = index.loops();
  if (loops.size() != 2) return false;
  const auto is_item = [&](int loop) { return filter_.Uses(loop) && !plain.Uses(loop); };
  const auto is_place = [&](int loop) { return !filter_.Uses(loop) && plain.Uses(loop); };
  return (is_item(loops[0]) && is_place(loops[1])) || (is_item(loops[1]) && is_place(loops[0]));
}

int64_t ConvolutionMatcher::PlainDimension(const IndexedArray& array, int loop) const {
  for (size_t d = 0; d < array.indices.size(); ++d) {
    const bool is_plain = array.indices[d].IsPlain(loop) && array.moved[d].by == nullptr;
    if (is_plain && array.extents[d] == nest_.loops[loop].bound) return static_cast<int64_t>(d);
  }
  return -1;
}

bool ConvolutionMatcher::EndsWithLoop(const IndexedArray& array, int64_t dimension, int loop) const {
  return IsStatic(nest_.loops[loop]) || (*array.shape)[static_cast<size_t>(dimension)] == nest_.loops[loop].extent;
}

bool ConvolutionMatcher::FindSpatial() {
  const IndexedArray& windowed = parts_.is_transposed ? output_ : image_;
  const IndexedArray& plain = parts_.is_transposed ? image_ : output_;
  for (size_t d = 0; d < windowed.indices.size(); ++d) {
    if (!IsWindow(windowed.indices[d], plain)) continue;
    const auto window = WindowOf(windowed.moved[d], nest_.loops, [&](int loop) { return !filter_.Uses(loop); });
    if (!window.has_value() || (parts_.is_transposed && window->moves())) return false;
    const int64_t place = PlainDimension(plain, window->place), item = PlainDimension(filter_, window->item);
    if (place < 0 || item < 0 || !EndsWithLoop(plain, place, window->place)) return false;
    bool is_guarded = false;
    if (!StaysInside(nest_, *windowed.nodes[d], *window, (*windowed.shape)[d], windowed.extents[d], &is_guarded)) {
      return false;
    }
    guarded_ += is_guarded ? 1 : 0;
    parts_.windows.push_back(*window);
    ConvolutionDimensionNumbers& numbers = parts_.numbers;
    const auto dimension = static_cast<int64_t>(d);
    numbers.input_spatial.push_back(parts_.is_transposed ? place : dimension);
    numbers.output_spatial.push_back(parts_.is_transposed ? dimension : place);
    numbers.kernel_spatial.push_back(item);
  }
  const size_t spatial = parts_.windows.size();
  return spatial > 0 && image_.extents.size() == spatial + 2 && filter_.extents.size() == spatial + 2 &&
         output_.extents.size() == spatial + 2;
}

bool ConvolutionMatcher::CheckGuards() const { return guarded_ == nest_.guards.size(); }

bool ConvolutionMatcher::FindBatch() {
  int batch = -1;
  for (size_t i = 0; i < roles_.size(); ++i) {
    if (roles_[i] != Role::kBatch) continue;
    if (batch >= 0) return false;
    batch = static_cast<int>(i);
  }
  if (batch < 0) return false;
  parts_.numbers.input_batch = PlainDimension(image_, batch);
  parts_.numbers.output_batch = PlainDimension(output_, batch);
  if (parts_.numbers.input_batch < 0 || parts_.numbers.output_batch < 0) return false;
  return EndsWithLoop(output_, parts_.numbers.output_batch, batch);
}

int ConvolutionMatcher::LoopOf(Role role, bool* is_unique) const {
  int found = -1;
  for (size_t i = 0; i < roles_.size(); ++i) {
    if (roles_[i] != role) continue;
    *is_unique = *is_unique && found < 0;
    found = static_cast<int>(i);
  }
  return found;
}

int64_t ConvolutionMatcher::ChannelDimension(const IndexedArray& array, int group, int loop) const {
  if (group < 0) return loop < 0 ? -1 : PlainDimension(array, loop);
  for (size_t d = 0; d < array.indices.size(); ++d) {
    const AffineIndex& index = array.indices[d];
    if (!index.Uses(group)) continue;
    const int64_t inner = loop < 0 ? 1 : nest_.loops[loop].bound;
    std::vector<int> loops = {group};
    if (loop >= 0) loops.push_back(loop);
    std::sort(loops.begin(), loops.end());
    // A step of a single group does not matter.
    const bool steps = RunsOnce(nest_.loops[group]) || index.coefficients[group] == inner;
    const bool counts = loop < 0 || RunsOnce(nest_.loops[loop]) || index.coefficients[loop] == 1;
    const bool is_whole = array.extents[d] == nest_.loops[group].bound * inner;
    if (index.offset != 0 || array.moved[d].by != nullptr || index.loops() != loops || !steps || !counts || !is_whole)
      return -1;
    return static_cast<int64_t>(d);
  }
  return -1;
}

bool ConvolutionMatcher::FindChannels() {
  bool is_unique = true;
  const int group = LoopOf(Role::kGroup, &is_unique);
  const int in = LoopOf(Role::kIn, &is_unique), out = LoopOf(Role::kOut, &is_unique);
  if (!is_unique || in < 0 || out < 0) return false;
  // Channels may vary in number where they are not in groups, and groups where each has one channel that comes out.
  const bool is_grouped = group >= 0 && !RunsOnce(nest_.loops[group]);
  if (is_grouped && !(IsStatic(nest_.loops[in]) && IsStatic(nest_.loops[out]))) return false;
  ConvolutionDimensionNumbers& numbers = parts_.numbers;
  numbers.input_feature = ChannelDimension(image_, group, in);
  numbers.output_feature = ChannelDimension(output_, group, out);
  // The filter has groups with the channels that come out; of a transposed convolution, with those that go in.
  numbers.kernel_output_feature =
      parts_.is_transposed ? PlainDimension(filter_, out) : ChannelDimension(filter_, group, out);
  numbers.kernel_input_feature =
      parts_.is_transposed ? ChannelDimension(filter_, group, in) : PlainDimension(filter_, in);
  parts_.groups = group < 0 ? 1 : nest_.loops[group].bound;
  return numbers.input_feature >= 0 && numbers.output_feature >= 0 && numbers.kernel_output_feature >= 0 &&
         numbers.kernel_input_feature >= 0 && EndsWithLoop(filter_, numbers.kernel_input_feature, in) &&
         EndsWithLoop(output_, numbers.output_feature, out) &&
         (group < 0 || EndsWithLoop(output_, numbers.output_feature, group));
}

}  // namespace nnef2
}  // namespace xla
