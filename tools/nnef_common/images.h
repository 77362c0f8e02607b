// Images as inputs of networks.
#ifndef TOOLS_NNEF_COMMON_IMAGES_H_
#define TOOLS_NNEF_COMMON_IMAGES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/nnef_common/containers/tensor_file.h"
#include "xla_core/types/literal.h"

namespace xla {

// How pixels become numbers: (value - mean) / deviation, of values from 0 to 255, channel by channel.
struct ImageFlags {
  std::string mean = "0";             // one number, or one for each channel
  std::string deviation = "255";      // likewise
  std::string layout = "nchw";        // or nhwc
  std::string channel_order = "rgb";  // or bgr

  bool IsDefault() const;
};

// A image in memory.
struct Image {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;         // 1 (grey) or 3 (red, green, blue)
  std::vector<uint8_t> pixels;  // by row, column, channel
};

// The image in the bytes of a PNG or JPEG file; transparency is laid on black. Errors: InvalidArgument for what is
// neither, is damaged, or has more than 2^28 pixels.
absl::StatusOr<Image> DecodeImage(absl::string_view bytes, const std::string& name);

// A image from a file, as f32 of `extents`: scaled to their height and width (linearly; every pixel counts when it
// becomes smaller), in as many channels, repeated for each item of the batch. Errors: those of reading and decoding,
// and InvalidArgument if `extents` are not those of images, or numbers do not fit the channels.
absl::StatusOr<Literal> ImageAsTensor(const std::string& path, const nnef::Extents& extents, const ImageFlags& flags);

}  // namespace xla

#endif  // TOOLS_NNEF_COMMON_IMAGES_H_
