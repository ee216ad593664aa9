#include "limber/sim/step_record.hpp"

#include <algorithm>

namespace limber {

double StepRecord::shortest() const {
  const auto shorter = [](const Substep& a, const Substep& b) { return a.h < b.h; };
  return substeps.empty() ? 0 : std::min_element(substeps.begin(), substeps.end(), shorter)->h;
}

int StepRecord::escalations() const {
  int count = 0;
  for (const Substep& s : substeps) count += s.failed_before + (s.gained_before && s.way == Way::newton);
  return count;
}

int StepRecord::retaken(Way way) const {
  return static_cast<int>(std::count_if(substeps.begin(), substeps.end(),
                                        [way](const Substep& s) { return s.gained_before && s.way == way; }));
}

int StepRecord::retaken() const {
  int count = 0;
  for (const Way way : retake_ways) count += retaken(way);
  return count;
}

void StepTally::add(const StepRecord& step) {
  newton_iterations += step.newton_iterations;
  escalations += step.escalations();
  halved += step.halved();
  rejected += step.rejected;
  for (const Way way : retake_ways) retaken[way] += step.retaken(way);
}

}  // namespace limber
