#include "limber/model/force_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

/// Appends the force if it implements the interface.
template <class Role>
void append(std::vector<Role*>& list, Force& force) {
  if (auto* role = dynamic_cast<Role*>(&force)) list.push_back(role);
}

}  // namespace

ForceList::ForceList(Forces forces) : group_(5) {
  const auto join = [&](ForceGroup group, const std::shared_ptr<Force>& force, const ForceTraits& traits) {
    auto& [members, sum] = group_[static_cast<std::size_t>(group)];
    members.push_back(force);
    sum.collides = sum.collides || dynamic_cast<ContactForce*>(force.get()) != nullptr;
    sum.velocity_dependent = sum.velocity_dependent || traits.velocity_dependent;
    sum.has_potential = sum.has_potential && traits.has_potential;
    sum.time_dependent = sum.time_dependent || traits.time_dependent;
  };
  for (const auto& force : forces) {
    const ForceTraits traits = force->traits();
    join(ForceGroup::all, force, traits);
    join(traits.wholly_implicit ? ForceGroup::implicit : ForceGroup::smooth, force, traits);
    if (!dynamic_cast<ContactForce*>(force.get())) {
      join(ForceGroup::apart, force, traits);
      if (traits.wholly_implicit) join(ForceGroup::lasting, force, traits);
    }
    if (!traits.symmetric) storage_ = Storage::full;
    lag_ = std::max(lag_, traits.lag);
    append(contact_, *force);
    if (contact_.size() > collisions_.size()) collisions_.push_back(force);
    append(damping_, *force);
    append(loads_, *force);
    learning_.push_back(dynamic_cast<LearningForce*>(force.get()));
  }
  // Smooth tangents are added to theirs.
  const auto traits_of = [&](ForceGroup g) -> GroupTraits& { return group_[static_cast<std::size_t>(g)].traits; };
  traits_of(ForceGroup::implicit).velocity_dependent = traits_of(ForceGroup::all).velocity_dependent;
  traits_of(ForceGroup::lasting).velocity_dependent = traits_of(ForceGroup::apart).velocity_dependent;
}

void ForceList::apply_loads(double share) const {
  for (LoadForce* load : loads_) load->apply(share);
}

std::vector<std::vector<double>> ForceList::memories() const {
  std::vector<std::vector<double>> all;
  for (const LearningForce* force : learning_) all.push_back(force ? force->memory() : std::vector<double>{});
  return all;
}

void ForceList::restore(const std::vector<std::vector<double>>& memories) const {
  for (std::size_t i = 0; i < learning_.size(); ++i)
    if (learning_[i]) learning_[i]->restore(memories.at(i));
}

std::vector<double> ForceList::memory() const {
  std::vector<double> all;
  for (const auto& part : memories()) {
    all.push_back(static_cast<double>(part.size()));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

void ForceList::restore(const std::vector<double>& memory) const {
  auto next = memory.begin();
  const auto fail = [&] {
    throw InputError("forces",
                     fmt::format("{} numbers do not fit what the {} forces keep", memory.size(), learning_.size()));
  };
  for (LearningForce* force : learning_) {
    if (next == memory.end()) fail();
    const double count = *next++;
    if (!(count >= 0) || !(count <= static_cast<double>(memory.end() - next)) || count != std::floor(count)) fail();
    if (count > 0 && !force) fail();
    const auto end = next + static_cast<std::ptrdiff_t>(count);
    if (force) force->restore({next, end});
    next = end;
  }
  if (next != memory.end()) fail();
}

bool ForceList::any_learns() const {
  return std::any_of(learning_.begin(), learning_.end(), [](const LearningForce* force) { return force != nullptr; });
}

void ForceList::begin_step(const State& all) const {
  for (LearningForce* force : learning_)
    if (force) force->begin_step(all);
}

bool ForceList::adapt(const State& all, double budget) const {
  bool changed = false;
  for (LearningForce* force : learning_) changed = (force && force->adapt(all, budget)) || changed;
  return changed;
}

template <class Visit>
void ForceList::each_strained(const State& all, const Communicator& processes, const Visit& visit) const {
  for (LearningForce* force : learning_) {
    if (!force || dynamic_cast<ContactForce*>(force)) continue;  // collisions strain nothing
    std::vector<double> strains = force->strains(all);
    if (strains.empty()) continue;
    processes.sum(strains);
    visit(*force, strains);
  }
}

bool ForceList::stiffen(const State& all, const Communicator& processes) const {
  bool changed = false;
  each_strained(all, processes,
                [&](LearningForce& force, const auto& strains) { changed = force.stiffen(strains) || changed; });
  return changed;
}

std::vector<std::string> ForceList::remarks(const State& all, const Communicator& processes) const {
  std::vector<std::string> found;
  each_strained(all, processes, [&](const LearningForce& force, const auto& strains) {
    if (std::string remark = force.remark(strains); !remark.empty()) found.push_back(std::move(remark));
  });
  return found;
}

}  // namespace limber
