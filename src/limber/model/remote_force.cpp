#include "limber/model/remote_force.hpp"

namespace limber {
namespace {

class RemoteForce final : public Force {
 public:
  explicit RemoteForce(const Force& force) : traits_(force.traits()) {}

  ForceTraits traits() const override { return traits_; }
  void add_couplings(Couplings&) const override {}
  void add_force(const State&, Vector&) const override {}
  void add_tangent(const State&, TangentBuilder&) const override {}
  std::optional<Potentials> potentials(const State&) const override {
    return traits_.has_potential ? std::optional(Potentials{}) : std::nullopt;
  }

 private:
  ForceTraits traits_;
};

}  // namespace

std::shared_ptr<Force> make_remote_force(const Force& force) { return std::make_shared<RemoteForce>(force); }

}  // namespace limber
