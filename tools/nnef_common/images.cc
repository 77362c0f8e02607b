#include "tools/nnef_common/images.h"

// jpeglib.h needs <cstdio> before it.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <png.h>
// clang-format on

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kMostPixels = int64_t{1} << 28;
constexpr absl::string_view kPngMagic = "\x89PNG";
constexpr absl::string_view kJpegMagic = "\xFF\xD8";

absl::Status Bad(absl::string_view name, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", what));
}

absl::Status TooLarge(absl::string_view name, int64_t width, int64_t height) {
  return Bad(name, absl::StrCat("an image of ", width, " x ", height, " pixels, more than ", kMostPixels));
}

absl::StatusOr<Image> DecodePng(absl::string_view bytes, const std::string& name) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) {
    return Bad(name, absl::StrCat("not a PNG image: ", png.message));
  }
  Image image;
  image.height = png.height;
  image.width = png.width;
  if (image.height * image.width > kMostPixels) {
    png_image_free(&png);
    return TooLarge(name, image.width, image.height);
  }
  // Pixels of 16 bits are the brightness that those of 8 bits would be, not linear light as libpng takes them to be.
  png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  const bool is_coloured = (png.format & PNG_FORMAT_FLAG_COLOR) != 0;
  png.format = is_coloured ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  image.channels = is_coloured ? 3 : 1;
  image.pixels.resize(image.height * image.width * image.channels);
  const png_color black = {0, 0, 0};
  if (png_image_finish_read(&png, &black, image.pixels.data(), /*row_stride=*/0, /*colormap=*/nullptr) != 0) {
    return image;
  }
  return Bad(name, absl::StrCat("a damaged PNG image: ", png.message));
}

// libjpeg leaves a function that has failed by a jump.
struct JpegErrors {
  jpeg_error_mgr manager;
  jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

void LeaveByJump(j_common_ptr jpeg) {
  auto* const errors = reinterpret_cast<JpegErrors*>(jpeg->err);
  jpeg->err->format_message(jpeg, errors->message);
  std::longjmp(errors->jump, 1);
}

// Warnings (surplus bytes, a missing end) are no concern of ours, unless data are damaged.
void IgnoreMessage(j_common_ptr /*jpeg*/) {}

// Nothing in this function has a destructor, because of the jump. False: `errors` has a message.
bool ReadJpeg(absl::string_view bytes, jpeg_decompress_struct* jpeg, JpegErrors* errors, Image* image) {
  if (setjmp(errors->jump) != 0) return false;
  jpeg_create_decompress(jpeg);
  jpeg_mem_src(jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(jpeg, TRUE);
  image->height = jpeg->image_height;
  image->width = jpeg->image_width;
  if (image->height * image->width > kMostPixels) return true;
  jpeg->out_color_space = jpeg->jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(jpeg);
  image->channels = jpeg->output_components;
  image->pixels.resize(image->height * image->width * image->channels);
  while (jpeg->output_scanline < jpeg->output_height) {
    JSAMPROW row = image->pixels.data() + jpeg->output_scanline * image->width * image->channels;
    jpeg_read_scanlines(jpeg, &row, 1);
  }
  jpeg_finish_decompress(jpeg);
  return true;
}

absl::StatusOr<Image> DecodeJpeg(absl::string_view bytes, const std::string& name) {
  jpeg_decompress_struct jpeg = {};
  JpegErrors errors = {};
  jpeg.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = LeaveByJump;
  errors.manager.output_message = IgnoreMessage;
  Image image;
  const bool worked = ReadJpeg(bytes, &jpeg, &errors, &image);
  const int64_t warnings = errors.manager.num_warnings;
  jpeg_destroy_decompress(&jpeg);
  if (!worked) return Bad(name, absl::StrCat("a damaged JPEG image: ", errors.message));
  if (image.height * image.width > kMostPixels) return TooLarge(name, image.width, image.height);
  if (warnings > 0) return Bad(name, "a damaged JPEG image: its data are not all there");
  return image;
}

// Numbers for each channel from one or as many.
absl::StatusOr<std::vector<float>> PerChannel(const std::string& text, int64_t channels, absl::string_view flag) {
  std::vector<float> numbers;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    float number = 0;
    if (!absl::SimpleAtof(part, &number) || !std::isfinite(number)) {
      return absl::InvalidArgumentError(
          absl::StrCat(flag, ": expected numbers like 0.5 or 124,116,104, got '", text, "'"));
    }
    numbers.push_back(number);
  }
  if (numbers.size() == 1) numbers.resize(channels, numbers[0]);
  if (static_cast<int64_t>(numbers.size()) == channels) return numbers;
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": expected one number or one for each of ", channels, " channels, got '", text, "'"));
}

// How much items of a row count for an item of a row of another length: a triangle around the place that corresponds.
struct Taps {
  int64_t first = 0;
  std::vector<float> weights;
};

std::vector<Taps> ScalingTaps(int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(scale, 1.0);
  std::vector<Taps> taps(to);
  for (int64_t i = 0; i < to; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale - 0.5;
    const int64_t first = std::max<int64_t>(0, static_cast<int64_t>(std::ceil(center - reach)));
    const int64_t last = std::min<int64_t>(from - 1, static_cast<int64_t>(std::floor(center + reach)));
    taps[i].first = first;
    double sum = 0;
    for (int64_t j = first; j <= last; ++j) {
      const double weight = std::max(0.0, 1 - std::abs(static_cast<double>(j) - center) / reach);
      taps[i].weights.push_back(static_cast<float>(weight));
      sum += weight;
    }
    for (float& weight : taps[i].weights) weight = static_cast<float>(weight / sum);
  }
  return taps;
}

