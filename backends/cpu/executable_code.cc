#include "backends/cpu/executable_code.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "backends/cpu/compile_settings.h"
#include "backends/cpu/packed_bytes.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Bits of a number that says how code was compiled.
constexpr uint64_t kFastMath = 1;
constexpr uint64_t kExactRecurrences = 2;
constexpr uint64_t kFlushDenormals = 4;

bool IsSetTo(const char* value, const char* name, const CompileOptions& options) {
  const auto setting = options.settings.find(name);
  return setting != options.settings.end() && setting->second == value;
}

}  // namespace

CodeOptions CodeOptions::Of(const CompileOptions& options) {
  return {options.optimization_level, options.fast_math,
          !IsSetTo("false", CompileSettings::kContractRecurrences, options),
          IsSetTo("true", CompileSettings::kFlushDenormals, options), options.weights};
}

void CodeOptions::ApplyTo(CompileOptions* options) const {
  options->optimization_level = optimization_level;
  options->fast_math = fast_math;
  options->settings[CompileSettings::kContractRecurrences] = contract_recurrences ? "true" : "false";
  options->settings[CompileSettings::kFlushDenormals] = flush_denormals ? "true" : "false";
  options->weights = weights;
}

std::string EncodeExecutableCode(const CodeOptions& options, absl::string_view digest,
                                 const CompiledKernels::Image& image) {
  PackedWriter content;
  content.Number(static_cast<uint64_t>(options.optimization_level));
  content.Number((options.fast_math ? kFastMath : 0) | (options.contract_recurrences ? 0 : kExactRecurrences) |
                 (options.flush_denormals ? kFlushDenormals : 0));
  content.Number(options.weights.size());
  for (const int64_t weight : options.weights) content.Number(static_cast<uint64_t>(weight));
  content.Text(digest);
  content.Text(EncodeImage(image));
  const std::string bytes = content.Take();
  PackedWriter checksum;
  checksum.Number(HashBytes(bytes));
  return absl::StrCat(checksum.Take(), bytes);
}

absl::StatusOr<ExecutableCode> DecodeExecutableCode(absl::string_view bytes) {
  constexpr size_t kChecksumBytes = sizeof(uint64_t);
  PackedReader checksum(bytes.substr(0, kChecksumBytes));
  const absl::string_view content = bytes.substr(std::min(bytes.size(), kChecksumBytes));
  if (checksum.Number() != HashBytes(content)) return absl::InvalidArgumentError("its checksum is wrong");
  PackedReader reader(content);
  ExecutableCode result;
  result.options.optimization_level = static_cast<int>(reader.Number());
  const uint64_t flags = reader.Number();
  result.options.fast_math = (flags & kFastMath) != 0;
  result.options.contract_recurrences = (flags & kExactRecurrences) == 0;
  result.options.flush_denormals = (flags & kFlushDenormals) != 0;
  for (uint64_t n = reader.Count(); n > 0; --n) result.options.weights.push_back(static_cast<int64_t>(reader.Number()));
  result.code.digest = std::string(reader.Text());
  const absl::string_view image = reader.Text();
  const bool is_level = result.options.optimization_level >= 0 && result.options.optimization_level <= 2;
  if (!is_level) return absl::InvalidArgumentError("it has no such optimization level");
  if (!reader.IsDone()) return absl::InvalidArgumentError("it does not end where it should");
  ASSIGN_OR_RETURN(result.code.image, DecodeImage(image));
  return result;
}

}  // namespace xla
