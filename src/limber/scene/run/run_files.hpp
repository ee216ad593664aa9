#pragma once  // internal
/// The files of a run that grow with it. Process 0 has them; on others nothing is written.

#include <optional>
#include <string>
#include <vector>

#include "limber/record/checkpoint.hpp"
#include "limber/record/contact_table.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/energy_table.hpp"
#include "limber/record/trajectory.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {

class RunFiles {
 public:
  /// Prepares the directory, on process 0. Throws InputError.
  RunFiles(const Model& model, const std::string& directory, Existing existing);

  const std::string& folder() const { return folder_; }
  std::string path(const char* name) const;
  /// Whether this process writes.
  bool here() const { return trajectory_.has_value(); }
  void create(const TrajectoryHeader& header);
  /// Goes on behind the checkpoint. Contacts stay up to `contacts_until` [s].
  void resume(const TrajectoryHeader& header, const Checkpoint& checkpoint, double contacts_until);

  long rows() const { return energy_->rows(); }
  void add_row(const EnergyRow& row);
  void add_probes(const std::vector<double>& row);
  void add_cavities(const std::vector<double>& row);
  void add_contact(const ContactRow& row);
  TrajectoryWriter& trajectory() { return *trajectory_; }

 private:
  const Model& model_;
  std::string folder_;
  std::optional<RunDirectory> directory_;
  std::optional<TrajectoryWriter> trajectory_;
  std::optional<EnergyTable> energy_;
  std::optional<ContactTable> contacts_;
  std::optional<StepTable> probes_, cavities_;  // as many rows as energies
};

}  // namespace limber
