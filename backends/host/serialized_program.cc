#include "backends/host/serialized_program.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

// "halo executable, interpreter 1, 4 x 2\n": the version, replicas and partitions; after ", " the bytes of code, if
// there are any: "halo executable, cpu 2, 1 x 1, 8192\n".
constexpr absl::string_view kMagic = "halo executable, ";
constexpr size_t kLongestHeader = 100;

// 64-bit FNV-1a: offset basis and prime are its definition.
uint64_t Fnv1a(absl::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

// Reads "4 x 2", or "4 x 2, 8192". False also for fewer than one replica or partition.
bool ReadNumbers(absl::string_view text, SerializedProgram* program, size_t* code_bytes) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ", ");
  const std::vector<absl::string_view> counts = absl::StrSplit(parts[0], " x ");
  *code_bytes = 0;
  return counts.size() == 2 && absl::SimpleAtoi(counts[0], &program->replica_count) &&
         absl::SimpleAtoi(counts[1], &program->partition_count) && program->replica_count >= 1 &&
         program->partition_count >= 1 &&
         (parts.size() == 1 || (parts.size() == 2 && absl::SimpleAtoi(parts[1], code_bytes)));
}

}  // namespace

absl::StatusOr<std::string> SerializeProgram(absl::string_view kind, const HloModule& module, int64_t replica_count,
                                             int64_t partition_count, absl::string_view code) {
  ASSIGN_OR_RETURN(const std::string proto, WriteHloProto(module, ProtoEncoding::kBinary));
  const std::string code_bytes = code.empty() ? "" : absl::StrCat(", ", code.size());
  return absl::StrCat(kMagic, kind, ", ", replica_count, " x ", partition_count, code_bytes, "\n", code, proto);
}

// The header line names the kind, so that executables of other backends and versions are refused before anything else
// is read.
absl::StatusOr<SerializedProgram> ParseSerializedProgram(absl::string_view kind, absl::string_view bytes) {
  absl::string_view rest = bytes;
  if (!absl::ConsumePrefix(&rest, kMagic)) {
    return absl::InvalidArgumentError("not a serialised executable: it does not begin with \"halo executable\"");
  }
  const size_t header_end = rest.substr(0, kLongestHeader).find('\n');
  if (header_end == absl::string_view::npos) {
    return absl::InvalidArgumentError("damaged executable: its first line does not end");
  }
  const absl::string_view line = rest.substr(0, header_end);
  absl::string_view header = line;
  if (!absl::ConsumePrefix(&header, kind) || !absl::ConsumePrefix(&header, ", ")) {
    return absl::InvalidArgumentError(absl::StrCat("the executable is of another backend or version: '", line,
                                                   "', expected '", kind, ", ...'; compile the program again"));
  }
  SerializedProgram program;
  size_t code_bytes = 0;
  if (!ReadNumbers(header, &program, &code_bytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("damaged executable: expected 'REPLICAS x PARTITIONS', got '", header, "'"));
  }
  rest.remove_prefix(header_end + 1);
  if (code_bytes > rest.size()) {
    return absl::InvalidArgumentError(absl::StrCat("damaged executable: it ends within its code, which takes ",
                                                   code_bytes, " bytes, of which ", rest.size(), " are there"));
  }
  program.code = rest.substr(0, code_bytes);
  absl::StatusOr<HloProtoContents> contents = ReadHloProto(rest.substr(code_bytes));
  if (!contents.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("damaged executable: ", contents.status().message()));
  }
  program.module = std::move(contents->module);
  return program;
}

std::string FingerprintOf(absl::string_view kind, const HloModule& module, int64_t replica_count,
                          int64_t partition_count) {
  const absl::StatusOr<std::string> bytes = SerializeProgram(kind, module, replica_count, partition_count, "");
  const uint64_t hash =
      Fnv1a(bytes.ok() ? *bytes : absl::StrCat(ModuleToString(module), replica_count, " x ", partition_count));
  return absl::StrCat(absl::StrReplaceAll(kind, {{" ", "-"}}), "-", absl::Hex(hash, absl::kZeroPad16));
}

}  // namespace xla
