// Images are written here through the libraries, and read as tensors.
#include "tools/nnef_common/images.h"

// jpeglib.h needs <cstdio> before it.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <png.h>
// clang-format on

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/files.h"

namespace xla {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

std::string PngBytes(int width, int height, uint32_t format, const std::vector<uint8_t>& pixels) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = width;
  png.height = height;
  png.format = format;
  png_alloc_size_t size = 0;
  EXPECT_NE(png_image_write_get_memory_size(png, size, 0, pixels.data(), 0, nullptr), 0);
  std::string bytes(size, '\0');
  EXPECT_NE(png_image_write_to_memory(&png, &bytes[0], &size, 0, pixels.data(), 0, nullptr), 0);
  bytes.resize(size);
  return bytes;
}

void AppendBytes(png_structp png, png_bytep bytes, png_size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(bytes), size);
}

// A row of grey pixels of 16 bits, given byte by byte, in a file that says nothing about their brightness.
std::string DeepPngBytes(const std::vector<uint8_t>& pixels) {
  std::string bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &bytes, AppendBytes, nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(pixels.size() / 2), 1, 16, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  png_write_row(png, pixels.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

std::string JpegBytes(int width, int height, const std::vector<uint8_t>& pixels) {
  jpeg_compress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* buffer = nullptr;
  unsigned long size = 0;  // the library's type
  jpeg_mem_dest(&jpeg, &buffer, &size);
  jpeg.image_width = width;
  jpeg.image_height = height;
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  for (int row = 0; row < height; ++row) {
    auto* line = const_cast<JSAMPROW>(pixels.data() + row * width * 3);
    jpeg_write_scanlines(&jpeg, &line, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::string bytes(reinterpret_cast<char*>(buffer), size);
  std::free(buffer);
  return bytes;
}

std::string Saved(const std::string& name, const std::string& bytes) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/", name);
  EXPECT_TRUE(WriteFile(path, bytes).ok());
  return path;
}

std::vector<float> Items(const std::string& path, const nnef::Extents& extents, const ImageFlags& flags) {
  const auto tensor = ImageAsTensor(path, extents, flags);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  if (!tensor.ok()) return {};
  const auto items = tensor->span<float>();
  return std::vector<float>(items.begin(), items.end());
}

TEST(Images, BecomeChannelsRowsAndColumns) {
  const std::string path = Saved("two.png", PngBytes(2, 1, PNG_FORMAT_RGB, {255, 0, 51, 0, 255, 102}));
  EXPECT_THAT(Items(path, {1, 3, 1, 2}, {}), ElementsAre(1, 0, 0, 1, 51 / 255.0f, 102 / 255.0f));
  ImageFlags flags;
  flags.layout = "nhwc";
  flags.channel_order = "bgr";
  flags.mean = "1,0,0";
  flags.deviation = "1,1,5";
  EXPECT_THAT(Items(path, {1, 1, 2, 3}, flags), ElementsAre(50, 0, 51, 101, 255, 0));
}

TEST(Images, AreScaledAndRepeated) {
  const std::string path = Saved("grey.png", PngBytes(4, 2, PNG_FORMAT_GRAY, {0, 0, 100, 100, 0, 0, 100, 100}));
  ImageFlags flags;
  flags.deviation = "1";
  // Grey in three channels, twice as high and half as wide, for two items of a batch.
  const std::vector<float> items = Items(path, {2, 3, 4, 2}, flags);
  ASSERT_EQ(items.size(), 48u);
  for (size_t i = 0; i < items.size(); ++i) EXPECT_NEAR(items[i], i % 2 == 0 ? 12.5 : 87.5, 13) << i;
  EXPECT_EQ(items[0] + items[1], 100);
  const std::string flat = Saved("flat.png", PngBytes(3, 3, PNG_FORMAT_GRAY, std::vector<uint8_t>(9, 77)));
  EXPECT_THAT(Items(flat, {1, 1, 7, 2}, flags), Each(FloatNear(77, 1e-4)));
}

TEST(Images, BecomeGreyAsBrightAsTheyLook) {
  const std::string path = Saved("red.png", PngBytes(1, 1, PNG_FORMAT_RGB, {200, 100, 50}));
  ImageFlags flags;
  flags.deviation = "1";
  EXPECT_THAT(Items(path, {1, 1, 1, 1}, flags), ElementsAre(124));
}

TEST(Images, OfSixteenBitsAreAsBrightAsThoseOfEight) {
  const std::string path = Saved("deep.png", DeepPngBytes({0, 0, 51, 51, 102, 102, 255, 255}));
  ImageFlags flags;
  flags.deviation = "1";
  EXPECT_THAT(Items(path, {1, 1, 1, 4}, flags), ElementsAre(0, 51, 102, 255));
}

TEST(Images, AreReadFromJpeg) {
  std::vector<uint8_t> pixels;
  for (int i = 0; i < 64; ++i) pixels.insert(pixels.end(), {200, 100, 50});
  const std::string path = Saved("flat.jpg", JpegBytes(8, 8, pixels));
  ImageFlags flags;
  flags.deviation = "1";
  const std::vector<float> items = Items(path, {1, 3, 1, 1}, flags);
  ASSERT_EQ(items.size(), 3u);
  EXPECT_NEAR(items[0], 200, 3);
  EXPECT_NEAR(items[1], 100, 3);
  EXPECT_NEAR(items[2], 50, 3);
}

TEST(Images, ThatAreDamagedAreRefused) {
  const std::string png = PngBytes(8, 8, PNG_FORMAT_RGB, std::vector<uint8_t>(192, 9));
  const std::string jpeg = JpegBytes(64, 64, std::vector<uint8_t>(64 * 64 * 3, 9));
  EXPECT_TRUE(DecodeImage(png, "a").ok());
  EXPECT_TRUE(DecodeImage(jpeg, "a").ok());
  EXPECT_FALSE(DecodeImage(png.substr(0, png.size() - 30), "a").ok());
  EXPECT_FALSE(DecodeImage(jpeg.substr(0, jpeg.size() / 2), "a").ok());
  EXPECT_FALSE(DecodeImage(jpeg.substr(0, 30), "a").ok());
  EXPECT_THAT(std::string(DecodeImage("GIF89a", "a.gif").status().message()),
              HasSubstr("a.gif: neither a PNG nor a JPEG"));
}

TEST(Images, AreRefusedWhereTheyDoNotFit) {
  const std::string path = Saved("one.png", PngBytes(1, 1, PNG_FORMAT_GRAY, {1}));
  EXPECT_THAT(std::string(ImageAsTensor(path, {1, 2, 4, 4}, {}).status().message()), HasSubstr("[1,2,4,4]"));
  EXPECT_FALSE(ImageAsTensor(path, {3, 4, 4}, {}).ok());
  ImageFlags flags;
  flags.mean = "1,2";
  EXPECT_THAT(std::string(ImageAsTensor(path, {1, 3, 4, 4}, flags).status().message()), HasSubstr("--mean"));
  flags.mean = "x";
  EXPECT_FALSE(ImageAsTensor(path, {1, 3, 4, 4}, flags).ok());
  flags.mean = "0";
  flags.deviation = "0";
  EXPECT_THAT(std::string(ImageAsTensor(path, {1, 3, 4, 4}, flags).status().message()), HasSubstr("--std"));
}

}  // namespace
}  // namespace xla
