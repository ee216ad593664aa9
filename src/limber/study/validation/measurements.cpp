#include "limber/study/validation/measurements.hpp"

#include <algorithm>
#include <utility>

#include "limber/scene/run/facts.hpp"
#include "limber/scene/run/mode_shapes.hpp"

namespace limber {

namespace {

std::vector<double> frequencies_at(const Model& model, const State& state, const std::vector<int>& numbers) {
  const Modes modes = scene_modes(model, state, *std::max_element(numbers.begin(), numbers.end()));
  std::vector<double> hertz;
  for (const int n : numbers) hertz.push_back(mode_frequency(modes.lambda[n - 1]));
  return hertz;
}

}  // namespace

Measurement frequencies(std::vector<int> numbers) {
  return [numbers = std::move(numbers)](const Scene&, const Model& model) {
    return frequencies_at(model, model.start, numbers);
  };
}

Measurement frequencies_in_equilibrium(std::vector<int> numbers) {
  return [numbers = std::move(numbers)](const Scene& scene, const Model& model) {
    StaticsReport report;
    const Vector x = statics(scene, model, report);
    return frequencies_at(model, model.system->state(x, Vector::Zero(x.size()), model.start.t), numbers);
  };
}

Measurement frequencies_by_direction(Index axis, std::vector<int> along, std::vector<int> across, int looked_at) {
  return [=, along = std::move(along), across = std::move(across)](const Scene&, const Model& model) {
    const Modes modes = scene_modes(model, looked_at);
    const Matrix X = on_all_nodes(*model.system, modes.X);
    std::vector<double> kinds[2];  // across, along
    for (Index k = 0; k < X.cols(); ++k) {
      double part = 0;
      for (Index i = axis; i < X.rows(); i += 3) part += X(i, k) * X(i, k);
      kinds[part > X.col(k).squaredNorm() / 2 ? 1 : 0].push_back(mode_frequency(modes.lambda[k]));
    }
    std::vector<double> hertz;
    for (const int n : along) hertz.push_back(kinds[1].at(ix(n - 1)));
    for (const int n : across) hertz.push_back(kinds[0].at(ix(n - 1)));
    return hertz;
  };
}

Equilibrium::Equilibrium(const Scene& scene, const Model& model) : model_(&model) {
  std::vector<Vec3> nodes;
  for (const Body& body : model.bodies) nodes.insert(nodes.end(), body.rest.nodes.begin(), body.rest.nodes.end());
  rest_.resize(3 * static_cast<Index>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) rest_.segment<3>(3 * static_cast<Index>(i)) = nodes[i];
  StaticsReport report;
  x_ = statics(scene, model, report);
  state_ = model.system->state(x_, Vector::Zero(x_.size()), model.start.t);
  forces_ = reactions(*model.system, state_);
}

Vec3 Equilibrium::position(std::size_t probe) const { return model_->probes.at(probe).at(x_); }

Vec3 Equilibrium::displacement(std::size_t probe) const { return position(probe) - model_->probes.at(probe).at(rest_); }

void Equilibrium::for_reactions(const std::function<bool(const Vec3&)>& chosen,
                                const std::function<void(const Vec3&, const Vec3&)>& take) const {
  Index at = 0;
  for (const int node : model_->system->prescribed_nodes()) {
    if (chosen(rest_.segment<3>(3 * node))) take(x_.segment<3>(3 * node), forces_.segment<3>(at));
    at += 3;
  }
}

Vec3 Equilibrium::reaction(const std::function<bool(const Vec3&)>& chosen) const {
  Vec3 sum = Vec3::Zero();
  for_reactions(chosen, [&](const Vec3&, const Vec3& force) { sum += force; });
  return sum;
}

Vec3 Equilibrium::torque(const std::function<bool(const Vec3&)>& chosen) const {
  Vec3 sum = Vec3::Zero();
  for_reactions(chosen, [&](const Vec3& place, const Vec3& force) { sum += place.cross(force); });
  return sum;
}

double Equilibrium::mean_square_distance_of_contact() const {
  double sum = 0, total = 0;
  for (const ContactPoint& p : contact_points(*model_->contact, model_->system->full(state_))) {
    sum += p.normal_force * (p.point[0] * p.point[0] + p.point[2] * p.point[2]);
    total += p.normal_force;
  }
  return sum / total;
}

Measurement in_equilibrium(std::function<std::vector<double>(const Equilibrium&)> numbers) {
  return [numbers = std::move(numbers)](const Scene& scene, const Model& model) {
    return numbers(Equilibrium(scene, model));
  };
}

Measurement in_motion(std::function<std::vector<double>(const FollowedMotion&)> numbers) {
  return [numbers = std::move(numbers)](const Scene& scene, const Model& model) {
    Simulation simulation = build_simulation(scene, model);
    const MechanicalSystem& system = *model.system;
    FollowedMotion motion;
    const auto look = [&] {
      motion.times.push_back(simulation.time());
      if (!model.probes.empty()) motion.positions.push_back(model.probes[0].at(system.full(simulation.state()).q));
      if (!system.prescribed_nodes().empty())
        motion.reactions.push_back(reactions(system, simulation.acting()).head<3>());
    };
    look();
    for (long left = step_count(scene.time); left > 0; --left) {
      simulation.step();
      look();
    }
    const State end = system.full(simulation.state());
    motion.end_velocity = Vec3::Zero();
    if (!model.probes.empty())
      for (std::size_t k = 0; k < model.probes[0].nodes.size(); ++k)
        motion.end_velocity += model.probes[0].weights[k] * end.v.segment<3>(3 * model.probes[0].nodes[k]);
    const Vector p = system.spread(Vector(system.mass().selfadjointView<Eigen::Lower>() * simulation.state().v));
    for (const Body& body : model.bodies) {
      Vec3 sum = Vec3::Zero();
      for (std::size_t i = 0; i < body.rest.nodes.size(); ++i)
        sum += p.segment<3>(3 * (body.first_node + static_cast<Index>(i)));
      motion.momenta.push_back(sum);
    }
    return numbers(motion);
  };
}

Measurement in_contact(std::function<std::vector<double>(const std::vector<std::vector<ContactPoint>>&)> numbers) {
  return [numbers = std::move(numbers)](const Scene& scene, const Model& model) {
    Simulation simulation = build_simulation(scene, model);
    std::vector<std::vector<ContactPoint>> points;
    for (long left = step_count(scene.time); left > 0; --left) {
      simulation.step();
      points.push_back(contact_points(*model.contact, model.system->full(simulation.acting())));
    }
    return numbers(points);
  };
}

std::vector<double> passages(const std::vector<double>& times, const std::vector<double>& y) {
  std::vector<double> found;
  for (std::size_t i = 1; i < y.size(); ++i)
    if ((y[i - 1] < 0) != (y[i] < 0)) {
      const double part = y[i - 1] / (y[i - 1] - y[i]);
      found.push_back(times[i - 1] + part * (times[i] - times[i - 1]));
    }
  return found;
}

double least(const std::vector<double>& y) {
  const auto i = static_cast<std::size_t>(std::min_element(y.begin(), y.end()) - y.begin());
  if (i == 0 || i + 1 == y.size()) return y[i];
  const double slope = (y[i + 1] - y[i - 1]) / 2, bend = y[i + 1] - 2 * y[i] + y[i - 1];
  return bend > 0 ? y[i] - slope * slope / (2 * bend) : y[i];
}

}  // namespace limber
