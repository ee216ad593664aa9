#include "limber/view/stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/record/directory.hpp"
#include "limber/scene/run/exported.hpp"
#include "limber/scene/run/other_method.hpp"

namespace limber {
namespace {

constexpr std::size_t most_kept_bytes = 256u << 20, most_rows = 20000;

Document changed(Document scene, const ViewStage::Changes& changes) {
  for (const std::string& change : changes) {
    // Another method takes over what it can of the parameters.
    if (const std::string name = "method.name="; change.starts_with(name)) {
      std::string method = change.substr(name.size());
      std::erase(method, '"');
      scene = with_method(scene, method);
    } else {
      scene.set(change);
    }
  }
  return scene;
}

template <class T>
void keep_every_other(std::vector<T>& list) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < list.size(); i += 2) list[n++] = std::move(list[i]);
  list.resize(n);
}

}  // namespace

ViewStage::ViewStage(const StageSource& source) : source_(source) {
  if (source.scenes.empty() || source.scenes.size() > most_panes)
    throw InputError("methods", fmt::format("{} methods; 1 to {} are shown", source.scenes.size(), most_panes));
  const Pane::Use use = source.run.empty() ? Pane::Use::simulate : Pane::Use::show;
  for (const Document& scene : source.scenes) panes_.push_back(std::make_unique<Pane>(scene, source_.access, use));
  rows_.resize(panes_.size());
  if (source.run.empty()) {
    for (std::size_t i = 0; i < panes_.size(); ++i) rows_[i] = {panes_[i]->row().sample()};
    keep();
  } else {
    recording_ =
        std::make_unique<TrajectoryReader>((std::filesystem::path(source.run) / run_file::trajectory).string());
    recorded_times_ = recording_->times();
    if (recorded_times_.empty()) throw InputError(source.run, "has no frames yet");
    if (recording_->header().bodies.size() != panes_[0]->scene().bodies.size())
      throw InputError(source.run, "its scene.json has other bodies than its trajectory.h5");
    auto energies = read_run_energies((std::filesystem::path(source.run) / run_file::energy).string(), most_rows);
    for (auto& rows : rows_) rows = energies.rows;
    note_ = std::move(energies.note);
  }
}

std::optional<double> ViewStage::lowest() const {
  if (!recording_) return {};
  const std::size_t frames = recorded_times_.size(), frame_bytes = 1 + 48 * recording_->header().node_count();
  const std::size_t looks = std::min(frames, std::clamp<std::size_t>(most_kept_bytes / frame_bytes, 2, 200));
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < looks; ++k) {
    const Vector q = recording_->frame(static_cast<long>(looks < 2 ? 0 : k * (frames - 1) / (looks - 1))).q;
    for (Index i = 1; i < q.size(); i += 3)
      if (std::isfinite(q[i])) least = std::min(least, q[i]);
  }
  return std::isfinite(least) ? std::optional(least) : std::nullopt;
}

std::shared_ptr<const ViewShape> ViewStage::shape() const {
  const Pane& first = *panes_[0];
  if (!recording_) return std::make_shared<const ViewShape>(first.scene(), first.model());
  const TrajectoryHeader& header = recording_->header();
  return std::make_shared<const ViewShape>(first.scene(), header,
                                           written_body_surfaces(source_.run, header.bodies.size()));
}

double ViewStage::time() const {
  if (recording_) return recorded_times_.back();
  double least = std::numeric_limits<double>::infinity();
  for (const auto& pane : panes_) least = std::min(least, pane->time());
  return least;
}

void ViewStage::step() {
  double next = std::numeric_limits<double>::infinity();
  for (const auto& pane : panes_) next = std::min(next, pane->next_time());
  for (std::size_t i = 0; i < panes_.size(); ++i) {
    if (panes_[i]->next_time() > next * (1 + 1e-12) + 1e-15) continue;
    panes_[i]->step();
    rows_[i].push_back(panes_[i]->row().sample());
    if (rows_[i].size() > most_rows) {
      keep_every_other(rows_[i]);
      ++rows_version_;
    }
  }
  if (++steps_ % keep_every_ == 0) keep();
}

