#include "builders/stablehlo/text/print_elements.h"

#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/hex_bytes.h"
#include "builders/stablehlo/text/print_numbers.h"

namespace xla {
namespace stablehlo {
namespace {

constexpr int64_t kMaxPrintedElements = 100;

uint64_t ReadBits(const char* data, int64_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, bytes);
  return bits;
}

// Brackets around the rows of each dimension.
class NestedPrinter {
 public:
  NestedPrinter(const Module& module, const Attribute& value, std::string* out)
      : module_(module),
        dimensions_(module.type(value.type).dimensions),
        element_(module.type(value.type).element),
        bytes_(ElementBytes(module, element_)),
        next_(value.data.data()),
        out_(*out) {}

  // Depth is limited by the rank of a tensor that has few elements but may have many dimensions, so loops instead of
  // recursion.
  void Print() {
    std::vector<int64_t> index(dimensions_.size(), 0);
    out_.append(dimensions_.size(), '[');
    for (;;) {
      AppendElement(module_, element_, next_, &out_);
      next_ += bytes_;
      size_t closed = 0;
      size_t d = dimensions_.size();
      while (d > 0 && ++index[d - 1] == dimensions_[d - 1]) {
        index[--d] = 0;
        ++closed;
      }
      out_.append(closed, ']');
      if (d == 0) return;
      out_.append(", ");
      out_.append(closed, '[');
    }
  }

 private:
  const Module& module_;
  const absl::Span<const int64_t> dimensions_;
  const TypeId element_;
  const int64_t bytes_;
  const char* next_;
  std::string& out_;
};

// Signed elements narrower than a byte without what their signs fill the byte with.
std::string WithoutSigns(const Module& module, TypeId element, absl::string_view data) {
  std::string bytes(data);
  const Type& type = module.type(element);
  if (type.kind != TypeKind::kInteger || type.width >= 8) return bytes;
  for (char& byte : bytes) byte = static_cast<char>(byte & ((1 << type.width) - 1));
  return bytes;
}

}  // namespace

void AppendElement(const Module& module, TypeId element, const char* data, std::string* out) {
  const Type* type = &module.type(element);
  if (type->kind == TypeKind::kQuantized) return AppendElement(module, type->quantization->storage, data, out);
  const int64_t bytes = ElementBytes(module, element);
  if (type->kind == TypeKind::kComplex) {
    out->push_back('(');
    AppendElement(module, type->element, data, out);
    out->push_back(',');
    AppendElement(module, type->element, data + bytes / 2, out);
    out->push_back(')');
    return;
  }
  const uint64_t bits = ReadBits(data, bytes <= 8 ? bytes : 8);
  if (type->kind == TypeKind::kFloat) return AppendFloat(bits, type->float_kind, out);
  if (type->kind == TypeKind::kInteger && type->width == 1) {
    out->append(bits == 0 ? "false" : "true");
  } else if (type->signedness == Signedness::kUnsigned) {
    absl::StrAppend(out, bits);
  } else {
    const int unused = 64 - 8 * static_cast<int>(bytes);
    absl::StrAppend(out, static_cast<int64_t>(bits << unused) >> unused);
  }
}

void AppendElements(const Module& module, const Attribute& value, std::string* out) {
  const TypeId element = module.type(value.type).element;
  const int64_t bytes = ElementBytes(module, element);
  out->append("dense<");
  const int64_t count = static_cast<int64_t>(value.data.size()) / bytes;
  if (value.is_splat || (count == 1 && module.type(value.type).dimensions.empty())) {
    AppendElement(module, element, value.data.data(), out);
  } else if (count > kMaxPrintedElements) {
    out->append("\"0x");
    AppendHex(WithoutSigns(module, element, value.data), out);
    out->push_back('"');
  } else if (count > 0) {
    NestedPrinter(module, value, out).Print();
  }
  out->push_back('>');
}

}  // namespace stablehlo
}  // namespace xla
