// Mutates the StableHLO programs of a corpus, half of them as text and half as artifacts, and looks whether the readers
// and the lowering keep their promises. Usage: mutate_stablehlo CORPUS COUNT [SEED]
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/mutate_documents.h"

namespace xla {
namespace {

constexpr absl::string_view kStableHloWords =
    "module func.func return call stablehlo.add stablehlo.reduce stablehlo.while stablehlo.constant stablehlo.sort "
    "stablehlo.custom_call stablehlo.dot_general stablehlo.convolution stablehlo.gather stablehlo.if sdy.mesh chlo.erf "
    "init applies reducer cond do across dimensions dense dense_resource array tensor<f32> tensor<2x?xi32> "
    "tensor<*xf32> "
    "tuple<> complex<f32> !stablehlo.token !quant.uniform<i8:f32,0.5:3> #stablehlo.bounds<6> loc(unknown) ^bb0 %0 %0:2 "
    "%0#1 @main -> ( ) [ ] { } <{ }> < > , : = - ? x 0 -1 1 2147483648 9223372036854775807 1e400 0x7FC00000 1.5 true "
    "false unit i1 i64 ui8 f4E2M1FN index none // \" \\";

// Numbers at the limits of their sizes, and codes that many attributes and types have.
constexpr absl::string_view kBytes = "\x01 \x03 \x05 \x07 \x1F \x2B \x7F \x80 \xFE \xFF \x02\x01 \xFE\xFF \xFC\xFF\xFF";

constexpr MutatedLanguage kText = {"mutate_stablehlo", "module.mlir", ".mlir", kStableHloWords, FuzzStablehloText};
constexpr MutatedLanguage kArtifacts = {"mutate_stablehlo",    "module.mlirbc",   ".mlirbc", kBytes,
                                        FuzzStablehloBytecode, /*is_binary=*/true};

int Main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  int64_t count = 0;
  std::string half;
  if (argc > 2 && absl::SimpleAtoi(argv[2], &count)) {
    half = absl::StrCat((count + 1) / 2);
    arguments[2] = &half[0];
  }
  const int text = MutateDocuments(kText, argc, arguments.data());
  if (text == 2) return text;
  const int artifacts = MutateDocuments(kArtifacts, argc, arguments.data());
  return text == 0 ? artifacts : text;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
