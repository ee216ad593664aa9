#include "limber/mesh/io/gmsh_cells.hpp"

#include <algorithm>

namespace limber {
namespace {

constexpr GmshCell known_cells[] = {
    {1, "2-node line", 2, Solid::none},
    {2, "3-node triangle", 3, Solid::none},
    {3, "4-node quadrangle", 4, Solid::none},
    {4, "4-node tetrahedron", 4, Solid::tetrahedron},
    {5, "8-node hexahedron", 8, Solid::hexahedron},
    {6, "6-node prism", 6, Solid::prism},
    {7, "5-node pyramid", 5, Solid::pyramid},
    {8, "3-node line", 3, Solid::none},
    {9, "6-node triangle", 6, Solid::none},
    {10, "9-node quadrangle", 9, Solid::none},
    {11, "10-node tetrahedron", 10, Solid::tetrahedron},
    {12, "27-node hexahedron", 27, Solid::hexahedron},
    {13, "18-node prism", 18, Solid::prism},
    {14, "14-node pyramid", 14, Solid::pyramid},
    {15, "1-node point", 1, Solid::none},
    {16, "8-node quadrangle", 8, Solid::none},
    {17, "20-node hexahedron", 20, Solid::hexahedron},
    {18, "15-node prism", 15, Solid::prism},
    {19, "13-node pyramid", 13, Solid::pyramid},
    {20, "9-node triangle", 9, Solid::none},
    {21, "10-node triangle", 10, Solid::none},
    {22, "12-node triangle", 12, Solid::none},
    {23, "15-node triangle", 15, Solid::none},
    {24, "15-node triangle", 15, Solid::none},
    {25, "21-node triangle", 21, Solid::none},
    {26, "4-node line", 4, Solid::none},
    {27, "5-node line", 5, Solid::none},
    {28, "6-node line", 6, Solid::none},
    {29, "20-node tetrahedron", 20, Solid::tetrahedron},
    {30, "35-node tetrahedron", 35, Solid::tetrahedron},
    {31, "56-node tetrahedron", 56, Solid::tetrahedron},
    {36, "16-node quadrangle", 16, Solid::none},
    {37, "25-node quadrangle", 25, Solid::none},
    {38, "36-node quadrangle", 36, Solid::none},
    {92, "64-node hexahedron", 64, Solid::hexahedron},
    {93, "125-node hexahedron", 125, Solid::hexahedron},
};

}  // namespace

const GmshCell* gmsh_cell(int type) {
  for (const GmshCell& c : known_cells)
    if (c.type == type) return &c;
  return nullptr;
}

const long long* TagMap::sort() {
  std::sort(tags_.begin(), tags_.end(), [](const Entry& a, const Entry& b) { return a.tag < b.tag; });
  const auto twice =
      std::adjacent_find(tags_.begin(), tags_.end(), [](const Entry& a, const Entry& b) { return a.tag == b.tag; });
  return twice == tags_.end() ? nullptr : &twice->tag;
}

int TagMap::find(long long tag) const {
  if (tags_.empty() || tag < smallest() || tag > largest()) return -1;
  const auto guess = static_cast<unsigned long long>(tag) - static_cast<unsigned long long>(smallest());
  if (guess < tags_.size() && tags_[guess].tag == tag) return tags_[guess].index;
  const auto at = std::lower_bound(tags_.begin(), tags_.end(), tag,
                                   [](const Entry& e, long long wanted) { return e.tag < wanted; });
  return at->tag == tag ? at->index : -1;
}

}  // namespace limber
