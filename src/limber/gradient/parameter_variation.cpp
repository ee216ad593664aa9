#include "limber/gradient/parameter_variation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"

namespace limber {
namespace {

constexpr double relative_step = 1e-5;

/// A system with another value of one component, as far as it differs.
struct Sample {
  struct Changed {
    std::optional<std::size_t> place;  // among the forces of the system; unset: it has no such force
    std::shared_ptr<Force> force;
    LearningForce* learns;
  };
  double weight;
  std::vector<Changed> forces;
  std::vector<NodalMass> masses;  // empty: as they are
};

double quantity_of_masses(const SystemQuantity& quantity, const std::vector<NodalMass>& masses) {
  if (quantity.left.size() == 0) return 0;
  const Vector &l = quantity.left, &r = quantity.right;
  double sum = 0;
  for (const NodalMass& m : masses)
    sum += m.m * (m.a == m.b ? block(l, m.a).dot(block(r, m.a))
                             : block(l, m.a).dot(block(r, m.b)) + block(l, m.b).dot(block(r, m.a)));
  return sum;
}

class ParameterVariation final : public SystemVariation {
 public:
  ParameterVariation(MechanicalSystem& system, const Parameter& parameter) : system_(system) {
    for (std::size_t c = 0; c < parameter.values.size(); ++c) components_.push_back(samples(parameter, c));
  }

  Index size() const override { return static_cast<Index>(components_.size()); }

  void begin_step(const State& u, const ForceMemories& before, const ForceMemories&) override {
    const State all = system_.full(u);
    learnt_.clear();
    for (const auto& component : components_) {
      ForceMemories change(before.size());
      for (const Sample& s : component)
        for (const Sample::Changed& f : s.forces) {
          if (!f.learns) continue;
          f.learns->restore(f.place ? before[*f.place] : std::vector<double>{});
          f.learns->begin_step(all);
          if (!f.place) continue;
          const std::vector<double> memory = f.learns->memory();
          auto& to = change[*f.place];
          to.resize(memory.size());
          for (std::size_t k = 0; k < memory.size(); ++k) to[k] += s.weight * memory[k];
        }
      learnt_.push_back(std::move(change));
    }
  }
  ForceMemories learnt(Index component) const override {
    return learnt_.empty() ? ForceMemories{} : learnt_[static_cast<std::size_t>(component)];
  }

  Matrix sources(const CallEquation& equation) override {
    Matrix g = Matrix::Zero(equation.x.size(), size());
    for (Index c = 0; c < size(); ++c)
      for (const Sample& s : components_[static_cast<std::size_t>(c)]) g.col(c) += s.weight * value(s, equation);
    return g;
  }

  Vector changes(const SystemQuantity& quantity) override {
    Vector sums = Vector::Zero(size());
    for (Index c = 0; c < size(); ++c)
      for (const Sample& s : components_[static_cast<std::size_t>(c)]) {
        double sum = quantity_of_masses(quantity, s.masses);
        for (const Sample::Changed& f : s.forces) sum += quantity_of_force(quantity, *f.force);
        sums[c] += s.weight * sum;
      }
    return sums;
  }

 private:
  std::vector<Sample> samples(const Parameter& parameter, std::size_t c) {
    const double value = parameter.values[c];
    double scale = parameter_scale(parameter.name, value);
    if (value == 0)
      for (const double other : parameter.values) scale = std::max(scale, std::abs(other));
    const auto made = [&](const std::vector<DifferencePoint>& points) {
      std::vector<Sample> all;
      for (const DifferencePoint& p : points) all.push_back(sample(parameter, c, p));
      return all;
    };
    try {
      return made(points_around(value, scale));
    } catch (const InputError&) {
      return made(points_above(value, scale));
    }
  }

  Sample sample(const Parameter& parameter, std::size_t c, const DifferencePoint& point) {
    Parameter other = parameter;
    other.values[c] = point.value;
    const SystemChange change = system_.parameters()->prepare(std::span<const Parameter>(&other, 1));
    Sample s{point.weight, {}, change.masses};
    for (const SystemChange::Entry& entry : change.forces)
      if (entry.force != entry.former)
        s.forces.push_back({place_of(entry.former), entry.force, dynamic_cast<LearningForce*>(entry.force.get())});
    return s;
  }

