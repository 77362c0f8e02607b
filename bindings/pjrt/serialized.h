// Texts that the plugin makes for a client, which frees them by a function that comes with them.
#ifndef BINDINGS_PJRT_SERIALIZED_H_
#define BINDINGS_PJRT_SERIALIZED_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

// Each kind of text has a handle of its own in the API; all of them are a string.
struct PJRT_SerializedExecutable {
  const std::string bytes;
};
struct PJRT_SerializedTopology {
  const std::string bytes;
};
struct PJRT_DeviceAssignmentSerialized {
  const std::string bytes;
};
struct PJRT_SerializedCompileOptions {
  const std::string bytes;
};
struct PJRT_Layouts_SerializedLayout {
  const std::string bytes;
};

namespace xla {
namespace pjrt {

// Fills in the four fields by which a function hands out `text`.
template <typename Handle>
void GiveSerialized(std::string text, const char** bytes, size_t* size, Handle** handle, void (**deleter)(Handle*)) {
  auto made = std::make_unique<Handle>(Handle{std::move(text)});
  *bytes = made->bytes.data();
  *size = made->bytes.size();
  *deleter = [](Handle* ended) { delete ended; };
  *handle = made.release();
}

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_SERIALIZED_H_
