// SourceLocation: the file and line of the code that called.
//
//   XlaOp Exp(XlaOp operand, SourceLocation loc = SourceLocation::Current());
//
// A default argument is evaluated where the call stands, so `loc` is the caller's line and not this header's. This
// needs nothing of C++20: g++ and clang++ have had the two builtins for C++17 for long.
#ifndef BUILDERS_COMPUTATION_BUILDER_SOURCE_LOCATION_H_
#define BUILDERS_COMPUTATION_BUILDER_SOURCE_LOCATION_H_

#include <string>

namespace xla {

// A pointer to the file's name and a line; copying costs nothing. Errors of the builder and the metadata of
// instructions show it.
class SourceLocation {
 public:
  // For default arguments only; the parameters are not to be given.
  static constexpr SourceLocation Current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return SourceLocation(Tag(), file, line);
  }
  // A place in a file that is not C++ (a model that a frontend reads). `file` must live as long as the call
  // that it is given to.
  static constexpr SourceLocation At(const char* file, int line) { return SourceLocation(Tag(), file, line); }

  constexpr const char* file() const { return file_; }
  constexpr int line() const { return line_; }
  // "model.cc:42"
  std::string ToString() const { return std::string(file_) + ":" + std::to_string(line_); }

 private:
  // Without the tag, `{2, 0}` could become a SourceLocation as well as a list of dimensions.
  struct Tag {};
  constexpr SourceLocation(Tag, const char* file, int line) : file_(file), line_(line) {}

  const char* file_;
  int line_;
};

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_SOURCE_LOCATION_H_
