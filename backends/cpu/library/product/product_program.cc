#include "backends/cpu/library/product/product_program.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/cpu/library/product/product_programs.h"
#include "xla_core/support/status_macros.h"

namespace xla {

ProductProgram::ProductProgram(const StridedDot& product, const ProductTypes& types)
    : product_(product), types_(types), tiling_(product) {}

void ProductProgram::RunTile(int phase, int64_t tile, const Buffers& buffers, void* scratch) const {
  if (phase == 0) {
    RunBlock(tiling_.Block(tile), buffers, scratch);
  } else {
    AddBlocks(buffers);
  }
}

bool ProductProgram::SetEpilogue(std::shared_ptr<const ProductEpilogue> epilogue) {
  if (types_.result != F32 || (product_.n > 1 && product_.result_n != 1)) return false;
  epilogue_ = std::move(epilogue);
  return true;
}

void ProductProgram::FinishRows(const Buffers& buffers, int64_t offset, int64_t m, int64_t m_count, int64_t n,
                                int64_t n_count) const {
  FinishRowsOfElements(buffers, {offset + m * product_.result_m + n, product_.result_m, m_count, n_count});
}

void ProductProgram::AddBlocks(const Buffers& /*buffers*/) const {}

StridedDot::Batch ProductProgram::OffsetsOf(int64_t batch) const {
  StridedDot::Batch offsets = {batch, 0, 0, 0};
  for (size_t i = product_.batch.size(); i-- > 0;) {
    const StridedDot::Batch& dim = product_.batch[i];
    const int64_t index = batch % dim.size;
    batch /= dim.size;
    offsets.lhs += index * dim.lhs;
    offsets.rhs += index * dim.rhs;
    offsets.result += index * dim.result;
  }
  return offsets;
}

ProductArithmetic ArithmeticOf(const ProductTypes& types) {
  const auto is_packed = [](PrimitiveType type) { return IsInt(type) && BitWidth(type) < 8; };
  const auto is_integer = [](PrimitiveType type) { return IsInt(type) || type == PRED; };
  const auto any_is = [&](PrimitiveType type) {
    return types.lhs == type || types.rhs == type || types.result == type;
  };
  if (is_packed(types.lhs) || is_packed(types.rhs) || is_packed(types.result)) return ProductArithmetic::kNone;
  if (IsComplex(types.lhs) || IsComplex(types.rhs) || IsComplex(types.result)) {
    if (!IsComplex(types.lhs) || !IsComplex(types.rhs) || !IsComplex(types.result)) return ProductArithmetic::kNone;
    return any_is(C128) ? ProductArithmetic::kC128 : ProductArithmetic::kC64;
  }
  if (is_integer(types.lhs) && is_integer(types.rhs)) {
    return IsInt(types.result) && ByteWidth(types.result) <= 4 ? ProductArithmetic::kU32 : ProductArithmetic::kU64;
  }
  const auto is_exact_in_f32 = [&](PrimitiveType type) {
    return is_integer(type) ? ByteWidth(type) <= 2 : ByteWidth(type) <= 4;
  };
  const bool fits = is_exact_in_f32(types.lhs) && is_exact_in_f32(types.rhs) && IsFloat(types.result);
  return fits && types.result != F64 ? ProductArithmetic::kF32 : ProductArithmetic::kF64;
}

namespace {

// The same product, of which the other operand comes first.
class TransposedProgram : public ProductProgram {
 public:
  TransposedProgram(const StridedDot& product, const ProductTypes& types, std::unique_ptr<ProductProgram> program)
      : ProductProgram(product, types), program_(std::move(program)) {
    workspace_bytes_ = program_->workspace_bytes();
    scratch_bytes_ = program_->scratch_bytes();
    prepared_rhs_bytes_ = program_->prepared_rhs_bytes();
  }
  const char* kind() const override { return program_->kind(); }
  bool SetEpilogue(std::shared_ptr<const ProductEpilogue> epilogue) override {
    return program_->SetEpilogue(std::move(epilogue));
  }
  bool SetPrologue(std::shared_ptr<const ProductPrologue> prologue) override {
    return program_->SetPrologue(std::move(prologue));
  }
  int prepared_operand() const override { return 0; }
  void PrepareRhs(const void* operand, void* prepared) const override { program_->PrepareRhs(operand, prepared); }
  int phase_count() const override { return program_->phase_count(); }
  int64_t tile_count(int phase) const override { return program_->tile_count(phase); }
  void RunTile(int phase, int64_t tile, const Buffers& buffers, void* scratch) const override {
    Buffers exchanged = buffers;
    std::swap(exchanged.lhs, exchanged.rhs);
    program_->RunTile(phase, tile, exchanged, scratch);
  }

