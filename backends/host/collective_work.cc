#include "backends/host/collective_work.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/host/streaming_copy.h"
#include "xla_core/evaluator/literal_meetings.h"
#include "xla_core/ops/convert_elements.h"
#include "xla_core/ops/strided_copy.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// What is worth a thread's while.
constexpr int64_t kPartBytes = int64_t{256} << 10;
// Elements that are folded at a time: those of two members and their result stay in the first cache together. Those of
// more do not, and are better read in longer runs.
constexpr int64_t kChunkBytesOfTwo = int64_t{8} << 10;
constexpr int64_t kChunkBytes = int64_t{16} << 10;
// Shorter rows end in the middle of too many cache lines to be written past the caches.
constexpr int64_t kSmallestStreamed = int64_t{1} << 10;

void CopyCached(void* to, const void* from, int64_t bytes) { std::memcpy(to, from, bytes); }

// An array as blocks along one dimension.
struct Blocks {
  Blocks(const Shape& shape, int64_t dimension) : size(shape.dimension(static_cast<int>(dimension))) {
    for (int d = 0; d < dimension; ++d) outer *= shape.dimension(d);
    for (int d = static_cast<int>(dimension) + 1; d < shape.rank(); ++d) inner *= shape.dimension(d);
  }

  int64_t outer = 1;
  int64_t size;
  int64_t inner = 1;
};

int64_t IntegerAt(const CollectiveArray& values, int64_t i) {
  const PrimitiveType type = values.shape->element_type();
  int64_t result = 0;
  std::memcpy(&result, static_cast<const char*>(values.data) + i * ByteWidth(type), ByteWidth(type));
  const int shift = 64 - 8 * ByteWidth(type);
  return IsSignedInt(type) ? static_cast<int64_t>(static_cast<uint64_t>(result) << shift) >> shift : result;
}

constexpr char kOtherNumber[] = "; run it with the number of devices it was written for";

}  // namespace

// Looks at what each member wants in turn, as the evaluator does.
class CollectiveWork::Maker {
 public:
  Maker(absl::Span<const CollectiveCall* const> members, absl::Span<const int64_t> wanted)
      : members_(members), wanted_(wanted), count_(static_cast<int64_t>(members.size())) {}

  absl::StatusOr<CollectiveWork> Make() {
    const CollectiveCall::Action action = members_[0]->action;
    if (action != CollectiveCall::Action::kSend) RETURN_IF_ERROR(CheckOperands());
    for (const int64_t m : wanted_) {
      mine_ = members_[m];
      RETURN_IF_ERROR(AddResults());
    }
    CutCopies();
    CutFolds();
    work_.streams_ = work_.Streams();
    return std::move(work_);
  }

 private:
  absl::Status AddResults() {
    switch (mine_->action) {
      case CollectiveCall::Action::kReduce:
        return AddReduction();
      case CollectiveCall::Action::kMove:
        return AddMoves();
      case CollectiveCall::Action::kGatherAll:
        return AddAll();
      case CollectiveCall::Action::kSend:
        return absl::OkStatus();
      case CollectiveCall::Action::kReceive:
        return AddReceived();
    }
    return absl::OkStatus();
  }

  template <typename... Parts>
  absl::Status Wrong(const Parts&... parts) const {
    return absl::InvalidArgumentError(absl::StrCat(mine_->instruction->name(), ": ", parts...));
  }

  absl::Status CheckOperands() const {
    std::vector<std::vector<const Shape*>> shapes(members_.size());
    for (size_t m = 0; m < members_.size(); ++m) {
      for (const CollectiveArray& operand : members_[m]->operands) shapes[m].push_back(operand.shape);
    }
    return CheckSameShapes(*members_[0]->instruction, members_[0]->group, shapes);
  }

  const CollectiveArray& Operand(int64_t member, size_t k) const { return members_[member]->operands[k]; }

  // ---- Folds

