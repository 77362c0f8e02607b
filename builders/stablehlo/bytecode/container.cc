// The order of the sections is free, and strings and properties stand last in most files: so the extents of all are
// read first, then each in the order in which they depend on each other.
#include "builders/stablehlo/bytecode/container.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/str_cat.h"

namespace xla {
namespace stablehlo {
namespace {

constexpr int kNumSections = 9;

class ContainerReader {
 public:
  ContainerReader(absl::string_view file, ErrorLog* errors, Container* container)
      : file_(file, SectionId::kFile, errors), container_(*container) {}

  bool Read() {
    return ReadHeader() && ReadSections() && ReadStrings() && ReadProperties() && ReadDialects() && ReadResources() &&
           ReadEntries();
  }

 private:
  bool ReadHeader() {
    absl::string_view magic;
    if (file_.left() < kBytecodeMagic.size() || !file_.ReadBytes(kBytecodeMagic.size(), &magic) ||
        magic != kBytecodeMagic) {
      return file_.ErrorAt(0, "expected MLIR bytecode, which begins with the bytes 4D 4C EF 52");
    }
    const size_t at = file_.offset();
    if (!file_.ReadVarint(&container_.version)) return false;
    if (container_.version > kNewestBytecode) {
      return file_.ErrorAt(at, absl::StrCat("expected a bytecode version from 0 to ", kNewestBytecode, ", found ",
                                            container_.version, "; export the program for an older version"));
    }
    return file_.ReadText(&container_.producer);
  }

  bool ReadSections() {
    while (!file_.IsAtEnd()) {
      const size_t at = file_.offset();
      ByteReader inside;
      if (!file_.ReadSection(&inside)) return false;
      const int id = static_cast<int>(inside.section());
      if (is_there_[id]) return file_.ErrorAt(at, absl::StrCat(SectionName(inside.section()), " is duplicated"));
      is_there_[id] = true;
      sections_[id] = inside;
    }
    for (const SectionId id : {SectionId::kStrings, SectionId::kDialects, SectionId::kAttributesAndTypes,
                               SectionId::kOffsets, SectionId::kIr}) {
      if (!Has(id)) return ErrorMissing(id);
    }
    if (container_.version >= 5 && !Has(SectionId::kProperties)) return ErrorMissing(SectionId::kProperties);
    if (Has(SectionId::kResources) != Has(SectionId::kResourceOffsets)) {
      return ErrorMissing(Has(SectionId::kResources) ? SectionId::kResourceOffsets : SectionId::kResources);
    }
    container_.ir = Section(SectionId::kIr);
    return true;
  }

  bool Has(SectionId id) const { return is_there_[static_cast<int>(id)]; }
  ByteReader& Section(SectionId id) { return sections_[static_cast<int>(id)]; }
  bool ErrorMissing(SectionId id) const {
    return file_.Error(absl::StrCat(SectionName(id), " is missing; the file may have been cut off"));
  }

  // The number of strings, their sizes with the zero byte that ends each, the last string first, then the bytes of all.
  bool ReadStrings() {
    ByteReader& reader = Section(SectionId::kStrings);
    uint64_t count = 0;
    if (!reader.ReadCount("strings", &count)) return false;
    std::vector<uint64_t> sizes(count);
    for (uint64_t& size : sizes) {
      if (!reader.ReadVarint(&size)) return false;
    }
    std::reverse(sizes.begin(), sizes.end());
    container_.strings.reserve(count);
    for (const uint64_t size : sizes) {
      absl::string_view text;
      if (!reader.ReadBytes(size, &text)) return false;
      if (text.empty() || text.back() != '\0') {
        return reader.ErrorAt(reader.offset() - size, "expected a string that a zero byte ends");
      }
      text.remove_suffix(1);
      container_.strings.push_back(text);
    }
    return reader.ExpectEnd("the strings");
  }

