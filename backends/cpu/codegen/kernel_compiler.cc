#include "backends/cpu/codegen/kernel_compiler.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "backends/cpu/codegen/module_compiler.h"
#include "backends/cpu/codegen/object_loader.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Modules cost some milliseconds each, to set up LLVM's passes, and are what is compiled in parallel. Their number
// depends on the kernels alone.
constexpr int64_t kMostKernelsPerModule = 16;
constexpr int64_t kModulesWanted = 8;

}  // namespace

void RunInOrder(int64_t n, absl::FunctionRef<void(int64_t)> fn) {
  for (int64_t i = 0; i < n; ++i) fn(i);
}

absl::StatusOr<std::unique_ptr<KernelCompiler>> KernelCompiler::Create(CodegenTarget target, CodegenOptions options) {
  ASSIGN_OR_RETURN(auto modules, codegen::ModuleCompiler::Create(target, options));
  return std::unique_ptr<KernelCompiler>(new KernelCompiler(std::move(target), std::move(modules)));
}

KernelCompiler::KernelCompiler(CodegenTarget target, std::unique_ptr<codegen::ModuleCompiler> modules)
    : target_(std::move(target)), modules_(std::move(modules)) {}
KernelCompiler::~KernelCompiler() = default;

// Compiles kernels to object code. Equal kernels, up to names, are compiled once. Modules hold a bounded number of
// kernels each, so that they compile in parallel and no module gets too long.
absl::StatusOr<CompiledKernels::Image> KernelCompiler::CompileImage(absl::Span<const Kernel* const> kernels,
                                                                    const CodegenParallelFor& parallel_for) const {
  CompiledKernels::Image image;
  std::vector<codegen::NamedKernel> distinct;
  absl::flat_hash_map<std::string, std::string> symbols;
  for (const Kernel* kernel : kernels) {
    const auto [it, is_new] =
        symbols.emplace(AnonymousKernelToString(*kernel), absl::StrCat("kernel", distinct.size()));
    if (is_new) distinct.push_back({it->second, kernel});
    image.symbols.push_back(it->second);
    image.phase_counts.push_back(static_cast<int>(kernel->phases.size()));
  }
  const int64_t count = static_cast<int64_t>(distinct.size());
  const int64_t per_module = std::min(kMostKernelsPerModule, (count + kModulesWanted - 1) / kModulesWanted);
  const int64_t modules = count == 0 ? 0 : (count + per_module - 1) / per_module;
  image.objects.resize(modules);
  std::vector<absl::Status> errors(modules);
  parallel_for(modules, [&](int64_t i) {
    const auto own = absl::MakeConstSpan(distinct).subspan(i * per_module, per_module);
    auto object = modules_->Compile(absl::StrCat("kernels.", i), own);
    errors[i] = object.status();
    if (object.ok()) image.objects[i] = *std::move(object);
  });
  for (const absl::Status& error : errors) RETURN_IF_ERROR(error);
  return image;
}

absl::StatusOr<CompiledKernels> KernelCompiler::Compile(absl::Span<const Kernel* const> kernels,
                                                        const CodegenParallelFor& parallel_for) const {
  ASSIGN_OR_RETURN(CompiledKernels::Image image, CompileImage(kernels, parallel_for));
  return Load(std::move(image));
}

// Loads object code into memory and looks up a function for each phase of each kernel. The result shares ownership of
// the code, which stays loaded as long as it exists.
absl::StatusOr<CompiledKernels> KernelCompiler::Load(CompiledKernels::Image image) {
  if (image.symbols.size() != image.phase_counts.size()) {
    return absl::InvalidArgumentError(absl::StrCat("an image of kernels has ", image.symbols.size(),
                                                   " symbols, but phases of ", image.phase_counts.size(), " kernels"));
  }
  CompiledKernels result;
  std::vector<const codegen::LoadedObject*> objects;
  for (const std::string& object : image.objects) {
    ASSIGN_OR_RETURN(std::shared_ptr<codegen::LoadedObject> loaded, codegen::LoadedObject::Load(object));
    objects.push_back(loaded.get());
    result.code_.push_back(std::move(loaded));
  }
  const auto find = [&](const std::string& symbol) -> void* {
    for (const codegen::LoadedObject* object : objects) {
      if (void* const address = object->Find(symbol)) return address;
    }
    return nullptr;
  };
  absl::flat_hash_map<std::string, KernelFunction> known;
  for (size_t i = 0; i < image.symbols.size(); ++i) {
    std::vector<KernelFunction> functions;
    for (int phase = 0; phase < image.phase_counts[i]; ++phase) {
      const std::string symbol = absl::StrCat(image.symbols[i], ".", phase);
      const auto [it, is_new] = known.emplace(symbol, nullptr);
      if (is_new) it->second = reinterpret_cast<KernelFunction>(find(symbol));
      if (it->second == nullptr) {
        return absl::InvalidArgumentError(absl::StrCat("no object of the image has function ", symbol));
      }
      functions.push_back(it->second);
    }
    result.functions_.push_back(std::move(functions));
  }
  result.image_ = std::make_shared<const CompiledKernels::Image>(std::move(image));
  return result;
}

}  // namespace xla
