// Loads relocatable objects into memory as callable code.
#ifndef BACKENDS_CPU_CODEGEN_OBJECT_LOADER_H_
#define BACKENDS_CPU_CODEGEN_OBJECT_LOADER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace xla {
namespace codegen {

// The code of one object, callable while this lives.
class LoadedObject {
 public:
  // Errors: InvalidArgument if `object` is none for this processor or calls a function that this program lacks.
  static absl::StatusOr<std::unique_ptr<LoadedObject>> Load(const std::string& object);
  virtual ~LoadedObject() = default;

  // nullptr if there is no such function.
  virtual void* Find(const std::string& symbol) const = 0;
};

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_OBJECT_LOADER_H_
