#include "backends/replicated/transport/exchange.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/types/span.h"
#include "backends/host/collective_work.h"
#include "xla_core/evaluator/literal_meetings.h"
#include "xla_core/support/denormal_mode.h"
#include "xla_core/support/mix_hash.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

// Operands up to this many bytes of each member travel with the greeting: one message less, and nobody waits for a
// result to come back.
constexpr int64_t kSmallBytes = 32 << 10;
// What a greeting has room for beside them, for each member.
constexpr int64_t kSmallValues = 1 << 10;
// An all-reduce is cut into pieces of at most and at least so many bytes, and into some for each process.
constexpr int64_t kMaxPieceBytes = 1 << 20;
constexpr int64_t kMinPieceBytes = 64 << 10;
constexpr int64_t kPiecesOfEach = 4;
// Of its pieces, a process receives so many at a time.
constexpr int64_t kWindow = 4;
// Other arrays travel in messages of at most so many bytes.
constexpr int64_t kMessageBytes = 4 << 20;
// Less in one place is packed together with what is elsewhere.
constexpr int64_t kDirectBytes = 64 << 10;
constexpr int64_t kPackedBytes = 1 << 20;

constexpr uint64_t kMagic = 0x31474e495445474f;

struct Greeting {
  uint64_t magic = kMagic;
  uint64_t key = 0;
  uint64_t shapes = 0;  // a digest
  uint32_t opcode = 0;
  uint32_t action = 0;
  int64_t values_bytes = 0;   // small values, of all members of the process
  int64_t operand_bytes = 0;  // if they follow
  uint8_t has_values = 0;     // in this message
  uint8_t has_operands = 0;
  char at[222] = {};  // for messages
};

enum class Stage : uint64_t { kGreeting, kValues, kPiece, kResult, kArrays };

uint64_t Slot(uint64_t key, Stage stage, uint64_t number = 0) {
  // The last bit is left: one number of all is not for messages.
  return MixHash(MixHash(key, static_cast<uint64_t>(stage)), number) >> 1;
}

uint64_t DigestShapes(const std::vector<CollectiveArray>& arrays) {
  uint64_t digest = arrays.size();
  for (const CollectiveArray& array : arrays) {
    digest = MixHash(digest, static_cast<uint64_t>(array.shape->element_type()));
    for (int d = 0; d < array.shape->rank(); ++d) digest = MixHash(digest, array.shape->dimension(d));
    digest = MixHash(digest, array.shape->rank());
  }
  return digest;
}

int64_t TotalBytes(const std::vector<CollectiveArray>& arrays) {
  int64_t bytes = 0;
  for (const CollectiveArray& array : arrays) bytes += array.shape->ByteSize();
  return bytes;
}

// From here on operands are small values, which are needed to know what travels.
size_t FirstValue(const CollectiveCall& call) {
  if (call.action == CollectiveCall::Action::kMove) {
    if (call.instruction->opcode() == HloOpcode::kRaggedAllToAll) return 2;
    if (call.instruction->opcode() == HloOpcode::kCollectiveBroadcast) return call.results.size();
  }
  return call.operands.size();
}

bool IsAllReduce(const CollectiveCall& call) {
  return call.action == CollectiveCall::Action::kReduce && call.instruction->opcode() != HloOpcode::kReduceScatter;
}

// ---- Small values: the source and the slices of a collective-permute, and the small operands of some others.

void Append(std::string& bytes, int64_t value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof(value)); }

void AppendValues(const CollectiveCall& call, std::string& bytes) {
  Append(bytes, call.source);
  Append(bytes, static_cast<int64_t>(call.slices.size()));
  for (const CollectiveCall::Slice& slice : call.slices) {
    Append(bytes, slice.array);
    Append(bytes, static_cast<int64_t>(slice.from.size()));
    for (const int64_t i : slice.from) Append(bytes, i);
    Append(bytes, static_cast<int64_t>(slice.to.size()));
    for (const int64_t i : slice.to) Append(bytes, i);
  }
  for (size_t k = FirstValue(call); k < call.operands.size(); ++k) {
    bytes.append(static_cast<const char*>(call.operands[k].data), call.operands[k].shape->ByteSize());
  }
}

class ValueReader {
 public:
  explicit ValueReader(absl::Span<char> bytes) : bytes_(bytes) {}

  int64_t Next() {
    int64_t value = 0;
    if (char* const place = Take(sizeof(value))) std::memcpy(&value, place, sizeof(value));
    return value;
  }
  std::vector<int64_t> List() {
    const int64_t count = Next();
    if (count < 0 || count > static_cast<int64_t>(bytes_.size() / sizeof(int64_t))) failed_ = true;
    std::vector<int64_t> list;
    for (int64_t i = 0; i < count && !failed_; ++i) list.push_back(Next());
    return list;
  }
  char* Take(int64_t count) {
    if (failed_ || count > static_cast<int64_t>(bytes_.size())) {
      failed_ = true;
      return nullptr;
    }
    char* const place = bytes_.data();
    bytes_.remove_prefix(count);
    return place;
  }
  bool ok() const { return !failed_ && bytes_.empty(); }
  bool failed() const { return failed_; }

