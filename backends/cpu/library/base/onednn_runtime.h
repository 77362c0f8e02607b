// How this library uses oneDNN: on one thread for each caller, which cuts the work itself.
#ifndef BACKENDS_CPU_LIBRARY_BASE_ONEDNN_RUNTIME_H_
#define BACKENDS_CPU_LIBRARY_BASE_ONEDNN_RUNTIME_H_

#include <oneapi/dnnl/dnnl.hpp>

#include "absl/types/optional.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

const dnnl::engine& OneDnnEngine();
// To live around every use of oneDNN, also where primitives are made: OpenMP makes no threads for the calling thread
// meanwhile. Afterwards that thread has as many again as its program needs, which may use OpenMP itself.
class OneDnnScope {
 public:
  OneDnnScope();
  ~OneDnnScope();
  OneDnnScope(const OneDnnScope&) = delete;
  OneDnnScope& operator=(const OneDnnScope&) = delete;

  // The calling thread's, which must not be given away.
  dnnl::stream& stream() const;

 private:
  const int threads_;
};
// nullopt for types that oneDNN does not have.
absl::optional<dnnl::memory::data_type> OneDnnTypeOf(PrimitiveType type);
// Whether an implementation is one of those that are there to be compared with, and not to be waited for.
bool IsReferenceImplementation(const char* name);
// Whether it uses these instructions here. Without avx512_core_vnni sums of 8-bit products saturate on the way.
bool OneDnnHas(dnnl::cpu_isa isa);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_BASE_ONEDNN_RUNTIME_H_
