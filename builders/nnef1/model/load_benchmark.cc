// How long 500 MB of weights take to load, as a folder, as a tar archive and as f16, beside reading the bytes.
//   bazel run -c opt //builders/nnef1:load_benchmark
//
// The model is written to a temporary folder first and stays in the system's cache, so that the disk does not count.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "builders/nnef1/containers/tensor_file.h"
#include "builders/nnef1/model/model.h"
#include "builders/nnef_common/containers/test_archives.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/check.h"
#include "xla_core/support/files.h"

namespace xla {
namespace nnef1 {
namespace {

constexpr int64_t kVariables = 25;
constexpr int64_t kElements = 5000000;  // of each variable: 20 MB as f32

// A model of `kVariables` weights, written when it is first asked for and removed at the end.
class ModelFiles {
 public:
  static const ModelFiles& Of(PrimitiveType type) {
    static const ModelFiles f32(F32);
    static const ModelFiles f16(F16);
    return type == F32 ? f32 : f16;
  }
  ~ModelFiles() { CHECK(std::system(absl::StrCat("rm -r '", folder_, "'").c_str()) == 0); }

  const std::string& folder() const { return folder_; }
  std::string archive() const { return folder_ + "/model.tar"; }
  static std::string Weight(int64_t i) { return absl::StrCat("w", i, ".dat"); }

 private:
  explicit ModelFiles(PrimitiveType type) {
    const char* const temporary = std::getenv("TMPDIR");
    std::string name = absl::StrCat(temporary != nullptr ? temporary : "/tmp", "/load_benchmark_XXXXXX");
    CHECK(mkdtemp(&name[0]) != nullptr);
    folder_ = name;
    nnef::TestMembers members;
    std::string text = "version 1.0;\ngraph G( x ) -> ( y )\n{\n    x = external(shape = [1]);\n";
    std::string weight;
    {
      Literal ones = *LiteralUtil::Filled<float>({kElements}, 1.0f);
      weight = *SerializeTensor(*LiteralUtil::Convert(ones, type));
    }
    for (int64_t i = 0; i < kVariables; ++i) {
      absl::StrAppend(&text, "    w", i, " = variable(shape = [", kElements, "], label = 'w", i, "');\n");
      CHECK(WriteFile(absl::StrCat(folder_, "/", Weight(i)), weight).ok());
      members.push_back({Weight(i), weight});
    }
    absl::StrAppend(&text, "    y = copy(x);\n}\n");
    CHECK(WriteFile(folder_ + "/graph.nnef", text).ok());
    members.push_back({"graph.nnef", text});
    CHECK(WriteFile(archive(), nnef::MakeArchive(members)).ok());
  }

  std::string folder_;
};

void SetBytes(benchmark::State& state, int64_t bytes_per_element) {
  state.SetBytesProcessed(state.iterations() * kVariables * kElements * bytes_per_element);
}

// What the operating system takes for it: each file into memory that nothing has used before.
void BM_ReadFiles(benchmark::State& state) {
  const ModelFiles& files = ModelFiles::Of(F32);
  for (auto _ : state) {
    constexpr int64_t kBytes = kTensorHeaderBytes + kElements * 4;
    std::vector<char*> memory;
    for (int64_t i = 0; i < kVariables; ++i) {
      memory.push_back(static_cast<char*>(
          mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)));
      CHECK(memory.back() != MAP_FAILED);
      const int file = open(absl::StrCat(files.folder(), "/", ModelFiles::Weight(i)).c_str(), O_RDONLY);
      int64_t done = 0;
      while (done < kBytes) {
        const ssize_t got = read(file, memory.back() + done, static_cast<size_t>(kBytes - done));
        CHECK(got > 0);
        done += got;
      }
      close(file);
    }
    for (char* const data : memory) munmap(data, kBytes);
  }
  SetBytes(state, 4);
}
BENCHMARK(BM_ReadFiles)->Unit(benchmark::kMillisecond)->UseRealTime();

void Load(benchmark::State& state, const std::string& path) {
  for (auto _ : state) {
    const absl::StatusOr<Model> model = LoadModel(path, LoadOptions());
    CHECK(model.ok() && model->variables.size() == kVariables);
  }
}

void BM_LoadFolder(benchmark::State& state) {
  Load(state, ModelFiles::Of(F32).folder());
  SetBytes(state, 4);
}
BENCHMARK(BM_LoadFolder)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_LoadTar(benchmark::State& state) {
  Load(state, ModelFiles::Of(F32).archive());
  SetBytes(state, 4);
}
BENCHMARK(BM_LoadTar)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_LoadFolderOfF16(benchmark::State& state) {
  Load(state, ModelFiles::Of(F16).folder());
  SetBytes(state, 2);
}
BENCHMARK(BM_LoadFolderOfF16)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace nnef1
}  // namespace xla

BENCHMARK_MAIN();
