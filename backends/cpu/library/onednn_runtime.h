// How this folder uses oneDNN: on one thread for each caller, which cuts the work itself.
#ifndef BACKENDS_CPU_LIBRARY_ONEDNN_RUNTIME_H_
#define BACKENDS_CPU_LIBRARY_ONEDNN_RUNTIME_H_

#include <oneapi/dnnl/dnnl.hpp>

#include "absl/types/optional.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

const dnnl::engine& OneDnnEngine();
// The calling thread's, which must not be given away. From the first call on OpenMP does not make threads for it.
dnnl::stream& OneDnnStream();
// nullopt for types that oneDNN does not have.
absl::optional<dnnl::memory::data_type> OneDnnTypeOf(PrimitiveType type);
// Whether an implementation is one of those that are there to be compared with, and not to be waited for.
bool IsReferenceImplementation(const char* name);
// Whether it uses these instructions here. Without avx512_core_vnni sums of 8-bit products saturate on the way.
bool OneDnnHas(dnnl::cpu_isa isa);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_ONEDNN_RUNTIME_H_
