#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include "limber/core/errors.hpp"
#include "limber/movie/export_run.hpp"
#include "limber/movie/movie.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/files.hpp"
#include "limber/record/temporary_directory.hpp"
#include "limber/render/ray_scene.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/scene/run/run.hpp"
#include "simulation.hpp"

namespace limber::python {
namespace {

/// The directory of a run, filled by hand: scene.json, the surfaces of bodies, and a trajectory that grows.
class FrameWriter {
 public:
  /// The simulation outlives the writer.
  FrameWriter(const PySimulation& simulation, const std::string& directory, Existing existing, Velocities velocities)
      : simulation_(simulation),
        directory_(prepare_directory(directory, existing)),
        header_(simulation.header(velocities)) {
    write_atomically(directory_->file(run_file::scene), simulation.scene().document.text() + "\n");
    simulation.write_surfaces(directory_->path().string());
    header_.frames = std::min<long>(step_count(simulation.scene().scene.time) + 1, first_room);
    writer_.emplace(TrajectoryWriter::create(file(), header_));
  }

  void write() {
    if (!writer_) throw InputError("write", "the writer is closed");
    const Frame frame = simulation_.frame(header_.prescribed);
    if (!(frame.t > last_))
      throw InputError("write",
                       fmt::format("t = {} s is not after the last frame, which is of t = {} s", frame.t, last_));
    if (writer_->frames() == header_.frames) make_room(2 * header_.frames);
    add(frame);
    last_ = frame.t;
  }
  long frames() const { return frames_; }
  void close() {
    if (!writer_) return;
    writer_->sync();
    writer_.reset();
    directory_.reset();
  }

 private:
  static constexpr long first_room = 100;

  std::string file() const { return directory_->file(run_file::trajectory); }
  void add(const Frame& f) {
    writer_->write_frame(writer_->frames(), f.t, f.q, header_.velocities == Velocities::store ? f.v : Vector(),
                         f.min_det_F, f.reactions);
    frames_ = writer_->frames();
  }
  void make_room(long frames) {
    writer_.reset();
    header_.frames = frames;
    writer_.emplace(TrajectoryWriter::resume(file(), header_, frames_));
  }

