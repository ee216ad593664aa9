#include "limber/scene/construction/prescriptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "limber/core/errors.hpp"
#include "limber/scene/construction/build_forces.hpp"

namespace limber {
namespace {

/// The end of the step that is nearest to the time, the first one's at least [s]; steps of varying length end there.
double released(double until, const std::string& where, const TimeSettings& time, std::vector<std::string>& notes) {
  const double end = time.accuracy ? until : std::max(1.0, std::round(until / time.step)) * time.step;
  if (end > time.duration + (time.accuracy ? 0 : time.step / 2))
    notes.push_back(fmt::format("{}.until: {:.6g} s is after the end of the run, {:.6g} s: the nodes are never free",
                                where, until, time.duration));
  else if (std::abs(end - until) > 1e-6 * time.step)
    notes.push_back(fmt::format(
        "{}.until: the nodes are free from {:.6g} s on, the end of the step nearest to {:.6g} s", where, end, until));
  return end;
}

/// The projection on what `held` holds beyond `before`.
Mat3 rest_of(const Mat3& held, const Mat3& before) {
  Mat3 rest = Mat3::Zero();
  const Mat3 beyond = held - before * held;
  for (int c = 0; c < 3; ++c) {
    const Vec3 d = beyond.col(c) - rest * beyond.col(c);
    if (d.norm() > 1e-6) rest += d.normalized() * d.normalized().transpose();
  }
  return rest;
}

}  // namespace

std::vector<Prescription> prescriptions(const BodyChoice& body, const PlacedBody& placed, int first,
                                        const TimeSettings& time, std::vector<std::string>& notes) {
  struct Taken {
    std::string where;
    Mat3 held = Mat3::Zero();
    bool for_ever = true;  // by pins
  };
  std::vector<Prescription> list;
  std::map<int, Taken> taken;
  enum class Kind { pin, script };
  const auto add = [&](Kind kind, const Selection& selection, const std::string& where, Motion motion,
                       std::optional<double> until, const Mat3& held) {
    Prescription p{{}, std::move(motion)};
    if (until) p.until = released(*until, where, time, notes);
    p.held = held;
    const std::size_t first_of_these = list.size();
    const bool for_ever = kind == Kind::pin && !until;
    for (const int i : placed.chosen(selection)) {
      Taken& t = taken.try_emplace(i, Taken{where}).first->second;
      const bool twice = !(t.held * held).isZero(1e-9);
      if (twice && !(for_ever && t.for_ever))
        throw InputError(where, fmt::format("node {} of '{}' is already prescribed by {}", placed.node_number(i),
                                            body.name, t.where));
      const Mat3 more = twice ? rest_of(held, t.held) : held;  // where planes of symmetry meet
      t.held += more;
      t.for_ever = t.for_ever && for_ever;
      if (!twice)
        p.nodes.push_back(first + i);
      else if (!more.isZero(0))
        list.push_back({{first + i}, p.motion, p.until, more});
    }
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(first_of_these), std::move(p));
  };
  const Mat3 whole = Mat3::Identity();
  if (!body.pin.empty()) add(Kind::pin, body.pin, body.where + ".pin", {}, {}, whole);
  for (const auto& pin : body.pin_entries) add(Kind::pin, pin.nodes, pin.where, {}, pin.until, pin.held);
  for (const auto& script : body.scripts) {
    const Vec3 pivot = script.pivot ? *script.pivot : placed.box_around(placed.chosen(script.nodes)).middle();
    add(Kind::script, script.nodes, script.where, keyed_motion(script.keys, script.interpolation, pivot, script.where),
        script.until, script.held);
  }
  const bool for_ever =
      std::all_of(list.begin(), list.end(), [](const Prescription& p) { return std::isinf(p.until); });
  const auto is_whole = [&](const auto& t) { return t.second.held.isIdentity(1e-9); };
  const std::size_t nodes = placed.nodes.size();
  const bool none_free = taken.size() == nodes && std::all_of(taken.begin(), taken.end(), is_whole) && for_ever;
  if (placed.part ? placed.part->sum(none_free ? 0 : 1) == 0 : none_free)
    throw InputError(body.where, fmt::format("all {} nodes of '{}' are prescribed: none is free to move",
                                             placed.part ? placed.part->nodes : static_cast<int>(nodes), body.name));
  return list;
}

}  // namespace limber