 private:
  absl::Span<char> bytes_;
  bool failed_ = false;
};

void ReadValues(ValueReader& reader, CollectiveCall& call) {
  call.source = reader.Next();
  const int64_t slices = reader.Next();
  call.slices.clear();
  for (int64_t i = 0; i < slices && !reader.failed(); ++i) {
    CollectiveCall::Slice slice;
    slice.array = static_cast<int>(reader.Next());
    slice.from = reader.List();
    slice.to = reader.List();
    call.slices.push_back(std::move(slice));
  }
  for (size_t k = FirstValue(call); k < call.operands.size(); ++k) {
    call.operands[k].data = reader.Take(call.operands[k].shape->ByteSize());
  }
}

// ---- Memory

// Addresses of this process for memory that is elsewhere; Fill gives them memory.
class AddressSpace {
 public:
  AddressSpace() = default;
  ~AddressSpace() {
    if (base_ != nullptr) munmap(base_, bytes_);
  }
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  absl::Status Reserve(int64_t bytes) {
    bytes_ = std::max<int64_t>(bytes, 1);
    void* const place = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) {
      return absl::ResourceExhaustedError(absl::StrCat("no addresses for ", bytes_, " bytes of other processes"));
    }
    base_ = static_cast<char*>(place);
    return absl::OkStatus();
  }
  absl::Status Fill() {
    if (mprotect(base_, bytes_, PROT_READ | PROT_WRITE) == 0) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat("no memory for ", bytes_, " bytes of other processes"));
  }
  char* base() const { return base_; }

 private:
  char* base_ = nullptr;
  int64_t bytes_ = 0;
};

class Reservation {
 public:
  explicit Reservation(MemoryBudget* memory) : memory_(memory) {}
  ~Reservation() {
    if (memory_ != nullptr && bytes_ > 0) memory_->Release(bytes_);
  }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  absl::Status Add(int64_t bytes) {
    if (memory_ != nullptr) RETURN_IF_ERROR(memory_->Reserve(bytes));
    bytes_ += bytes;
    return absl::OkStatus();
  }

 private:
  MemoryBudget* const memory_;
  int64_t bytes_ = 0;
};

// A message to and from memory that need not be in one place: bytes [begin, end) of each of these rows, one after the
// other.
struct Fragment {
  char* memory;
  int64_t row_bytes;
  int64_t stride;
  int64_t begin;
  int64_t end;

  int64_t bytes() const { return end - begin; }
  bool is_in_one_place() const { return row_bytes == stride || begin / row_bytes == (end - 1) / row_bytes; }
  char* place() const { return memory + begin / row_bytes * stride + begin % row_bytes; }

  // action(place, bytes) for each part that is in one place.
  template <typename Action>
  void ForEachPlace(const Action& action) const {
    for (int64_t at = begin; at < end;) {
      const int64_t row = at / row_bytes, column = at % row_bytes;
      const int64_t count = std::min(row_bytes - column, end - at);
      action(memory + row * stride + column, count);
      at += count;
    }
  }
};

using Message = std::vector<Fragment>;

int64_t BytesOf(const Message& message) {
  int64_t bytes = 0;
  for (const Fragment& fragment : message) bytes += fragment.bytes();
  return bytes;
}

bool IsInOnePlace(const Message& message) { return message.size() == 1 && message[0].is_in_one_place(); }

void Pack(const Message& message, char* to) {
  for (const Fragment& fragment : message) {
    fragment.ForEachPlace([&to](const char* place, int64_t bytes) {
      std::memcpy(to, place, bytes);
      to += bytes;
    });
  }
}

void Unpack(const char* from, const Message& message) {
  for (const Fragment& fragment : message) {
    fragment.ForEachPlace([&from](char* place, int64_t bytes) {
      std::memcpy(place, from, bytes);
      from += bytes;
    });
  }
}

// Large ones alone, small ones together. Both sides cut in the same way.
std::vector<Message> CutIntoMessages(const std::vector<CollectiveWork::Rows>& all) {
  std::vector<Message> messages;
  Message packed;
  int64_t packed_bytes = 0;
  const auto flush = [&] {
    if (!packed.empty()) messages.push_back(std::move(packed));
    packed.clear();
    packed_bytes = 0;
  };
  for (const CollectiveWork::Rows& rows : all) {
    Fragment whole = {const_cast<char*>(rows.from), rows.row_bytes, rows.stride, 0, rows.rows * rows.row_bytes};
    if (rows.rows == 1 || rows.stride == rows.row_bytes) whole.row_bytes = whole.stride = whole.end;
    const bool direct = whole.row_bytes == whole.stride && whole.bytes() >= kDirectBytes;
    const int64_t limit = direct ? kMessageBytes : kPackedBytes;
    for (int64_t begin = 0; begin < whole.end;) {
      Fragment part = whole;
      part.begin = begin;
      part.end = std::min(whole.end, begin + (direct ? limit : limit - packed_bytes));
      begin = part.end;
      if (direct) {
        messages.push_back({part});
        continue;
      }
      packed.push_back(part);
      packed_bytes += part.bytes();
      if (packed_bytes == kPackedBytes) flush();
    }
  }
  flush();
  return messages;
}