  absl::Status AddReduction() {
    const HloOpcode opcode = mine_->instruction->opcode();
    for (size_t k = 0; k < mine_->operands.size(); ++k) {
      const Shape& shape = *mine_->operands[k].shape;
      char* const result = static_cast<char*>(mine_->results[k].data);
      Target target = {result, shape.ElementCount(), 0, shape.ElementCount(), result == mine_->operands[k].data};
      if (opcode == HloOpcode::kReduceScatter) {
        const int64_t dimension = mine_->instruction->attributes<ShardingCollectiveAttributes>().dimension;
        const Blocks whole(shape, dimension);
        const int64_t shard = mine_->results[k].shape->dimension(static_cast<int>(dimension));
        if (shard * count_ != whole.size) {
          return Wrong("dimension ", dimension, " of size ", whole.size, " cannot be cut into ", count_, " shards of ",
                       shard, kOtherNumber);
        }
        target = {result, whole.size * whole.inner, mine_->position * shard * whole.inner, shard * whole.inner, false};
      }
      if (shape.ElementCount() > 0) ReductionOf(k).targets.push_back(target);
    }
    return absl::OkStatus();
  }

  // That of operand k of all, by the reducer that this member asks for.
  Reduction& ReductionOf(size_t k) {
    std::vector<Reduction>& reductions = FoldOf(k).reductions;
    for (Reduction& reduction : reductions) {
      if (reduction.reducer == mine_->reducer) return reduction;
    }
    reductions.push_back({mine_->reducer, {}});
    return reductions.back();
  }

  Fold& FoldOf(size_t k) {
    fold_of_.resize(mine_->operands.size(), -1);
    if (fold_of_[k] >= 0) return work_.folds_[fold_of_[k]];
    fold_of_[k] = static_cast<int64_t>(work_.folds_.size());
    const Shape& shape = *mine_->operands[k].shape;
    Fold fold = {shape.element_type(), shape.ElementCount(), {}, {}};
    for (int64_t m = 0; m < count_; ++m) fold.operands.push_back(static_cast<const char*>(Operand(m, k).data));
    work_.folds_.push_back(std::move(fold));
    return work_.folds_.back();
  }

  void CutFolds() {
    for (size_t i = 0; i < work_.folds_.size(); ++i) {
      const Fold& fold = work_.folds_[i];
      const int64_t grain = std::max<int64_t>(1, kPartBytes / ByteWidth(fold.type));
      const auto wanted = fold.Wanted();
      if (wanted.front() == std::make_pair(int64_t{0}, fold.row())) {
        Cut(Part::Kind::kFold, i, 0, fold.elements, grain);
        continue;
      }
      for (int64_t row = 0; row < fold.elements; row += fold.row()) {
        for (const auto& [begin, end] : wanted) Cut(Part::Kind::kFold, i, row + begin, row + end, grain);
      }
    }
  }

  // ---- Moves

  absl::Status AddMoves() {
    switch (mine_->instruction->opcode()) {
      case HloOpcode::kAllGather:
      case HloOpcode::kAllGatherStart:
        return AddGather();
      case HloOpcode::kAllToAll:
        return AddAllToAll();
      case HloOpcode::kRaggedAllToAll:
        return AddRagged();
      case HloOpcode::kCollectiveBroadcast:
        return AddBroadcast();
      default:
        return AddPermute();
    }
  }

  absl::Status AddGather() {
    const int64_t dimension = mine_->instruction->attributes<ShardingCollectiveAttributes>().dimension;
    for (size_t k = 0; k < mine_->operands.size(); ++k) {
      const CollectiveArray& result = mine_->results[k];
      const int64_t shard = Operand(0, k).shape->dimension(static_cast<int>(dimension));
      if (shard * count_ != result.shape->dimension(static_cast<int>(dimension))) {
        return Wrong("the result ", result.shape->ToString(), " has no room for ", count_, " shards of ", shard,
                     " in dimension ", dimension, kOtherNumber);
      }
      for (int64_t m = 0; m < count_; ++m) AddBlock(Operand(m, k), 0, result, m * shard, shard, dimension);
    }
    return absl::OkStatus();
  }

  absl::Status AddAllToAll() {
    const auto& attributes = mine_->instruction->attributes<AllToAllAttributes>();
    if (!attributes.split_dimension.has_value()) {
      const auto operands = static_cast<int64_t>(mine_->operands.size());
      if (operands != count_) {
        return Wrong("has ", operands, " operands, but its group has ", count_, " devices", kOtherNumber);
      }
      for (int64_t m = 0; m < count_; ++m) AddArray(Operand(m, mine_->position), mine_->results[m]);
      return absl::OkStatus();
    }
    const int64_t dimension = *attributes.split_dimension;
    const CollectiveArray& result = mine_->results[0];
    const int64_t size = result.shape->dimension(static_cast<int>(dimension));
    if (size % count_ != 0) {
      return Wrong("dimension ", dimension, " of size ", size, " cannot be cut into ", count_, " equal blocks",
                   kOtherNumber);
    }
    const int64_t block = size / count_;
    for (int64_t m = 0; m < count_; ++m) {
      AddBlock(Operand(m, 0), mine_->position * block, result, m * block, block, dimension);
    }
    return absl::OkStatus();
  }

