#pragma once
/// The numbers of a scene that may be changed while its motion goes on. Values are checked by the tables that read the
/// scene, and the forces and masses are made as for a scene with the new values: both give the same bits.

#include <memory>
#include <optional>

#include "limber/model/parameters.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {

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
  struct Entry;    // a parameter and where it stands
  struct Live;     // a body, meshed again when something of it is changed first
  struct Pending;  // what was prepared
  struct Json;     // the document without meshes
  struct Fact {    // of a body
    int first_node;
    bool solid, rigid, thin;
  };

  std::vector<Entry> entries() const;
  void add_body_entries(std::size_t b, std::vector<Entry>& all) const;
  const Entry& find(const std::vector<Entry>& all, const std::string& name) const;
  Live& live(std::size_t b) const;
  std::vector<double> element_values(std::size_t b, const std::string& field) const;
  void take_value(const Entry& entry, const Parameter& value, Pending& next) const;
  void read_again(const Entry& entry, Pending& next) const;
  void make_body(std::size_t b, Pending& next) const;
  void make_choices(Pending& next) const;
  SystemChange exchange(Pending& next) const;

  MechanicalSystem* system_;
  Document document_;
  std::shared_ptr<const Scene> now_;
  std::unique_ptr<Json> json_;
  std::vector<Fact> facts_;
  std::vector<ForceOrigin> origins_;
  bool contact_;
  mutable std::vector<std::unique_ptr<Live>> live_;
  std::vector<Parameter> changed_, before_;
  std::unique_ptr<Pending> pending_;
  mutable long fields_made_ = 0;
};

/// Lets the numbers of the scene be changed while a simulation of the model goes on.
std::shared_ptr<SceneParameters> offer_parameters(const Document& document, std::shared_ptr<const Scene> scene,
                                                  const Model& model);

}  // namespace limber
