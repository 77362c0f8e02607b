#include "backends/replicated/transport/mesh_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace transport {
namespace {

using End = MeshConnection::End;
using ::testing::HasSubstr;

// Two ends of a connection in one process.
class MeshConnectionTest : public ::testing::Test {
 protected:
  MeshConnectionTest() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    raw_ = ends[0];
    a_ = std::make_unique<MeshConnection>(0, Socket(ends[0]));
    b_ = std::make_unique<MeshConnection>(1, Socket(ends[1]));
  }

  static End Sender(uint64_t slot, std::string& bytes, Delivery delivery) {
    return {true, slot, delivery, &bytes[0], static_cast<int64_t>(bytes.size()), false, absl::OkStatus()};
  }
  static End Receiver(uint64_t slot, std::string& room, Delivery delivery) {
    End end = Sender(slot, room, delivery);
    end.is_sender = false;
    return end;
  }
  // Until nothing more happens.
  void Move() {
    for (int i = 0; i < 1000; ++i) {
      for (MeshConnection* const c : {a_.get(), b_.get()}) {
        if (c->loss().ok()) c->Write();
        if (c->loss().ok()) c->Read();
      }
    }
  }

  int raw_;
  std::unique_ptr<MeshConnection> a_, b_;
};

TEST_F(MeshConnectionTest, KeepsWhatComesBeforeItIsExpected) {
  for (const size_t size : {size_t{1}, size_t{1000}, size_t{3000000}}) {
    std::string bytes(size, 'a'), room(size + 5, 0);
    End sender = Sender(size, bytes, Delivery::kAtOnce), receiver = Receiver(size, room, Delivery::kAtOnce);
    a_->Send(&sender);
    Move();
    EXPECT_TRUE(sender.is_over);
    b_->Receive(&receiver);
    EXPECT_TRUE(receiver.is_over && receiver.status.ok());
    EXPECT_EQ(receiver.bytes, static_cast<int64_t>(size));
    EXPECT_EQ(room.substr(0, size), bytes);
  }
}

TEST_F(MeshConnectionTest, SendsWhenItIsExpected) {
  std::string bytes(3000000, 'a'), other = "bb", room(bytes.size(), 0), other_room(2, 0);
  End sender = Sender(1, bytes, Delivery::kWhenExpected), other_sender = Sender(2, other, Delivery::kWhenExpected);
  a_->Send(&sender);
  a_->Send(&other_sender);
  Move();
  EXPECT_FALSE(sender.is_over || other_sender.is_over);
  End receiver = Receiver(1, room, Delivery::kWhenExpected),
      other_receiver = Receiver(2, other_room, Delivery::kWhenExpected);
  b_->Receive(&other_receiver);
  Move();
  EXPECT_TRUE(other_sender.is_over && other_receiver.is_over);
  EXPECT_EQ(other_room, other);
  EXPECT_FALSE(sender.is_over);
  b_->Receive(&receiver);
  Move();
  EXPECT_TRUE(sender.is_over && receiver.is_over);
  EXPECT_EQ(room, bytes);
}

TEST_F(MeshConnectionTest, SendsAtOnceWhatIsExpectedAlready) {
  std::string bytes(10, 'a'), room(10, 0);
  End receiver = Receiver(1, room, Delivery::kWhenExpected);
  b_->Receive(&receiver);
  Move();
  EXPECT_TRUE(a_->IsExpected(1));
  End sender = Sender(1, bytes, Delivery::kWhenExpected);
  a_->Send(&sender);
  EXPECT_TRUE(sender.is_over);
  EXPECT_FALSE(a_->IsExpected(1));
  Move();
  EXPECT_EQ(room, bytes);
}

