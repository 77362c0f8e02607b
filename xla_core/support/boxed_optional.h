// BoxedOptional: an optional value that takes the room of a pointer while it is absent.
#ifndef XLA_CORE_SUPPORT_BOXED_OPTIONAL_H_
#define XLA_CORE_SUPPORT_BOXED_OPTIONAL_H_

#include <memory>
#include <utility>

#include "absl/types/optional.h"

namespace xla {

// Used like absl::optional, for large values that most objects lack. Copies are deep.
template <typename T>
class BoxedOptional {
 public:
  BoxedOptional() = default;
  BoxedOptional(absl::nullopt_t) {}                                          // NOLINT: as absl::optional
  BoxedOptional(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT: as absl::optional
  BoxedOptional(absl::optional<T> value) {                                   // NOLINT: as absl::optional
    if (value.has_value()) value_ = std::make_unique<T>(*std::move(value));
  }
  BoxedOptional(const BoxedOptional& other)
      : value_(other.value_ == nullptr ? nullptr : std::make_unique<T>(*other.value_)) {}
  BoxedOptional(BoxedOptional&&) noexcept = default;
  BoxedOptional& operator=(const BoxedOptional& other) { return *this = BoxedOptional(other); }
  BoxedOptional& operator=(BoxedOptional&&) noexcept = default;

  bool has_value() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  T& operator*() { return *value_; }
  const T* operator->() const { return value_.get(); }
  T* operator->() { return value_.get(); }
  // A default-constructed value in place of any other.
  T& emplace() {
    value_ = std::make_unique<T>();
    return *value_;
  }
  void reset() { value_ = nullptr; }

  bool operator==(const BoxedOptional& other) const {
    return has_value() == other.has_value() && (!has_value() || *value_ == *other.value_);
  }
  bool operator!=(const BoxedOptional& other) const { return !(*this == other); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_BOXED_OPTIONAL_H_
