// A fake Protobuf: functions under the names that libprotobuf.so.32 gives to its own. Whoever mixes them up
// calls one of these, and ends.
#include <cstdio>
#include <cstdlib>

namespace google {
namespace protobuf {

[[noreturn]] inline void Mixed(const char* function) {
  std::fprintf(stderr, "%s of another Protobuf was called\n", function);
  std::abort();
}

class Message;
class MessageLite {
 public:
  bool ParseFromArray(const void* data, int size);
  bool ParsePartialFromArray(const void* data, int size);
  bool SerializePartialToArray(void* data, int size) const;
};
class Message {
 public:
  void CopyFrom(const Message& from);
};
class TextFormat {
 public:
  class Printer {
   public:
    Printer();
  };
  class Parser {
   public:
    Parser();
  };
};
namespace internal {
class OnShutdown;
void VerifyVersion(int header_version, int min_library_version, const char* file_name);
struct DescriptorTable;
struct AddDescriptorsRunner {
  explicit AddDescriptorsRunner(const DescriptorTable* table);
};
}  // namespace internal

bool MessageLite::ParseFromArray(const void*, int) { Mixed("ParseFromArray"); }
bool MessageLite::ParsePartialFromArray(const void*, int) { Mixed("ParsePartialFromArray"); }
bool MessageLite::SerializePartialToArray(void*, int) const { Mixed("SerializePartialToArray"); }
void Message::CopyFrom(const Message&) { Mixed("CopyFrom"); }
TextFormat::Printer::Printer() { Mixed("TextFormat::Printer"); }
TextFormat::Parser::Parser() { Mixed("TextFormat::Parser"); }
namespace internal {
void VerifyVersion(int, int, const char*) { Mixed("VerifyVersion"); }
AddDescriptorsRunner::AddDescriptorsRunner(const DescriptorTable*) { Mixed("AddDescriptorsRunner"); }
}  // namespace internal

}  // namespace protobuf
}  // namespace google
