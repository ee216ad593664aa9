#pragma once  // internal
/// The branches of a tree as round cones, and the distance to their union.

#include <array>
#include <vector>

#include "limber/mesh/shapes/shape_field.hpp"
#include "limber/mesh/shapes/tree.hpp"

namespace limber {

struct TreePiece {
  RoundCone cone;
  int branch;  // pieces of the same branch join without a fillet
};

/// Largest number of branches; grow_tree throws InputError if `levels` and `branches` make more.
inline constexpr double most_branches = 100'000;
std::vector<TreePiece> grow_tree(const TreeShape& shape);

/// φ = smooth union of the two nearest branches, with a fillet proportional to the thinner one. A box tree finds them.
class TreeField {
 public:
  explicit TreeField(std::vector<TreePiece> pieces);
  double operator()(const Vec3& x) const;
  Box3 box() const { return nodes_[0].box; }

 private:
  struct Node {
    Box3 box;                   // bounding box of the balls of its pieces
    double thickest;            // radius [m]
    int begin, end;             // range of pieces
    int left = -1, right = -1;  // −1: a leaf
  };
  struct Nearest {
    double d = 1e300, radius = 0;
    int branch = -1;
  };
  int build(int begin, int end);
  void search(int node, const Vec3& x, std::array<Nearest, 2>& best) const;
  double below(int node, const Vec3& x) const;

  std::vector<TreePiece> pieces_;
  std::vector<Node> nodes_;
};

}  // namespace limber