  // Where several members write the same rows, those of the last one stay.
  absl::Status AddRagged() {
    const CollectiveArray& result = mine_->results[0];
    const size_t first_copy = work_.copies_.size();
    std::vector<std::pair<int64_t, int64_t>> written;  // first row, the one after the last
    for (int64_t m = 0; m < count_; ++m) {
      const int64_t per_member = Operand(m, 2).shape->ElementCount() / count_;  // more than one with offsets of rank 2
      for (int64_t u = 0; u < per_member; ++u) {
        const int64_t entry = mine_->position * per_member + u;
        const int64_t from = IntegerAt(Operand(m, 2), entry);
        const int64_t rows = IntegerAt(Operand(m, 3), entry);
        const int64_t to = IntegerAt(Operand(m, 4), entry);
        if (rows <= 0) continue;
        const int64_t have = Operand(m, 0).shape->dimension(0);
        const int64_t room = result.shape->dimension(0);
        if (from < 0 || to < 0 || rows > have || from > have - rows || rows > room || to > room - rows) {
          return Wrong(rows, " rows at offset ", from, " of ", have, " cannot go to offset ", to, " of ", room,
                       " rows");
        }
        AddBlock(Operand(m, 0), from, result, to, rows, 0);
        written.emplace_back(to, to + rows);
      }
    }
    std::sort(written.begin(), written.end());
    for (size_t i = 1; i < written.size(); ++i) {
      if (written[i].first >= written[i - 1].second) continue;
      in_order_.emplace_back(first_copy, work_.copies_.size());
      break;
    }
    return absl::OkStatus();
  }

  absl::Status AddBroadcast() {
    const size_t count = mine_->results.size();
    const bool has_dynamic_root = mine_->operands.size() > count;
    for (size_t k = 0; k < count; ++k) {
      int64_t root = 0;
      if (has_dynamic_root) {
        const CollectiveArray& roots = mine_->operands[count];
        root = IntegerAt(roots, roots.shape->ElementCount() == 1 ? 0 : static_cast<int64_t>(k));
        if (root < 0 || root >= count_) {
          return Wrong("root ", root, " is out of range for a group of ", count_, " devices");
        }
      }
      AddArray(Operand(root, k), mine_->results[k]);
    }
    return absl::OkStatus();
  }

  absl::Status AddPermute() {
    if (mine_->source < 0) return absl::OkStatus();
    const CollectiveCall& sender = *members_[mine_->source];
    if (mine_->slices.empty()) {
      for (size_t k = 0; k < mine_->results.size(); ++k) AddArray(sender.operands[k], mine_->results[k]);
      return absl::OkStatus();
    }
    const auto& sizes = mine_->instruction->attributes<CollectivePermuteAttributes>().slice_sizes;
    const size_t first_copy = work_.copies_.size();
    for (size_t s = 0; s < mine_->slices.size(); ++s) {
      RETURN_IF_ERROR(AddSlice(sender, sender.slices[s].from, mine_->slices[s], sizes[s]));
    }
    if (MayOverlap(mine_->slices, sizes)) in_order_.emplace_back(first_copy, work_.copies_.size());
    return absl::OkStatus();
  }

