#include "limber/scene/run/run_counts.hpp"

#include <algorithm>

namespace limber {

std::string retaken_count(Way way) { return std::string("retaken.") + to_string(way); }

void RunCounts::add(const StepRecord& step) {
  tally_.add(step);
  // Where many steps are halved, what else there is to say is not lost behind their reasons.
  constexpr std::size_t most_reasons = 20, most = 40;
  const auto keep = [&](const std::vector<std::string>& list, std::size_t limit) {
    for (const auto& note : list)
      if (notes_.size() < limit && std::find(notes_.begin(), notes_.end(), note) == notes_.end())
        notes_.push_back(note);
  };
  keep(step.notes, most_reasons);
  keep(step.remarks, most);
}

void RunCounts::restore(const Checkpoint& checkpoint) {
  notes_ = notes_of(checkpoint);
  for (const auto& [name, now] : own()) before_[name] = count_in(checkpoint, name) - now;
}

Counts RunCounts::own() const {
  const auto linear = simulation_.linear_counts();
  const auto number = [](auto count) { return static_cast<double>(count); };
  Counts counts = {{"newton_iterations", number(tally_.newton_iterations)},
                   {"escalated_steps", number(tally_.escalations)},
                   {"halved_steps", number(tally_.halved)},
                   {"linear.factorizations", number(linear.factorizations)},
                   {"linear.solves", number(linear.solves)},
                   {"linear.iterations", number(linear.iterations)}};
  for (const Way way : retake_ways) {
    const auto times = tally_.retaken.find(way);
    counts[retaken_count(way)] = times == tally_.retaken.end() ? 0 : number(times->second);
  }
  if (model_.contact && model_.contact->friction)
    counts["friction_held_stages"] = number(model_.contact->friction->held_stages());
  if (const auto* modes = simulation_.modes()) {
    counts["modes.refreshes"] = number(modes->refreshes());
    counts["modes.from_scratch"] = number(modes->counts().from_scratch);
    counts["modes.iterations"] = number(modes->counts().iterations);
    counts["modes.left_out_steps"] = number(modes->left_out_counts().steps);
    counts["modes.left_out_bodies"] = number(modes->left_out_counts().bodies);
  }
  if (simulation_.method().kind == MethodKind::exponential) {
    const auto krylov = simulation_.exponential_counts();
    counts["exponential.products"] = number(krylov.products);
    counts["exponential.substeps"] = number(krylov.substeps);
  }
  return counts;
}

Counts RunCounts::all() const {
  Counts sum = own();
  for (auto& [name, count] : sum)
    if (const auto before = before_.find(name); before != before_.end()) count += before->second;
  return sum;
}

}  // namespace limber