  bool ReadString(ByteReader& reader, absl::string_view* text) const {
    uint32_t index = 0;
    if (!reader.ReadIndex("a string", container_.strings.size(), &index)) return false;
    *text = container_.strings[index];
    return true;
  }
  // With a flag in its lowest bit.
  bool ReadFlaggedString(ByteReader& reader, absl::string_view* text, bool* flag) const {
    uint64_t value = 0;
    uint32_t index = 0;
    if (!reader.ReadFlagged(&value, flag) || !reader.CheckIndex("a string", value, container_.strings.size(), &index)) {
      return false;
    }
    *text = container_.strings[index];
    return true;
  }
  bool ReadDialect(ByteReader& reader, absl::string_view* dialect) const {
    uint32_t index = 0;
    if (!reader.ReadIndex("a dialect", container_.dialects.size(), &index)) return false;
    *dialect = container_.dialects[index];
    return true;
  }

  bool ReadProperties() {
    if (!Has(SectionId::kProperties)) return true;
    ByteReader& reader = Section(SectionId::kProperties);
    uint64_t count = 0;
    if (reader.IsAtEnd()) return true;
    if (!reader.ReadCount("properties", &count)) return false;
    container_.properties.resize(count);
    for (ByteReader& range : container_.properties) {
      uint64_t size = 0;
      if (!reader.ReadVarint(&size) || !reader.ReadRange(size, &range)) return false;
    }
    return reader.ExpectEnd("the properties");
  }

  bool ReadDialects() {
    ByteReader& reader = Section(SectionId::kDialects);
    uint64_t count = 0;
    if (!reader.ReadCount("dialects", &count)) return false;
    container_.dialects.resize(count);
    for (absl::string_view& dialect : container_.dialects) {
      bool has_version = false;
      if (container_.version == 0 ? !ReadString(reader, &dialect)
                                  : !ReadFlaggedString(reader, &dialect, &has_version)) {
        return false;
      }
      ByteReader version;
      if (!has_version) continue;
      const size_t at = reader.offset();
      if (!reader.ReadSection(&version)) return false;
      if (version.section() != SectionId::kDialectVersion) {
        return reader.ErrorAt(
            at, absl::StrCat("expected the version of the dialect, found ", SectionName(version.section())));
      }
    }
    return ReadOperationNames(reader);
  }

  bool ReadOperationNames(ByteReader& reader) {
    uint64_t announced = 0;
    if (container_.version >= 4 && !reader.ReadCount("names of operations", &announced)) return false;
    while (!reader.IsAtEnd()) {
      absl::string_view dialect;
      uint64_t count = 0;
      if (!ReadDialect(reader, &dialect) || !reader.ReadCount("names of operations", &count)) return false;
      for (uint64_t i = 0; i < count; ++i) {
        Container::OperationName name;
        name.dialect = dialect;
        if (container_.version < 5 ? !ReadString(reader, &name.name)
                                   : !ReadFlaggedString(reader, &name.name, &name.is_registered)) {
          return false;
        }
        container_.operation_names.push_back(name);
      }
    }
    if (container_.version < 4 || announced == container_.operation_names.size()) return true;
    return reader.Error(
        absl::StrCat("expected ", announced, " names of operations, found ", container_.operation_names.size()));
  }

  bool ReadResources() {
    if (!Has(SectionId::kResources)) return true;
    ByteReader& offsets = Section(SectionId::kResourceOffsets);
    uint64_t external = 0;
    if (!offsets.ReadCount("groups of external resources", &external)) return false;
    for (uint64_t i = 0; i < external; ++i) {
      absl::string_view owner;
      if (!ReadString(offsets, &owner) || !ReadResourceGroup(offsets, nullptr)) return false;
    }
    while (!offsets.IsAtEnd()) {
      absl::string_view dialect;
      if (!ReadDialect(offsets, &dialect) || !ReadResourceGroup(offsets, &container_.resources)) return false;
    }
    return Section(SectionId::kResources).ExpectEnd("the resources");
  }

