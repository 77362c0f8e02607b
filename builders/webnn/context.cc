#include "builders/webnn/context.h"

#include <algorithm>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {

// What changes in the life of a context.
struct MLContext::State {
  std::mutex mutex;
  bool lost = false;
  EventSource lost_event;
  std::shared_ptr<MLContextLostInfo> lost_info = std::make_shared<MLContextLostInfo>();
};

MLContext::MLContext(std::shared_ptr<Client> client, const MLContextOptions& options, MLContextType type)
    : options_(options), type_(type), client_(std::move(client)), state_(std::make_unique<State>()) {}

MLContext::~MLContext() = default;

std::shared_ptr<MLContext> MLContext::WithoutDevice(MLEdition edition) {
  MLContextOptions options;
  options.edition = edition;
  return Over(nullptr, options);
}

std::shared_ptr<MLContext> MLContext::Over(std::shared_ptr<Client> client, const MLContextOptions& options,
                                           MLContextType type) {
  return std::shared_ptr<MLContext>(new MLContext(std::move(client), options, type));
}

absl::Status MLContext::CheckNotLost() const {
  if (!is_lost()) return absl::OkStatus();
  return InvalidStateError("context lost", "the context is lost; make a new one");
}

bool MLContext::is_lost() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->lost;
}

void MLContext::destroy() {
  EventSource event;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    if (state_->lost) return;
    state_->lost = true;
    state_->lost_info->message = "destroy() was called";
    event = std::move(state_->lost_event);
  }
  event.Set(absl::OkStatus());
}

Future<MLContextLostInfo> MLContext::lost() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  if (state_->lost) return Future<MLContextLostInfo>(*state_->lost_info);
  return Future<MLContextLostInfo>(state_->lost_event.event(), state_->lost_info);
}

// ---- ML

namespace {

absl::Status NotAllowed() {
  return MakeError(MLErrorKind::kSecurityError, "feature not allowed",
                   "createContext: the feature 'webnn' is not allowed here");
}

// The backends that suit a device, best first.
std::vector<std::string> BackendsFor(MLDeviceType device) {
  switch (device) {
    case MLDeviceType::kCpu:
      return {"cpu", "interpreter"};
    case MLDeviceType::kGpu:
      return {"vulkan"};
    case MLDeviceType::kNpu:
      return {};
  }
  return {};
}

}  // namespace

absl::StatusOr<std::shared_ptr<MLContext>> ML::createContext(const MLContextOptions& options) const {
  if (!allowed_) return NotAllowed();
  const std::vector<std::string> linked = BackendNames();
  const std::vector<std::string> wanted =
      options.backend.empty() ? BackendsFor(options.deviceType) : std::vector<std::string>{options.backend};
  for (const std::string& name : wanted) {
    if (std::find(linked.begin(), linked.end(), name) == linked.end()) continue;
    absl::StatusOr<std::shared_ptr<Client>> client = GetClient(name, options.client_options);
    if (!client.ok()) {
      return InMethod(MakeError(MLErrorKind::kNotSupportedError, "device not supported", client.status().message()),
                      "createContext");
    }
    return MLContext::Over(*std::move(client), options);
  }
  return InMethod(MakeError(MLErrorKind::kNotSupportedError, "device not supported",
                            absl::StrCat("no backend of this program runs on device '", ToString(options.deviceType),
                                         "'; linked are: ", absl::StrJoin(linked, ", "))),
                  "createContext");
}

absl::StatusOr<std::shared_ptr<MLContext>> ML::createContext(const GPUDevice& device, MLEdition edition) const {
  if (!allowed_) return NotAllowed();
  if (device.client == nullptr) {
    return InMethod(MakeError(MLErrorKind::kNotSupportedError, "device not supported", "the GPUDevice has no client"),
                    "createContext");
  }
  MLContextOptions options;
  options.deviceType = MLDeviceType::kGpu;
  options.edition = edition;
  return MLContext::Over(device.client, options, MLContextType::kWebgpu);
}

}  // namespace webnn
}  // namespace xla
