// Container: the sections of an MLIR bytecode file of any version from 0 to 6, and the tables in them.
#ifndef BUILDERS_STABLEHLO_BYTECODE_CONTAINER_H_
#define BUILDERS_STABLEHLO_BYTECODE_CONTAINER_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/stablehlo/bytecode/byte_reader.h"

namespace xla {
namespace stablehlo {

inline constexpr absl::string_view kBytecodeMagic = "ML\xEFR";
inline constexpr uint64_t kNewestBytecode = 6;

// Texts and readers refer to the file.
struct Container {
  struct OperationName {
    absl::string_view dialect;
    absl::string_view name;     // without the dialect: "add_v1"; empty: that of the dialect
    bool is_registered = true;  // with the writer: its properties have the form that the dialect gives them
  };
  // An attribute or a type, not decoded.
  struct Entry {
    absl::string_view dialect;
    bool is_text = false;
    ByteReader bytes;
  };
  struct NamedResource {
    absl::string_view key;
    absl::optional<absl::string_view> data;  // of a blob
    uint64_t alignment = 1;
  };

  uint64_t version = 0;
  absl::string_view producer;  // "StableHLO_v1.2.3"
  std::vector<absl::string_view> strings;
  std::vector<absl::string_view> dialects;
  std::vector<OperationName> operation_names;
  std::vector<Entry> entries;  // the attributes, then the types
  size_t attribute_count = 0;
  size_t type_count = 0;
  std::vector<ByteReader> properties;
  std::vector<NamedResource> resources;  // of dialects, as attributes count them
  ByteReader ir;
};

// Reads all but what is in the entries, the properties and the IR. False after an error.
bool ReadContainer(absl::string_view file, ErrorLog* errors, Container* container);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_BYTECODE_CONTAINER_H_
