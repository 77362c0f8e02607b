#include "builders/nnef_common/containers/gzip_stream.h"

#include <zlib.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef {
namespace {

constexpr int64_t kInputBytes = 256 << 10;
constexpr int64_t kOutputBytes = 256 << 10;  // stays in the processor's cache until it is copied into place

absl::Status Damaged(absl::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat("damaged gzip file: ", reason));
}

}  // namespace

struct GzipStream::Inflater {
  z_stream z = {};

  // 15 bits of window, and 16 for the gzip header.
  Inflater() { CHECK(inflateInit2(&z, 15 + 16) == Z_OK); }
  ~Inflater() { inflateEnd(&z); }
};

GzipStream::GzipStream(const ByteSource& source, int64_t max_bytes, const ResourceContext* resources)
    : source_(source),
      max_bytes_(max_bytes),
      resources_(resources),
      input_(kInputBytes),
      output_(kOutputBytes),
      inflater_(std::make_unique<Inflater>()) {}

GzipStream::~GzipStream() = default;

// More input after what is left of it; no more at the end of the source.
absl::Status GzipStream::Fill() {
  z_stream& z = inflater_->z;
  if (z.avail_in > 0) std::copy_n(z.next_in, z.avail_in, reinterpret_cast<Bytef*>(input_.data()));
  ASSIGN_OR_RETURN(const int64_t got, source_.ReadSome(position_, kInputBytes - static_cast<int64_t>(z.avail_in),
                                                       input_.data() + z.avail_in));
  position_ += got;
  z.next_in = reinterpret_cast<Bytef*>(input_.data());
  z.avail_in += static_cast<uInt>(got);
  return absl::OkStatus();
}

// Whether another gzip file begins here.
absl::StatusOr<bool> GzipStream::BeginMember() {
  z_stream& z = inflater_->z;
  if (z.avail_in < 2) RETURN_IF_ERROR(Fill());
  if (z.avail_in < 2 || z.next_in[0] != 0x1F || z.next_in[1] != 0x8B) {
    if (is_first_) return Damaged("it does not begin with 1F 8B");
    return false;
  }
  if (!is_first_) inflateReset(&z);
  is_first_ = false;
  is_in_member_ = true;
  return true;
}

// The next piece of inflated data, at most kOutputBytes; empty at the end. Files may consist of several members,
// which are joined.
absl::StatusOr<absl::string_view> GzipStream::Next() {
  RETURN_IF_ERROR(CheckResources(resources_));
  z_stream& z = inflater_->z;
  z.next_out = reinterpret_cast<Bytef*>(output_.data());
  z.avail_out = kOutputBytes;
  while (z.avail_out == kOutputBytes) {
    if (!is_in_member_) {
      ASSIGN_OR_RETURN(const bool begins, BeginMember());
      if (!begins) return absl::string_view();
    }
    if (z.avail_in == 0) RETURN_IF_ERROR(Fill());
    if (z.avail_in == 0) return Damaged("it ends too early");
    const int result = inflate(&z, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      is_in_member_ = false;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      return Damaged(z.msg != nullptr ? z.msg : "its data make no sense");
    }
  }
  const int64_t size = kOutputBytes - static_cast<int64_t>(z.avail_out);
  produced_ += size;
  if (produced_ > max_bytes_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the archive inflates to more than the ", max_bytes_, " bytes allowed"));
  }
  return absl::string_view(output_.data(), static_cast<size_t>(size));
}

}  // namespace nnef
}  // namespace xla
