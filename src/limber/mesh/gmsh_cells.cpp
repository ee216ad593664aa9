#include "limber/mesh/gmsh_cells.hpp"

#include <algorithm>

namespace limber {
namespace {

constexpr GmshCell cells[] = {
    {1, "2-node line", 2, false},          {2, "3-node triangle", 3, false},
    {3, "4-node quadrangle", 4, false},    {4, "4-node tetrahedron", 4, false},
    {5, "8-node hexahedron", 8, false},    {6, "6-node prism", 6, false},
    {7, "5-node pyramid", 5, false},       {8, "3-node line", 3, false},
    {9, "6-node triangle", 6, false},      {10, "9-node quadrangle", 9, false},
    {11, "10-node tetrahedron", 10, true}, {12, "27-node hexahedron", 27, false},
    {13, "18-node prism", 18, false},      {14, "14-node pyramid", 14, false},
    {15, "1-node point", 1, false},        {16, "8-node quadrangle", 8, false},
    {17, "20-node hexahedron", 20, false}, {18, "15-node prism", 15, false},
    {19, "13-node pyramid", 13, false},    {20, "9-node triangle", 9, false},
    {21, "10-node triangle", 10, false},   {22, "12-node triangle", 12, false},
    {23, "15-node triangle", 15, false},   {24, "15-node triangle", 15, false},
    {25, "21-node triangle", 21, false},   {26, "4-node line", 4, false},
    {27, "5-node line", 5, false},         {28, "6-node line", 6, false},
    {29, "20-node tetrahedron", 20, true}, {30, "35-node tetrahedron", 35, true},
    {31, "56-node tetrahedron", 56, true}, {36, "16-node quadrangle", 16, false},
    {37, "25-node quadrangle", 25, false}, {38, "36-node quadrangle", 36, false},
    {92, "64-node hexahedron", 64, false}, {93, "125-node hexahedron", 125, false},
};

}  // namespace

const GmshCell* gmsh_cell(int type) {
  for (const GmshCell& c : cells)
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
