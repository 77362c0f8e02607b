// ReplicatedDevice: a device of one of the processes. This process's are those of the client below.
#ifndef BACKENDS_REPLICATED_REPLICATED_DEVICE_H_
#define BACKENDS_REPLICATED_REPLICATED_DEVICE_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "backends/backend.h"

namespace xla {

class ReplicatedDevice : public Device {
 public:
  // `below` is nullptr if it belongs to another process.
  ReplicatedDevice(Client& client, int64_t id, int64_t process_index, std::string kind, Device* below)
      : client_(client), id_(id), process_index_(process_index), kind_(std::move(kind)), below_(below) {}

  Device* below() const { return below_; }
  // InvalidArgument unless it belongs to this process. `what` begins the message: "cannot make a buffer on".
  absl::Status CheckIsHere(absl::string_view what) const {
    if (below_ != nullptr) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(what, " ", description(), ", which belongs to process ",
                                                   process_index_, ", in process ", client_.process_index()));
  }

  Client& client() const override { return client_; }
  int64_t id() const override { return id_; }
  int64_t process_index() const override { return process_index_; }
  std::string kind() const override { return kind_; }
  std::string description() const override {
    return below_ != nullptr ? below_->description() : absl::StrCat(kind_, " device ", id_);
  }
  // Of a device of another process, nothing is known.
  DeviceMemory memory() const override { return below_ != nullptr ? below_->memory() : DeviceMemory(); }
  absl::Status TransferToInfeed(Literal value, const TransferOptions& options) override {
    const absl::Status is_here = CheckIsHere("cannot transfer to the infeed of");
    return is_here.ok() ? below_->TransferToInfeed(std::move(value), options) : is_here;
  }
  absl::StatusOr<Literal> TransferFromOutfeed(const Shape& shape, const TransferOptions& options) override {
    const absl::Status is_here = CheckIsHere("cannot transfer from the outfeed of");
    if (!is_here.ok()) return is_here;
    return below_->TransferFromOutfeed(shape, options);
  }

 private:
  Client& client_;
  const int64_t id_;
  const int64_t process_index_;
  const std::string kind_;
  Device* const below_;
};

}  // namespace xla

#endif  // BACKENDS_REPLICATED_REPLICATED_DEVICE_H_
