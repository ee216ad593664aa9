#include "limber/view/recording.hpp"

#include <algorithm>
#include <filesystem>

#include "limber/movie/export_run.hpp"
#include "limber/movie/movie.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/energy_table.hpp"
#include "limber/record/files.hpp"
#include "limber/scene/run/exported.hpp"
#include "limber/scene/run/run.hpp"

namespace limber {

Recording::Recording(const ViewStage& stage, const std::string& run) : run_(run), frames_(stage.kept()) {
  const Pane& pane = *stage.panes()[0];
  std::filesystem::create_directories(run);
  header_ = trajectory_header(pane.model(), Velocities::store, static_cast<long>(frames_.size()));
  header_.prescribed.clear();
  for (const Body& body : pane.model().bodies)
    for (const auto& force : {body.elastic, body.rigid})
      if (force) elastic_.push_back(force);
  write_atomically((std::filesystem::path(run) / run_file::scene).string(), pane.document().text() + "\n");
  write_body_surfaces(pane.model(), run);
}

void Recording::write() const {
  auto writer = TrajectoryWriter::create((std::filesystem::path(run_) / run_file::trajectory).string(), header_);
  for (std::size_t k = 0; k < frames_.size(); ++k) {
    const State& u = *frames_[k].states[0];
    double least = elastic_.empty() ? 1 : elastic_[0]->min_det_F(u.q);
    for (const auto& force : elastic_) least = std::min(least, force->min_det_F(u.q));
    writer.write_frame(static_cast<long>(k), u.t, u.q, u.v, least, Vector());
  }
  write_energies();
}

/// The columns of a run, but for those of collisions: to look for these at each state would slow down the simulation.
void Recording::write_energies() const {
  auto table = EnergyTable::create(
      (std::filesystem::path(run_) / run_file::energy).string(),
      {"external", "substeps", "escalations", "contact", "friction_loss", "put_in", "retaken", "put_in_doubt"});
  for (const KeptFrame& frame : frames_) {
    const StepRow& row = frame.rows[0];
    const Energies& e = row.energies;
    const StepRecord& step = row.record;
    table.add({row.time,
               e.kinetic,
               e.elastic,
               e.gravitational,
               row.damping_loss,
               e.total(),
               step.newton_iterations,
               row.wall_ms,
               {e.other, static_cast<double>(step.substeps.size()), static_cast<double>(step.escalations()), e.contact,
                row.friction_loss, row.put_in, static_cast<double>(step.retaken()), row.put_in_doubt}});
  }
}

void export_recording(const std::string& run, const std::string& file, const std::string& format,
                      const std::function<void(double)>& progress) {
  if (format == "mp4") {
    MovieOptions options;
    options.size = {640, 400};
    options.samples = 4;
    options.progress = progress;
    make_movie(run, file, options);
  } else {
    ExportOptions options;
    options.progress = progress;
    export_run(run, file, options);
  }
}

}  // namespace limber
