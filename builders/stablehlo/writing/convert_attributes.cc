// Attributes, annotations and locations.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/writing/hlo_converter.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace stablehlo {
namespace {

// Those of numbers in memory.
template <typename T>
absl::string_view BytesOf(absl::Span<const T> values) {
  return absl::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

}  // namespace

AttributeId HloConverter::Int32(int64_t value) {
  return module_.Intern(IntegerAttribute(module_.Intern(IntegerType(32)), value));
}

AttributeId HloConverter::Bool(bool value) { return module_.Intern(BoolAttribute(value)); }

AttributeId HloConverter::Bools(const std::vector<bool>& values) {
  std::string bytes;
  for (const bool value : values) bytes.push_back(value);
  const TypeId i1 = module_.Intern(IntegerType(1));
  absl::string_view data = bytes;
  if (data.size() > kMaxInternedBytes) data = module_.KeepBytes(data);
  return module_.Intern(DenseArrayAttribute(i1, data));
}

AttributeId HloConverter::Float32(float value) {
  Attribute attribute;
  attribute.kind = AttributeKind::kFloat;
  attribute.type = module_.Intern(FloatType(FloatKind::kF32));
  attribute.real = value;
  attribute.integer = static_cast<int64_t>(FloatToBits(FloatKind::kF32, value));
  return module_.Intern(attribute);
}

AttributeId HloConverter::Float64(double value) {
  Attribute attribute;
  attribute.kind = AttributeKind::kFloat;
  attribute.type = module_.Intern(FloatType(FloatKind::kF64));
  attribute.real = value;
  attribute.integer = static_cast<int64_t>(FloatToBits(FloatKind::kF64, value));
  return module_.Intern(attribute);
}

AttributeId HloConverter::Enum(absl::string_view name, absl::string_view value) {
  return module_.Intern(EnumAttribute(absl::StrCat("stablehlo.", name), value));
}

AttributeId HloConverter::Matrix(const std::vector<int64_t>& values, int64_t columns) {
  const int64_t rows = columns == 0 ? 0 : static_cast<int64_t>(values.size()) / columns;
  const TypeId type = module_.Intern(TensorType({rows, columns}, module_.Intern(IntegerType(64))));
  absl::string_view data = BytesOf(absl::MakeConstSpan(values));
  if (data.size() > kMaxInternedBytes) data = module_.KeepBytes(data);
  return module_.Intern(DenseElementsAttribute(type, data, /*is_splat=*/false));
}

// A list of indices, as the layouts of custom calls are.
AttributeId HloConverter::Indices(absl::Span<const int64_t> values) {
  const TypeId index = module_.Intern(SimpleType(TypeKind::kIndex));
  const TypeId type = module_.Intern(TensorType({static_cast<int64_t>(values.size())}, index));
  absl::string_view data = BytesOf(values);
  if (data.size() > kMaxInternedBytes) data = module_.KeepBytes(data);
  return module_.Intern(DenseElementsAttribute(type, data, /*is_splat=*/false));
}

AttributeId HloConverter::Array(const std::vector<AttributeId>& elements) {
  return module_.Intern(ArrayAttribute(elements));
}

// Not ok() if all are the default.
AttributeId HloConverter::Precisions(absl::string_view dialect, const std::vector<Precision>& precisions) {
  constexpr absl::string_view kNames[] = {"DEFAULT", "HIGH", "HIGHEST"};
  const bool is_default = std::all_of(precisions.begin(), precisions.end(),
                                      [](Precision precision) { return precision == Precision::kDefault; });
  if (is_default) return {};
  std::vector<AttributeId> elements;
  for (const Precision precision : precisions) {
    elements.push_back(
        module_.Intern(EnumAttribute(absl::StrCat(dialect, ".precision"), kNames[static_cast<int>(precision)])));
  }
  return Array(elements);
}

AttributeId HloConverter::Dictionary(const FrontendAttributes& attributes) {
  Fields fields;
  for (const auto& [name, value] : attributes) fields.push_back({module_.Intern(name), module_.String(value)});
  return module_.Dictionary(std::move(fields));
}

// A row for each group; groups of different sizes are filled up with -1.
absl::Status HloConverter::AddGroups(const HloInstruction& instruction, absl::optional<int64_t> channel_id,
                                     const ReplicaGroups& groups, Fields* fields) {
  ASSIGN_OR_RETURN(const std::vector<std::vector<int64_t>> lists, groups.Expand());
  size_t longest = 0;
  for (const std::vector<int64_t>& list : lists) longest = std::max(longest, list.size());
  RETURN_IF_ERROR(Spend(static_cast<int64_t>(lists.size() * longest)));
  std::vector<int64_t> values;
  for (const std::vector<int64_t>& list : lists) {
    values.insert(values.end(), list.begin(), list.end());
    values.insert(values.end(), longest - list.size(), -1);
  }
  fields->push_back({"replica_groups", Matrix(values, static_cast<int64_t>(longest))});
  if (channel_id.has_value()) {
    fields->push_back({"channel_handle",
                       module_.Struct("stablehlo.channel_handle", {{"handle", Int(*channel_id)}, {"type", Int(1)}})});
  }
  return absl::OkStatus();
}

// Sharding, frontend attributes and accuracy.
void HloConverter::AddAnnotations(const HloInstruction& instruction, Fields* fields) {
  if (!instruction.has_annotations()) return;
  const InstructionAnnotations& annotations = instruction.annotations();
  if (annotations.sharding.has_value()) {
    fields->push_back({"mhlo.sharding", module_.String(ShardingToString(*annotations.sharding))});
  }
  if (!annotations.frontend_attributes.empty()) {
    fields->push_back({"mhlo.frontend_attributes", Dictionary(annotations.frontend_attributes)});
  }
  const ResultAccuracy& accuracy = annotations.result_accuracy;
  if (accuracy == ResultAccuracy()) return;
  constexpr absl::string_view kModes[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};
  fields->push_back(
      {"result_accuracy",
       module_.Struct("stablehlo.result_accuracy",
                      {{"atol", Float64(accuracy.atol)},
                       {"rtol", Float64(accuracy.rtol)},
                       {"ulps", Int(accuracy.ulps)},
                       {"mode", Enum("result_accuracy_mode", kModes[static_cast<int>(accuracy.mode)])}})});
}

// The name of the operation, and below it the line of the program.
LocationId HloConverter::LocationOf(const OpMetadata& metadata) {
  LocationId file;
  if (!metadata.source_file.empty()) {
    file = module_.Intern(
        FileLocation(metadata.source_file.view(), metadata.source_line, std::max(metadata.source_column, 0)));
  }
  return metadata.op_name.empty() ? file : module_.Intern(NameLocation(metadata.op_name.view(), file));
}

}  // namespace stablehlo
}  // namespace xla
