#pragma once  // internal
/// Gmsh's element types by number, and its node tags, which may be neither dense nor sorted.

#include <string>
#include <vector>

#include "limber/mesh/io/formats.hpp"

namespace limber {

struct GmshCell {
  int type;
  const char* name;
  int nodes;
  Solid solid;

  bool curved() const {
    return (solid == Solid::tetrahedron && nodes != 4) || (solid == Solid::hexahedron && nodes != 8);
  }
};
/// Null for an unknown type.
const GmshCell* gmsh_cell(int type);

/// Maps node tags to indices in order of insertion.
class TagMap {
 public:
  void reserve(std::size_t n) { tags_.reserve(n); }
  void add(long long tag) { tags_.push_back({tag, static_cast<int>(tags_.size())}); }
  /// Call once before `find`. Returns a tag that was given twice, or null.
  const long long* sort();
  /// −1 if the tag is unknown.
  int find(long long tag) const;
  std::size_t size() const { return tags_.size(); }
  long long smallest() const { return tags_.front().tag; }
  long long largest() const { return tags_.back().tag; }

 private:
  struct Entry {
    long long tag;
    int index;
  };
  std::vector<Entry> tags_;
};

}  // namespace limber
