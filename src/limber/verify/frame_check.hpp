#pragma once
/// One frame looked at exactly: surfaces that meet, parts inside parts, inverted elements. Knows nothing of how the
/// simulation detects collisions.

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <vector>

#include "limber/verify/elements.hpp"
#include "limber/verify/parts.hpp"

namespace limber {

enum class Flaw {
  not_finite,  // a position is no number; nothing else of the frame is looked at
  crossing,  // triangles, edges or points meet, but in a common node or edge; thin ones: are closer than they are thick
  enclosed,  // a part lies inside another without crossing its surface
  inverted,  // a linear tetrahedron of zero or negative volume; another element with det F ≤ 0 at a point of
             // integration
  obstacle,  // a body touches an obstacle or reaches into it, or one lies inside the other
};

struct FrameFlaw {
  Flaw flaw;
  std::array<int, 2> bodies{-1, -1};    // the second is −1 where only one takes part
  std::vector<std::vector<int>> cells;  // nodes of the triangles, edge, element or node that are meant
  int tet = -1;                         // number of an inverted tetrahedron, or of the first one of an inverted element
  int obstacle = -1;                    // number of the obstacle
  double depth = 0;  // [m] how far its cell is inside the obstacle or too close to the other cell; 0: not known
  std::optional<Vec3> place = {};  // [m] of an obstacle that lies inside a body: then there are no cells
};

/// Which bodies the scene lets collide.
enum class Collide { no, with_others, with_themselves_too };

/// Numbers of two bodies.
using BodyPair = std::array<int, 2>;

class FrameChecker {
 public:
  /// sewn: pairs of bodies that are stitched together. They touch along the seam, and nothing keeps them apart beside
  /// it: they are not compared. radius: half the thickness of each body [m]; none: zero. It counts where things collide
  /// and one of a pair is an edge or a point of a body without triangles. Those of one body are compared only if it
  /// collides with itself.
  FrameChecker(const TrajectoryHeader& header, std::vector<Part> parts, std::vector<double> radius = {},
               Collide collide = Collide::no, const std::vector<BodyPair>& sewn = {});

  /// All flaws in a fixed order: the same for any number of threads. q: 3 × #V [m].
  std::vector<FrameFlaw> check(const Vector& q) const;

  std::size_t triangle_count() const { return triangles_.size(); }

 private:
  struct Crossing {
    int a, b;                                           // items
    double depth = 0;                                   // [m]
    auto operator<=>(const Crossing&) const = default;  // NOLINT(modernize-use-nullptr): it does not compare with 0
  };

  int body_of(int item) const {
    return parts_[static_cast<std::size_t>(part_of_[static_cast<std::size_t>(item)])].body;
  }
  bool are_sewn(int a, int b) const { return !sewn_.empty() && sewn_.contains({std::min(a, b), std::max(a, b)}); }
  bool is_triangle(int item) const { return static_cast<std::size_t>(item) < triangles_.size(); }
  std::vector<int> nodes_of(int item) const;
  std::vector<Crossing> crossings(const Vector& q) const;
  double radius(int item) const;
  std::optional<Crossing> cross(int a, int b, const exact::Positions& x) const;
  std::optional<Crossing> thin_cross(int a, int b, const exact::Positions& x) const;
  void add_enclosed(const Vector& q, const std::vector<Crossing>& crossings, std::vector<FrameFlaw>& out) const;
  void add_inverted_tets(const Vector& q, std::vector<FrameFlaw>& out) const;
  void add_inverted_elements(const Vector& q, std::vector<FrameFlaw>& out) const;

  std::vector<Part> parts_;
  std::vector<exact::Triangle> triangles_;  // of all parts: items 0, 1, …
  std::vector<std::array<int, 2>> edges_;   // of parts without tetrahedra: the items after them
  std::vector<int> points_;                 // single nodes: the items after these
  std::vector<int> part_of_;                // per item
  std::vector<std::array<int, 4>> tets_;    // of all bodies
  std::vector<int> body_of_tet_;
  std::vector<CurvedElements> elements_;  // of bodies whose tetrahedra are only pieces
  std::vector<double> radius_;            // per body [m], or empty
  Collide collide_;
  std::set<BodyPair> sewn_;  // the smaller number first
};

}  // namespace limber