  // Whether two slices are written to the same elements, of which the later one counts. More than a few are not
  // compared.
  static bool MayOverlap(absl::Span<const CollectiveCall::Slice> slices, absl::Span<const std::vector<int64_t>> sizes) {
    constexpr size_t kMostCompared = 64;
    if (slices.size() > kMostCompared) return true;
    const auto meet = [&](size_t a, size_t b) {
      if (slices[a].array != slices[b].array) return false;
      for (size_t d = 0; d < sizes[a].size(); ++d) {
        if (slices[a].to[d] >= slices[b].to[d] + sizes[b][d] || slices[b].to[d] >= slices[a].to[d] + sizes[a][d]) {
          return false;
        }
      }
      return true;
    };
    for (size_t b = 1; b < slices.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        if (meet(a, b)) return true;
      }
    }
    return false;
  }

  absl::Status AddSlice(const CollectiveCall& sender, const std::vector<int64_t>& from,
                        const CollectiveCall::Slice& slice, const std::vector<int64_t>& sizes) {
    const CollectiveArray& source = sender.operands[slice.array];
    const CollectiveArray& target = mine_->results[slice.array];
    RETURN_IF_ERROR(CheckBox(*source.shape, from, sizes));
    RETURN_IF_ERROR(CheckBox(*target.shape, slice.to, sizes));
    AddBox(source, from, target, slice.to, sizes);
    return absl::OkStatus();
  }

  absl::Status CheckBox(const Shape& shape, const std::vector<int64_t>& start,
                        const std::vector<int64_t>& sizes) const {
    for (int d = 0; d < shape.rank(); ++d) {
      if (sizes[d] < 0 || start[d] < 0 || sizes[d] > shape.dimension(d) || start[d] > shape.dimension(d) - sizes[d]) {
        return Wrong("a slice of size ", sizes[d], " at ", start[d], " lies outside of dimension ", d, " of ",
                     shape.ToString());
      }
    }
    return absl::OkStatus();
  }

  // Rows along the last dimension, of each index of the others in turn.
  void AddBox(const CollectiveArray& from, const std::vector<int64_t>& from_start, const CollectiveArray& to,
              const std::vector<int64_t>& to_start, const std::vector<int64_t>& sizes) {
    for (const int64_t size : sizes) {
      if (size == 0) return;
    }
    const int64_t width = ByteWidth(from.shape->element_type());
    const int rank = from.shape->rank();
    const DimensionVector from_strides = RowMajorStrides(*from.shape), to_strides = RowMajorStrides(*to.shape);
    int64_t from_offset = 0, to_offset = 0;
    for (int d = 0; d < rank; ++d) {
      from_offset += from_start[d] * from_strides[d];
      to_offset += to_start[d] * to_strides[d];
    }
    const int rows_at = std::max(0, rank - 2);  // this dimension's indices are the rows of one copy
    const int64_t row = rank == 0 ? 1 : sizes[rank - 1];
    const int64_t rows = rank < 2 ? 1 : sizes[rows_at];
    std::vector<int64_t> index(rows_at, 0);
    while (true) {
      int64_t from_at = from_offset, to_at = to_offset;
      for (int d = 0; d < rows_at; ++d) {
        from_at += index[d] * from_strides[d];
        to_at += index[d] * to_strides[d];
      }
      AddCopy({static_cast<const char*>(from.data) + from_at * width, static_cast<char*>(to.data) + to_at * width, rows,
               row * width, rank < 2 ? 0 : from_strides[rows_at] * width, rank < 2 ? 0 : to_strides[rows_at] * width});
      int d = rows_at - 1;
      while (d >= 0 && ++index[d] == sizes[d]) index[d--] = 0;
      if (d < 0) return;
    }
  }

  absl::Status AddAll() {
    if (mine_->values != nullptr) return absl::OkStatus();  // nothing is copied
    for (int64_t m = 0; m < count_; ++m) {
      for (size_t k = 0; k < mine_->operands.size(); ++k) {
        AddArray(Operand(m, k), mine_->results[m * mine_->operands.size() + k]);
      }
    }
    return absl::OkStatus();
  }

  absl::Status AddReceived() {
    const std::vector<CollectiveArray>& sent = members_[0]->operands;
    if (sent.size() != mine_->results.size()) {
      return Wrong("expected ", mine_->results.size(), " arrays, but device ", mine_->group[0], " sent ", sent.size());
    }
    for (size_t k = 0; k < sent.size(); ++k) {
      const CollectiveArray& expected = mine_->results[k];
      if (!sent[k].shape->Compatible(*expected.shape)) {
        return Wrong("expected ", expected.shape->ToString(), ", but device ", mine_->group[0], " sent ",
                     sent[k].shape->ToString());
      }
      AddArray(sent[k], expected);
    }
    return absl::OkStatus();
  }

  void AddArray(const CollectiveArray& from, const CollectiveArray& to) {
    AddCopy({static_cast<const char*>(from.data), static_cast<char*>(to.data), 1, from.shape->ByteSize(), 0, 0});
  }

  // to[to_start : to_start + count] = from[from_start : from_start + count] along the dimension.
  void AddBlock(const CollectiveArray& from, int64_t from_start, const CollectiveArray& to, int64_t to_start,
                int64_t count, int64_t dimension) {
    // Beside a dimension of size 0, the others may be of sizes whose product overflows.
    if (count == 0 || from.shape->ByteSize() == 0 || to.shape->ByteSize() == 0) return;
    const Blocks source(*from.shape, dimension), target(*to.shape, dimension);
    const int64_t step = source.inner * ByteWidth(from.shape->element_type());
    AddCopy({static_cast<const char*>(from.data) + from_start * step, static_cast<char*>(to.data) + to_start * step,
             source.outer, count * step, source.size * step, target.size * step});
  }

  void AddCopy(const Copy& copy) {
    if (copy.from != copy.to && copy.row_bytes > 0) work_.copies_.push_back(copy);
  }

  void CutCopies() {
    auto next_in_order = in_order_.begin();
    for (size_t i = 0; i < work_.copies_.size(); ++i) {
      if (next_in_order != in_order_.end() && i == next_in_order->first) {
        work_.parts_.push_back({Part::Kind::kCopies, i, 0, static_cast<int64_t>(next_in_order->second)});
        i = next_in_order++->second - 1;
        continue;
      }
      Cut(Part::Kind::kCopy, i, 0, work_.copies_[i].rows * work_.copies_[i].row_bytes, kPartBytes);
    }
  }

  void Cut(Part::Kind kind, size_t index, int64_t begin, int64_t end, int64_t grain) {
    for (; begin < end; begin += grain) work_.parts_.push_back({kind, index, begin, std::min(end, begin + grain)});
  }

  const absl::Span<const CollectiveCall* const> members_;
  const absl::Span<const int64_t> wanted_;
  const int64_t count_;
  const CollectiveCall* mine_ = nullptr;
  CollectiveWork work_;
  std::vector<int64_t> fold_of_;                     // number of the fold by operand; -1: there is none yet
  std::vector<std::pair<size_t, size_t>> in_order_;  // copies that write over each other, ascending
};

