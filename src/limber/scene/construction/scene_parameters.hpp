#pragma once
/// The numbers of a scene that may be changed while its motion goes on. Values are checked by the tables that read the
/// scene, and the forces and masses are made as for a scene with the new values: both give the same bits.

#include <memory>
#include <optional>

#include "limber/model/parameters.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {

struct ParameterEntry;
struct ChangedScene;

class SceneParameters final : public ParameterSource {
 public:
  /// Of a model that was built of this scene, and lives as long as its system. `document`: what the scene was read
  /// from.
  SceneParameters(const Document& document, std::shared_ptr<const Scene> scene, const Model& model);
  ~SceneParameters() override;

  std::vector<Parameter> parameters() const override;
  Parameter parameter(const std::string& name) const override;
  std::vector<Parameter> changed() const override;
  std::vector<Parameter> before_changes() const override;
  SystemChange prepare(std::span<const Parameter> values) override;
  void commit() override;

  /// With the present values.
  const Scene& scene() const { return *now_; }
  /// The same, but for one number for each element, which no document has.
  Document document() const;
  /// Masses and wave speeds of the bodies as they are now.
  void update(Model& model) const;

 private:
  struct Live;

  std::vector<ParameterEntry> entries() const;

  MechanicalSystem* system_;
  Document document_;
  std::shared_ptr<const Scene> now_;
  std::unique_ptr<Live> live_;
  bool contact_;
  std::vector<Parameter> changed_, before_;
  std::unique_ptr<ChangedScene> pending_;
  long fields_made_ = 0;
};

/// Lets the numbers of the scene be changed while a simulation of the model goes on.
std::shared_ptr<SceneParameters> offer_parameters(const Document& document, std::shared_ptr<const Scene> scene,
                                                  const Model& model);

}  // namespace limber
