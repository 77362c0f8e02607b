#include "backends/cpu/library/base/onednn_runtime.h"

#include <omp.h>

#include <cstring>

namespace xla {

const dnnl::engine& OneDnnEngine() {
  static const auto* const engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

OneDnnScope::OneDnnScope() : threads_(omp_get_max_threads()) {
  if (threads_ != 1) omp_set_num_threads(1);
}

OneDnnScope::~OneDnnScope() {
  if (threads_ != 1) omp_set_num_threads(threads_);
}

dnnl::stream& OneDnnScope::stream() const {
  static thread_local dnnl::stream stream(OneDnnEngine());
  return stream;
}

absl::optional<dnnl::memory::data_type> OneDnnTypeOf(PrimitiveType type) {
  using Type = dnnl::memory::data_type;
  switch (type) {
    case F32:
      return Type::f32;
    case BF16:
      return Type::bf16;
    case S8:
      return Type::s8;
    case U8:
      return Type::u8;
    case S32:
      return Type::s32;
    default:
      return absl::nullopt;
  }
}

bool IsReferenceImplementation(const char* name) { return std::strstr(name, "ref") != nullptr; }

bool OneDnnHas(dnnl::cpu_isa isa) {
  const int wanted = static_cast<int>(isa);
  return (static_cast<int>(dnnl::get_effective_cpu_isa()) & wanted) == wanted;
}

}  // namespace xla
