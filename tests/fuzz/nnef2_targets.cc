// What the fuzzers of NNEF 2 check.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "builders/nnef2/data/tensor_file.h"
#include "builders/nnef2/diagnostics.h"
#include "tests/fuzz/fuzz_targets.h"

namespace xla {
namespace {

[[noreturn]] void FailOnTensor(absl::string_view what, absl::string_view message) {
  std::fprintf(stderr, "%.*s\n%.*s\n", static_cast<int>(what.size()), what.data(), static_cast<int>(message.size()),
               message.data());
  std::abort();
}

}  // namespace

void FuzzNnef2Tensor(absl::string_view bytes) {
  const absl::StatusOr<nnef2::StoredTensor> tensor = nnef2::ParseStoredTensor(bytes, "fuzz.dat");
  if (!tensor.ok()) {
    const bool is_classified = nnef2::ErrorClassOf(tensor.status()) == nnef2::ErrorClass::kData;
    if (!is_classified) FailOnTensor("an error is not of class data", tensor.status().ToString());
    return;
  }
  if (nnef::kTensorHeaderBytes + tensor->header.data_bytes != static_cast<int64_t>(bytes.size())) {
    FailOnTensor("a tensor file is not as long as it should be", "");
  }
  const absl::StatusOr<std::string> written = nnef2::SerializeTensor(tensor->value);
  if (!written.ok()) FailOnTensor("a tensor that was read cannot be written", written.status().message());
  const absl::StatusOr<nnef2::StoredTensor> again = nnef2::ParseStoredTensor(*written, "again.dat");
  if (!again.ok()) FailOnTensor("a written tensor file is refused", again.status().message());
  if (!tensor->value.BitwiseEquals(again->value)) FailOnTensor("a tensor changes when it is written and read", "");
}

}  // namespace xla
