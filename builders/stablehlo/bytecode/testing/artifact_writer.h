// ArtifactWriter: makes artifacts for tests, part by part, so that any part may be wrong.
//
//   ArtifactWriter writer;
//   const int f32 = writer.AddType("vhlo", Varint(4));
//   const int unknown = writer.AddAttribute("builtin", Varint(15));
//   writer.ir = ...;
//   const std::string file = writer.Write();
#ifndef BUILDERS_STABLEHLO_BYTECODE_TESTING_ARTIFACT_WRITER_H_
#define BUILDERS_STABLEHLO_BYTECODE_TESTING_ARTIFACT_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace xla {
namespace stablehlo {

std::string Varint(uint64_t value);
std::string SignedVarint(int64_t value);
std::string Flagged(uint64_t value, bool flag);
// The number of the values, and each as a varint.
std::string Numbers(const std::vector<uint64_t>& values);
// The size and the bytes.
std::string Blob(absl::string_view bytes);
std::string Section(int id, absl::string_view content);

// The dialects are builtin, vhlo, sdy and chlo, the bytecode has version 6.
class ArtifactWriter {
 public:
  // Numbers of what is added.
  int AddString(absl::string_view text);
  int AddType(absl::string_view dialect, std::string encoding);
  int AddAttribute(absl::string_view dialect, std::string encoding);
  int AddOperationName(absl::string_view dialect, absl::string_view name);
  int AddProperties(std::string attributes);
  // An attribute of VHLO that is a string.
  int AddText(absl::string_view text);

  std::string Write() const;

  std::string producer = "StableHLO_v1.17.0";
  std::string ir;

 private:
  struct Entry {
    int dialect;
    std::string bytes;
  };
  static int DialectNumber(absl::string_view dialect);
  std::string Offsets() const;

  std::vector<std::string> strings_ = {"builtin", "vhlo", "sdy", "chlo"};
  std::vector<Entry> types_;
  std::vector<Entry> attributes_;
  std::vector<Entry> operation_names_;
  std::vector<std::string> properties_;
};

// A program that negates its argument, an f32, so many times, each time at another line of a file.
std::string NegationArtifact(int64_t operations);
// A program that returns constants, arrays of f32 with these numbers of elements.
std::string WeightsArtifact(const std::vector<int64_t>& sizes);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_BYTECODE_TESTING_ARTIFACT_WRITER_H_
