#pragma once
/// The single list of linear solvers. To add one, add a row in linear_solver.cpp: names, errors and documentation
/// follow.

#include <string>
#include <vector>

#include "limber/linalg/solvers/linear_solver.hpp"

namespace limber {

struct LinearSolverInfo {
  std::string name, description;
  Symmetry takes;  // symmetric: accepts symmetric matrices only
};
const std::vector<LinearSolverInfo>& linear_solver_catalog();

}  // namespace limber
