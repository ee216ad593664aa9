#pragma once
/// The points near smooth surfaces (smooth_surface.hpp) of another object, or of a distant part of their own. Which
/// triangles may count for a point is searched anew only when something has moved far enough. Several threads may ask
/// at once.

#include <array>
#include <memory>
#include <vector>

#include "limber/contact/geometry/contact_scene.hpp"
#include "limber/contact/smooth/smooth_surface.hpp"
#include "limber/core/memo.hpp"

namespace limber {

class SmoothNeighbours {
 public:
  /// For the objects with a smooth_radius in the scene, to which it refers.
  explicit SmoothNeighbours(const ContactScene& scene);

  /// A point near a surface, and the triangles that may count.
  struct Pair {
    int node = 0, surface = 0;
    std::vector<int> triangles;
  };
  struct Near {
    const Pair* pair = nullptr;
    double gap = 0;  // [m]
  };
  /// What is known of one configuration.
  struct Found {
    std::shared_ptr<const std::vector<Pair>> pairs;
    std::vector<Near> near;               // by surface and node
    std::vector<SmoothSurface> surfaces;  // those with points near them are there
    const SmoothSurface& surface(const Pair& p) const { return surfaces[static_cast<std::size_t>(p.surface)]; }
  };
  /// Contacts with a gap below 2δ at the positions x of all nodes. Queries for one iterate repeat the same x, so the
  /// last answer is stored.
  std::shared_ptr<const Found> at(const Vector& x) const;
  /// The point's object, the surface's object.
  std::array<int, 2> objects(const Pair& p) const;
  /// Of the point and the surface [m].
  double radii(const Pair& p) const;

 private:
  struct Object {
    int number = 0;
    double radius = 0;  // [m] half the thickness
    std::vector<std::array<int, 3>> triangles;
    std::vector<Vec3> rest;  // centroids
  };
  struct Searched {
    Vector x;
    std::shared_ptr<const std::vector<Pair>> pairs;
  };

  bool covers(const Searched& searched, const Vector& x) const;
  /// The pairs for x, searched there unless everything has moved only a little since the last search. `surfaces` are
  /// moved to x where they are needed.
  std::shared_ptr<const std::vector<Pair>> pairs(const Vector& x, std::vector<SmoothSurface>& surfaces) const;
  std::vector<Pair> search(const Vector& x, std::vector<SmoothSurface>& surfaces) const;
  /// Excludes the neighbourhood of a point on its own surface.
  SmoothSurface::Filter filter(int node, std::size_t surface) const;

  const ContactScene& scene_;
  std::vector<Object> objects_;          // those with a surface
  std::vector<SmoothSurface> surfaces_;  // theirs, at rest
  Guarded<std::shared_ptr<const Searched>> searched_;
  Memo<Vector, Found> found_;
};

/// The middle of a triangle.
Vec3 centroid(const std::array<int, 3>& triangle, const Vector& x);

}  // namespace limber
