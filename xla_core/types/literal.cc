#include "xla_core/types/literal.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "absl/strings/str_cat.h"
#include "xla_core/support/block_pool.h"
#include "xla_core/support/check.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kHeaderBytes = 64;  // Storage in front of its own elements, at the same alignment

// Where a value's bytes and the Storage in front of them lie.
struct Allocation {
  void* header = nullptr;  // aligned to kAlignment; nullptr: the machine has no memory
  void* block = nullptr;
  int64_t pooled_bytes = 0;  // of a block of BlockPool::Global(); 0: it is malloc's
};
static_assert(BlockPool::kSmallestBlock > kHeaderBytes, "blocks hold a header");

// Zeroed pages come for free when the block is large and fresh; alignment within malloc's is made by hand.
Allocation AllocateAligned(int64_t bytes, bool zeroed) {
  Allocation made;
  if (kPoolsBlocks && bytes + kHeaderBytes >= BlockPool::kSmallestBlock) {
    const BlockPool::Block block = BlockPool::Global().Take(bytes + kHeaderBytes, zeroed);
    made.header = made.block = block.data;
    made.pooled_bytes = block.bytes;
    return made;
  }
  const size_t total = static_cast<size_t>(bytes) + kHeaderBytes + kAlignment;
  made.block = zeroed ? std::calloc(1, total) : std::malloc(total);
  if (made.block == nullptr) return made;
  made.header = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(made.block) + kAlignment) &
                                        ~static_cast<uintptr_t>(kAlignment - 1));
  return made;
}

void Free(const Allocation& made) {
  if (made.pooled_bytes > 0) {
    BlockPool::Global().GiveBack({made.block, made.pooled_bytes});
  } else {
    std::free(made.block);
  }
}

// Recursion over tuple elements with the dynamic extent of each array.
bool SameElements(const Literal& a, const Literal& b, int dim, int64_t offset, int64_t inner) {
  const Shape& shape = a.shape();
  const int width = ByteWidth(shape.element_type());
  if (dim == shape.rank()) {
    return std::memcmp(a.data<char>() + offset * width, b.data<char>() + offset * width, width) == 0;
  }
  inner = shape.dimension(dim) == 0 ? 0 : inner / shape.dimension(dim);
  for (int64_t i = 0; i < a.dynamic_size(dim); ++i) {
    if (!SameElements(a, b, dim + 1, offset + i * inner, inner)) return false;
  }
  return true;
}

}  // namespace

Literal::Literal(const Literal& other)
    : shape_(other.shape_), size_bytes_(other.size_bytes_), storage_(other.storage_), elements_(other.elements_) {
  std::memcpy(inline_, other.inline_, kInlineBytes);
  if (storage_ != nullptr) storage_->references.fetch_add(1, std::memory_order_relaxed);
  if (other.dynamic_sizes_ != nullptr) dynamic_sizes_ = std::make_unique<DimensionVector>(*other.dynamic_sizes_);
}

Literal::Literal(Literal&& other) noexcept
    : shape_(std::move(other.shape_)),
      size_bytes_(std::exchange(other.size_bytes_, 0)),
      storage_(std::exchange(other.storage_, nullptr)),
      elements_(std::move(other.elements_)),
      dynamic_sizes_(std::move(other.dynamic_sizes_)) {
  std::memcpy(inline_, other.inline_, kInlineBytes);
  other.shape_.set_element_type(PRIMITIVE_TYPE_INVALID);
}

Literal& Literal::operator=(const Literal& other) {
  if (this != &other) *this = Literal(other);
  return *this;
}

Literal& Literal::operator=(Literal&& other) noexcept {
  if (this == &other) return *this;
  ReleaseStorage();
  shape_ = std::move(other.shape_);
  other.shape_.set_element_type(PRIMITIVE_TYPE_INVALID);
  size_bytes_ = std::exchange(other.size_bytes_, 0);
  storage_ = std::exchange(other.storage_, nullptr);
  std::memcpy(inline_, other.inline_, kInlineBytes);
  elements_ = std::move(other.elements_);
  dynamic_sizes_ = std::move(other.dynamic_sizes_);
  return *this;
}

