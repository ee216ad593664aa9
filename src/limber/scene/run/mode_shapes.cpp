#include "limber/scene/run/mode_shapes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "limber/record/trajectory.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/scene/run/run.hpp"

namespace limber {
namespace {

double largest_movement(const Vector& x) {
  double largest = 0;
  for (Index i = 0; i < x.size(); i += 3) largest = std::max(largest, x.segment<3>(i).norm());
  return largest;
}

}  // namespace

double mode_frequency(double lambda) {
  return std::copysign(std::sqrt(std::abs(lambda)), lambda) / (2 * std::numbers::pi);
}

long write_mode_shapes(const Model& model, const Modes& modes, const std::string& directory, Existing existing,
                       const ModeAnimation& animation) {
  const RunDirectory place = prepare_directory(directory, existing);
  const Index count = modes.X.cols();
  const double amplitude = animation.amplitude > 0 ? animation.amplitude : 0.1 * model.system->length_scale();
  auto writer = TrajectoryWriter::create(place.file(run_file::trajectory),
                                         trajectory_header(model, Velocities::omit, count * animation.frames));
  const Vector start = model.system->full(model.start).q;
  const Vector reactions = Vector::Zero(3 * static_cast<Index>(model.system->prescribed_nodes().size()));
  const Matrix shapes = on_all_nodes(*model.system, modes.X);
  std::string table = "mode,lambda,frequency,first_frame,last_frame\n";
  for (Index m = 0; m < count; ++m) {
    const double scale = amplitude / largest_movement(shapes.col(m));
    const long first = writer.frames();
    for (int j = 0; j < animation.frames; ++j) {
      const double phase = static_cast<double>(j) / animation.frames;
      const Vector q = start + scale * std::sin(2 * std::numbers::pi * phase) * shapes.col(m);
      writer.write_frame(writer.frames(), static_cast<double>(m) + phase, q, {}, model.min_det_F(q), reactions);
    }
    table += fmt::format("{},{},{},{},{}\n", m + 1, modes.lambda[m], mode_frequency(modes.lambda[m]), first,
                         writer.frames() - 1);
  }
  write_atomically(place.file(run_file::modes), table);
  return writer.frames();
}

}  // namespace limber
