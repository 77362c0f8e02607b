#include "builders/stablehlo/bytecode/testing/artifact_writer.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace xla {
namespace stablehlo {
namespace {

constexpr absl::string_view kDialects[] = {"builtin", "vhlo", "sdy", "chlo"};

// Attributes and types of one dialect, one after the other, are a group.
template <typename Entries, typename AppendOne>
std::string Groups(const Entries& entries, AppendOne append_one) {
  std::string groups;
  for (size_t begin = 0; begin < entries.size();) {
    size_t end = begin;
    while (end < entries.size() && entries[end].dialect == entries[begin].dialect) ++end;
    groups += Varint(entries[begin].dialect) + Varint(end - begin);
    for (; begin < end; ++begin) groups += append_one(entries[begin]);
  }
  return groups;
}

}  // namespace

std::string Varint(uint64_t value) {
  std::string bytes;
  int more = 0;
  while (more < 8 && value >> (7 * (more + 1)) != 0) ++more;
  if (more < 8) {
    const uint64_t word = (value << (more + 1)) | (uint64_t{1} << more);
    bytes.assign(reinterpret_cast<const char*>(&word), more + 1);
  } else {
    bytes.push_back('\0');
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  return bytes;
}

std::string SignedVarint(int64_t value) {
  return Varint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

std::string Flagged(uint64_t value, bool flag) { return Varint(value << 1 | (flag ? 1 : 0)); }

std::string Numbers(const std::vector<uint64_t>& values) {
  std::string bytes = Varint(values.size());
  for (const uint64_t value : values) bytes += Varint(value);
  return bytes;
}

std::string Blob(absl::string_view bytes) { return Varint(bytes.size()) + std::string(bytes); }

std::string Section(int id, absl::string_view content) { return std::string(1, static_cast<char>(id)) + Blob(content); }

int ArtifactWriter::DialectNumber(absl::string_view dialect) {
  return static_cast<int>(std::find(std::begin(kDialects), std::end(kDialects), dialect) - std::begin(kDialects));
}

int ArtifactWriter::AddString(absl::string_view text) {
  strings_.emplace_back(text);
  return static_cast<int>(strings_.size()) - 1;
}

int ArtifactWriter::AddType(absl::string_view dialect, std::string encoding) {
  types_.push_back({DialectNumber(dialect), std::move(encoding)});
  return static_cast<int>(types_.size()) - 1;
}

int ArtifactWriter::AddAttribute(absl::string_view dialect, std::string encoding) {
  attributes_.push_back({DialectNumber(dialect), std::move(encoding)});
  return static_cast<int>(attributes_.size()) - 1;
}

int ArtifactWriter::AddOperationName(absl::string_view dialect, absl::string_view name) {
  operation_names_.push_back({DialectNumber(dialect), Flagged(AddString(name), /*flag=*/true)});
  return static_cast<int>(operation_names_.size()) - 1;
}

int ArtifactWriter::AddProperties(std::string attributes) {
  properties_.push_back(std::move(attributes));
  return static_cast<int>(properties_.size()) - 1;
}

int ArtifactWriter::AddText(absl::string_view text) {
  return AddAttribute("vhlo", Varint(14) + Varint(AddString(text)));
}

std::string ArtifactWriter::Offsets() const {
  const auto size = [](const Entry& entry) { return Flagged(entry.bytes.size(), /*flag=*/true); };
  return Varint(attributes_.size()) + Varint(types_.size()) + Groups(attributes_, size) + Groups(types_, size);
}

std::string ArtifactWriter::Write() const {
  std::string dialects = Varint(std::size(kDialects));
  for (size_t i = 0; i < std::size(kDialects); ++i) dialects += Flagged(i, /*flag=*/false);
  dialects += Varint(operation_names_.size());
  dialects += Groups(operation_names_, [](const Entry& entry) { return entry.bytes; });
  std::string entries;
  for (const Entry& entry : attributes_) entries += entry.bytes;
  for (const Entry& entry : types_) entries += entry.bytes;
  std::string strings = Varint(strings_.size());
  for (auto text = strings_.rbegin(); text != strings_.rend(); ++text) strings += Varint(text->size() + 1);
  for (const std::string& text : strings_) strings.append(text.c_str(), text.size() + 1);
  std::string properties = Varint(properties_.size());
  for (const std::string& each : properties_) properties += Blob(each);
  return "ML\xEFR" + Varint(6) + producer + '\0' + Section(1, dialects) + Section(3, Offsets()) + Section(2, entries) +
         Section(4, ir) + Section(0, strings) + Section(8, properties);
}

namespace {

// A module with the function @main of this type, whose body has these operations and values after its arguments.
std::string Program(ArtifactWriter* writer, int function_type, int unknown, const std::vector<int>& arguments,
                    int64_t operations, int64_t values, const std::string& body) {
  const int module = writer->AddOperationName("builtin", "module");
  const int func = writer->AddOperationName("vhlo", "func_v1");
  const int none = writer->AddAttribute("vhlo", Varint(1) + Numbers({}));
  const int type = writer->AddAttribute("vhlo", Varint(17) + Varint(function_type));
  const int name = writer->AddText("main");
  const int visibility = writer->AddText("public");
  // In alphabetical order: arg_attrs function_type res_attrs sym_name sym_visibility.
  const int properties =
      writer->AddProperties(Varint(none) + Varint(type) + Varint(none) + Varint(name) + Varint(visibility));
  std::string block = Flagged(operations, !arguments.empty());
  if (!arguments.empty()) block += Varint(arguments.size());
  for (const int argument : arguments) block += Flagged(argument, /*flag=*/false);
  if (!arguments.empty()) block += '\0';
  const std::string region = Varint(1) + Varint(values) + block + body;
  const std::string main =
      Varint(func) + '\x50' + Varint(unknown) + Varint(properties) + Flagged(1, /*flag=*/true) + Section(4, region);
  const std::string outer = Varint(1) + Varint(0) + Flagged(1, /*flag=*/false) + main;
  writer->ir = Flagged(1, /*flag=*/false) + Varint(module) + '\x10' + Varint(unknown) + Flagged(1, /*flag=*/true) +
               Section(4, outer);
  return writer->Write();
}

}  // namespace

std::string NegationArtifact(int64_t operations) {
  ArtifactWriter writer;
  const int negate = writer.AddOperationName("vhlo", "negate_v1");
  const int end = writer.AddOperationName("vhlo", "return_v1");
  const int f32 = writer.AddType("vhlo", Varint(4));
  const int tensor = writer.AddType("vhlo", Varint(20) + Numbers({}) + Varint(f32));
  const std::string one = Numbers({static_cast<uint64_t>(tensor)});
  const int function = writer.AddType("vhlo", Varint(8) + one + one);
  const int unknown = writer.AddAttribute("builtin", Varint(15));
  const int file = writer.AddAttribute("builtin", Varint(2) + Varint(writer.AddString("model.py")));
  std::string body;
  for (int64_t i = 0; i < operations; ++i) {
    const int line = writer.AddAttribute("builtin", Varint(11) + Varint(file) + Varint(i + 1) + Varint(1));
    body += Varint(negate) + '\6' + Varint(line) + one + Numbers({static_cast<uint64_t>(i)});
  }
  body += Varint(end) + '\4' + Varint(unknown) + Numbers({static_cast<uint64_t>(operations)});
  return Program(&writer, function, unknown, {tensor}, operations + 1, operations + 1, body);
}

std::string WeightsArtifact(const std::vector<int64_t>& sizes) {
  ArtifactWriter writer;
  const int constant = writer.AddOperationName("vhlo", "constant_v1");
  const int end = writer.AddOperationName("vhlo", "return_v1");
  const int f32 = writer.AddType("vhlo", Varint(4));
  const int unknown = writer.AddAttribute("builtin", Varint(15));
  std::string body;
  std::vector<uint64_t> types;
  std::vector<uint64_t> values;
  for (const int64_t size : sizes) {
    types.push_back(writer.AddType("vhlo", Varint(20) + Varint(1) + SignedVarint(size) + Varint(f32)));
    std::vector<float> weights(size);
    for (int64_t i = 0; i < size; ++i) weights[i] = static_cast<float>(i % 1000);
    const absl::string_view bytes(reinterpret_cast<const char*>(weights.data()), weights.size() * sizeof(float));
    const int value = writer.AddAttribute("vhlo", Varint(15) + Varint(types.back()) + Blob(bytes));
    body += Varint(constant) + '\x42' + Varint(unknown) + Varint(writer.AddProperties(Varint(value))) +
            Numbers({types.back()});
    values.push_back(values.size());
  }
  body += Varint(end) + '\4' + Varint(unknown) + Numbers(values);
  const int function = writer.AddType("vhlo", Varint(8) + Numbers({}) + Numbers(types));
  const auto count = static_cast<int64_t>(sizes.size());
  return Program(&writer, function, unknown, {}, count + 1, count, body);
}

}  // namespace stablehlo
}  // namespace xla