  const PySimulation& simulation_;
  std::optional<RunDirectory> directory_;
  TrajectoryHeader header_;
  std::optional<TrajectoryWriter> writer_;
  long frames_ = 0;
  double last_ = -std::numeric_limits<double>::infinity();  // [s]
};

/// f(), whose errors name options of the command line: here they are arguments.
template <class F>
auto with_arguments(const F& f) {
  try {
    return f();
  } catch (const InputError& e) {
    if (e.where().rfind("--", 0) != 0) throw;
    std::string name = e.where().substr(2);
    std::replace(name.begin(), name.end(), '-', '_');
    throw InputError(name, e.message());
  }
}

void require(bool condition, const char* name, const py::object& value, const char* allowed) {
  if (!condition) throw InputError(name, fmt::format("{} is not {}", py::repr(value).cast<std::string>(), allowed));
}

double number(const py::object& x, const char* name, double low, double high, const char* allowed) {
  const double value = PyFloat_AsDouble(x.ptr());
  const bool is_number = !(value == -1 && PyErr_Occurred() != nullptr);
  PyErr_Clear();
  require(is_number && value >= low && value <= high, name, x, allowed);
  return value;
}

long whole(const py::object& x, const char* name, long low, long high, const char* allowed) {
  const double value = number(x, name, static_cast<double>(low), static_cast<double>(high), allowed);
  require(value == std::floor(value), name, x, allowed);
  return static_cast<long>(value);
}

Vec3 place(const py::object& x, const char* name) {
  const Vector v = to_vector(x, 3, name);
  require(v.allFinite(), name, x, "finite");
  return v;
}

MovieOptions movie_options(const py::dict& given) {
  MovieOptions options;
  const py::object color = given["color"], size = given["size"];
  const std::vector<std::string> colors = {"body", "displacement", "stress"};
  const auto found = std::find(colors.begin(), colors.end(), py::str(color).cast<std::string>());
  require(found != colors.end(), "color", color, "\"body\", \"displacement\" or \"stress\"");
  options.coloring = static_cast<Coloring>(found - colors.begin());
  const char* sides = "(width, height) with sides of 16 to 16384 pixels";
  require(py::isinstance<py::sequence>(size) && py::len(size) == 2, "size", size, sides);
  options.size = {static_cast<int>(whole(size[py::int_(0)], "size", 16, 16384, sides)),
                  static_cast<int>(whole(size[py::int_(1)], "size", 16, 16384, sides))};
  options.wireframe = given["wireframe"].cast<bool>() ? Wireframe::on : Wireframe::off;
  options.quality = given["draft"].cast<bool>() ? Quality::draft : Quality::full;
  options.surface = given["body"].cast<bool>() ? BodySurface::simulated : BodySurface::given;
  options.fps = number(given["fps"], "fps", 1e-3, 1e6, "in [1e-3, 1e6]");
  if (!given["frame"].is_none())
    options.frame = whole(given["frame"], "frame", 0, 1L << 40, "a frame's number, from 0");
  if (!given["samples"].is_none())
    options.samples = static_cast<int>(whole(given["samples"], "samples", 1, 4096, "in [1, 4096]"));
  if (!given["camera"].is_none()) options.camera.position = place(given["camera"], "camera");
  if (!given["look_at"].is_none()) options.camera.look_at = place(given["look_at"], "look_at");
  if (!given["fov"].is_none()) options.camera.fov = number(given["fov"], "fov", 1, 150, "in [1, 150] degrees");
  options.progress = [](double) {
    if (!go_on()) throw Interrupted();
  };
  return options;
}

bool is_run(const py::object& source) {
  const bool path = py::isinstance<py::str>(source) || py::hasattr(source, "__fspath__");
  return path && std::filesystem::path(to_path(source, "source")).extension() != ".json";
}

py::dict render_to(const py::object& source, const py::object& to, const py::dict& given) {
  const MovieOptions options = movie_options(given);
  const std::string output = to_path(to, "output");
  const std::string directory = is_run(source) ? to_path(source, "source") : "";
  const auto scene = directory.empty() ? to_scene(source) : nullptr;
  const MovieFacts facts = with_arguments([&] {
    return computed([&] {
      require_ray_tracing();
      const MovieKind kind = movie_kind(output);
      if (kind == MovieKind::video) require_ffmpeg(output);
      if (options.frame >= 0 && kind != MovieKind::picture)
        throw InputError("frame", fmt::format("goes with one picture, picture.png, not with '{}'", output));
      if (!scene) return make_movie(directory, output, options);
      chosen_camera(options.camera, scene->scene.camera);
      const TemporaryDirectory temporary;
      RunOptions run;
      run.directory = (temporary.path() / "run").string();
      run.go_on = &go_on;
      if (run_scene(scene->document, scene->scene, build_model(scene->scene), run).end == RunResult::End::interrupted)
        throw Interrupted();
      return make_movie(run.directory, output, options);
    });
  });
  py::dict d;
  d["output"] = output;
  d["pictures"] = facts.pictures;
  d["width"] = facts.camera.size().width;
  d["height"] = facts.camera.size().height;
  d["camera"] = Vector(facts.camera.eye());
  d["look_at"] = Vector(facts.camera.eye() + facts.camera.forward());
  d["largest_value"] = facts.largest_value;
  return d;
}

py::dict export_to(const py::object& directory, const py::object& to, const py::object& frame, const py::object& every,
                   const py::object& fps, bool large) {
  const std::string from = to_path(directory, "directory"), output = to_path(to, "output");
  ExportOptions options;
  if (int{!frame.is_none()} + int{!every.is_none()} + int{!fps.is_none()} > 1)
    throw InputError("frame, every, fps", "only one of them can be given");
  if (!frame.is_none()) options.frame = whole(frame, "frame", 0, 1L << 40, "a frame's number, from 0");
  if (!every.is_none()) options.every = whole(every, "every", 1, 1000000000, "a whole number from 1 on");
  if (!fps.is_none()) options.fps = number(fps, "fps", 1e-3, 1e6, "in [1e-3, 1e6]");
  options.large = large ? Large::allowed : Large::refused;
  options.progress = [](double) {
    if (!go_on()) throw Interrupted();
  };
  const ExportFacts facts = with_arguments([&] { return computed([&] { return export_run(from, output, options); }); });
  py::dict d;
  d["files"] = facts.files;
  d["frames"] = facts.frames;
  d["notes"] = facts.notes;
  return d;
}

}  // namespace

void add_frames(py::module_& m) {
  py::class_<FrameWriter>(
      m, "FrameWriter",
      "Writes a simulation into a directory, frame by frame as write() is called: trajectory.h5, trajectory.xdmf and "
      "scene.json, for limber.render, limber.export and `limber check`. Use it with `with`, or close() it.")
      .def(py::init([](const PySimulation& simulation, const py::object& directory, bool overwrite, bool velocities) {
             const std::string path = to_path(directory, "directory");
             return std::make_unique<FrameWriter>(simulation, path, overwrite ? Existing::overwrite : Existing::refuse,
                                                  velocities ? Velocities::store : Velocities::omit);
           }),
           py::keep_alive<1, 2>(), py::arg("simulation"), py::arg("directory"), py::kw_only(),
           py::arg("overwrite") = false, py::arg("velocities") = false)
      .def("write", &FrameWriter::write, "Adds the present state of the simulation as the next frame.")
      .def_property_readonly("frames", &FrameWriter::frames, "The number written by now.")
      .def("close", &FrameWriter::close, "Frees the directory. What was written is readable before, too.")
      .def("__enter__", [](const py::object& self) { return self; })
      .def("__exit__", [](FrameWriter& w, const py::args&) { w.close(); });
  m.def("render", &render_to);
  m.def("export", &export_to);
}

}  // namespace limber::python