  // `resources`: where they go; nullptr: nowhere.
  bool ReadResourceGroup(ByteReader& offsets, std::vector<Container::NamedResource>* resources) {
    uint64_t count = 0;
    if (!offsets.ReadCount("resources", &count)) return false;
    for (uint64_t i = 0; i < count; ++i) {
      Container::NamedResource resource;
      uint64_t size = 0;
      uint8_t kind = 0;
      ByteReader bytes;
      if (!ReadString(offsets, &resource.key) || !offsets.ReadVarint(&size) || !offsets.ReadByte(&kind) ||
          !Section(SectionId::kResources).ReadRange(size, &bytes)) {
        return false;
      }
      if (size > 0 && !ReadResource(kind, bytes, &resource)) return false;
      if (resources != nullptr) resources->push_back(resource);
    }
    return true;
  }

  bool ReadResource(uint8_t kind, ByteReader& bytes, Container::NamedResource* resource) {
    if (kind == 0) {
      absl::string_view data;
      uint64_t size = 0;
      if (!bytes.ReadVarint(&resource->alignment) || !bytes.ReadVarint(&size) ||
          !bytes.SkipPadding(resource->alignment) || !bytes.ReadBytes(size, &data)) {
        return false;
      }
      resource->data = data;
    } else if (kind == 1) {
      uint8_t truth = 0;
      if (!bytes.ReadByte(&truth)) return false;
    } else if (kind == 2) {
      absl::string_view text;
      if (!ReadString(bytes, &text)) return false;
    } else {
      return bytes.Error(absl::StrCat("expected a kind of resource from 0 to 2, found ", kind));
    }
    return bytes.ExpectEnd("the resource");
  }

  bool ReadEntries() {
    ByteReader& offsets = Section(SectionId::kOffsets);
    uint64_t attributes = 0;
    uint64_t types = 0;
    if (!offsets.ReadCount("attributes", &attributes) || !offsets.ReadCount("types", &types) ||
        !offsets.CheckCount("attributes and types", attributes + types)) {
      return false;
    }
    container_.attribute_count = attributes;
    container_.type_count = types;
    container_.entries.reserve(attributes + types);
    if (!ReadEntriesUntil(attributes) || !ReadEntriesUntil(attributes + types)) return false;
    return offsets.ExpectEnd("the offsets") &&
           Section(SectionId::kAttributesAndTypes).ExpectEnd("the attributes and types");
  }

  // A group has attributes or types, never both.
  bool ReadEntriesUntil(size_t total) {
    ByteReader& offsets = Section(SectionId::kOffsets);
    while (container_.entries.size() < total) {
      Container::Entry entry;
      uint64_t count = 0;
      if (!ReadDialect(offsets, &entry.dialect) || !offsets.ReadVarint(&count)) return false;
      if (count > total - container_.entries.size()) {
        return offsets.Error(absl::StrCat("expected at most ", total - container_.entries.size(),
                                          " more attributes or types in this group, found ", count));
      }
      for (uint64_t i = 0; i < count; ++i) {
        uint64_t size = 0;
        bool is_encoded = false;
        if (!offsets.ReadFlagged(&size, &is_encoded) ||
            !Section(SectionId::kAttributesAndTypes).ReadRange(size, &entry.bytes)) {
          return false;
        }
        entry.is_text = !is_encoded;
        container_.entries.push_back(entry);
      }
    }
    return true;
  }

  ByteReader file_;
  Container& container_;
  std::array<ByteReader, kNumSections> sections_;
  std::array<bool, kNumSections> is_there_ = {};
};

}  // namespace

bool ReadContainer(absl::string_view file, ErrorLog* errors, Container* container) {
  return ContainerReader(file, errors, container).Read();
}

}  // namespace stablehlo
}  // namespace xla