absl::StatusOr<CollectiveWork> CollectiveWork::Make(absl::Span<const CollectiveCall* const> members) {
  std::vector<int64_t> all(members.size());
  std::iota(all.begin(), all.end(), 0);
  return Make(members, all);
}

absl::StatusOr<CollectiveWork> CollectiveWork::Make(absl::Span<const CollectiveCall* const> members,
                                                    absl::Span<const int64_t> wanted) {
  return Maker(members, wanted).Make();
}

std::vector<CollectiveWork::Rows> CollectiveWork::Reads() const {
  std::vector<Rows> reads;
  for (const Copy& copy : copies_) reads.push_back({copy.from, copy.rows, copy.row_bytes, copy.from_stride});
  for (const Fold& fold : folds_) {
    const int64_t width = ByteWidth(fold.type);
    for (const char* operand : fold.operands) {
      for (const auto& [begin, end] : fold.Wanted()) {
        reads.push_back(
            {operand + begin * width, fold.elements / fold.row(), (end - begin) * width, fold.row() * width});
      }
    }
  }
  return reads;
}

void CollectiveWork::Run(int64_t first_part, int64_t end_part) const {
  for (int64_t i = first_part; i < end_part; ++i) {
    const Part& part = parts_[i];
    switch (part.kind) {
      case Part::Kind::kFold:
        folds_[part.index].Run(part.begin, part.end, streams_);
        break;
      case Part::Kind::kCopy:
        copies_[part.index].Run(part.begin, part.end, streams_);
        break;
      case Part::Kind::kCopies:
        for (auto c = static_cast<int64_t>(part.index); c < part.end; ++c) {
          copies_[c].Run(0, copies_[c].rows * copies_[c].row_bytes, streams_);
        }
        break;
    }
  }
}

// The place of a result that is in place has been read just before, and is in the caches.
bool CollectiveWork::Streams() const {
  int64_t bytes = 0;
  for (const Copy& copy : copies_) bytes += copy.rows * copy.row_bytes;
  for (const Fold& fold : folds_) {
    for (const Reduction& reduction : fold.reductions) {
      for (const Target& target : reduction.targets) {
        if (!target.is_operand) bytes += fold.elements / target.row * target.count * ByteWidth(fold.type);
      }
    }
  }
  return bytes > kStreamedCopyBytes;
}

