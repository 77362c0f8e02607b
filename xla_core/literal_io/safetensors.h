// Reads and writes .safetensors files: named arrays in one file, a JSON header and then their bytes.
//
// The file is the header's length (8 bytes, little-endian), the header, and the data, little-endian and row-major, one
// array after the other without holes. The header is an object with {"dtype", "shape", "data_offsets": [begin, end]}
// for each array; its member "__metadata__" is for people.
//
// Integers below a byte, which the format lacks, are stored as I8 or U8, one byte each, the value in its low bits, and
// take their type back from the shape that the reader expects.
#ifndef XLA_CORE_LITERAL_IO_SAFETENSORS_H_
#define XLA_CORE_LITERAL_IO_SAFETENSORS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_core/support/files.h"
#include "xla_core/types/literal.h"

namespace xla {

// The arrays of a file, read one at a time when asked for.
class SafetensorsReader {
 public:
  // Errors: those of ReadFile and FromBytes.
  static absl::StatusOr<SafetensorsReader> Open(const std::string& path);
  // The file in `bytes`, which outlive the reader; `name` stands for it in messages. InvalidArgument for what is
  // damaged or cut off, or holds what no array of HLO holds.
  static absl::StatusOr<SafetensorsReader> FromBytes(absl::string_view bytes, absl::string_view name);

  const std::string& path() const { return path_; }
  int size() const { return static_cast<int>(arrays_.size()); }
  const std::string& array_name(int i) const { return arrays_[i].name; }
  const Shape& shape(int i) const { return arrays_[i].shape; }
  // Position of the array of this name; -1 if there is none.
  int Find(absl::string_view array_name) const;
  // ResourceExhausted: there is no memory for it.
  absl::StatusOr<Literal> Read(int i) const;
  // As an array of shape `wanted`. InvalidArgument if type or dimensions do not fit.
  absl::StatusOr<Literal> ReadAs(int i, const Shape& wanted) const;

 private:
  struct Array {
    std::string name;
    Shape shape;
    absl::string_view data;
  };

  SafetensorsReader() = default;
  absl::Status ReadHeader(absl::string_view file);
  absl::StatusOr<Literal> ReadUnder(int i, const Shape& shape) const;
  absl::Status Error(absl::string_view what) const;

  std::string path_;
  std::shared_ptr<const FileContents> file_;  // what `data` refers to, if it is ours
  std::vector<Array> arrays_;                 // in the order of the file
};

// Writes the arrays in this order to a file that appears only when it is complete. InvalidArgument: two have one name,
// one is called "__metadata__", or has a type that the format lacks.
absl::Status WriteSafetensors(absl::Span<const std::pair<std::string, Literal>> arrays, const std::string& path);

}  // namespace xla

#endif  // XLA_CORE_LITERAL_IO_SAFETENSORS_H_
