#include "backends/cpu/library/attention_program.h"

#include <algorithm>
#include <utility>

#include "backends/cpu/library/base/array_elements.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Of scores and weights of a block, so that they stay in caches; but fewer rows are slow to multiply.
constexpr int64_t kBlockBytes = 8 << 20;
constexpr int64_t kMaxBlockRows = 128;
constexpr int64_t kMinBlockRows = 64;
// Tiles that there should be, unless they have fewer rows than this: each copies all keys and values.
constexpr int64_t kWantedTiles = 64;
constexpr int64_t kMinPartRows = 64;

// As many as fit, or a few less if all blocks are equal then.
int64_t BlockRows(int64_t rows, int64_t bytes_of_row) {
  const int64_t most = std::clamp(kBlockBytes / bytes_of_row, kMinBlockRows, kMaxBlockRows);
  if (rows <= most) return rows;
  for (int64_t size = most; size >= std::max(kMinBlockRows, most / 2); --size) {
    if (rows % size == 0) return size;
  }
  return most;
}

// Whole vectors. Rows that are a power of two apart would share their places in a cache.
int64_t PitchOf(int64_t keys) {
  const int64_t vectors = CeilDiv(keys, 16);
  return 16 * (vectors % 16 == 0 ? vectors + 1 : vectors);
}

// Where a row of the matrices begins in lhs, rhs and result, if it begins at element `place` of an array in which
// dimension `d` has stride_of(d).
template <typename StrideOf>
StridedDot::Batch OffsetsAt(const StridedDot& product, int64_t place, int64_t row_stride, StrideOf stride_of) {
  StridedDot::Batch offsets = {0, 0, 0, 0};
  for (const StridedDot::Batch& dim : product.batch) {
    const int64_t index = place / stride_of(dim) % dim.size;
    offsets.lhs += index * dim.lhs;
    offsets.rhs += index * dim.rhs;
    offsets.result += index * dim.result;
  }
  const int64_t m = place / row_stride % product.m;
  offsets.lhs += m * product.lhs_m;
  offsets.result += m * product.result_m;
  return offsets;
}

}  // namespace

struct AttentionProgram::Products {
  // A product, and places in scratch.
  struct Step {
    std::unique_ptr<ProductProgram> program;
    int64_t prepared_at = 0;
    int64_t workspace_at = 0;
    int64_t scratch_at = 0;

    bool Prepares() const { return program->prepared_rhs_bytes() > 0 && program->prepared_operand() == 1; }
    void Prepare(const void* rhs, char* scratch) const {
      if (Prepares()) program->PrepareRhs(rhs, scratch + prepared_at);
    }
    void Run(const void* lhs, const void* rhs, void* result, char* scratch) const {
      TiledProgram::Buffers buffers;
      buffers.lhs = lhs;
      buffers.rhs = rhs;
      buffers.result = result;
      buffers.workspace = scratch + workspace_at;
      if (Prepares()) buffers.prepared_rhs = scratch + prepared_at;
      for (int phase = 0; phase < program->phase_count(); ++phase) {
        for (int64_t tile = 0; tile < program->tile_count(phase); ++tile) {
          program->RunTile(phase, tile, buffers, scratch + scratch_at);
        }
      }
    }
  };

  int64_t rows = 0;
  Step scores, values;
};

// What the blocks of a tile share.
struct AttentionProgram::Tile {
  const Buffers* buffers;
  const void* keys;
  const void* values;
  char* scratch;
};

AttentionProgram::AttentionProgram(const StridedAttention& attention, const AttentionTypes& types)
    : attention_(attention), types_(types), matrices_(attention.rows / attention.matrix_rows) {
  row_pitch_ = PitchOf(attention.keys);
  const int64_t bytes_of_row = row_pitch_ * (ByteWidth(types.scores) + ByteWidth(types.weights));
  const int64_t rows = attention.matrix_rows;
  block_rows_ = BlockRows(rows, bytes_of_row);
  const int64_t blocks = CeilDiv(rows, block_rows_);
  const int64_t wanted = std::min(blocks, CeilDiv(kWantedTiles, matrices_));
  const int64_t part_blocks = std::max(CeilDiv(blocks, wanted), CeilDiv(kMinPartRows, block_rows_));
  part_rows_ = part_blocks * block_rows_;
  parts_ = CeilDiv(rows, part_rows_);
  scores_at_ = TakeScratch(block_rows_ * row_pitch_ * ByteWidth(types.scores));
  weights_at_ = TakeScratch(block_rows_ * row_pitch_ * ByteWidth(types.weights));
}

