// For the tests of the C interface: handles that free themselves, errors as text, small programs.
#ifndef BINDINGS_C_TESTING_H_
#define BINDINGS_C_TESTING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "bindings/c/halo.h"

namespace xla {

template <typename Handle, void (*kFree)(Handle*)>
struct FreeHandle {
  void operator()(Handle* handle) const { kFree(handle); }
};
template <typename Handle, void (*kFree)(Handle*)>
using Owned = std::unique_ptr<Handle, FreeHandle<Handle, kFree>>;

using OwnedModule = Owned<halo_module, halo_module_free>;
using OwnedClient = Owned<halo_client, halo_client_free>;
using OwnedBuffer = Owned<halo_buffer, halo_buffer_free>;
using OwnedExecutable = Owned<halo_executable, halo_executable_free>;
using OwnedEvent = Owned<halo_event, halo_event_free>;
using OwnedCancellation = Owned<halo_cancellation, halo_cancellation_free>;

// "" for success, else "INVALID_ARGUMENT: message". Frees the status.
std::string Outcome(halo_status* status);

// A text that a `char**` parameter gave; freed.
std::string TakeText(char* text);

// These end the process on an error.
OwnedModule LoadOrDie(absl::string_view text);
OwnedClient ClientOrDie(int64_t device_count = 1);
OwnedExecutable CompileOrDie(halo_client* client, absl::string_view text,
                             const halo_compile_options* options = nullptr);
OwnedBuffer BufferOrDie(halo_client* client, const char* text, halo_device* device = nullptr);
std::string TextOf(const halo_buffer* buffer);
// What `sum`, compiled from kAdd, gives for x, which is donated, and y; as text.
std::string SumDonatingFirst(halo_executable* sum, const halo_buffer* x, const halo_buffer* y);

// A dense array over `values`, which must stay as it is meanwhile, as must the dimensions.
template <typename T>
halo_array ArrayOf(halo_element_type type, const std::vector<int64_t>& dimensions, std::vector<T>& values) {
  return {values.data(), values.size() * sizeof(T), type, static_cast<int32_t>(dimensions.size()), dimensions.data(),
          nullptr};
}

// (f32[2], f32[2]) -> a + b
constexpr char kAdd[] = R"(HloModule add_two
ENTRY entry {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  ROOT sum = f32[2] add(x, y)
}
)";

// A program that does not end by itself.
constexpr char kEndless[] = R"(HloModule endless
body {
  p = s32[100000] parameter(0)
  ROOT next = s32[100000] add(p, p)
}
condition {
  p.1 = s32[100000] parameter(0)
  ROOT yes = pred[] constant(true)
}
ENTRY entry {
  x = s32[100000] iota(), iota_dimension=0
  ROOT w = s32[100000] while(x), condition=condition, body=body
}
)";

}  // namespace xla

#endif  // BINDINGS_C_TESTING_H_