 protected:
  void RunBlock(const ProductBlock&, const Buffers&, void*) const override {}

 private:
  const std::unique_ptr<ProductProgram> program_;
};

ProductTypes Exchanged(const ProductTypes& types) { return {types.rhs, types.lhs, types.result}; }

// `program` is of the transposed product, or nullptr.
std::unique_ptr<ProductProgram> TransposedBack(const StridedDot& product, const ProductTypes& types,
                                               std::unique_ptr<ProductProgram> program) {
  if (program == nullptr) return nullptr;
  return std::make_unique<TransposedProgram>(product, types, std::move(program));
}

// Tall matrices, on either side.
std::unique_ptr<ProductProgram> MakeTall(const StridedDot& product, const ProductTypes& types) {
  if (auto program = MakeShortRowsProgram(product, types)) return program;
  return TransposedBack(product, types, MakeShortRowsProgram(Transposed(product), Exchanged(types)));
}

std::unique_ptr<ProductProgram> MakeAny(const StridedDot& product, const ProductTypes& types, bool rhs_is_fixed) {
  if (auto program = MakeSmallProgram(product, types)) return program;
  if (auto program = MakeVectorProgram(product, types)) return program;
  if (auto program = MakeThinProgram(product, types)) return program;
  if (auto program = TransposedBack(product, types, MakeThinProgram(Transposed(product), Exchanged(types)))) {
    return program;
  }
  if (auto program = MakeMatrixUnitProgram(product, types)) return program;
  if (auto program = MakeOneDnnProgram(product, types, rhs_is_fixed)) return program;
  return MakePackedProgram(product, types);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ProductProgram>> MakeProductProgram(const StridedDot& product, const ProductTypes& types,
                                                                   const FixedOperands& fixed) {
  if (auto program = MakeTall(product, types)) return program;
  // Vectors are on the left, and the columns of results are contiguous.
  const bool transpose = product.m > 1 && (product.n == 1 || (product.result_n != 1 && product.result_m == 1));
  std::unique_ptr<ProductProgram> program;
  if (transpose) {
    program = TransposedBack(product, types, MakeAny(Transposed(product), Exchanged(types), fixed.lhs));
  } else {
    program = MakeAny(product, types, fixed.rhs);
  }
  if (program == nullptr) {
    return absl::UnimplementedError(absl::StrCat("no library has products of ", PrimitiveTypeName(types.lhs), " and ",
                                                 PrimitiveTypeName(types.rhs), " as ",
                                                 PrimitiveTypeName(types.result)));
  }
  return program;
}

std::unique_ptr<ProductProgram> MakeDequantizingProgram(const StridedDot& product, const ProductTypes& types,
                                                        std::shared_ptr<const ProductPrologue> prologue) {
  std::unique_ptr<ProductProgram> program = MakeVectorProgram(product, types);
  if (program == nullptr) program = MakePackedProgram(product, types);
  return program != nullptr && program->SetPrologue(std::move(prologue)) ? std::move(program) : nullptr;
}

absl::StatusOr<std::unique_ptr<ProductProgram>> MakeDotProgram(const HloInstruction& dot, const FixedOperands& fixed) {
  ASSIGN_OR_RETURN(const StridedDot product, StridedDotOf(dot));
  const ProductTypes types = {dot.operand(0)->shape().element_type(), dot.operand(1)->shape().element_type(),
                              dot.shape().element_type()};
  return MakeProductProgram(product, types, fixed);
}

}  // namespace xla
