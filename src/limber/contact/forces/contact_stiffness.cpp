#include "limber/contact/forces/contact_stiffness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/contact/forces/barrier.hpp"
#include "limber/core/errors.hpp"

namespace limber {
namespace {

/// Gaps, in parts of δ: at which the load stands, at least and at most; below which κ is raised, to where; below which
/// this is urgent.
constexpr double lowest_rest = .6, highest_rest = .7, sunk = .05, raised_to = .1, deep = 1e-2;

/// Loads with which a pair may push at the start: such a push lifts a body by some δ.
constexpr double most_at_start = 5;

/// Between two meshes: a point that meets a surface is near several of its triangles, and its edges are near others.
/// Smooth surfaces meet points alone, those of both sides.
constexpr double pairs_a_point = 6, smooth_pairs_a_point = 2;

/// −b'(ξδ; δ)/δ.
double push(double xi) { return -barrier(xi, 1).first; }

/// The κ that the bounds of the load allow, nearest to `wanted`. No load: any.
double fitted(double wanted, double load, double delta) {
  if (load == 0) return wanted;
  return std::clamp(wanted, load / (delta * push(lowest_rest)), load / (delta * push(highest_rest)));
}

}  // namespace

ContactStiffness::ContactStiffness(const ContactScene& scene, Rule rule)
    : rule_(rule), objects_(scene.stiffness.size()), delta_(scene.delta) {
  kappa_.resize(objects_ * objects_);
  load_.resize(objects_ * objects_);
  for (std::size_t a = 0; a < objects_; ++a)
    for (std::size_t b = 0; b < objects_; ++b) {
      const std::size_t at = a * objects_ + b;
      kappa_[at] = std::min(scene.stiffness[a], scene.stiffness[b]);
      if (rule_ == Rule::given || scene.load.empty()) continue;
      // Which of two bodies rests on the other is not known; an obstacle bears everything.
      const auto both = [](double x, double y) { return std::isinf(x) ? y : std::isinf(y) ? x : std::sqrt(x * y); };
      const RestingLoad &x = scene.load[a], &y = scene.load[b];
      if (std::isinf(x.whole) && std::isinf(y.whole)) continue;
      const bool meshes = !std::isinf(x.whole) && !std::isinf(y.whole);
      const bool smooth = !scene.smooth.empty() && (scene.smooth[a][b] || scene.smooth[b][a]);
      const double share = !meshes ? 1 : smooth ? smooth_pairs_a_point : pairs_a_point;
      load_[at] = {both(x.whole, y.whole), both(x.part, y.part) / share};
      kappa_[at] = fitted(kappa_[at], load_[at].part, delta_);
    }
  first_ = kappa_;
}

double ContactStiffness::normal_force(const Collision& c, double delta, double mollifier) const {
  return -of(c, delta) * c.pairs * mollifier * barrier(c.gap, delta).first;
}

void ContactStiffness::Depths::add(const std::array<int, 2>& objects, double gap, double delta, double stored,
                                   double pushed) {
  pairs_.push_back(
      {{std::min(objects[0], objects[1]), std::max(objects[0], objects[1])}, {gap / delta, stored, pushed}});
}

const std::vector<std::pair<std::array<int, 2>, ContactStiffness::Depth>>& ContactStiffness::Depths::pairs() {
  std::stable_sort(pairs_.begin(), pairs_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (const auto& pair : pairs_) {
    if (kept > 0 && pairs_[kept - 1].first == pair.first) {
      Depth& sum = pairs_[kept - 1].second;
      const Depth& one = pair.second;
      sum = {std::min(sum.least, one.least), sum.stored + one.stored, sum.pushed + one.pushed};
    } else {
      pairs_[kept++] = pair;
    }
  }
  pairs_.resize(kept);
  return pairs_;
}

void ContactStiffness::set(const std::array<int, 2>& objects, double kappa) {
  kappa_[slot(objects)] = kappa_[slot({objects[1], objects[0]})] = kappa;
}

void ContactStiffness::soften(Depths depths) {
  if (rule_ != Rule::adaptive) return;
  for (const auto& [objects, depth] : depths.pairs())
    if (const auto [whole, part] = load_[slot(objects)]; part > 0 && depth.pushed > 0) {
      const double kappa = of(objects), closest = delta_ * push(std::max(depth.least, raised_to));
      set(objects, std::min({kappa, most_at_start * part / closest, kappa * most_at_start * whole / depth.pushed}));
    }
  first_ = kappa_;
}

bool ContactStiffness::adapt(Depths depths, double budget) {
  if (rule_ != Rule::adaptive) return false;
  bool changed = false;
  for (const auto& [objects, depth] : depths.pairs()) {
    if (depth.least >= sunk) continue;
    const double wanted = push(depth.least) / push(raised_to);
    const double affordable = 1 + budget / depth.stored, urgent = depth.least < deep ? 2 : 1;
    const double factor = std::min(wanted, std::max(affordable, urgent));
    if (!(factor > 1)) continue;
    set(objects, factor * of(objects));
    changed = true;
  }
  return changed;
}

std::vector<double> ContactStiffness::memory() const {
  std::vector<double> learnt;
  for (std::size_t a = 0; a < objects_; ++a)
    for (std::size_t b = a; b < objects_; ++b)
      if (const std::size_t at = a * objects_ + b; kappa_[at] != first_[at])
        learnt.insert(learnt.end(), {static_cast<double>(a), static_cast<double>(b), kappa_[at]});
  return learnt;
}

void ContactStiffness::restore(const std::vector<double>& memory) {
  const auto object = [&](double number) {
    if (!(number >= 0) || !(number < static_cast<double>(objects_)) || number != std::floor(number))
      throw InputError("forces", fmt::format("has a contact stiffness of object {}, but objects are numbered 0 to {}",
                                             number, objects_ - 1));
    return static_cast<int>(number);
  };
  if (memory.size() % 3 != 0)
    throw InputError("forces",
                     fmt::format("{} numbers are not contact stiffnesses, which have three each", memory.size()));
  kappa_ = first_;
  for (std::size_t i = 0; i < memory.size(); i += 3) {
    const double kappa = memory[i + 2];
    if (!(kappa > 0) || !std::isfinite(kappa))
      throw InputError("forces",
                       fmt::format("has the contact stiffness {} N/m, which must be a finite number > 0", kappa));
    set({object(memory[i]), object(memory[i + 1])}, kappa);
  }
}

}  // namespace limber
