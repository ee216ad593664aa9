#include "limber/scene/coarsen/fitting_selections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/scene/attachment.hpp"
#include "limber/scene/cavity.hpp"
#include "limber/scene/json_path.hpp"
#include "limber/scene/load.hpp"
#include "limber/scene/target.hpp"

namespace limber {
namespace {

constexpr double noted_change = .02;  // of the body's diagonal, of a side of what is selected

class SelectionFit {
 public:
  SelectionFit(const std::vector<Vec3>& before, const std::vector<Vec3>& now, nlohmann::json& json,
               std::vector<std::string>& notes)
      : before_(before), now_(now), json_(json), notes_(notes), diagonal_(bounding_box(before).diagonal()) {}

  /// How many nodes were selected for each that is now.
  double operator()(const Selection& selection) {
    std::vector<char> was(before_.size(), 0), is(now_.size(), 0);
    for (const SelectionPart& part : selection.parts) {
      const std::vector<int> old = resolve({selection.where, {part}}, before_);
      for (const int i : old) was[ix(i)] = 1;
      for (const int i : fitted(part, old)) is[ix(i)] = 1;
    }
    return static_cast<double>(std::count(was.begin(), was.end(), 1)) /
           static_cast<double>(std::count(is.begin(), is.end(), 1));
  }

 private:
  std::vector<int> fitted(const SelectionPart& part, const std::vector<int>& old) {
    const bool by_number = std::holds_alternative<NodeList>(part.what);
    std::vector<int> chosen;
    if (!by_number) {
      try {
        chosen = resolve({part.where, {part}}, now_);
      } catch (const InputError&) {
        chosen.clear();  // it catches no node
      }
    }
    if (!chosen.empty()) {
      note_extent(part.where, old, chosen);
      return chosen;
    }
    chosen = nearest(old);
    nlohmann::json& place = json_.at(json_pointer_of(part.where));
    const bool beside = place.is_object() && place.contains("nodes");
    if (beside)
      place["nodes"] = chosen;
    else
      place = {{"nodes", chosen}};
    notes_.push_back(fmt::format("{}: {}; it has the {} nearest nodes now, by number, for {}", part.where,
                                 by_number ? "the nodes have other numbers" : "catches no node of the coarse mesh",
                                 chosen.size(), old.size()));
    return chosen;
  }

  void note_extent(const std::string& where, const std::vector<int>& old, const std::vector<int>& chosen) {
    const Box3 a = bounding_box(picked(old, before_)), b = bounding_box(picked(chosen, now_));
    const Vec3 was = a.max - a.min, is = b.max - b.min;
    if ((is - was).lpNorm<Eigen::Infinity>() <= noted_change * diagonal_ &&
        (a.middle() - b.middle()).lpNorm<Eigen::Infinity>() <= noted_change * diagonal_)
      return;
    notes_.push_back(
        fmt::format("{}: catches {} nodes over {:.3g} × {:.3g} × {:.3g} m, before {} over {:.3g} × {:.3g} × "
                    "{:.3g} m",
                    where, chosen.size(), is[0], is[1], is[2], old.size(), was[0], was[1], was[2]));
  }

  /// Of each old node the nearest, each once, ascending.
  std::vector<int> nearest(const std::vector<int>& old) const {
    std::vector<int> chosen;
    for (const int i : old) {
      int best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < now_.size(); ++j)
        if (const double d = (now_[j] - before_[ix(i)]).squaredNorm(); d < least) {
          least = d;
          best = static_cast<int>(j);
        }
      chosen.push_back(best);
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
  }

  const std::vector<Vec3>& before_;
  const std::vector<Vec3>& now_;
  nlohmann::json& json_;
  std::vector<std::string>& notes_;
  double diagonal_;
};

void rescale(nlohmann::json& json, const std::string& where, const char* key, double value, double factor) {
  if (value != 0) json.at(json_pointer_of(where))[key] = value * factor;
}

void fit_load(const LoadChoice& load, SelectionFit& fit, nlohmann::json& json) {
  if (!load.faces.empty()) {
    fit(load.faces);
    return;
  }
  const double for_each = fit(load.nodes);
  if (load.share == LoadChoice::Share::total) return;
  const Vec3 each = load.force * for_each;
  json.at(json_pointer_of(load.where))["force"] = {each[0], each[1], each[2]};
}

void fit_target(const TargetChoice& target, SelectionFit& fit, nlohmann::json& json) {
  for (const TargetKey& key : target.keys)
    if (!key.positions.empty())
      throw InputError(target.where, "has a position for each node; a coarse body has other nodes");
  const double for_each = target.nodes.empty() ? 1 : fit(target.nodes);
  rescale(json, target.where, "stiffness", target.stiffness, for_each);
  rescale(json, target.where, "damping", target.damping, for_each);
}

}  // namespace

void fit_selections(const Scene& scene, int body, const std::vector<Vec3>& before, const std::vector<Vec3>& now,
                    nlohmann::json& json, std::vector<std::string>& notes) {
  const BodyChoice& choice = scene.bodies[ix(body)];
  SelectionFit fit(before, now, json, notes);
  if (!choice.pin.empty()) fit(choice.pin);
  for (const PinEntry& pin : choice.pin_entries) fit(pin.nodes);
  for (const Script& script : choice.scripts) fit(script.nodes);
  for (const AddedMass& mass : choice.masses) fit(mass.nodes);
  for (const LoadChoice& load : choices_of<LoadChoice>(choice.forces)) fit_load(load, fit, json);
  for (const TargetChoice& target : choices_of<TargetChoice>(choice.forces)) fit_target(target, fit, json);
  for (const CavityChoice& cavity : choices_of<CavityChoice>(choice.forces))
    if (!cavity.faces.empty()) fit(cavity.faces);
  for (const StitchChoice& stitch : scene.stitches)
    if (stitch.body == body) fit(stitch.nodes);
  for (const AttachmentChoice& tie : choices_of<AttachmentChoice>(scene.forces)) {
    if (tie.b.body == body) fit(tie.b.nodes);
    if (tie.a.body != body) continue;
    if (tie.pairing == AttachmentChoice::Pairing::order)
      throw InputError(tie.where, "pairs nodes in their order; a coarse body has other nodes. Take \"nearest\"");
    const double for_each = fit(tie.a.nodes);
    rescale(json, tie.where, "stiffness", tie.stiffness, for_each);
    rescale(json, tie.where, "damping", tie.damping, for_each);
  }
}

}  // namespace limber
