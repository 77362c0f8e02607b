// The seeds, and what the fuzzers have found so far, pass.
#include <dirent.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/fuzz/fuzz_targets.h"
#include "xla_core/support/files.h"

namespace xla {
namespace {

std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  DIR* const directory = opendir(folder.c_str());
  if (directory == nullptr) return files;
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] != '.') files.push_back(absl::StrCat(folder, "/", entry->d_name));
  }
  closedir(directory);
  return files;
}

void RunAll(const std::string& fuzzer, void (*function)(absl::string_view)) {
  int count = 0;
  for (const char* kind : {"seeds", "findings"}) {
    for (const std::string& file : FilesIn(absl::StrCat("tests/fuzz/", kind, "/", fuzzer))) {
      SCOPED_TRACE(file);
      const auto contents = ReadFile(file);
      ASSERT_EQ(contents.status(), absl::OkStatus());
      function(contents->data());
      ++count;
    }
  }
  EXPECT_GT(count, 0);
}

TEST(Fuzz, TextSeedsPass) { RunAll("text", FuzzText); }
TEST(Fuzz, ProtoSeedsPass) { RunAll("proto", FuzzProto); }
TEST(Fuzz, EvaluatorSeedsPass) { RunAll("evaluator", FuzzEvaluator); }
TEST(Fuzz, ArraySeedsPass) { RunAll("arrays", FuzzArrays); }
TEST(Fuzz, WebnnSeedsPass) { RunAll("webnn", FuzzWebnn); }
TEST(Fuzz, Nnef1DocumentSeedsPass) { RunAll("nnef1_document", FuzzNnef1Document); }
TEST(Fuzz, Nnef1TensorSeedsPass) { RunAll("nnef1_tensor", FuzzNnef1Tensor); }
TEST(Fuzz, StablehloBytecodeSeedsPass) { RunAll("stablehlo_bytecode", FuzzStablehloBytecode); }
TEST(Fuzz, StablehloTextSeedsPass) { RunAll("stablehlo_text", FuzzStablehloText); }
TEST(Fuzz, Nnef1ArchiveSeedsPass) { RunAll("nnef1_archive", FuzzNnef1Archive); }
TEST(Fuzz, Nnef2DocumentSeedsPass) { RunAll("nnef2_document", FuzzNnef2Document); }
TEST(Fuzz, Nnef2TensorSeedsPass) { RunAll("nnef2_tensor", FuzzNnef2Tensor); }

}  // namespace
}  // namespace xla
