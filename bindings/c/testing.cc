#include "bindings/c/testing.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace xla {

std::string Outcome(halo_status* status) {
  if (status == nullptr) return "";
  std::string outcome = absl::StrCat(halo_code_name(halo_status_code(status)), ": ", halo_status_message(status));
  halo_status_free(status);
  return outcome;
}

std::string TakeText(char* text) {
  std::string taken(text == nullptr ? "" : text);
  halo_free(text);
  return taken;
}

namespace {

void OkOrDie(halo_status* status) {
  const std::string outcome = Outcome(status);
  if (outcome.empty()) return;
  std::fprintf(stderr, "%s\n", outcome.c_str());
  std::abort();
}

}  // namespace

OwnedModule LoadOrDie(absl::string_view text) {
  halo_module* module = nullptr;
  OkOrDie(halo_module_load(text.data(), text.size(), nullptr, &module));
  return OwnedModule(module);
}

OwnedClient ClientOrDie(int64_t device_count) {
  halo_client_options options = HALO_CLIENT_OPTIONS_INIT;
  options.device_count = device_count;
  options.threads = 2;
  halo_client* client = nullptr;
  OkOrDie(halo_client_create("interpreter", &options, &client));
  return OwnedClient(client);
}

OwnedExecutable CompileOrDie(halo_client* client, absl::string_view text, const halo_compile_options* options) {
  const OwnedModule module = LoadOrDie(text);
  halo_executable* executable = nullptr;
  OkOrDie(halo_client_compile(client, module.get(), options, &executable));
  return OwnedExecutable(executable);
}

OwnedBuffer BufferOrDie(halo_client* client, const char* text, halo_device* device) {
  halo_buffer* buffer = nullptr;
  OkOrDie(halo_buffer_from_text(client, device, text, &buffer));
  return OwnedBuffer(buffer);
}

std::string TextOf(const halo_buffer* buffer) {
  char* text = nullptr;
  OkOrDie(halo_buffer_to_text(buffer, &text));
  return TakeText(text);
}

std::string SumDonatingFirst(halo_executable* sum, const halo_buffer* x, const halo_buffer* y) {
  const int64_t first = 0;
  halo_execute_options options = HALO_EXECUTE_OPTIONS_INIT;
  options.donated_parameters = &first;
  options.donated_parameter_count = 1;
  const halo_buffer* const arguments[] = {x, y};
  halo_buffer* result = nullptr;
  OkOrDie(halo_executable_execute(sum, arguments, 2, &result, 1, &options, nullptr));
  return TextOf(OwnedBuffer(result).get());
}

}  // namespace xla
