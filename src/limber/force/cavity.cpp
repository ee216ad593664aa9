#include "limber/force/cavity.hpp"

#include <cmath>
#include <limits>

#include "limber/force/face_integrals.hpp"

namespace limber {
namespace {

/// W, W′ and W″ at a volume.
struct Filled {
  double W, slope, curvature;  // [J], [Pa], [Pa/m³]
};

/// The share that is applied of what is filled in, or let out, since the rest shape.
double amount(const TimeFunction<double>& whole, double t, double share) {
  return share == 1 ? whole(t) : 1 + share * (whole(t) - 1);
}

Filled filled(const CavityGas& gas, double V0, double V, double t, double share) {
  const double whole = gas.ambient * V0 * amount(gas.amount, t, share);
  if (!(V > 0)) return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 0};
  return {-whole * std::log(V / V0) + gas.ambient * (V - V0), gas.ambient - whole / V, whole / (V * V)};
}

Filled filled(const CavityLiquid& liquid, double V0, double V, double t, double share) {
  const double strain = V / V0 - amount(liquid.volume, t, share);
  return {.5 * liquid.bulk * V0 * strain * strain, liquid.bulk * strain, liquid.bulk / V0};
}

class FilledCavity final : public Cavity, public LoadForce {
 public:
  FilledCavity(FaceMesh faces, const Vector& rest, std::variant<CavityGas, CavityLiquid> filling)
      : faces_(std::move(faces)),
        rule_(faces_.kind),
        filling_(std::move(filling)),
        V0_(volume_from(some_point(faces_, rest), faces_, rule_, rest)) {}

  ForceTraits traits() const override {
    const auto* gas = std::get_if<CavityGas>(&filling_);
    const bool constant = gas ? gas->amount.is_constant() : std::get<CavityLiquid>(filling_).volume.is_constant();
    // Linearised once a step, a liquid would stop a turning body: turned by θ, it is larger by θ² to the first order.
    return {.time_dependent = !constant, .wholly_implicit = gas == nullptr};
  }
  void add_couplings(Couplings& pairs) const override { add_face_couplings(faces_, pairs); }

  double volume(const Vector& q) const override { return volume_from(some_point(faces_, q), faces_, rule_, q); }
  double pressure(double V, double t) const override { return -at(V, t).slope; }

  void add_force(const State& u, Vector& f) const override {
    add_area_vectors(-at(volume(u.q), u.t).slope, faces_, rule_, u.q, f);
  }

  void add_tangent(const State& u, TangentBuilder& T) const override {
    const Filled now = at(volume(u.q), u.t);
    RankOne part{Vector::Zero(u.q.size()), now.curvature};
    add_area_vectors(1, faces_, rule_, u.q, part.u);
    T.add_rank_one(std::move(part));
    // The rest is of either sign.
    if (!T.projected()) add_area_stiffness(now.slope, faces_, rule_, u.q, FaceStiffness::symmetric_part, T);
  }

  std::optional<Potentials> potentials(const State& u) const override {
    return Potentials{.stored = at(volume(u.q), u.t).W};
  }

  /// The volume stays positive, and does not shrink to less than a tenth in one go.
  double max_step(const Vector& q, const Vector& dq, double, double) const override {
    constexpr double least = .1, shortest = 1e-9;
    const double before = volume(q);
    double s = 1;
    while (s > shortest && !(volume(q + s * dq) >= least * before)) s /= 2;
    return s;
  }
  void apply(double share) override { share_ = share; }
  /// A liquid is stiff: what pumps it works against its pressure at u, not against that of a volume of another time.
  double driving_work(const Travel& step, const State& u) const override {
    const auto* liquid = std::get_if<CavityLiquid>(&filling_);
    if (!liquid) return Force::driving_work(step, u);
    return -V0_ * at(volume(u.q), u.t).slope * (liquid->volume(step.b.t) - liquid->volume(step.a.t));
  }

 private:
  Filled at(double V, double t) const {
    return std::visit([&](const auto& filling) { return filled(filling, V0_, V, t, share_); }, filling_);
  }

  FaceMesh faces_;
  FaceRule rule_;
  std::variant<CavityGas, CavityLiquid> filling_;
  double V0_;  // [m³]
  double share_ = 1;
};

}  // namespace

std::shared_ptr<Cavity> make_cavity(FaceMesh faces, const Vector& rest, std::variant<CavityGas, CavityLiquid> filling) {
  return std::make_shared<FilledCavity>(std::move(faces), rest, std::move(filling));
}

}  // namespace limber
