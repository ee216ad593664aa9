#include "limber/force/surface_loads.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "limber/force/face_integrals.hpp"

namespace limber {
namespace {

class Traction final : public Force, public LoadForce {
 public:
  Traction(const FaceMesh& faces, const Vector& rest, TimeFunction<Vec3> traction) : traction_(std::move(traction)) {
    const FaceRule rule(faces.kind);
    std::vector<std::pair<int, double>> shares;
    for (std::size_t f = 0; f < faces.count(); ++f) {
      const auto face = faces.face(f);
      const FaceNodes x = nodes_of(face, rest);
      Vector area = Vector::Zero(x.cols());
      for (const auto& p : rule.points) area += p.weight * Vec3(x * p.first).cross(Vec3(x * p.second)).norm() * p.N;
      for (std::size_t k = 0; k < face.size(); ++k) shares.emplace_back(face[k], area[static_cast<Index>(k)]);
    }
    std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [node, area] : shares) {
      if (loaded_.empty() || loaded_.back().node != node) loaded_.push_back({node, 0, block(rest, node)});
      loaded_.back().area += area;
    }
  }

  ForceTraits traits() const override { return {.time_dependent = !traction_.is_constant()}; }
  void add_couplings(Couplings& pairs) const override {
    for (const Loaded& l : loaded_) pairs.emplace_back(l.node, l.node);
  }
  void add_force(const State& u, Vector& f) const override {
    const Vec3 T = share_ * traction_(u.t);
    for (const Loaded& l : loaded_) block(f, l.node) += l.area * T;
  }
  void add_tangent(const State&, TangentBuilder&) const override {}
  std::optional<Potentials> potentials(const State& u) const override {
    Vec3 sum = Vec3::Zero();
    for (const Loaded& l : loaded_) sum += l.area * (block(u.q, l.node) - l.rest);
    return Potentials{.stored = -share_ * traction_(u.t).dot(sum)};
  }
  void apply(double share) override { share_ = share; }
  double driving_work(const Travel& step, const State& u) const override {
    return beyond_work_at(step, step.a.q + step.way, u.t);
  }

 private:
  struct Loaded {
    int node;
    double area;  // ∫ N_a dA [m²]
    Vec3 rest;
  };
  std::vector<Loaded> loaded_;
  TimeFunction<Vec3> traction_;
  double share_ = 1;
};

class Pressure final : public Force, public LoadForce {
 public:
  Pressure(FaceMesh faces, const Vector& rest, TimeFunction<double> pressure, std::vector<int> fixed)
      : faces_(std::move(faces)),
        rule_(faces_.kind),
        pressure_(std::move(pressure)),
        origin_(some_point(faces_, rest)),
        rest_volume_(volume_from(origin_, faces_, rule_, rest)) {
    std::sort(fixed.begin(), fixed.end());
    const auto stays = [&](int node) { return std::binary_search(fixed.begin(), fixed.end(), node); };
    const auto open = rim(faces_);
    conservative_ = std::all_of(open.begin(), open.end(), [&](const std::vector<int>& edge) {
      return std::all_of(edge.begin(), edge.end(), stays);
    });
  }

  ForceTraits traits() const override {
    return {.symmetric = conservative_, .has_potential = conservative_, .time_dependent = !pressure_.is_constant()};
  }
  void add_couplings(Couplings& pairs) const override { add_face_couplings(faces_, pairs); }

  void add_force(const State& u, Vector& f) const override { add_area_vectors(-pressure(u.t), faces_, rule_, u.q, f); }

  void add_tangent(const State& u, TangentBuilder& T) const override {
    if (T.projected()) return;  // it is of either sign
    // Where the sum is symmetric, it is that of the symmetric parts.
    add_area_stiffness(pressure(u.t), faces_, rule_, u.q,
                       conservative_ ? FaceStiffness::symmetric_part : FaceStiffness::whole, T);
  }

  std::optional<Potentials> potentials(const State& u) const override {
    if (!conservative_) return std::nullopt;
    return Potentials{.stored = pressure(u.t) * (volume_from(origin_, faces_, rule_, u.q) - rest_volume_)};
  }
  void apply(double share) override { share_ = share; }
  double driving_work(const Travel& step, const State& u) const override {
    return beyond_work_at(step, step.a.q + step.way, u.t);
  }

 private:
  double pressure(double t) const { return share_ * pressure_(t); }

  FaceMesh faces_;
  FaceRule rule_;
  TimeFunction<double> pressure_;
  Vec3 origin_;         // [m]
  double rest_volume_;  // V₀ [m³]
  double share_ = 1;
  bool conservative_ = false;
};

}  // namespace

std::shared_ptr<Force> make_traction(const FaceMesh& faces, const Vector& rest, TimeFunction<Vec3> traction) {
  return std::make_shared<Traction>(faces, rest, std::move(traction));
}

std::shared_ptr<Force> make_pressure(FaceMesh faces, const Vector& rest, TimeFunction<double> pressure,
                                     std::vector<int> fixed) {
  return std::make_shared<Pressure>(std::move(faces), rest, std::move(pressure), std::move(fixed));
}

double enclosed_volume(const FaceMesh& faces, const Vector& q) {
  return volume_from(some_point(faces, q), faces, FaceRule(faces.kind), q);
}

}  // namespace limber
