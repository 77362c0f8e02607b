#include "xla_core/text/attribute_printer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/text/annotations_text.h"
#include "xla_core/text/literal_printer.h"
#include "xla_core/text/mesh_text.h"
#include "xla_core/text/number_text.h"
#include "xla_core/text/sharding_text.h"
#include "xla_core/text/window_text.h"

namespace xla {
namespace {

void AppendInts(absl::Span<const int64_t> values, std::string* out) {
  absl::StrAppend(out, "{", absl::StrJoin(values, ","), "}");
}

template <typename List, typename Fn>
void AppendList(const List& list, const char* separator, std::string* out, Fn append) {
  out->push_back('{');
  bool first = true;
  for (const auto& entry : list) {
    if (!first) absl::StrAppend(out, separator);
    first = false;
    append(entry);
  }
  out->push_back('}');
}

void AppendBool(bool value, std::string* out) { absl::StrAppend(out, value ? "true" : "false"); }

void AppendShape(const Shape& shape, std::string* out) { shape.AppendTo(out, Shape::LayoutPrinting::kWith, true); }

void AppendEnum(const EnumTable& table, int value, std::string* out) {
  const bool known = value >= 0 && value < static_cast<int>(table.names.size()) && table.names[value] != nullptr;
  absl::StrAppend(out, known ? table.names[value] : "unknown");
}

void AppendDomainSide(const char* name, const absl::optional<Sharding>& sharding, std::string* out) {
  absl::StrAppend(out, ", ", name, "=");
  if (sharding.has_value()) {
    AppendSharding(*sharding, out);
  } else {
    absl::StrAppend(out, "{}");
  }
}

void AppendLiteralAttribute(const Literal& literal, const AttributePrintOptions& options, std::string* out) {
  LiteralPrintOptions literal_options;
  literal_options.shape = true;
  literal_options.elide_large = options.elide_large_constants;
  AppendLiteral(literal, literal_options, out);
}

}  // namespace

// The inverse of ParseAttributeValue. Fields of optional kinds are only printed if they are set; the callers check
// that.
void AppendAttributeValue(const AttributeField& field, const Attributes& a, const AttributePrintOptions& options,
                          std::string* out) {
  switch (field.kind) {
    case FieldKind::kBool:
      return AppendBool(field.Get<bool>(a), out);
    case FieldKind::kTriState:
      return AppendBool(field.Get<int32_t>(a) == 1, out);
    case FieldKind::kInt:
      absl::StrAppend(out, field.Get<int64_t>(a));
      return;
    case FieldKind::kOptionalInt:
      absl::StrAppend(out, field.Get<absl::optional<int64_t>>(a).value_or(0));
      return;
    case FieldKind::kOneDimension:
      return AppendInts({field.Get<int64_t>(a)}, out);
    case FieldKind::kOptionalDimension:
      return AppendInts({field.Get<absl::optional<int64_t>>(a).value_or(0)}, out);
    case FieldKind::kFloat:
      return AppendFloat(field.Get<float>(a), out);
    case FieldKind::kString:
      return AppendQuoted(field.Get<std::string>(a), out);
    case FieldKind::kIntList:
      return AppendInts(field.Get<DimensionVector>(a), out);
    case FieldKind::kIntLists:
      return AppendList(field.Get<std::vector<std::vector<int64_t>>>(a), ",", out,
                        [out](const std::vector<int64_t>& list) { AppendInts(list, out); });
    case FieldKind::kBoolList:
      return AppendList(field.Get<std::vector<bool>>(a), ",", out, [out](bool value) { AppendBool(value, out); });
    case FieldKind::kEnum:
      return AppendEnum(*field.enums, field.Get<int32_t>(a), out);
    case FieldKind::kPrecisionList:
      return AppendList(field.Get<std::vector<Precision>>(a), ",", out,
                        [out](Precision p) { AppendEnum(PrecisionNames(), static_cast<int>(p), out); });
    case FieldKind::kWindow:
      return AppendWindow(field.Get<Window>(a), out);
    case FieldKind::kOptionalWindow:
      return AppendWindow(*field.Get<absl::optional<Window>>(a), out);
    case FieldKind::kDimLabels:
      return AppendDimLabels(field.Get<ConvolutionDimensionNumbers>(a), out);
    case FieldKind::kOptionalDimLabels:
      return AppendDimLabels(*field.Get<absl::optional<ConvolutionDimensionNumbers>>(a), out);
    case FieldKind::kPadding:
      return AppendPadding(field.Get<PaddingConfig>(a), out);
    case FieldKind::kSlice:
      return AppendSlice(field.Get<std::vector<SliceRange>>(a), out);
    case FieldKind::kReplicaGroups:
      return AppendReplicaGroups(field.Get<ReplicaGroups>(a), options.full_replica_groups, out);
    case FieldKind::kSourceTargetPairs:
      return AppendList(field.Get<std::vector<std::pair<int64_t, int64_t>>>(a), ",", out,
                        [out](const std::pair<int64_t, int64_t>& pair) {
                          AppendInts({pair.first, pair.second}, out);
                        });
    case FieldKind::kShape:
      return AppendShape(field.Get<Shape>(a), out);
    case FieldKind::kShapeList:
      return AppendList(field.Get<std::vector<Shape>>(a), ", ", out, [out](const Shape& s) { AppendShape(s, out); });
    case FieldKind::kOptionalShapeList:
      return AppendList(*field.Get<absl::optional<std::vector<Shape>>>(a), ", ", out,
                        [out](const Shape& s) { AppendShape(s, out); });
    case FieldKind::kAliasing:
      return AppendList(field.Get<std::vector<OutputOperandAlias>>(a), ", ", out,
                        [out](const OutputOperandAlias& alias) {
                          absl::StrAppend(out, ShapeIndexToString(alias.output_index), ": (", alias.operand, ", ",
                                          ShapeIndexToString(alias.operand_index), ")");
                        });
    case FieldKind::kLiteral:
      return AppendLiteralAttribute(*field.Get<std::shared_ptr<const Literal>>(a), options, out);
    case FieldKind::kDomain: {
      const Domain& domain = field.Get<Domain>(a);
      absl::StrAppend(out, "{kind=\"sharding\"");
      AppendDomainSide("entry", domain.entry, out);
      AppendDomainSide("exit", domain.exit, out);
      out->push_back('}');
      return;
    }
    case FieldKind::kSparsity:
      return AppendSparsity(field.Get<ConvolutionSparsity>(a), out);
  }
}

void AppendAttributes(const Attributes& attributes, const AttributePrintOptions& options, const char* hidden,
                      std::string* out) {
  std::unique_ptr<Attributes> defaults;
  for (const AttributeField& field : attributes.schema().fields) {
    if (field.presence == Presence::kInternal || (hidden != nullptr && absl::string_view(hidden) == field.name))
      continue;
    if (field.presence == Presence::kOptional) {
      if (defaults == nullptr) defaults = attributes.MakeDefault();
      if (FieldEqual(field, attributes, *defaults)) continue;
    }
    absl::StrAppend(out, ", ", field.name, "=");
    AppendAttributeValue(field, attributes, options, out);
  }
}

}  // namespace xla