void Literal::ReleaseStorage() {
  if (storage_ == nullptr) return;
  if (storage_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    if (storage_->budget != nullptr) storage_->budget->Release(storage_->bytes);
    const Allocation made = *reinterpret_cast<Allocation*>(storage_ + 1);
    storage_->~Storage();
    Free(made);
  }
  storage_ = nullptr;
}

// Memory for elements with a header in front, counted in the budget. The header has the reference count.
absl::StatusOr<Literal::Storage*> Literal::NewStorage(int64_t bytes, bool zeroed, MemoryBudget* budget) {
  static_assert(sizeof(Storage) + sizeof(Allocation) <= kHeaderBytes, "the header must fit in front of the elements");
  constexpr int64_t kLargest = int64_t{1} << 48;  // more than any address space; keeps the sums below from overflowing
  if (bytes > kLargest) {
    return absl::ResourceExhaustedError(absl::StrCat("an array of ", bytes, " bytes does not fit in memory"));
  }
  if (budget != nullptr) RETURN_IF_ERROR(budget->Reserve(bytes));
  const Allocation made = AllocateAligned(bytes, zeroed);
  if (made.header == nullptr) {
    if (budget != nullptr) budget->Release(bytes);
    return absl::ResourceExhaustedError(absl::StrCat("the machine has no memory for an array of ", bytes, " bytes"));
  }
  auto* storage = new (made.header) Storage{{1}, false, budget, bytes, static_cast<char*>(made.header) + kHeaderBytes};
  new (storage + 1) Allocation(made);
  return storage;
}

// Makes a literal and all of its elements. Small arrays are stored in the literal itself, without an allocation.
absl::StatusOr<Literal> Literal::Make(const Shape& shape, bool zeroed, MemoryBudget* budget) {
  Literal literal = OfShape(shape);
  if (shape.IsTuple()) {
    literal.elements_.reserve(shape.tuple_size());
    for (const Shape& element : shape.tuple_shapes()) {
      ASSIGN_OR_RETURN(Literal made, Make(element, zeroed, budget));
      literal.elements_.push_back(std::move(made));
    }
    return literal;
  }
  if (!shape.IsArray()) return literal;
  if (shape.IsUnboundedDynamic()) {
    return absl::InvalidArgumentError(absl::StrCat("cannot make a value of shape ", shape.ToString(),
                                                   ": it has an unbounded dimension; give every dimension a bound"));
  }
  literal.size_bytes_ = shape.ByteSize();
  if (literal.size_bytes_ > kInlineBytes) {
    ASSIGN_OR_RETURN(literal.storage_, NewStorage(literal.size_bytes_, zeroed, budget));
  }
  return literal;
}

absl::StatusOr<Literal> Literal::Allocate(const Shape& shape, MemoryBudget* budget) {
  return Make(shape, false, budget);
}

absl::StatusOr<Literal> Literal::Zeros(const Shape& shape, MemoryBudget* budget) { return Make(shape, true, budget); }

Literal Literal::AllocateOrDie(const Shape& shape) {
  absl::StatusOr<Literal> literal = Allocate(shape);
  CHECK(literal.ok());
  return *std::move(literal);
}

Literal Literal::Borrow(const Shape& shape, const void* data) {
  Literal literal = OfShape(shape);
  literal.size_bytes_ = shape.ByteSize();
  if (literal.size_bytes_ <= kInlineBytes) {
    if (literal.size_bytes_ > 0) std::memcpy(literal.inline_, data, literal.size_bytes_);
    return literal;
  }
  absl::StatusOr<Storage*> storage = NewStorage(0, false, nullptr);
  CHECK(storage.ok());
  (*storage)->borrowed = true;
  (*storage)->data = const_cast<void*>(data);
  literal.storage_ = *storage;
  return literal;
}

Literal Literal::Tuple(std::vector<Literal> elements) {
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const Literal& element : elements) shapes.push_back(element.shape());
  Literal literal = OfShape(Shape::Tuple(std::move(shapes)));
  literal.elements_ = std::move(elements);
  return literal;
}

