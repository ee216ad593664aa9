#include "limber/scene/run/run_files.hpp"

#include <filesystem>

namespace limber {
namespace {

const std::vector<std::string> further_columns = {"external",      "substeps",    "escalations",  "contact",
                                                  "friction_loss", "collisions",  "smallest_gap", "put_in",
                                                  "retaken",       "put_in_doubt"};

std::vector<std::string> probe_columns(const std::vector<Probe>& probes) {
  std::vector<std::string> columns = {"time"};
  for (const Probe& probe : probes)
    for (const char* axis : {".x", ".y", ".z"}) columns.push_back(probe.name + axis);
  return columns;
}

std::vector<std::string> cavity_columns(const std::vector<FilledSpace>& cavities) {
  std::vector<std::string> columns = {"time"};
  for (const FilledSpace& c : cavities)
    for (const char* what : {".volume", ".pressure"}) columns.push_back(c.name + what);
  return columns;
}

}  // namespace

RunFiles::RunFiles(const Model& model, const std::string& directory, Existing existing)
    : model_(model), folder_(directory) {
  on_root(model.system->processes(), [&] { directory_.emplace(prepare_directory(directory, existing)); });
}

std::string RunFiles::path(const char* name) const { return (std::filesystem::path(folder_) / name).string(); }

void RunFiles::create(const TrajectoryHeader& header) {
  trajectory_.emplace(TrajectoryWriter::create(path(run_file::trajectory), header));
  energy_.emplace(EnergyTable::create(path(run_file::energy), further_columns));
  if (!model_.probes.empty()) probes_.emplace(StepTable::create(path(run_file::probes), probe_columns(model_.probes)));
  if (!model_.cavities.empty())
    cavities_.emplace(StepTable::create(path(run_file::cavities), cavity_columns(model_.cavities)));
  if (model_.contact) contacts_.emplace(ContactTable::create(path(run_file::contacts)));
}

void RunFiles::resume(const TrajectoryHeader& header, const Checkpoint& checkpoint, double contacts_until) {
  const long rows = checkpoint.rows;
  trajectory_.emplace(TrajectoryWriter::resume(path(run_file::trajectory), header, checkpoint.frames));
  energy_.emplace(EnergyTable::resume(path(run_file::energy), rows, further_columns));
  if (!model_.probes.empty())
    probes_.emplace(StepTable::resume(path(run_file::probes), rows, probe_columns(model_.probes)));
  if (!model_.cavities.empty())
    cavities_.emplace(StepTable::resume(path(run_file::cavities), rows, cavity_columns(model_.cavities)));
  if (model_.contact) contacts_.emplace(ContactTable::resume(path(run_file::contacts), contacts_until));
}

void RunFiles::add_row(const EnergyRow& row) {
  if (energy_) energy_->add(row);
}

void RunFiles::add_probes(const std::vector<double>& row) {
  if (probes_) probes_->add(row);
}

void RunFiles::add_cavities(const std::vector<double>& row) {
  if (cavities_) cavities_->add(row);
}

void RunFiles::add_contact(const ContactRow& row) {
  if (contacts_) contacts_->add(row);
}

}  // namespace limber
