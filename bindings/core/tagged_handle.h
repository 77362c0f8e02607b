// TaggedHandle: the first bytes of what the handles of a C interface point to.
#ifndef BINDINGS_CORE_TAGGED_HANDLE_H_
#define BINDINGS_CORE_TAGGED_HANDLE_H_

#include <cstdint>

namespace xla {

// A tag of the handle's kind: a handle of another kind, or one that was freed a moment ago, is an error instead of a
// crash. The destructor clears the tag, so that a use after the end is noticed as long as nothing else has taken the
// memory; it is a help against mistakes, not a guarantee. kTag is four ASCII letters, 0x68616d6f for "hamo".
template <uint32_t kTag>
class TaggedHandle {
 public:
  TaggedHandle() = default;
  TaggedHandle(const TaggedHandle&) = delete;
  TaggedHandle& operator=(const TaggedHandle&) = delete;
  ~TaggedHandle() { tag_ = 0; }
  bool has_tag() const { return tag_ == kTag; }

 private:
  // volatile: the compiler would drop a write to an object that ends.
  volatile uint32_t tag_ = kTag;
};

}  // namespace xla

#endif  // BINDINGS_CORE_TAGGED_HANDLE_H_
