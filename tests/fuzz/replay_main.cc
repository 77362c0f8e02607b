// Runs one of the checks on files, without a fuzzer: to look at a finding with any compiler.
// Usage: replay
//   text|proto|evaluator|arrays|webnn|nnef1_document|nnef1_tensor|nnef1_archive|nnef2_document|nnef2_tensor|stablehlo_text
//   |stablehlo_bytecode FILE...
#include <cstdio>
#include <string>

#include "tests/fuzz/fuzz_targets.h"
#include "xla_core/support/files.h"

int main(int argc, char** argv) {
  const std::string fuzzer = argc > 1 ? argv[1] : "";
  void (*const function)(absl::string_view) = fuzzer == "text"                 ? xla::FuzzText
                                              : fuzzer == "proto"              ? xla::FuzzProto
                                              : fuzzer == "evaluator"          ? xla::FuzzEvaluator
                                              : fuzzer == "arrays"             ? xla::FuzzArrays
                                              : fuzzer == "webnn"              ? xla::FuzzWebnn
                                              : fuzzer == "nnef1_document"     ? xla::FuzzNnef1Document
                                              : fuzzer == "nnef1_tensor"       ? xla::FuzzNnef1Tensor
                                              : fuzzer == "nnef1_archive"      ? xla::FuzzNnef1Archive
                                              : fuzzer == "nnef2_document"     ? xla::FuzzNnef2Document
                                              : fuzzer == "nnef2_tensor"       ? xla::FuzzNnef2Tensor
                                              : fuzzer == "stablehlo_text"     ? xla::FuzzStablehloText
                                              : fuzzer == "stablehlo_bytecode" ? xla::FuzzStablehloBytecode
                                                                               : nullptr;
  if (function == nullptr || argc < 3) {
    std::fprintf(
        stderr,
        "usage: replay "
        "text|proto|evaluator|arrays|webnn|nnef1_document|nnef1_tensor|nnef1_archive|nnef2_document|nnef2_tensor|"
        "stablehlo_text|stablehlo_bytecode FILE...\n");
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    const auto contents = xla::ReadFile(argv[i]);
    if (!contents.ok()) {
      std::fprintf(stderr, "%s\n", contents.status().ToString().c_str());
      return 3;
    }
    std::printf("%s\n", argv[i]);
    std::fflush(stdout);
    function(contents->data());
  }
  return 0;
}
