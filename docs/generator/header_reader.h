// Reads what a header of Halo documents: its functions with their comments, in families.
//
// It knows the house style and no C++ beyond it: a family begins with a line "// ==== Title" and perhaps its own
// comment; a comment belongs to the declarations right below it, up to an empty line or the next comment; public things
// come before `private:`.
#ifndef DOCS_GENERATOR_HEADER_READER_H_
#define DOCS_GENERATOR_HEADER_READER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "docs/generator/doc_comment.h"

namespace xla {

// Functions that share their comments: overloads of one name, or a few names that were written together.
struct DocEntry {
  std::vector<std::string> names;       // without repetition
  std::vector<std::string> signatures;  // on one line each; without the source location that every function takes
  std::vector<DocComment> comments;
};

// A part of a header under one title; becomes a section of the page.
struct DocFamily {
  std::string title;
  DocComment comment;
  std::vector<DocEntry> entries;
};

// A header as a page: its opening comment, then its families in order.
struct DocHeader {
  DocComment comment;  // at the top of the file
  std::vector<DocFamily> families;
};

// Declarations before the first family are left out. A header without families is one family without a title.
// Classes and structs beside functions are left out.
DocHeader ReadHeader(absl::string_view text);

}  // namespace xla

#endif  // DOCS_GENERATOR_HEADER_READER_H_
