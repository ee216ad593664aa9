#include "limber/time/modal/modal_bodies.hpp"

#include <algorithm>
#include <cassert>

#include "limber/linalg/dense_eigen.hpp"

namespace limber {

void ModalBodies::set_below_floor(const std::vector<std::vector<int>>& bodies) {
  for (std::size_t b = 0; b < unknowns_.size(); ++b)
    for (const auto& below : bodies) below_floor_[b] |= below == unknowns_[b];
}

bool ModalBodies::any_below_floor() const {
  return std::find(below_floor_.begin(), below_floor_.end(), 1) != below_floor_.end();
}

std::vector<Index> ModalBodies::modes_of(std::size_t body) const {
  std::vector<Index> columns;
  for (std::size_t c = 0; c < of_mode_.size(); ++c)
    if (of_mode_[c] == static_cast<int>(body)) columns.push_back(static_cast<Index>(c));
  return columns;
}

bool ModalBodies::in_use(std::size_t mode) const {
  return left_out_.empty() || of_mode_[mode] < 0 || !out_[static_cast<std::size_t>(of_mode_[mode])];
}

std::vector<Index> ModalBodies::columns_in_use(Index modes) const {
  std::vector<Index> columns;
  for (Index c = 0; c < modes; ++c)
    if (in_use(static_cast<std::size_t>(c))) columns.push_back(c);
  return columns;
}

/// The eigenvalues of XᵀKX are never below those of K, whatever X is.
void ModalBodies::leave_out(const ReducedTangent& reduced, const ModalLimits& limits, const Vector& turning) {
  assert(of_mode_.size() == static_cast<std::size_t>(reduced.K.cols()));
  left_out_.clear();
  out_.assign(unknowns_.size(), 0);
  for (std::size_t b = 0; b < unknowns_.size(); ++b) {
    const std::vector<Index> columns = modes_of(b);
    bool grows = below_floor_[b], damped = false;
    const bool turns = turning.size() > 0 && turning[unknowns_[b].front()] != 0;
    if (!columns.empty()) {
      const Matrix K = reduced.K(columns, columns);
      grows = grows || symmetric_eigen(.5 * (K + K.transpose())).values[0] < limits.lowest;
      damped = reduced.D(columns, columns).cwiseAbs().maxCoeff() > limits.most_damping;  // local: reduced
    }
    out_[b] = grows || damped || turns;
    if (out_[b])
      left_out_.push_back({unknowns_[b], grows    ? LeftOut::Why::grows
                                         : damped ? LeftOut::Why::damped
                                                  : LeftOut::Why::turns});
  }
}

}  // namespace limber