KeptFrame ViewStage::present() const {
  KeptFrame frame{time(), {}, {}};
  for (const auto& pane : panes_) {
    frame.states.push_back(std::make_shared<const State>(pane->full()));
    frame.rows.push_back(pane->row());
  }
  return frame;
}

void ViewStage::keep() {
  kept_.push_back(present());
  std::size_t bytes = 0;
  for (const auto& state : kept_.back().states)
    bytes += sizeof(StepRow) + 2 * sizeof(double) * static_cast<std::size_t>(state->q.size());
  if (kept_.size() > 3 && kept_.size() * bytes > most_kept_bytes) {
    keep_every_other(kept_);
    keep_every_ *= 2;
  }
}

std::size_t ViewStage::frames() const { return recording_ ? recorded_times_.size() : kept_.size(); }

double ViewStage::frame_time(std::size_t frame) const { return recording_ ? recorded_times_[frame] : kept_[frame].t; }

KeptFrame ViewStage::frame(std::size_t k) const {
  if (!recording_) return kept_[k];
  Frame frame = recording_->frame(static_cast<long>(k));
  const auto state = std::make_shared<const State>(State{std::move(frame.q), std::move(frame.v), frame.t});
  return {frame.t, {panes_.size(), state}, {}};
}

void ViewStage::go_on_with(const Changes& changes, Which which) {
  require_pane(which);
  // All panes take on the changes, or none: what one of them refuses leaves the others as they are.
  std::vector<std::pair<Pane*, std::vector<Parameter>>> changing;
  for (std::size_t i = 0; i < panes_.size(); ++i) {
    if (which && *which != i) continue;
    auto numbers = panes_[i]->numbers(changes);
    if (!numbers) return replace(present(), changes, which);
    changing.emplace_back(panes_[i].get(), std::move(*numbers));
  }
  for (const auto& [pane, numbers] : changing) pane->change(numbers);
}

void ViewStage::fork(std::size_t k, const Changes& changes, Which which) {
  if (k >= frames())
    throw InputError("frame", fmt::format("{} is too large: there are {} frames, numbered from 0", k, frames()));
  const KeptFrame at = frame(k);
  for (const auto& state : at.states)
    if (state->v.size() == 0)
      throw InputError("frame", "the run has no velocities; run it again with output.velocities: true");
  replace(at, changes, which);
  if (recording_) {
    recording_.reset();
    kept_.clear();
    keep();
  }
  forget_after(at.t);
}

void ViewStage::require_pane(Which which) const {
  if (which && *which >= panes_.size())
    throw InputError("pane", fmt::format("{}: there are {}, numbered from 0", *which, panes_.size()));
}

void ViewStage::replace(const KeptFrame& at, const Changes& changes, Which which) {
  require_pane(which);
  std::vector<std::unique_ptr<Pane>> panes;
  for (std::size_t i = 0; i < panes_.size(); ++i) {
    const Document& old = panes_[i]->document();
    const Document scene = !which || *which == i ? changed(old, changes) : old;
    panes.push_back(std::make_unique<Pane>(scene, source_.access, Pane::Use::simulate, *at.states[i]));
    if (!at.rows.empty()) panes.back()->count_on_from(at.rows[i]);
  }
  panes_ = std::move(panes);
}

void ViewStage::forget_after(double t) {
  const double reach = t + 1e-9 * std::max(1.0, t);
  std::erase_if(kept_, [&](const KeptFrame& frame) { return frame.t > reach; });
  for (auto& rows : rows_) std::erase_if(rows, [&](const EnergySample& row) { return row[0] > reach; });
  ++rows_version_;
}

}  // namespace limber
