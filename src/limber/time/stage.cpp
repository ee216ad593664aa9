#include "limber/time/stage.hpp"

#include <utility>

namespace limber {

State StageSolver::solve(System& system, const Stage& stage) {
  StageResult result = solve_stage(system, stage);
  if (!log_) return std::move(result.u);
  log_->push_back({stage.star, stage.tau_q, stage.tau_v, stage.t, std::move(result)});
  return log_->back().result.u;
}

}  // namespace limber
