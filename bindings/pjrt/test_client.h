// TestClient: a client of the plugin that fills its arguments as jaxlib does, for tests.
//
// Structs begin as garbage, because jaxlib does not clear them, and are as long as those of the minor version that the
// client is built against.
#ifndef BINDINGS_PJRT_TEST_CLIENT_H_
#define BINDINGS_PJRT_TEST_CLIENT_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/event.h"
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/extensions.h"
#include "bindings/pjrt/pjrt_api.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace pjrt {

const PJRT_Api& TestedApi();

// What a function of the table has answered. The error ends.
absl::Status StatusOfAnswer(PJRT_Error* error);

// An option of a client as jaxlib passes those of the environment. Name and value must outlive it.
PJRT_NamedValue TextOption(absl::string_view name, absl::string_view value);

// Arguments as a client of minor version `minor` allocates them, inside of garbage that must stay.
template <typename Args>
class Arguments {
 public:
  explicit Arguments(int minor) : size_(SizeOf(minor)) {
    std::memset(memory_, kGarbage, sizeof(memory_));
    get()->struct_size = size_;
    get()->extension_start = nullptr;
  }
  Args* get() { return reinterpret_cast<Args*>(memory_); }
  Args* operator->() { return get(); }
  // Whether nothing after the end that the client knows has been written.
  bool IsTailUntouched() const {
    for (size_t i = size_; i < sizeof(memory_); ++i) {
      if (memory_[i] != kGarbage) return false;
    }
    return true;
  }

 private:
  static constexpr unsigned char kGarbage = 0xCD;
  // Newer clients have longer structs; those of before have what every function has had from its start on.
  static size_t SizeOf(int minor) {
    if (minor < 100) return FunctionOf<Args>::kRequired;
    return minor > 112 ? sizeof(Args) + 40 : sizeof(Args);
  }

  const size_t size_;
  alignas(8) unsigned char memory_[sizeof(Args) + 64];
};

// A program that is loaded, and what the client knows of it.
struct TestProgram {
  PJRT_LoadedExecutable* loaded = nullptr;
  PJRT_Executable* executable = nullptr;
  size_t output_count = 0;
};

class TestClient {
 public:
  // Options as jaxlib passes them from the environment: as text. Ends the process if there is no client.
  explicit TestClient(int minor = 112, std::map<std::string, std::string> options = {});
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  // Calls a function: client.Call(api.PJRT_Client_Devices, args).
  template <typename Args>
  absl::Status Call(PJRT_Error* (*function)(Args*), Arguments<Args>& args) {
    absl::Status status = StatusOfAnswer(function(args.get()));
    if (status.ok() && !args.IsTailUntouched()) return absl::InternalError("wrote after the end of the arguments");
    return status;
  }
  template <typename Args>
  Arguments<Args> Make() const {
    return Arguments<Args>(minor_);
  }

  const PJRT_Api& api() const { return TestedApi(); }
  PJRT_Client* client() const { return client_; }
  int minor() const { return minor_; }
  PJRT_Device* device(size_t i = 0) const { return devices_[i]; }
  PJRT_Memory* memory(size_t device, size_t kind) const { return memories_[device][kind]; }

  // `options`: a serialized CompileOptionsProto.
  absl::Status Compile(absl::string_view code, absl::string_view format, absl::string_view options,
                       TestProgram* program);
  // HLO as text, in the format "hlo".
  absl::Status CompileHloText(absl::string_view text, absl::string_view options, TestProgram* program);
  void Destroy(const TestProgram& program);
  // Asks what jaxlib asks of a program after it was compiled.
  absl::Status AskAbout(const TestProgram& program, size_t parameter_count);

  // A buffer of f32 in the default memory of the device, copied from `values`.
  PJRT_Buffer* BufferOf(absl::Span<const float> values, std::vector<int64_t> dims, size_t device = 0);
  // The same for any array.
  PJRT_Buffer* BufferOfLiteral(const Literal& array, size_t device = 0);
  absl::Status Execute(const TestProgram& program, const std::vector<std::vector<PJRT_Buffer*>>& arguments,
                       std::vector<std::vector<PJRT_Buffer*>>* outputs, std::vector<int64_t> non_donatable = {});
  // Whether Execute waits for the end of the execution; true at first.
  void set_awaits(bool awaits) { awaits_ = awaits; }
  // For the executions that follow.
  void set_context(PJRT_ExecuteContext* context) { context_ = context; }
  // Waits for the value as jaxlib does.
  absl::Status Await(PJRT_Event* event);
  absl::StatusOr<std::vector<float>> ToHost(PJRT_Buffer* buffer);
  // An array of `shape`, which must be the buffer's.
  absl::StatusOr<Literal> ToLiteral(PJRT_Buffer* buffer, const Shape& shape);
  // The values; ends the process if they cannot be copied.
  std::vector<float> Values(PJRT_Buffer* buffer);
  absl::Status Ready(PJRT_Buffer* buffer);
  bool IsDeleted(PJRT_Buffer* buffer);
  void Destroy(PJRT_Buffer* buffer);

  // nullptr if there is none of this type.
  template <typename Extension>
  const Extension* FindExtension(PJRT_Extension_Type type) const {
    const PJRT_Extension_Base* base = api().extension_start;
    while (base != nullptr && base->type != type) base = base->next;
    return reinterpret_cast<const Extension*>(base);
  }

 private:
  PJRT_Buffer* CopyToDevice(const void* data, PJRT_Buffer_Type type, absl::Span<const int64_t> dims, size_t device);
  // InvalidArgument if the value has another size.
  absl::Status CopyToHost(PJRT_Buffer* buffer, void* to, size_t byte_size);
  absl::StatusOr<size_t> SizeOnHost(PJRT_Buffer* buffer);

  const int minor_;
  PJRT_Client* client_ = nullptr;
  PJRT_ExecuteContext* context_ = nullptr;
  bool awaits_ = true;
  std::vector<PJRT_Device*> devices_;
  std::vector<std::vector<PJRT_Memory*>> memories_;
};

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_TEST_CLIENT_H_
