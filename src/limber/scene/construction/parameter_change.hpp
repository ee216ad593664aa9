#pragma once  // internal
/// What follows from other numbers in a scene: what has to be read and made again.

#include <map>
#include <set>
#include <utility>

#include "limber/model/mechanical_system.hpp"
#include "limber/scene/construction/parameter_entries.hpp"

namespace limber {

/// A scene with other values.
struct ChangedScene {
  std::shared_ptr<Scene> scene;
  nlohmann::json json;
  std::vector<Parameter> values, before;
  std::map<int, LiveBody> bodies;    // that are others now
  std::vector<ForceOrigin> origins;  // of the forces of the system
};

class ParameterChange {
 public:
  /// `origins`: of the forces of the system.
  ParameterChange(const MechanicalSystem& system, const LiveScene& now, const std::vector<ForceOrigin>& origins);

  /// Another value. `field`: a name that no field has yet. Throws InputError.
  void take(const ParameterEntry& entry, const Parameter& value, const std::string& field);
  /// Once all are taken: reads again what has this one. Throws InputError.
  void read_again(const ParameterEntry& entry);
  /// Once all are read.
  SystemChange make();
  ChangedScene& result() { return next_; }

 private:
  struct Touched {
    bool gravity = false;
    std::set<int> bodies;     // with another material, damping, thickness, mass, …
    std::set<int> materials;  // with another material
    std::set<int> weighed;    // with other masses
    std::set<int> springs;
    std::set<std::pair<int, int>> choices;  // (body or −1, number)
  };
  void take_field(const ParameterEntry& entry, const Parameter& value, const std::string& field);
  void read_choice(const ParameterEntry& entry);
  void read_material(const ParameterEntry& entry, const JsonSection& body);
  void make_body(int b);
  void make_elastic(int b, const LiveBody& live);
  void make_masses();
  void make_choices();
  SystemChange exchange();

  const MechanicalSystem& system_;
  const LiveScene now_;
  const std::vector<ForceOrigin>& origins_;
  ChangedScene next_;
  Touched touched_;
  std::map<ForceOrigin, std::vector<std::shared_ptr<Force>>> forces_;  // in place of those of the same origin
  std::set<const Force*> bound_;
  bool same_couplings_ = true;
  std::vector<NodalMass> masses_;  // of all, where some are others
};

}  // namespace limber
