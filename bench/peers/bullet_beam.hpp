#pragma once
/// A body of tetrahedra in Bullet's world of deformable bodies, with the stable neo-Hookean energy of Limber. Nothing
/// else is in that world and nothing collides. Steps are implicit, by Bullet's default one Newton iteration. Nodes are
/// held by projections, as in its own example of implicit steps: without these, held nodes keep the whole body from
/// moving.

#include <array>
#include <memory>
#include <vector>

namespace limber::peers {

struct BulletBody {
  std::vector<std::array<double, 3>> nodes;  // [m]
  std::vector<std::array<int, 4>> tets;
  std::vector<double> mass;   // of nodes [kg]; 0: the node is held
  double mu = 0, lambda = 0;  // of the energy, as Bullet and Smith et al. write it [Pa]
  double gravity = 0;         // along y [m/s²]
};

/// What its solver goes by.
struct BulletSettings {
  int newton_iterations = 0, linear_iterations = 0;  // at most
  double newton_tolerance = 0, linear_tolerance = 0;
  int scalar_bytes = 0;  // 4: single precision
};

/// What its steps took, all together.
struct BulletCounts {
  long forces = 0;    // of the elastic energy: one for the predicted motion and one for each Newton iteration
  long products = 0;  // of the stiffness with a vector: one for each iteration of conjugate gradients, and one before
};

class BulletBeam {
 public:
  explicit BulletBeam(const BulletBody& body);
  ~BulletBeam();
  BulletBeam(const BulletBeam&) = delete;
  BulletBeam& operator=(const BulletBeam&) = delete;

  void step(double h);
  std::array<double, 3> node(int i) const;
  BulletSettings settings() const;
  BulletCounts counts() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace limber::peers