// ---- The work of one meeting

class Work {
 public:
  Work(Mesh* mesh, ThreadPool* pool, MemoryBudget* memory, const ExchangeMeeting& meeting, Exchange::GoOn go_on,
       absl::Time* met)
      : mesh_(mesh), pool_(pool), reserved_(memory), meeting_(meeting), go_on_(go_on), met_(met) {
    for (size_t m = 0; m < meeting.calls.size(); ++m) {
      const auto position = static_cast<int64_t>(m);
      if (meeting.calls[m] != nullptr) {
        mine_.push_back(position);
      } else {
        peers_[meeting.ranks[m]].push_back(position);
      }
    }
    first_ = meeting.calls[mine_[0]];
  }

  ~Work() {
    // Messages under way use the memory.
    transfers_.clear();
    greetings_.clear();
    for (Mesh::Scratch& scratch : scratch_) mesh_->ReturnScratch(std::move(scratch));
  }

  absl::Status Run() {
    RETURN_IF_ERROR(CheckMine());
    RETURN_IF_ERROR(Greet());
    *met_ = absl::Now();
    RETURN_IF_ERROR(ReadPeers());
    if (has_operands_) {
      RETURN_IF_ERROR(ComputeMine());
    } else if (IsAllReduce(*first_)) {
      RETURN_IF_ERROR(AllReduce());
    } else {
      RETURN_IF_ERROR(Move());
    }
    return AwaitAll();
  }

  absl::Status Receive();

 private:
  // ---- Messages