// The image in other sizes, as numbers by row, column, channel.
std::vector<float> Scaled(const Image& image, int64_t height, int64_t width) {
  const int64_t channels = image.channels;
  const std::vector<Taps> columns = ScalingTaps(image.width, width);
  std::vector<float> wide(image.height * width * channels);
  for (int64_t row = 0; row < image.height; ++row) {
    for (int64_t column = 0; column < width; ++column) {
      for (int64_t channel = 0; channel < channels; ++channel) {
        float sum = 0;
        const uint8_t* pixel = image.pixels.data() + (row * image.width + columns[column].first) * channels + channel;
        for (const float weight : columns[column].weights) {
          sum += weight * static_cast<float>(*pixel);
          pixel += channels;
        }
        wide[(row * width + column) * channels + channel] = sum;
      }
    }
  }
  const std::vector<Taps> rows = ScalingTaps(image.height, height);
  const int64_t row_size = width * channels;
  std::vector<float> scaled(height * row_size);
  for (int64_t row = 0; row < height; ++row) {
    for (size_t tap = 0; tap < rows[row].weights.size(); ++tap) {
      const float* const from = wide.data() + (rows[row].first + static_cast<int64_t>(tap)) * row_size;
      float* const to = scaled.data() + row * row_size;
      for (int64_t i = 0; i < row_size; ++i) to[i] += rows[row].weights[tap] * from[i];
    }
  }
  return scaled;
}

// Grey as three equal channels; colours as how bright they look.
void ChangeChannels(int64_t channels, Image* image) {
  if (image->channels == channels) return;
  std::vector<uint8_t> pixels(image->height * image->width * channels);
  for (int64_t i = 0; i < image->height * image->width; ++i) {
    if (channels == 3) {
      std::fill_n(pixels.begin() + 3 * i, 3, image->pixels[i]);
    } else {
      const uint8_t* const pixel = image->pixels.data() + 3 * i;
      pixels[i] = static_cast<uint8_t>((299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2] + 500) / 1000);
    }
  }
  image->pixels = std::move(pixels);
  image->channels = channels;
}

}  // namespace

bool ImageFlags::IsDefault() const {
  const auto fields = [](const ImageFlags& x) { return std::tie(x.mean, x.deviation, x.layout, x.channel_order); };
  return fields(*this) == fields(ImageFlags());
}

absl::StatusOr<Image> DecodeImage(absl::string_view bytes, const std::string& name) {
  if (absl::StartsWith(bytes, kPngMagic)) return DecodePng(bytes, name);
  if (absl::StartsWith(bytes, kJpegMagic)) return DecodeJpeg(bytes, name);
  return Bad(name, "neither a PNG nor a JPEG image");
}

absl::StatusOr<Literal> ImageAsTensor(const std::string& path, const nnef::Extents& extents, const ImageFlags& flags) {
  const bool channels_last = flags.layout == "nhwc";
  const int64_t channels = extents.size() == 4 ? extents[channels_last ? 3 : 1] : 0;
  if (channels != 1 && channels != 3) {
    return Bad(path, absl::StrCat("an image cannot be fed to [", absl::StrJoin(extents, ","), "]; expected [batch, ",
                                  channels_last ? "height, width, 1 or 3]" : "1 or 3, height, width]",
                                  "; --layout says where the channels are"));
  }
  const int64_t height = extents[channels_last ? 1 : 2], width = extents[channels_last ? 2 : 3];
  ASSIGN_OR_RETURN(const std::vector<float> mean, PerChannel(flags.mean, channels, "--mean"));
  ASSIGN_OR_RETURN(const std::vector<float> deviation, PerChannel(flags.deviation, channels, "--std"));
  if (std::find(deviation.begin(), deviation.end(), 0.0f) != deviation.end()) {
    return absl::InvalidArgumentError("--std: expected numbers other than 0");
  }
  if (height * width > kMostPixels) return TooLarge(path, width, height);
  ASSIGN_OR_RETURN(const FileContents contents, ReadFile(path));
  ASSIGN_OR_RETURN(Image image, DecodeImage(contents.data(), path));
  // What a narrow and high image becomes on the way.
  if (image.height > kMostPixels / width) return TooLarge(path, width, image.height);
  ChangeChannels(channels, &image);
  const std::vector<float> pixels = Scaled(image, height, width);

  ASSIGN_OR_RETURN(Literal tensor, Literal::Allocate(Shape::Array(F32, extents)));
  float* const items = tensor.mutable_data<float>();
  const int64_t area = height * width;
  for (int64_t channel = 0; channel < channels; ++channel) {
    const int64_t source = flags.channel_order == "bgr" ? channels - 1 - channel : channel;
    for (int64_t i = 0; i < area; ++i) {
      items[channels_last ? i * channels + channel : channel * area + i] =
          (pixels[i * channels + source] - mean[channel]) / deviation[channel];
    }
  }
  for (int64_t batch = 1; batch < extents[0]; ++batch) {
    std::copy_n(items, channels * area, items + batch * channels * area);
  }
  return tensor;
}

}  // namespace xla
