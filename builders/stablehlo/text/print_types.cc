#include "builders/stablehlo/text/print_types.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/print_attributes.h"
#include "builders/stablehlo/text/print_numbers.h"

namespace xla {
namespace stablehlo {
namespace {

void AppendTypes(const Module& module, absl::Span<const TypeId> types, std::string* out) {
  const char* separator = "";
  for (const TypeId type : types) {
    out->append(separator);
    AppendType(module, type, out);
    separator = ", ";
  }
}

void AppendTensor(const Module& module, const Type& type, const char* name, std::string* out) {
  absl::StrAppend(out, name, "<");
  for (const int64_t dimension : type.dimensions) {
    if (dimension == kDynamic) {
      out->append("?x");
    } else {
      absl::StrAppend(out, dimension, "x");
    }
  }
  if (type.kind == TypeKind::kUnrankedTensor) out->append("*x");
  AppendType(module, type.element, out);
  if (type.encoding.ok()) {
    out->append(", ");
    AppendAttribute(module, type.encoding, out);
  }
  out->push_back('>');
}

// !quant.uniform<i8<-127:127>:f32:1, {0.5:3, 0.25}>
void AppendQuantized(const Module& module, const Type& type, std::string* out) {
  const Quantization& quantization = *type.quantization;
  const int64_t width = module.type(quantization.storage).width;
  const bool is_signed = quantization.is_signed;
  const int64_t least = is_signed ? -(int64_t{1} << (width - 1)) : 0;
  const int64_t most = (int64_t{1} << (is_signed ? width - 1 : width)) - 1;
  absl::StrAppend(out, "!quant.uniform<", is_signed ? "i" : "u", width);
  if (quantization.storage_min != least || quantization.storage_max != most) {
    absl::StrAppend(out, "<", quantization.storage_min, ":", quantization.storage_max, ">");
  }
  out->push_back(':');
  AppendType(module, type.element, out);
  if (quantization.axis >= 0) absl::StrAppend(out, ":", quantization.axis);
  out->append(quantization.axis >= 0 ? ", {" : ", ");
  for (size_t i = 0; i < quantization.scales.size(); ++i) {
    if (i > 0) out->append(", ");
    AppendDecimal(quantization.scales[i], FloatKind::kF64, out);
    if (quantization.zero_points[i] != 0) absl::StrAppend(out, ":", quantization.zero_points[i]);
  }
  out->append(quantization.axis >= 0 ? "}>" : ">");
}

}  // namespace

void AppendResultTypes(const Module& module, absl::Span<const TypeId> types, std::string* out) {
  if (types.size() == 1 && module.type(types[0]).kind != TypeKind::kFunction) return AppendType(module, types[0], out);
  out->push_back('(');
  AppendTypes(module, types, out);
  out->push_back(')');
}

void AppendType(const Module& module, TypeId id, std::string* out) {
  const Type& type = module.type(id);
  switch (type.kind) {
    case TypeKind::kInteger:
      absl::StrAppend(out,
                      type.signedness == Signedness::kSigned     ? "s"
                      : type.signedness == Signedness::kUnsigned ? "u"
                                                                 : "",
                      "i", type.width);
      return;
    case TypeKind::kIndex:
      out->append("index");
      return;
    case TypeKind::kNone:
      out->append("none");
      return;
    case TypeKind::kFloat:
      out->append(GetFloatKindInfo(type.float_kind).name);
      return;
    case TypeKind::kComplex:
      out->append("complex<");
      AppendType(module, type.element, out);
      out->push_back('>');
      return;
    case TypeKind::kTensor:
    case TypeKind::kUnrankedTensor:
      return AppendTensor(module, type, "tensor", out);
    case TypeKind::kMemRef:
      return AppendTensor(module, type, "memref", out);
    case TypeKind::kQuantized:
      return AppendQuantized(module, type, out);
    case TypeKind::kTuple:
      out->append("tuple<");
      AppendTypes(module, type.types, out);
      out->push_back('>');
      return;
    case TypeKind::kFuture:
      out->append("!stablehlo.future<");
      AppendTypes(module, type.types, out);
      out->push_back('>');
      return;
    case TypeKind::kFunction:
      out->push_back('(');
      AppendTypes(module, type.types, out);
      out->append(") -> ");
      return AppendResultTypes(module, type.results, out);
    case TypeKind::kToken:
      out->append("!stablehlo.token");
      return;
    case TypeKind::kWitness:
      out->append("!shape.witness");
      return;
  }
}

std::string TypeText(const Module& module, TypeId type) {
  std::string text;
  AppendType(module, type, &text);
  return text;
}

}  // namespace stablehlo
}  // namespace xla
