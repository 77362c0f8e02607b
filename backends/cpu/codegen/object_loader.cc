#include "backends/cpu/codegen/object_loader.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backends/cpu/codegen/lane_evaluator.h"
#include "llvm/ExecutionEngine/RTDyldMemoryManager.h"
#include "llvm/ExecutionEngine/RuntimeDyld.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

namespace xla {
namespace codegen {
namespace {

size_t RoundToPages(size_t bytes) {
  static const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

// One block of memory for all sections of an object, so that relative addresses of 32 bits reach: code, constants,
// data, each on pages of its own.
class ObjectMemory : public llvm::RTDyldMemoryManager {
 public:
  ~ObjectMemory() override {
    if (begin_ != nullptr) munmap(begin_, size_);
  }

  bool needsToReserveAllocationSpace() override { return true; }
  // Takes memory for a whole object at once, so that code and data are close enough for relative addresses.
  void reserveAllocationSpace(uintptr_t code_bytes, llvm::Align, uintptr_t constant_bytes, llvm::Align,
                              uintptr_t data_bytes, llvm::Align) override {
    areas_[kCode].size = RoundToPages(code_bytes);
    areas_[kConstants].size = RoundToPages(constant_bytes);
    // The linker makes a table of the addresses of functions outside, which it has not counted: 8 bytes for each one,
    // which has more than that in the code.
    areas_[kData].size = RoundToPages(data_bytes + code_bytes);
    size_ = std::max<size_t>(1, areas_[kCode].size + areas_[kConstants].size + areas_[kData].size);
    void* const memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    begin_ = static_cast<uint8_t*>(memory);
    uint8_t* next = begin_;
    for (Area& area : areas_) {
      area.begin = area.next = next;
      next += area.size;
    }
  }

  uint8_t* allocateCodeSection(uintptr_t size, unsigned alignment, unsigned, llvm::StringRef) override {
    return Allocate(areas_[kCode], size, alignment);
  }
  uint8_t* allocateDataSection(uintptr_t size, unsigned alignment, unsigned, llvm::StringRef,
                               bool is_read_only) override {
    return Allocate(areas_[is_read_only ? kConstants : kData], size, alignment);
  }
  bool finalizeMemory(std::string* error) override {
    const bool protects = Protect(areas_[kCode], PROT_READ | PROT_EXEC) && Protect(areas_[kConstants], PROT_READ);
    if (!protects && error != nullptr) *error = "the system does not let memory be made executable";
    return !protects;
  }
  // Nothing throws through kernels.
  void registerEHFrames(uint8_t*, uint64_t, size_t) override {}
  void deregisterEHFrames() override {}

  uint64_t getSymbolAddress(const std::string& name) override {
    if (name == kEvaluateLanesSymbol) return reinterpret_cast<uint64_t>(&EvaluateLanes);
    return reinterpret_cast<uint64_t>(dlsym(RTLD_DEFAULT, name.c_str()));
  }

  bool failed() const { return failed_ || begin_ == nullptr; }

 private:
  enum { kCode, kConstants, kData, kNumAreas };
  struct Area {
    uint8_t* begin = nullptr;
    uint8_t* next = nullptr;
    size_t size = 0;
  };

  uint8_t* Allocate(Area& area, uintptr_t size, unsigned alignment) {
    const uintptr_t mask = std::max(1u, alignment) - 1;
    uint8_t* const at = reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(area.next) + mask) & ~mask);
    if (area.begin == nullptr || at + size > area.begin + area.size) {
      failed_ = true;
      return nullptr;
    }
    area.next = at + size;
    return at;
  }
  static bool Protect(const Area& area, int protection) {
    return area.size == 0 || mprotect(area.begin, area.size, protection) == 0;
  }

  Area areas_[kNumAreas];
  uint8_t* begin_ = nullptr;
  size_t size_ = 0;
  bool failed_ = false;
};

class DyldObject : public LoadedObject {
 public:
  DyldObject() : linker_(memory_, memory_) {}

  // Loads the object, resolves its symbols, and makes its code executable. An object for another processor is an
  // error, and so are symbols that do not exist.
  absl::Status Link(const std::string& bytes) {
    auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "kernels"));
    if (!object) return absl::InvalidArgumentError("not an object file: " + llvm::toString(object.takeError()));
    if ((*object)->getArch() != llvm::Triple(llvm::sys::getProcessTriple()).getArch()) {
      return absl::InvalidArgumentError("the object is for another processor");
    }
    linker_.loadObject(**object);
    if (memory_.failed()) return absl::ResourceExhaustedError("no memory for code");
    linker_.resolveRelocations();
    std::string error;
    if (linker_.hasError()) return absl::InvalidArgumentError("cannot link: " + linker_.getErrorString().str());
    if (memory_.finalizeMemory(&error)) return absl::InternalError(error);
    return absl::OkStatus();
  }

  void* Find(const std::string& symbol) const override {
    return reinterpret_cast<void*>(linker_.getSymbol(symbol).getAddress());
  }

 private:
  ObjectMemory memory_;
  llvm::RuntimeDyld linker_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LoadedObject>> LoadedObject::Load(const std::string& object) {
  auto loaded = std::make_unique<DyldObject>();
  const absl::Status status = loaded->Link(object);
  if (!status.ok()) return status;
  return std::unique_ptr<LoadedObject>(std::move(loaded));
}

}  // namespace codegen
}  // namespace xla
