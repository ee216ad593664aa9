#include "limber/scene/run/run_checkpoint.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

const std::string count_prefix = "count.", number_prefix = "parameter.", list_prefix = "parameters.";

/// Throws InputError(entry, …) where one is missing.
template <class T>
T entry(const std::map<std::string, T>& entries, const std::string& name) {
  const auto found = entries.find(name);
  if (found == entries.end()) throw InputError(name, "is missing");
  return found->second;
}

double whole_number(const Checkpoint& c, const std::string& name, double most = 1e15) {
  const double x = entry(c.numbers, name);
  if (!(x >= 0) || !(x <= most) || x != std::floor(x))
    throw InputError(name, fmt::format("is {}, not a whole number from 0 to {}", x, most));
  return x;
}

void put_error(Checkpoint& c, const std::string& name, const State& error) {
  if (error.q.size() == 0) return;
  c.numbers[name + ".t"] = error.t;
  c.vectors[name + ".q"] = error.q;
  c.vectors[name + ".v"] = error.v;
}

State error_in(const Checkpoint& c, const std::string& name) {
  const auto q = c.vectors.find(name + ".q");
  if (q == c.vectors.end()) return {};
  return {q->second, entry(c.vectors, name + ".v"), entry(c.numbers, name + ".t")};
}

}  // namespace

Checkpoint to_checkpoint(const Snapshot& s, const Counts& counts, const std::vector<std::string>& notes) {
  Checkpoint c;
  c.step = s.step;
  c.history = s.history;
  c.numbers = {{"start_time", s.start_time},         {"damping_loss", s.damping_loss},
               {"damping_power", s.damping_power},   {"friction_loss", s.friction_loss},
               {"friction_power", s.friction_power}, {"supply", s.supply}};
  for (const auto& [name, count] : counts) c.numbers[count_prefix + name] = count;
  c.numbers["releases"] = s.releases;
  c.texts["notes"] = nlohmann::json(notes).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  c.vectors["forces"] = Vector::Map(s.forces.data(), static_cast<Index>(s.forces.size()));
  c.vectors["account"] = Vector::Map(s.account.data(), static_cast<Index>(s.account.size()));
  if (!s.control.empty())
    c.vectors["step_control"] = Vector::Map(s.control.data(), static_cast<Index>(s.control.size()));
  put_error(c, "error", s.error);
  put_error(c, "error_of_contact", s.error_of_contact);
  if (s.modes) {
    c.numbers["modes.age"] = static_cast<double>(s.modes->steps_since_refresh);
    c.vectors["modes.lambda"] = s.modes->lambda;
    c.vectors["modes.X"] = s.modes->X.reshaped();
    c.vectors["modes.at"] = s.modes->at;
    if (s.modes->outdated) c.numbers["modes.outdated"] = 1;
  }
  for (const Parameter& p : s.parameters)
    c.vectors[(p.is_list ? list_prefix : number_prefix) + p.name] =
        Vector::Map(p.values.data(), static_cast<Index>(p.values.size()));
  return c;
}

Snapshot to_snapshot(const Checkpoint& c) {
  Snapshot s;
  s.history = c.history;
  s.step = c.step;
  s.start_time = entry(c.numbers, "start_time");
  s.damping_loss = entry(c.numbers, "damping_loss");
  s.damping_power = entry(c.numbers, "damping_power");
  s.friction_loss = entry(c.numbers, "friction_loss");
  s.friction_power = entry(c.numbers, "friction_power");
  s.supply = entry(c.numbers, "supply");
  s.releases = static_cast<int>(whole_number(c, "releases", 1e9));
  const Vector forces = entry(c.vectors, "forces");
  s.forces.assign(forces.begin(), forces.end());
  const Vector account = entry(c.vectors, "account");
  s.account.assign(account.begin(), account.end());
  if (const auto control = c.vectors.find("step_control"); control != c.vectors.end())
    s.control.assign(control->second.begin(), control->second.end());
  s.error = error_in(c, "error");
  s.error_of_contact = error_in(c, "error_of_contact");
  if (const auto lambda = c.vectors.find("modes.lambda"); lambda != c.vectors.end()) {
    const Vector X = entry(c.vectors, "modes.X");
    const Index modes = lambda->second.size();
    if (modes == 0 || X.size() % modes != 0)
      throw InputError("modes.X", fmt::format("has {} numbers, which do not make {} modes", X.size(), modes));
    s.modes = ModalMemory{lambda->second, X.reshaped(X.size() / modes, modes),
                          static_cast<long>(whole_number(c, "modes.age")), entry(c.vectors, "modes.at"),
                          c.numbers.contains("modes.outdated")};
  }
  for (const auto& [name, values] : c.vectors)
    for (const std::string& prefix : {number_prefix, list_prefix})
      if (name.starts_with(prefix))
        s.parameters.push_back({name.substr(prefix.size()), {values.begin(), values.end()}, prefix == list_prefix});
  return s;
}

double count_in(const Checkpoint& c, const std::string& name) { return whole_number(c, count_prefix + name); }

std::optional<Checkpoint> shared_checkpoint(const std::string& path, const Communicator& all) {
  std::optional<Checkpoint> checkpoint;
  on_root(all, [&] { checkpoint = load_checkpoint(path); });
  if (all.size() == 1) return checkpoint;
  std::string bytes;
  if (checkpoint) {
    std::vector<State> history = std::exchange(checkpoint->history, {});
    for (const State& u : history) checkpoint->history.push_back({{}, {}, u.t});
    bytes = checkpoint_bytes(*checkpoint);
    checkpoint->history = std::move(history);
  }
  std::array<int, 1> size = {static_cast<int>(bytes.size())};
  all.broadcast(size);
  if (size[0] == 0) return std::nullopt;
  std::vector<int> words((ix(size[0]) + sizeof(int) - 1) / sizeof(int));
  if (all.rank() == 0) std::memcpy(words.data(), bytes.data(), bytes.size());
  all.broadcast(words);
  if (all.rank() == 0) return checkpoint;
  bytes.assign(ix(size[0]), '\0');
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return parse_checkpoint(bytes, path);
}

std::vector<std::string> notes_of(const Checkpoint& c) {
  const auto notes = parse_or_discard(entry(c.texts, "notes"));
  std::vector<std::string> list;
  if (!notes.is_array()) throw InputError("notes", "is not a list of texts");
  for (const auto& note : notes) {
    if (!note.is_string()) throw InputError("notes", "is not a list of texts");
    list.push_back(note);
  }
  return list;
}

}  // namespace limber