void CollectiveWork::Copy::Run(int64_t begin, int64_t end, bool streams) const {
  const auto copy = streams && row_bytes >= kSmallestStreamed ? CopyStreaming : CopyCached;
  for (int64_t row = begin / row_bytes; begin < end; ++row) {
    const int64_t at = begin - row * row_bytes;
    const int64_t bytes = std::min(row_bytes - at, end - begin);
    copy(to + row * to_stride + at, from + row * from_stride + at, bytes);
    begin += bytes;
  }
}

std::vector<std::pair<int64_t, int64_t>> CollectiveWork::Fold::Wanted() const {
  std::vector<std::pair<int64_t, int64_t>> parts;
  for (const Reduction& reduction : reductions) {
    for (const Target& target : reduction.targets) parts.emplace_back(target.first, target.first + target.count);
  }
  std::sort(parts.begin(), parts.end());
  std::vector<std::pair<int64_t, int64_t>> joined;
  for (const auto& part : parts) {
    if (!joined.empty() && part.first <= joined.back().second) {
      joined.back().second = std::max(joined.back().second, part.second);
    } else {
      joined.push_back(part);
    }
  }
  return joined;
}

// All is folded before anything is delivered, perhaps to where an operand is.
void CollectiveWork::Fold::Run(int64_t begin, int64_t end, bool streams) const {
  const int64_t width = ScratchWidth();
  const int64_t chunk_bytes = operands.size() <= 2 ? kChunkBytesOfTwo : kChunkBytes;
  const int64_t chunk = std::min(std::max<int64_t>(1, chunk_bytes / width), end - begin);
  const auto reduction_count = static_cast<int64_t>(reductions.size());
  const std::unique_ptr<char[]> scratch(new char[2 * reduction_count * chunk * width]);
  std::vector<const char*> folded(reductions.size());
  for (; begin < end; begin += chunk) {
    const int64_t count = std::min(chunk, end - begin);
    for (int64_t r = 0; r < reduction_count; ++r) {
      char* const accumulator = scratch.get() + 2 * r * chunk * width;
      folded[r] = Chunk(*reductions[r].reducer, begin, count, accumulator, accumulator + chunk * width);
    }
    for (int64_t r = 0; r < reduction_count; ++r) {
      for (const Target& target : reductions[r].targets) Deliver(target, begin, count, folded[r], streams);
    }
  }
}

int64_t CollectiveWork::Fold::ScratchWidth() const {
  int64_t width = ByteWidth(type);
  for (const Reduction& reduction : reductions) {
    width = std::max<int64_t>(width, ByteWidth(reduction.reducer->type()));
  }
  return width;
}

// The elements in the type of the arrays. In another type each operand is converted first, and the result rounded once.
const char* CollectiveWork::Fold::Chunk(const CollectiveReducer& reducer, int64_t begin, int64_t count,
                                        char* accumulator, char* converted) const {
  const int64_t offset = begin * ByteWidth(type);
  const PrimitiveType reduced = reducer.type();
  if (reduced == type) {
    const char* folded = operands[0] + offset;
    for (size_t m = 1; m < operands.size(); ++m) {
      reducer.Combine(count, folded, operands[m] + offset, accumulator);
      folded = accumulator;
    }
    return folded;
  }
  ConvertElements(type, reduced, count, operands[0] + offset, accumulator);
  for (size_t m = 1; m < operands.size(); ++m) {
    ConvertElements(type, reduced, count, operands[m] + offset, converted);
    reducer.Combine(count, accumulator, converted, accumulator);
  }
  ConvertElements(reduced, type, count, accumulator, converted);
  return converted;
}

void CollectiveWork::Fold::Deliver(const Target& target, int64_t begin, int64_t count, const char* values,
                                   bool streams) const {
  const int64_t width = ByteWidth(type);
  const int64_t end = begin + count;
  const bool streams_rows = streams && !target.is_operand && target.count * width >= kSmallestStreamed;
  const auto copy = streams_rows ? CopyStreaming : CopyCached;
  for (int64_t row = begin / target.row; row * target.row < end; ++row) {
    const int64_t first = row * target.row + target.first;
    const int64_t from = std::max(begin, first), to = std::min(end, first + target.count);
    if (from >= to) continue;
    char* const place = target.data + (row * target.count + from - first) * width;
    const char* const source = values + (from - begin) * width;
    if (place != source) copy(place, source, (to - from) * width);
  }
}

}  // namespace xla
