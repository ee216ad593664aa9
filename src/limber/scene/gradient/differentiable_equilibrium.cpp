#include "limber/scene/gradient/differentiable_equilibrium.hpp"

#include "limber/core/errors.hpp"

namespace limber {

DifferentiableEquilibrium::DifferentiableEquilibrium(const Document& document, const std::string& base,
                                                     const std::vector<std::string>& parameters,
                                                     const FileAccess& access, const OtherValues& other)
    : scene_(with_accurate_solutions(read_scene(document, vocabulary(), base, access))),
      model_(model_with(other, scene_)),
      parameters_(document, base, parameters, access, scene_, model_, RunParameters::Of::equilibrium, other) {}

const Vector& DifferentiableEquilibrium::solve(const StaticsWatch& watch) {
  MechanicalSystem& system = *model_.system;
  report_ = {};
  position_ = statics(scene_, model_, report_, watch);
  system.stand_still(1);
  at_ = system.state(position_, Vector::Zero(position_.size()), model_.start.t);
  at_.v.setZero();
  const ForceMemories learnt = system.forces().any_learns() ? system.forces().memories() : ForceMemories{};
  for (SystemVariation* variation : parameters_.variations()) variation->stand_still(learnt);
  return position_;
}

EquilibriumDerivative DifferentiableEquilibrium::derivative() {
  return {*model_.system, at_, [this] { return join(free_bodies(model_), "; "); }};
}

std::vector<std::vector<double>> DifferentiableEquilibrium::gradient(const Vector& by_positions) {
  const auto variations = parameters_.variations();
  Vector all = derivative().backwards(model_.system->map().gather(by_positions), variations);
  Index first = 0;
  for (const SystemVariation* variation : variations) {
    if (variation->moves())
      variation->add_placed_powers(at_, {by_positions, {}}, all.segment(first, variation->size()));
    first += variation->size();
  }
  return parameters_.split(all);
}

Matrix DifferentiableEquilibrium::changes() {
  for (const RunParameter& p : parameters())
    if (p.by_nodes) throw InputError(p.name, "has a component for each node, which takes a gradient backwards");
  const MechanicalSystem& system = *model_.system;
  const auto variations = parameters_.variations();
  const Matrix dq = derivative().forwards(variations);
  Matrix dx(3 * static_cast<Index>(system.nodes()), dq.cols());
  for (Index k = 0; k < dq.cols(); ++k) dx.col(k) = system.spread(dq.col(k));
  Index column = 0;
  for (const SystemVariation* variation : variations)
    for (Index c = 0; c < variation->size(); ++c, ++column)
      if (variation->moves()) dx.col(column) += variation->placed(at_, c).q;
  return dx;
}

}  // namespace limber
