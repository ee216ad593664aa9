#pragma once
/// What a sweep is, and the directory that holds it: sweep.json says which scene is varied and how, so that a directory
/// never mixes the runs of two sweeps.
///
///     sweep.json                 the definition
///     0001-young=1e5-step=0.01/  the directory of each run
///     failed/0001-….txt          why a run failed that could not say so itself
///     sweep.csv, sweep-COLUMN.*  the table and its figures

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "limber/record/directory.hpp"
#include "limber/study/sweep/combination.hpp"

namespace limber {

namespace sweep_file {
inline constexpr const char* definition = "sweep.json";
inline constexpr const char* table = "sweep.csv";
inline constexpr const char* failed = "failed";
inline constexpr const char* figure_prefix = "sweep-";
}  // namespace sweep_file

struct SweepDefinition {
  Document scene;  // as its file has it, with the assignments of --set
  std::vector<Variation> variations;
  std::string limber_version;  // that began it
};

/// What is in the directory. Nothing where there is no sweep.json. Throws InputError if it cannot be read.
std::optional<SweepDefinition> load_definition(const std::filesystem::path& directory);

/// In words, the first thing in which `now` is another sweep than `before`: "" where they are the same. Keys that do
/// not change the results (threads, camera, view, output.directory) may differ.
std::string difference(const SweepDefinition& before, const SweepDefinition& now);

/// Throws InputError("--output", …) where the directory holds another sweep or something else, unless `existing` is
/// Existing::overwrite. Writes nothing.
void check_sweep_directory(const std::filesystem::path& directory, const SweepDefinition& sweep, Existing existing);

/// The same, and makes the directory with its sweep.json. Existing::overwrite removes what the sweep before has written
/// there, and nothing else. Several processes may begin the same sweep at once. Throws InputError, OutputError.
void begin_sweep(const std::filesystem::path& directory, const SweepDefinition& sweep, Existing existing);

/// While one lives, no other process makes the table of the same sweep: who comes later has seen more runs end.
class SweepLock {
 public:
  explicit SweepLock(const std::filesystem::path& directory);
  ~SweepLock();
  SweepLock(const SweepLock&) = delete;
  SweepLock& operator=(const SweepLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// The file that says why a run failed without a summary of its own, as where memory ran out.
std::filesystem::path failure_file(const std::filesystem::path& directory, const Combination& combination);
/// Throws OutputError.
void write_failure(const std::filesystem::path& directory, const Combination& combination, const std::string& why);
void forget_failure(const std::filesystem::path& directory, const Combination& combination);

}  // namespace limber
