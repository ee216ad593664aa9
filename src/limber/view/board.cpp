#include "limber/view/board.hpp"

#include <new>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/view/messages.hpp"

namespace limber {

void ViewBoard::show(std::shared_ptr<const ViewPicture> picture, const ViewStage& stage) {
  {
    const std::lock_guard lock(mutex_);
    if (rows_.session != picture->session || rows_.version != stage.rows_version()) rows_.panes.clear();
    rows_.session = picture->session;
    rows_.version = stage.rows_version();
    rows_.panes.resize(stage.panes().size());
    for (std::size_t i = 0; i < rows_.panes.size(); ++i) {
      const auto& all = stage.rows(i);
      auto& here = rows_.panes[i];
      here.insert(here.end(), all.begin() + static_cast<std::ptrdiff_t>(here.size()), all.end());
    }
    picture_ = std::move(picture);
  }
  changed_();
}

std::shared_ptr<const ViewPicture> ViewBoard::picture() const {
  const std::lock_guard lock(mutex_);
  return picture_;
}

NewRows ViewBoard::rows_since(RowPlace& place) const {
  const std::lock_guard lock(mutex_);
  const auto& panes = rows_.panes;
  NewRows rows;
  rows.reset = place.session != rows_.session || place.version != rows_.version || place.next.size() != panes.size();
  if (rows.reset) place = {rows_.session, rows_.version, std::vector<std::size_t>(panes.size(), 0)};
  for (std::size_t p = 0; p < panes.size(); ++p) {
    rows.panes.emplace_back(panes[p].begin() + static_cast<std::ptrdiff_t>(place.next[p]), panes[p].end());
    place.next[p] = panes[p].size();
  }
  return rows;
}

void ViewBoard::say(unsigned long client, std::string text) {
  {
    const std::lock_guard lock(mutex_);
    answers_.push_back({client, std::move(text)});
  }
  changed_();
}

void ViewBoard::say_error(unsigned long client, const std::string& about, const std::exception& error) {
  say(client, error_message(about, error));
}

std::vector<ViewAnswer> ViewBoard::take_answers() {
  const std::lock_guard lock(mutex_);
  return std::exchange(answers_, {});
}

void ViewBoard::guard(unsigned long client, const std::string& about, const std::function<void()>& work) {
  const auto tell = [&](const std::exception& error) {
    try {
      say_error(client, about, error);
    } catch (const std::bad_alloc&) {  // not even for an answer
    }
  };
  try {
    work();
  } catch (const Interrupted&) {
    throw;
  } catch (const std::bad_alloc&) {  // what was to be done has given its memory back by now
    tell(InputError("", "there is not enough memory for this"));
  } catch (const std::exception& e) {
    tell(e);
  } catch (...) {
    tell(InputError("", "it went wrong for an unknown reason"));
  }
}

void ViewBoard::set_standing_error(std::string text) {
  const std::lock_guard lock(mutex_);
  standing_error_ = std::move(text);
}

std::string ViewBoard::standing_error() const {
  const std::lock_guard lock(mutex_);
  return standing_error_;
}

void ViewBoard::add_recorded(const std::string& name, const std::string& path) {
  const std::lock_guard lock(mutex_);
  recorded_[name] = path;
}

std::string ViewBoard::recorded(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = recorded_.find(name);
  return found == recorded_.end() ? "" : found->second;
}

}  // namespace limber
