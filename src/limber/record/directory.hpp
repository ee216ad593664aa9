#pragma once
/// The directory of a run: what Limber writes into it, and who may write into it now.

#include <filesystem>
#include <string>

namespace limber {

/// Names inside the directory of a run.
namespace run_file {
inline constexpr const char* trajectory = "trajectory.h5";
inline constexpr const char* xdmf = "trajectory.xdmf";
inline constexpr const char* energy = "energy.csv";
inline constexpr const char* contacts = "contacts.csv";
inline constexpr const char* probes = "probes.csv";
inline constexpr const char* cavities = "cavities.csv";
inline constexpr const char* energy_plot = "energy.png";
inline constexpr const char* summary = "summary.json";
inline constexpr const char* scene = "scene.json";
inline constexpr const char* checkpoint = "checkpoint.bin";
inline constexpr const char* modes = "modes.csv";
/// The surface that moves with a body, by the body's number.
std::string body_surface(std::size_t body);
/// Whether a file of this name is one.
bool is_body_surface(const std::string& name);
}  // namespace run_file

/// What may stand in the directory already.
enum class Existing {
  refuse,     // nothing
  resume,     // anything: nothing is removed
  overwrite,  // anything: the files that Limber itself writes are removed
};

/// Holds a lock on the directory, so that two runs never write into one; a killed run leaves no lock behind.
class RunDirectory {
 public:
  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&& other) noexcept;
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  ~RunDirectory();

  const std::filesystem::path& path() const { return path_; }
  /// The path of a file in it.
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  friend RunDirectory prepare_directory(const std::string& directory, Existing existing);
  RunDirectory(int lock, std::filesystem::path path) : lock_(lock), path_(std::move(path)) {}

  int lock_ = -1;
  std::filesystem::path path_;
};

/// Makes the directory where it is missing. Throws InputError("output.directory", …) if it is not empty and `existing`
/// refuses that, if it cannot be made or written, if it is a file, or if another run writes into it.
RunDirectory prepare_directory(const std::string& directory, Existing existing);

}  // namespace limber