  std::optional<std::size_t> place_of(const std::shared_ptr<Force>& force) const {
    const auto& all = system_.forces().all();
    const auto found = std::find(all.begin(), all.end(), force);
    if (!force || found == all.end()) return std::nullopt;
    return static_cast<std::size_t>(found - all.begin());
  }

  Vector value(const Sample& s, const CallEquation& equation) const {
    Vector g = Vector::Zero(equation.x.size());
    Vector held_back = Vector::Zero(3 * static_cast<Index>(system_.nodes()));  // M of the sample times this
    if (!s.masses.empty()) held_back = -system_.spread(equation.x);
    for (const ForceTerm& term : equation.terms) {
      g += evaluated(term, system_.length_scale(), [&](const State& u) { return force(s, u, term.of); });
      if (!s.masses.empty() && !term.is_slope() && term.of != ForceTerm::Of::contact)
        subtract_prescribed_accelerations(system_, term, held_back);
    }
    if (s.masses.empty()) return g;
    Vector inertia = Vector::Zero(held_back.size());
    const auto add = [&](int a, int b, double m) {
      inertia.segment<3>(3 * static_cast<Index>(a)) += m * held_back.segment<3>(3 * static_cast<Index>(b));
    };
    for (const NodalMass& m : s.masses) {
      add(m.a, m.b, m.m);
      if (m.a != m.b) add(m.b, m.a, m.m);
    }
    return g + system_.map().gather(inertia);
  }

  Vector force(const Sample& s, const State& u, ForceTerm::Of of) const {
    const State all = system_.full(u);
    Vector f = Vector::Zero(all.q.size());
    for (const Sample::Changed& changed : s.forces) {
      const bool contact = changed.force->traits().wholly_implicit;
      if (of == ForceTerm::Of::all || contact == (of == ForceTerm::Of::contact)) changed.force->add_force(all, f);
    }
    return system_.map().gather(f);
  }

  MechanicalSystem& system_;
  std::vector<std::vector<Sample>> components_;
  std::vector<ForceMemories> learnt_;
};

}  // namespace

std::vector<DifferencePoint> points_around(double value, double scale) {
  const double e = relative_step * scale, high = value + e, low = value - e;
  return {{high, 1 / (high - low)}, {low, -1 / (high - low)}};
}

std::vector<DifferencePoint> points_above(double value, double scale) {
  const double e = relative_step * scale;
  return {{value + e, -5 / (2 * e)}, {value + 2 * e, 8 / (2 * e)}, {value + 3 * e, -3 / (2 * e)}};
}

double parameter_scale(const std::string& name, double value) {
  if (name.ends_with("poisson")) return std::min(std::max(std::abs(value), .1), .5 - value);
  return value == 0 ? 1 : std::abs(value);
}

void subtract_prescribed_accelerations(const MechanicalSystem& system, const ForceTerm& term, Vector& to) {
  if (!system.scripted()) return;
  const Vector a = system.prescribed(term.u.t).a;
  const auto& nodes = system.map().prescribed_nodes();
  for (std::size_t p = 0; p < nodes.size(); ++p)
    to.segment<3>(3 * static_cast<Index>(nodes[p])) -= term.c * a.segment<3>(3 * static_cast<Index>(p));
}

double quantity_of_force(const SystemQuantity& quantity, const Force& force) {
  double sum = 0;
  if (quantity.energy != 0 && force.traits().energy == EnergyKind::elastic)
    if (const auto W = force.potentials(quantity.full)) sum += quantity.energy * W->stored;
  if (quantity.along.size() > 0) {
    Vector f = Vector::Zero(quantity.along.size());
    force.add_force(quantity.full, f);
    sum += quantity.along.dot(f);
  }
  return sum;
}

double quantity_of(const SystemQuantity& quantity, const MechanicalSystem& system) {
  double sum = quantity_of_masses(quantity, system.masses().list);
  for (const auto& force : system.forces().all()) sum += quantity_of_force(quantity, *force);
  return sum;
}

std::unique_ptr<SystemVariation> make_variation(MechanicalSystem& system, const std::string& parameter) {
  if (!system.parameters()) throw InputError(parameter, "the system has no parameters");
  return std::make_unique<ParameterVariation>(system, system.parameters()->parameter(parameter));
}

}  // namespace limber