AttentionProgram::~AttentionProgram() = default;

absl::StatusOr<std::unique_ptr<AttentionProgram>> AttentionProgram::Make(const StridedAttention& attention,
                                                                         const AttentionTypes& types) {
  std::unique_ptr<AttentionProgram> program(new AttentionProgram(attention, types));
  ASSIGN_OR_RETURN(program->products_, program->MakeProducts(program->block_rows_));
  const int64_t rest = attention.matrix_rows % program->block_rows_;
  if (rest > 0) {
    ASSIGN_OR_RETURN(program->last_products_, program->MakeProducts(rest));
  }
  return program;
}

int64_t AttentionProgram::TakeScratch(int64_t bytes) {
  const int64_t begin = scratch_bytes_;
  scratch_bytes_ += RoundUp(bytes, 64);
  return begin;
}

absl::StatusOr<std::unique_ptr<AttentionProgram::Products>> AttentionProgram::MakeProducts(int64_t rows) {
  auto products = std::make_unique<Products>();
  products->rows = rows;
  StridedDot scores = attention_.scores;
  scores.batch.clear();
  scores.m = rows;
  scores.result_m = row_pitch_;
  StridedDot values = attention_.values;
  values.batch.clear();
  values.m = rows;
  values.lhs_m = row_pitch_;
  ASSIGN_OR_RETURN(products->scores.program, MakeProductProgram(scores, {types_.queries, types_.keys, types_.scores}));
  ASSIGN_OR_RETURN(products->values.program, MakeProductProgram(values, {types_.weights, types_.values, types_.result}));
  for (Products::Step* step : {&products->scores, &products->values}) {
    step->prepared_at = TakeScratch(step->program->prepared_rhs_bytes());
    step->workspace_at = TakeScratch(step->program->workspace_bytes());
    step->scratch_at = TakeScratch(step->program->scratch_bytes());
  }
  return products;
}

void AttentionProgram::RunTile(int64_t tile, const Buffers& buffers, void* scratch, MakeWeights make_weights) const {
  const int64_t matrix = tile / parts_ * attention_.matrix_rows;
  const int64_t begin = matrix + tile % parts_ * part_rows_;
  const int64_t end = std::min(begin + part_rows_, matrix + attention_.matrix_rows);
  const int64_t place = matrix * attention_.keys;
  const auto in_result = [](const StridedDot::Batch& dim) { return dim.result; };
  const auto in_lhs = [](const StridedDot::Batch& dim) { return dim.lhs; };
  const int64_t keys = OffsetsAt(attention_.scores, place, attention_.keys, in_result).rhs;
  const int64_t values = OffsetsAt(attention_.values, place, attention_.keys, in_lhs).rhs;
  Tile shared = {&buffers, ElementOf(types_.keys, buffers.keys, keys), ElementOf(types_.values, buffers.values, values),
                 static_cast<char*>(scratch)};
  const Products* prepared = nullptr;
  for (int64_t row = begin; row < end; row += block_rows_) {
    const Products& products = end - row < block_rows_ ? *last_products_ : *products_;
    if (&products != prepared) {
      products.scores.Prepare(shared.keys, shared.scratch);
      products.values.Prepare(shared.values, shared.scratch);
      prepared = &products;
    }
    RunBlock(products, shared, row, make_weights);
  }
}

void AttentionProgram::RunBlock(const Products& products, const Tile& tile, int64_t row,
                                MakeWeights make_weights) const {
  const int64_t place = row * attention_.keys;
  const auto in_result = [](const StridedDot::Batch& dim) { return dim.result; };
  const auto in_lhs = [](const StridedDot::Batch& dim) { return dim.lhs; };
  const int64_t queries = OffsetsAt(attention_.scores, place, attention_.keys, in_result).lhs;
  const int64_t result = OffsetsAt(attention_.values, place, attention_.keys, in_lhs).result;
  char* const scores = tile.scratch + scores_at_;
  char* const weights = tile.scratch + weights_at_;
  products.scores.Run(ElementOf(types_.queries, tile.buffers->queries, queries), tile.keys, scores, tile.scratch);
  const int64_t scores_step = row_pitch_ * ByteWidth(types_.scores);
  const int64_t weights_step = row_pitch_ * ByteWidth(types_.weights);
  for (int64_t i = 0; i < products.rows; ++i) {
    make_weights(row + i, scores + i * scores_step, weights + i * weights_step);
  }
  products.values.Run(weights, tile.values, ElementOf(types_.result, tile.buffers->result, result), tile.scratch);
}

}  // namespace xla