TEST_F(MeshConnectionTest, TakesAMessageThatIsExpectedWhileItComes) {
  std::string bytes(8000000, 'a'), room(bytes.size(), 0);
  End sender = Sender(1, bytes, Delivery::kAtOnce), receiver = Receiver(1, room, Delivery::kAtOnce);
  a_->Send(&sender);
  b_->Read();
  b_->Receive(&receiver);
  EXPECT_FALSE(receiver.is_over);
  Move();
  EXPECT_TRUE(receiver.is_over && receiver.status.ok());
  EXPECT_EQ(room, bytes);
}

TEST_F(MeshConnectionTest, TellsBothWhenTheOtherSideLeaves) {
  std::string bytes(8000000, 'a'), room(10, 0);
  End sender = Sender(1, bytes, Delivery::kAtOnce), receiver = Receiver(2, room, Delivery::kAtOnce);
  a_->Send(&sender);
  a_->Receive(&receiver);
  b_.reset();
  a_->Read();
  EXPECT_TRUE(sender.is_over && receiver.is_over);
  EXPECT_TRUE(absl::IsUnavailable(receiver.status));
  EXPECT_THAT(receiver.status.ToString(), HasSubstr("the connection with rank 0 is lost: "));
  End late = Receiver(3, room, Delivery::kAtOnce);
  a_->Receive(&late);
  EXPECT_EQ(late.status, receiver.status);
}

TEST_F(MeshConnectionTest, GivesWhatCameBeforeTheOtherSideLeft) {
  std::string bytes(10, 'a'), room(10, 0);
  End sender = Sender(1, bytes, Delivery::kAtOnce), receiver = Receiver(1, room, Delivery::kAtOnce);
  a_->Send(&sender);
  a_.reset();
  b_->Read();
  b_->Read();
  EXPECT_FALSE(b_->loss().ok());
  b_->Receive(&receiver);
  EXPECT_TRUE(receiver.status.ok());
  EXPECT_EQ(room, bytes);
}

TEST_F(MeshConnectionTest, DoesNotWriteBeyondTheRoom) {
  std::string bytes(11, 'a'), room(10, 0);
  End sender = Sender(1, bytes, Delivery::kAtOnce), receiver = Receiver(1, room, Delivery::kAtOnce);
  b_->Receive(&receiver);
  a_->Send(&sender);
  Move();
  EXPECT_EQ(receiver.status, absl::InternalError("rank 1 sent 11 bytes in a message, expected at most 10"));
}

TEST_F(MeshConnectionTest, EndsWithWhatIsNotAMessage) {
  EXPECT_EQ(write(raw_, "012345678901234567890123", 24), 24);
  b_->Read();
  EXPECT_EQ(b_->loss(), absl::InternalError("rank 1 sent what is not a message"));
}

TEST_F(MeshConnectionTest, ForgetsWhatHasNotBegun) {
  std::string bytes(10, 'a'), room(10, 0);
  End sender = Sender(1, bytes, Delivery::kWhenExpected), receiver = Receiver(2, room, Delivery::kAtOnce);
  a_->Send(&sender);
  a_->Receive(&receiver);
  a_->Forget(&sender);
  a_->Forget(&receiver);
  End expecting = Receiver(1, room, Delivery::kWhenExpected), unexpected = Sender(2, bytes, Delivery::kAtOnce);
  b_->Receive(&expecting);
  b_->Send(&unexpected);
  Move();
  EXPECT_TRUE(unexpected.is_over && unexpected.status.ok());
  EXPECT_FALSE(expecting.is_over || sender.is_over || receiver.is_over);
  EXPECT_TRUE(a_->loss().ok());
}

TEST_F(MeshConnectionTest, IsLostWhenAMessageIsGivenUpInItsMiddle) {
  std::string bytes(8000000, 'a');
  End sender = Sender(1, bytes, Delivery::kAtOnce);
  a_->Send(&sender);
  a_->Forget(&sender);
  EXPECT_TRUE(absl::IsUnavailable(a_->loss()));
}

}  // namespace
}  // namespace transport
}  // namespace xla