Literal Literal::ScalarOf(PrimitiveType type, const void* bytes) {
  Literal literal = OfShape(Shape::Scalar(type));
  literal.size_bytes_ = ByteWidth(type);
  std::memcpy(literal.inline_, bytes, literal.size_bytes_);
  return literal;
}

absl::Status Literal::MakeWritable(MemoryBudget* budget) {
  if (IsUnique()) return absl::OkStatus();
  ASSIGN_OR_RETURN(Storage * copy, NewStorage(size_bytes_, false, budget));
  std::memcpy(copy->data, storage_->data, size_bytes_);
  ReleaseStorage();
  storage_ = copy;
  return absl::OkStatus();
}

void Literal::LeaveBudget() {
  for (Literal& element : elements_) element.LeaveBudget();
  if (storage_ == nullptr || storage_->budget == nullptr) return;
  storage_->budget->Release(storage_->bytes);
  storage_->budget = nullptr;
}

void Literal::Detach() { CHECK(MakeWritable(nullptr).ok()); }

std::vector<Literal> Literal::TakeElements() {
  std::vector<Literal> elements = std::move(elements_);
  elements_.clear();
  shape_ = Shape::Tuple({});
  return elements;
}

void Literal::SetDynamicSize(int i, int64_t size) {
  if (dynamic_sizes_ == nullptr) {
    if (size == shape_.dimension(i)) return;
    dynamic_sizes_ = std::make_unique<DimensionVector>(shape_.dimensions().begin(), shape_.dimensions().end());
  }
  (*dynamic_sizes_)[i] = size;
}

void Literal::CopyDynamicSizesFrom(const Literal& other) {
  dynamic_sizes_ = other.dynamic_sizes_ == nullptr ? nullptr : std::make_unique<DimensionVector>(*other.dynamic_sizes_);
}

bool Literal::BitwiseEquals(const Literal& other) const {
  if (!shape_.Equal(other.shape_, Shape::kIgnoreLayout)) return false;
  if (IsTuple())
    return std::equal(elements_.begin(), elements_.end(), other.elements_.begin(), other.elements_.end(),
                      [](const Literal& a, const Literal& b) { return a.BitwiseEquals(b); });
  if (!shape_.IsArray()) return true;
  if (!has_dynamic_sizes() && !other.has_dynamic_sizes()) {
    return size_bytes_ == 0 || std::memcmp(untyped_data(), other.untyped_data(), size_bytes_) == 0;
  }
  for (int i = 0; i < shape_.rank(); ++i) {
    if (dynamic_size(i) != other.dynamic_size(i)) return false;
  }
  return SameElements(*this, other, 0, 0, element_count());
}

std::vector<uint8_t> PackSubByteElements(absl::Span<const uint8_t> elements, int bits) {
  const int per_byte = 8 / bits;
  const uint8_t mask = static_cast<uint8_t>((1 << bits) - 1);
  std::vector<uint8_t> packed(CeilDiv(static_cast<int64_t>(elements.size()), per_byte), 0);
  for (size_t i = 0; i < elements.size(); ++i) {
    packed[i / per_byte] |= static_cast<uint8_t>((elements[i] & mask) << (bits * (i % per_byte)));
  }
  return packed;
}

// Unpacks elements that are stored from the low bits of each byte upwards, and extends each to a byte by its sign.
absl::StatusOr<std::vector<uint8_t>> UnpackSubByteElements(absl::Span<const uint8_t> packed, int bits, bool is_signed,
                                                           int64_t count) {
  const int per_byte = 8 / bits;
  const int64_t want = CeilDiv(count, per_byte);
  if (static_cast<int64_t>(packed.size()) != want) {
    return absl::InvalidArgumentError(absl::StrCat("packed literal has ", packed.size(), " bytes, expected ", want,
                                                   " for ", count, " elements of ", bits, " bits"));
  }
  std::vector<uint8_t> elements(count);
  const int shift = 8 - bits;
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t high = static_cast<uint8_t>(packed[i / per_byte] >> (bits * (i % per_byte)) << shift);
    elements[i] =
        is_signed ? static_cast<uint8_t>(static_cast<int8_t>(high) >> shift) : static_cast<uint8_t>(high >> shift);
  }
  return elements;
}

}  // namespace xla
