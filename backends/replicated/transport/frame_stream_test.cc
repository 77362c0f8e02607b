#include "backends/replicated/transport/frame_stream.h"

#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace transport {
namespace {

using ::testing::ElementsAre;

constexpr char kOpening[] = "haloctl1";

// A stream, and the socket at its other end.
struct Ends {
  Ends() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    stream = std::make_unique<FrameStream>(Socket(ends[0]), 100);
    other = Socket(ends[1]);
  }

  void Say(const std::string& bytes) const {
    EXPECT_EQ(write(other.descriptor(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  std::vector<std::string> Take() const {
    std::vector<std::string> frames;
    stream->Receive([&frames](absl::string_view frame) {
      frames.emplace_back(frame);
      return frame != "nonsense";
    });
    return frames;
  }

  std::unique_ptr<FrameStream> stream;
  Socket other;
};

std::string Frame(const std::string& text) {
  const auto length = static_cast<uint32_t>(text.size());
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + text;
}

TEST(FrameStreamTest, TakesFramesThatComeInPieces) {
  Ends ends;
  const std::string all = kOpening + Frame("one") + Frame("") + Frame(std::string(100, 'x'));
  std::vector<std::string> frames;
  for (const char c : all) {
    ends.Say(std::string(1, c));
    for (std::string& frame : ends.Take()) frames.push_back(std::move(frame));
  }
  EXPECT_THAT(frames, ElementsAre("one", "", std::string(100, 'x')));
  EXPECT_TRUE(ends.stream->is_open());
}

TEST(FrameStreamTest, TakesWhatCameBeforeTheOtherSideLeft) {
  Ends ends;
  ends.Say(kOpening + Frame("last"));
  ends.other.Close();
  EXPECT_THAT(ends.Take(), ElementsAre("last"));
  ends.Take();
  EXPECT_FALSE(ends.stream->is_open());
}

TEST(FrameStreamTest, EndsWithAnotherProtocol) {
  for (const char* opening : {"GET / HTTP/1.1\r\n", "\xff", "haloctl2"}) {
    Ends ends;
    ends.Say(opening);
    EXPECT_THAT(ends.Take(), ElementsAre());
    EXPECT_FALSE(ends.stream->is_open());
  }
}

TEST(FrameStreamTest, EndsWithALongFrameBeforeItComes) {
  Ends ends;
  ends.Say(kOpening + Frame("fine") + Frame(std::string(101, 'x')).substr(0, 4));
  EXPECT_THAT(ends.Take(), ElementsAre("fine"));
  EXPECT_FALSE(ends.stream->is_open());
}

TEST(FrameStreamTest, EndsWithAFrameThatIsNotTaken) {
  Ends ends;
  ends.Say(kOpening + Frame("nonsense") + Frame("more"));
  EXPECT_THAT(ends.Take(), ElementsAre("nonsense"));
  EXPECT_FALSE(ends.stream->is_open());
}

TEST(FrameStreamTest, SendsWhatDoesNotGoAtOnceLater) {
  Ends ends;
  const std::string frame(3 << 20, 'y');
  ends.stream->Send(frame);
  EXPECT_GT(ends.stream->unsent_bytes(), 0);
  std::string got;
  char buffer[65536];
  while (ends.stream->unsent_bytes() > 0 || got.size() < frame.size() + 12) {
    const ssize_t count = read(ends.other.descriptor(), buffer, sizeof(buffer));
    if (count > 0) got.append(buffer, static_cast<size_t>(count));
    ends.stream->Flush();
  }
  EXPECT_EQ(got, kOpening + Frame(frame));
}

TEST(FrameStreamTest, GetsNoSignalWhenTheOtherSideHasLeft) {
  Ends ends;
  ends.other.Close();
  ends.stream->Send("lost");
  ends.Take();
  EXPECT_FALSE(ends.stream->is_open());
}

}  // namespace
}  // namespace transport
}  // namespace xla