  absl::Status Send(int to, uint64_t slot, const void* data, int64_t bytes) {
    if (bytes == 0) return absl::OkStatus();
    ASSIGN_OR_RETURN(std::unique_ptr<Mesh::Transfer> transfer, mesh_->Send(to, slot, data, bytes));
    transfers_.push_back(std::move(transfer));
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<Mesh::Transfer>> Post(int from, uint64_t slot, void* data, int64_t bytes) {
    return mesh_->Receive(from, slot, data, bytes);
  }

  absl::Status Await(std::unique_ptr<Mesh::Transfer>& transfer) {
    RETURN_IF_ERROR(mesh_->Wait(*transfer, go_on_));
    transfer.reset();
    return absl::OkStatus();
  }

  absl::Status AwaitAll() {
    for (std::unique_ptr<Mesh::Transfer>& transfer : transfers_) RETURN_IF_ERROR(Await(transfer));
    transfers_.clear();
    return absl::OkStatus();
  }

  absl::StatusOr<char*> Memory(int64_t bytes) {
    RETURN_IF_ERROR(reserved_.Add(bytes));
    scratch_.push_back(mesh_->TakeScratch(std::max<int64_t>(bytes, 1)));
    return scratch_.back().data.get();
  }

  // ---- Greetings

  // Before anything travels, those of one process must agree, so that it can speak for them.
  absl::Status CheckMine() const {
    std::vector<int64_t> group;
    std::vector<std::vector<const Shape*>> shapes;
    for (const int64_t m : mine_) {
      group.push_back(first_->group[m]);
      shapes.emplace_back();
      for (const CollectiveArray& operand : meeting_.calls[m]->operands) shapes.back().push_back(operand.shape);
    }
    return CheckSameShapes(*first_->instruction, group, shapes);
  }

  static int64_t GreetingBytes(size_t members) {
    return sizeof(Greeting) + static_cast<int64_t>(members) * (kSmallBytes + kSmallValues);
  }

  struct Peer {
    char* greeting = nullptr;
    std::unique_ptr<Mesh::Transfer> transfer;
    absl::Span<char> values;
    absl::Span<char> operands;
  };

  absl::Status Greet() {
    const int64_t operand_bytes = TotalBytes(first_->operands);
    has_operands_ = operand_bytes <= kSmallBytes;
    Greeting greeting;
    greeting.key = meeting_.key;
    greeting.shapes = DigestShapes(first_->operands);
    greeting.opcode = static_cast<uint32_t>(first_->instruction->opcode());
    greeting.action = static_cast<uint32_t>(first_->action);
    meeting_.at.copy(greeting.at, sizeof(greeting.at) - 1);
    std::string values;
    for (const int64_t m : mine_) AppendValues(*meeting_.calls[m], values);
    const auto members = static_cast<int64_t>(mine_.size());
    greeting.values_bytes = static_cast<int64_t>(values.size());
    greeting.has_values = greeting.values_bytes <= members * kSmallValues;
    greeting.operand_bytes = operand_bytes * members;
    greeting.has_operands = has_operands_;
    // All of it, or where the sizes of the rest are.
    ASSIGN_OR_RETURN(char* const mine, Memory(GreetingBytes(mine_.size()) + greeting.values_bytes));
    std::memcpy(mine, &greeting, sizeof(greeting));
    char* next = mine + sizeof(greeting);
    char* const my_values = greeting.has_values ? next : mine + GreetingBytes(mine_.size());
    if (!values.empty()) std::memcpy(my_values, values.data(), values.size());
    if (greeting.has_values) next += values.size();
    if (has_operands_) {
      for (const int64_t m : mine_) {
        for (const CollectiveArray& operand : meeting_.calls[m]->operands) {
          const int64_t bytes = operand.shape->ByteSize();
          if (bytes > 0) std::memcpy(next, operand.data, bytes);
          next += bytes;
        }
      }
    }
    int64_t room = 0;
    for (const auto& [rank, positions] : peers_) room += GreetingBytes(positions.size());
    ASSIGN_OR_RETURN(char* place, Memory(room));
    for (const auto& [rank, positions] : peers_) {
      Peer& peer = greetings_[rank];
      peer.greeting = place;
      const int64_t bytes = GreetingBytes(positions.size());
      ASSIGN_OR_RETURN(peer.transfer, Post(rank, Slot(meeting_.key, Stage::kGreeting), place, bytes));
      place += bytes;
    }
    for (const auto& [rank, positions] : peers_) {
      RETURN_IF_ERROR(Send(rank, Slot(meeting_.key, Stage::kGreeting), mine, next - mine));
      if (!greeting.has_values) {
        RETURN_IF_ERROR(Send(rank, Slot(meeting_.key, Stage::kValues), my_values, greeting.values_bytes));
      }
    }
    for (const auto& [rank, positions] : peers_) {
      Peer& peer = greetings_[rank];
      RETURN_IF_ERROR(Await(peer.transfer));
      RETURN_IF_ERROR(Understand(rank, greeting, peer));
    }
    return absl::OkStatus();
  }

  absl::Status Understand(int rank, const Greeting& mine, Peer& peer) {
    Greeting theirs;
    std::memcpy(&theirs, peer.greeting, sizeof(theirs));
    theirs.at[sizeof(theirs.at) - 1] = 0;
    const std::vector<int64_t>& positions = peers_.at(rank);
    if (theirs.magic != kMagic || theirs.key != mine.key) {
      return absl::InternalError(absl::StrCat(meeting_.at, ": rank ", rank, " sent something else to this meeting"));
    }
    if (theirs.shapes != mine.shapes || theirs.opcode != mine.opcode || theirs.action != mine.action ||
        theirs.operand_bytes / static_cast<int64_t>(positions.size()) !=
            mine.operand_bytes / static_cast<int64_t>(mine_.size())) {
      return absl::InvalidArgumentError(absl::StrCat(
          meeting_.at, " on ", meeting_.name_device(first_->group[mine_[0]]), " (rank ", meeting_.rank, ") meets ",
          theirs.at, " on ", meeting_.name_device(first_->group[positions[0]]), " (rank ", rank,
          "); all devices of a group must run the same collective with operands of the same shapes"));
    }
    char* next = peer.greeting + sizeof(theirs);
    if (theirs.values_bytes < 0 || theirs.values_bytes > kMaxValues) {
      return absl::InternalError(absl::StrCat(meeting_.at, ": rank ", rank, " sends ", theirs.values_bytes, " bytes"));
    }
    if (theirs.has_values) {
      peer.values = absl::MakeSpan(next, theirs.values_bytes);
      next += theirs.values_bytes;
    } else {
      ASSIGN_OR_RETURN(char* const place, Memory(theirs.values_bytes));
      peer.values = absl::MakeSpan(place, theirs.values_bytes);
      ASSIGN_OR_RETURN(peer.transfer, Post(rank, Slot(meeting_.key, Stage::kValues), place,
                                           std::max<int64_t>(1, theirs.values_bytes)));
      RETURN_IF_ERROR(Await(peer.transfer));
    }
    if (theirs.has_operands) peer.operands = absl::MakeSpan(next, theirs.operand_bytes);
    return absl::OkStatus();
  }

  // Calls for the members elsewhere, with the operands that have come.
  absl::Status ReadPeers() {
    calls_.resize(meeting_.calls.size());
    for (const int64_t m : mine_) calls_[m] = *meeting_.calls[m];
    for (auto& [rank, peer] : greetings_) {
      ValueReader values(peer.values);
      char* operands = peer.operands.data();
      for (const int64_t m : peers_.at(rank)) {
        CollectiveCall& call = calls_[m];
        call = *first_;
        call.position = m;
        ReadValues(values, call);
        for (CollectiveArray& result : call.results) result.data = nullptr;
        if (!has_operands_) continue;
        for (CollectiveArray& operand : call.operands) {
          operand.data = operands;
          operands += operand.shape->ByteSize();
        }
      }
      if (!values.ok()) {
        return absl::InternalError(absl::StrCat(meeting_.at, ": rank ", rank, " sent values that do not fit"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ComputeMine() const { return Compute(calls_); }

  absl::Status Compute(const std::vector<CollectiveCall>& calls) const {
    ASSIGN_OR_RETURN(const CollectiveWork work, Plan(calls, mine_));
    // Threads of the pool may flush denormals for the run that they work for otherwise.
    const auto run = [&work](int64_t begin, int64_t end) {
      const DenormalMode mode(DenormalMode::kKeep);
      work.Run(begin, end);
    };
    if (work.part_count() == 1) {
      run(0, 1);
    } else {
      pool_->ParallelFor(work.part_count(), 1, run);
    }
    return absl::OkStatus();
  }

  static absl::StatusOr<CollectiveWork> Plan(const std::vector<CollectiveCall>& calls,
                                             absl::Span<const int64_t> wanted) {
    std::vector<const CollectiveCall*> pointers;
    for (const CollectiveCall& call : calls) pointers.push_back(&call);
    return CollectiveWork::Make(pointers, wanted);
  }

  // ---- A large all-reduce

  struct Piece {
    struct Run {
      size_t operand;
      int64_t first;  // element
      int64_t count;
    };
    std::vector<Run> runs;
    int64_t bytes = 0;
    int owner = 0;
  };

  std::vector<Piece> CutIntoPieces() const {
    std::vector<int> ranks = {meeting_.rank};
    for (const auto& [rank, positions] : peers_) ranks.push_back(rank);
    std::sort(ranks.begin(), ranks.end());
    const int64_t total = TotalBytes(first_->operands);
    const auto count = static_cast<int64_t>(ranks.size()) * kPiecesOfEach;
    const int64_t size = std::min(kMaxPieceBytes, std::max(kMinPieceBytes, (total + count - 1) / count));
    std::vector<Piece> pieces;
    for (size_t k = 0; k < first_->operands.size(); ++k) {
      const Shape& shape = *first_->operands[k].shape;
      const int64_t width = ByteWidth(shape.element_type());
      for (int64_t first = 0; first < shape.ElementCount();) {
        if (pieces.empty() || pieces.back().bytes + width > size) pieces.emplace_back();
        Piece& piece = pieces.back();
        const int64_t elements = std::min(shape.ElementCount() - first, (size - piece.bytes) / width);
        piece.runs.push_back({k, first, elements});
        piece.bytes += elements * width;
        first += elements;
      }
    }
    for (size_t i = 0; i < pieces.size(); ++i) pieces[i].owner = ranks[i % ranks.size()];
    return pieces;
  }

  static Message MessageOf(const Piece& piece, const std::vector<CollectiveArray>& arrays) {
    Message message;
    for (const Piece::Run& run : piece.runs) {
      const int64_t width = ByteWidth(arrays[run.operand].shape->element_type());
      const int64_t bytes = run.count * width;
      message.push_back({static_cast<char*>(arrays[run.operand].data) + run.first * width, bytes, bytes, 0, bytes});
    }
    return message;
  }

  absl::Status SendMessage(int to, uint64_t slot, const Message& message) {
    if (IsInOnePlace(message)) return Send(to, slot, message[0].place(), message[0].bytes());
    const int64_t bytes = BytesOf(message);
    ASSIGN_OR_RETURN(char* const packed, Memory(bytes));
    Pack(message, packed);
    return Send(to, slot, packed, bytes);
  }

  absl::Status AllReduce() {
    const std::vector<Piece> pieces = CutIntoPieces();
    int64_t largest = 0;
    for (const Piece& piece : pieces) largest = std::max(largest, piece.bytes);
    std::vector<size_t> own;
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].owner == meeting_.rank) own.push_back(i);
    }
    // One place for each member elsewhere, in each of the pieces that are received at a time.
    const auto elsewhere = static_cast<int64_t>(calls_.size() - mine_.size());
    const int64_t window = std::min(kWindow, static_cast<int64_t>(own.size()));
    ASSIGN_OR_RETURN(char* const places, Memory(window * elsewhere * largest));
    std::vector<std::vector<std::unique_ptr<Mesh::Transfer>>> arrivals(own.size());
    const auto place_of = [&](size_t nth, int64_t member) {
      return places + (static_cast<int64_t>(nth) % window * elsewhere + member) * largest;
    };
    const auto post = [&](size_t nth) -> absl::Status {
      int64_t member = 0;
      for (const auto& [rank, positions] : peers_) {
        for (const int64_t m : positions) {
          ASSIGN_OR_RETURN(std::unique_ptr<Mesh::Transfer> transfer,
                           Post(rank, Slot(meeting_.key, Stage::kPiece, own[nth] * calls_.size() + m),
                                place_of(nth, member++), pieces[own[nth]].bytes));
          arrivals[nth].push_back(std::move(transfer));
        }
      }
      return absl::OkStatus();
    };
    for (int64_t nth = 0; nth < window; ++nth) RETURN_IF_ERROR(post(nth));
    // Results of the others, and what they need of this process.
    std::vector<std::unique_ptr<Mesh::Transfer>> results(pieces.size());
    std::vector<const char*> packed(pieces.size());
    for (size_t i = 0; i < pieces.size(); ++i) {
      const Piece& piece = pieces[i];
      if (piece.owner == meeting_.rank) continue;
      const Message message = MessageOf(piece, first_->results);
      char* place = message[0].place();
      if (!IsInOnePlace(message)) {
        ASSIGN_OR_RETURN(place, Memory(piece.bytes));
        packed[i] = place;
      }
      ASSIGN_OR_RETURN(results[i], Post(piece.owner, Slot(meeting_.key, Stage::kResult, i), place, piece.bytes));
      for (const int64_t m : mine_) {
        RETURN_IF_ERROR(SendMessage(piece.owner, Slot(meeting_.key, Stage::kPiece, i * calls_.size() + m),
                                    MessageOf(piece, calls_[m].operands)));
      }
    }
    for (size_t nth = 0; nth < own.size(); ++nth) {
      for (std::unique_ptr<Mesh::Transfer>& arrival : arrivals[nth]) RETURN_IF_ERROR(Await(arrival));
      const Piece& piece = pieces[own[nth]];
      RETURN_IF_ERROR(FoldPiece(piece, [&](int64_t member) { return place_of(nth, member); }));
      const Message message = MessageOf(piece, first_->results);
      for (const auto& [rank, positions] : peers_) {
        RETURN_IF_ERROR(SendMessage(rank, Slot(meeting_.key, Stage::kResult, own[nth]), message));
      }
      if (nth + window < own.size()) RETURN_IF_ERROR(post(nth + window));
    }
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (results[i] == nullptr) continue;
      RETURN_IF_ERROR(Await(results[i]));
      const Message message = MessageOf(pieces[i], first_->results);
      if (packed[i] != nullptr) Unpack(packed[i], message);
      for (const int64_t m : mine_) {
        if (meeting_.calls[m] == first_) continue;
        const Message other = MessageOf(pieces[i], calls_[m].results);
        for (size_t f = 0; f < message.size(); ++f) {
          std::memcpy(other[f].place(), message[f].place(), message[f].bytes());
        }
      }
    }
    return absl::OkStatus();
  }

  // The operands of members elsewhere are at place_of(n), n counting them by rank.
  template <typename PlaceOf>
  absl::Status FoldPiece(const Piece& piece, const PlaceOf& place_of) const {
    std::vector<Shape> shapes;
    shapes.reserve(piece.runs.size());
    for (const Piece::Run& run : piece.runs) {
      shapes.push_back(Shape::Array(first_->operands[run.operand].shape->element_type(), {run.count}));
    }
    std::vector<CollectiveCall> calls(calls_.size());
    const auto arrays_of = [&](const std::vector<CollectiveArray>& arrays) {
      std::vector<CollectiveArray> parts;
      const Message message = MessageOf(piece, arrays);
      for (size_t r = 0; r < message.size(); ++r) parts.push_back({&shapes[r], message[r].place()});
      return parts;
    };
    const auto begin_call = [&](int64_t m) -> CollectiveCall& {
      CollectiveCall& call = calls[m];
      call.action = CollectiveCall::Action::kReduce;
      call.instruction = first_->instruction;
      call.group = first_->group;
      call.position = m;
      call.reducer = calls_[m].reducer;
      return call;
    };
    for (const int64_t m : mine_) {
      CollectiveCall& call = begin_call(m);
      call.operands = arrays_of(calls_[m].operands);
      call.results = arrays_of(calls_[m].results);
    }
    int64_t member = 0;
    for (const auto& [rank, positions] : peers_) {
      for (const int64_t m : positions) {
        CollectiveCall& call = begin_call(m);
        char* place = place_of(member++);
        for (const Shape& shape : shapes) {
          call.operands.push_back({&shape, place});
          place += shape.ByteSize();
        }
      }
    }
    return Compute(calls);
  }

  // ---- Everything else that is large

  // An operand that may travel, and where its addresses begin, as an offset that is the same in all processes.
  struct Place {
    int64_t offset;
    size_t member;
    size_t operand;
  };

  std::vector<Place> LayOut(int64_t& bytes) const {
    constexpr int64_t kAlignment = 4096;
    std::vector<Place> places;
    for (size_t m = 0; m < calls_.size(); ++m) {
      for (size_t k = 0; k < FirstValue(calls_[m]); ++k) {
        places.push_back({bytes, m, k});
        bytes += (calls_[m].operands[k].shape->ByteSize() + kAlignment - 1) / kAlignment * kAlignment;
      }
    }
    return places;
  }

  absl::Status Move() {
    int64_t bytes = 0, result_bytes = 0;
    const std::vector<Place> places = LayOut(bytes);
    for (const CollectiveArray& result : first_->results) result_bytes += result.shape->ByteSize();
    AddressSpace operands, results;
    RETURN_IF_ERROR(operands.Reserve(bytes));
    RETURN_IF_ERROR(results.Reserve(result_bytes));
    std::vector<CollectiveCall> plan = calls_;
    for (const Place& place : places) plan[place.member].operands[place.operand].data = operands.base() + place.offset;
    for (CollectiveCall& call : plan) {
      call.reducer = first_->reducer;
      // Members' results may share addresses: nothing is written there.
      char* next = results.base();
      for (CollectiveArray& result : call.results) {
        result.data = next;
        next += result.shape->ByteSize();
      }
    }
    const auto place_of = [&](const char* address) {
      return *--std::upper_bound(places.begin(), places.end(), address - operands.base(),
                                 [](int64_t offset, const Place& place) { return offset < place.offset; });
    };
    // Rows that members at `readers` read of operands of a rank, once each.
    const auto rows_of = [&](int rank,
                             absl::Span<const int64_t> readers) -> absl::StatusOr<std::vector<CollectiveWork::Rows>> {
      ASSIGN_OR_RETURN(const CollectiveWork work, Plan(plan, readers));
      std::vector<CollectiveWork::Rows> found;
      std::set<std::tuple<const char*, int64_t, int64_t, int64_t>> known;
      for (const CollectiveWork::Rows& rows : work.Reads()) {
        if (meeting_.ranks[place_of(rows.from).member] != rank) continue;
        if (known.insert({rows.from, rows.rows, rows.row_bytes, rows.stride}).second) found.push_back(rows);
      }
      return found;
    };
    struct Arrival {
      std::unique_ptr<Mesh::Transfer> transfer;
      Message message;
      const char* packed;
    };
    std::vector<Arrival> arrivals;
    RETURN_IF_ERROR(operands.Fill());
    for (const auto& [rank, positions] : peers_) {
      ASSIGN_OR_RETURN(const std::vector<CollectiveWork::Rows> rows, rows_of(rank, mine_));
      uint64_t number = 0;
      for (Message& message : CutIntoMessages(rows)) {
        const int64_t size = BytesOf(message);
        Arrival arrival = {nullptr, std::move(message), nullptr};
        RETURN_IF_ERROR(reserved_.Add(size));
        char* place = arrival.message[0].place();
        if (!IsInOnePlace(arrival.message)) {
          ASSIGN_OR_RETURN(place, Memory(size));
          arrival.packed = place;
        }
        ASSIGN_OR_RETURN(arrival.transfer, Post(rank, Slot(meeting_.key, Stage::kArrays, number++), place, size));
        arrivals.push_back(std::move(arrival));
      }
    }
    for (const auto& [rank, positions] : peers_) {
      ASSIGN_OR_RETURN(std::vector<CollectiveWork::Rows> rows, rows_of(meeting_.rank, positions));
      for (CollectiveWork::Rows& r : rows) {
        const Place place = place_of(r.from);
        const char* const real = static_cast<const char*>(calls_[place.member].operands[place.operand].data);
        r.from = real + (r.from - operands.base() - place.offset);
      }
      uint64_t number = 0;
      for (const Message& message : CutIntoMessages(rows)) {
        RETURN_IF_ERROR(SendMessage(rank, Slot(meeting_.key, Stage::kArrays, number++), message));
      }
    }
    for (Arrival& arrival : arrivals) {
      RETURN_IF_ERROR(Await(arrival.transfer));
      if (arrival.packed != nullptr) Unpack(arrival.packed, arrival.message);
    }
    std::vector<CollectiveCall> real = calls_;
    for (const auto& [rank, positions] : peers_) {
      for (const int64_t m : positions) real[m].operands = plan[m].operands;
    }
    return Compute(real);
  }

  // More would be more slices than a program can name.
  static constexpr int64_t kMaxValues = int64_t{1} << 30;

  Mesh* const mesh_;
  ThreadPool* const pool_;
  Reservation reserved_;
  const ExchangeMeeting& meeting_;
  const Exchange::GoOn go_on_;
  absl::Time* const met_;
  std::vector<int64_t> mine_;                  // positions
  std::map<int, std::vector<int64_t>> peers_;  // by rank
  const CollectiveCall* first_;                // of this process
  bool has_operands_ = false;                  // in the greetings
  std::map<int, Peer> greetings_;
  std::vector<CollectiveCall> calls_;  // of all members
  std::vector<std::unique_ptr<Mesh::Transfer>> transfers_;
  std::vector<Mesh::Scratch> scratch_;
};

// The sender's greeting says what it sends; who receives it does not answer.
absl::Status Work::Receive() {
  const int sender = meeting_.ranks[0];
  const int64_t room = GreetingBytes(1);
  ASSIGN_OR_RETURN(char* const place, Memory(room));
  ASSIGN_OR_RETURN(std::unique_ptr<Mesh::Transfer> greeting,
                   Post(sender, Slot(meeting_.key, Stage::kGreeting), place, room));
  RETURN_IF_ERROR(Await(greeting));
  *met_ = absl::Now();
  Greeting theirs;
  std::memcpy(&theirs, place, sizeof(theirs));
  theirs.at[sizeof(theirs.at) - 1] = 0;
  if (theirs.magic != kMagic || theirs.key != meeting_.key) {
    return absl::InternalError(absl::StrCat(meeting_.at, ": rank ", sender, " sent something else to this meeting"));
  }
  const std::vector<CollectiveArray>& results = first_->results;
  if (theirs.shapes != DigestShapes(results) || theirs.operand_bytes != TotalBytes(results)) {
    return absl::InvalidArgumentError(absl::StrCat(first_->instruction->name(), ": expected ", DescribeShapes(results),
                                                   ", but device ", first_->group[0], " sent ", theirs.at));
  }
  if (theirs.has_operands) {
    const char* next = place + sizeof(theirs);
    for (const CollectiveArray& result : results) {
      const int64_t bytes = result.shape->ByteSize();
      if (bytes > 0) std::memcpy(result.data, next, bytes);
      next += bytes;
    }
    return absl::OkStatus();
  }
  std::vector<std::unique_ptr<Mesh::Transfer>> arrivals;
  uint64_t number = 0;
  for (const CollectiveArray& result : results) {
    for (int64_t begin = 0; begin < result.shape->ByteSize(); begin += kMessageBytes) {
      ASSIGN_OR_RETURN(
          std::unique_ptr<Mesh::Transfer> arrival,
          Post(sender, Slot(meeting_.key, Stage::kArrays, number++), static_cast<char*>(result.data) + begin,
               std::min(kMessageBytes, result.shape->ByteSize() - begin)));
      arrivals.push_back(std::move(arrival));
    }
  }
  for (std::unique_ptr<Mesh::Transfer>& arrival : arrivals) RETURN_IF_ERROR(Await(arrival));
  return absl::OkStatus();
}

class SentArrays : public Exchange::Sent {
 public:
  explicit SentArrays(Mesh* mesh) : mesh_(mesh) {}

  absl::Status Post(const ExchangeMeeting& meeting) {
    const CollectiveCall& call = *meeting.calls[0];
    const int receiver = meeting.ranks[1];
    Greeting greeting;
    greeting.key = meeting.key;
    greeting.shapes = DigestShapes(call.operands);
    greeting.operand_bytes = TotalBytes(call.operands);
    greeting.has_operands = greeting.operand_bytes <= kSmallBytes;
    DescribeShapes(call.operands).copy(greeting.at, sizeof(greeting.at) - 1);
    bytes_ = greeting.operand_bytes;
    const auto header = static_cast<int64_t>(sizeof(greeting));
    data_.reset(new char[header + bytes_]);
    std::memcpy(data_.get(), &greeting, sizeof(greeting));
    int64_t at = header;
    for (const CollectiveArray& operand : call.operands) {
      const int64_t bytes = operand.shape->ByteSize();
      if (bytes > 0) std::memcpy(data_.get() + at, operand.data, bytes);
      at += bytes;
    }
    const int64_t first = header + (greeting.has_operands ? bytes_ : 0);
    RETURN_IF_ERROR(Send(receiver, Slot(meeting.key, Stage::kGreeting), data_.get(), first));
    if (greeting.has_operands) return absl::OkStatus();
    const char* place = data_.get() + header;
    uint64_t number = 0;
    for (const CollectiveArray& operand : call.operands) {
      for (int64_t begin = 0; begin < operand.shape->ByteSize(); begin += kMessageBytes) {
        const int64_t bytes = std::min(kMessageBytes, operand.shape->ByteSize() - begin);
        RETURN_IF_ERROR(Send(receiver, Slot(meeting.key, Stage::kArrays, number++), place + begin, bytes));
      }
      place += operand.shape->ByteSize();
    }
    return absl::OkStatus();
  }

  absl::Status Await(Exchange::GoOn go_on) override {
    for (const std::unique_ptr<Mesh::Transfer>& transfer : transfers_) {
      RETURN_IF_ERROR(mesh_->Wait(*transfer, go_on));
    }
    return absl::OkStatus();
  }
  int64_t bytes() const override { return bytes_; }

 private:
  absl::Status Send(int to, uint64_t slot, const void* data, int64_t bytes) {
    ASSIGN_OR_RETURN(std::unique_ptr<Mesh::Transfer> transfer, mesh_->Send(to, slot, data, bytes));
    transfers_.push_back(std::move(transfer));
    return absl::OkStatus();
  }

  Mesh* const mesh_;
  int64_t bytes_ = 0;
  std::unique_ptr<char[]> data_;
  std::vector<std::unique_ptr<Mesh::Transfer>> transfers_;  // before the memory goes
};

}  // namespace

std::string DescribeShapes(const std::vector<CollectiveArray>& arrays) {
  const auto add = [](std::string* out, const CollectiveArray& array) {
    absl::StrAppend(out, array.shape->ToString());
  };
  constexpr size_t kMost = 150;
  if (arrays.size() == 1) return arrays[0].shape->ToString().substr(0, kMost);
  // As many as fit.
  const size_t count = std::min<size_t>(arrays.size(), 16);
  std::string text = absl::StrJoin(arrays.begin(), arrays.begin() + count, ", ", add);
  if (count < arrays.size() || text.size() > kMost) text = absl::StrCat(text.substr(0, kMost), ", ...");
  return absl::StrCat("(", text, ")");
}

absl::Status Exchange::Run(const ExchangeMeeting& meeting, GoOn go_on, absl::Time* met) const {
  return Work(mesh_, pool_, memory_, meeting, go_on, met).Run();
}

absl::Status Exchange::Receive(const ExchangeMeeting& meeting, GoOn go_on, absl::Time* met) const {
  return Work(mesh_, pool_, memory_, meeting, go_on, met).Receive();
}

absl::StatusOr<std::unique_ptr<Exchange::Sent>> Exchange::Send(const ExchangeMeeting& meeting) const {
  auto sent = std::make_unique<SentArrays>(mesh_);
  RETURN_IF_ERROR(sent->Post(meeting));
  return std::unique_ptr<Sent>(std::move(sent));
}

}  // namespace transport
}  // namespace xla
