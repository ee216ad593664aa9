#pragma once  // internal
/// The gaps of a source, expressed in the unknowns of a system.

#include <memory>

#include "limber/model/mechanical_system.hpp"

namespace limber {

class NearPairs final : public NearGaps {
 public:
  NearPairs(const MechanicalSystem& system, std::shared_ptr<GapSource> source)
      : system_(system), source_(std::move(source)) {}

  GapRule rule() const override { return source_->rule(); }
  GapConstraints at(const State& u, double until, double distance) override;
  void report_forces(const GapConstraints& gaps, const Vector& forces) override;

 private:
  const MechanicalSystem& system_;
  std::shared_ptr<GapSource> source_;
  std::size_t count_ = 0;  // number of pairs in the last call of at()
};

}  // namespace limber
