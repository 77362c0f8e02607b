#include "backends/cpu/executable_code.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/cpu/compile_settings.h"
#include "backends/host/cache_entry.h"
#include "backends/host/packed_bytes.h"
#include "passes/base/pass_context.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Bits of a number that says how code was compiled: this one, and groups of fast math.
constexpr uint64_t kFlushDenormals = 1;
constexpr int kFastMathShift = 8;

}  // namespace

void CodeOptions::ApplyTo(CompileOptions* options) const {
  options->optimization_level = optimization_level;
  options->fast_math = false;
  options->settings[CompileSettings::kFastMath] = absl::StrJoin(FastMathNames(fast_math), ",");
  options->settings.erase(CompileSettings::kContractRecurrences);
  options->settings[CompileSettings::kFlushDenormals] = flush_denormals ? "true" : "false";
  options->weights = weights;
}

// What determines the code (options, weights), the digest of processor and version that it is for, and the machine
// code, with a checksum in front.
std::string EncodeExecutableCode(const CodeOptions& options, absl::string_view digest,
                                 const CompiledKernels::Image& image) {
  PackedWriter content;
  content.Number(static_cast<uint64_t>(options.optimization_level));
  content.Number((options.flush_denormals ? kFlushDenormals : 0) |
                 static_cast<uint64_t>(options.fast_math) << kFastMathShift);
  content.Number(options.weights.size());
  for (const int64_t weight : options.weights) content.Number(static_cast<uint64_t>(weight));
  content.Text(digest);
  content.Text(EncodeImage(image));
  const std::string bytes = content.Take();
  PackedWriter checksum;
  checksum.Number(HashBytes(bytes));
  return absl::StrCat(checksum.Take(), bytes);
}

// Decodes what EncodeExecutableCode wrote. The checksum guards against damage, not against intent: whoever provides
// the code can run anything in this process.
absl::StatusOr<ExecutableCode> DecodeExecutableCode(absl::string_view bytes) {
  constexpr size_t kChecksumBytes = sizeof(uint64_t);
  PackedReader checksum(bytes.substr(0, kChecksumBytes));
  const absl::string_view content = bytes.substr(std::min(bytes.size(), kChecksumBytes));
  if (checksum.Number() != HashBytes(content)) return absl::InvalidArgumentError("its checksum is wrong");
  PackedReader reader(content);
  ExecutableCode result;
  result.options.optimization_level = static_cast<int>(reader.Number());
  const uint64_t flags = reader.Number();
  result.options.fast_math = static_cast<unsigned>(flags >> kFastMathShift);
  result.options.flush_denormals = (flags & kFlushDenormals) != 0;
  for (uint64_t n = reader.Count(); n > 0; --n) result.options.weights.push_back(static_cast<int64_t>(reader.Number()));
  result.code.digest = std::string(reader.Text());
  const absl::string_view image = reader.Text();
  const bool is_level = result.options.optimization_level >= 0 && result.options.optimization_level <= 2;
  if ((flags & ~kFlushDenormals & ~(uint64_t{kAllFastMath} << kFastMathShift)) != 0) {
    return absl::InvalidArgumentError("it has no such options");
  }
  if (!is_level) return absl::InvalidArgumentError("it has no such optimization level");
  if (!reader.IsDone()) return absl::InvalidArgumentError("it does not end where it should");
  ASSIGN_OR_RETURN(result.code.image, DecodeImage(image));
  return result;
}

}  // namespace xla
