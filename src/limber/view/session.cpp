#include "limber/view/session.hpp"

#include <pthread.h>

#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/view/folders.hpp"
#include "limber/view/messages.hpp"
#include "limber/view/page_actions.hpp"

namespace limber {

ViewSession::ViewSession(ViewOptions options, std::function<void()> changed)
    : options_(std::move(options)), board_(std::move(changed)), player_(options_, board_), side_(options_, board_) {
  thread_ = std::thread([this] { live(); });
  ::pthread_setname_np(thread_.native_handle(), "simulation");
}

ViewSession::~ViewSession() {
  waiting_.end();
  side_.end();
  thread_.join();
}

void ViewSession::open_path(const std::string& path, const std::vector<std::string>& overrides) {
  waiting_.add([this, path, overrides] { open(path, overrides); });
}

void ViewSession::open(const std::string& path, const std::vector<std::string>& overrides) {
  try {
    player_.begin(source_of(path, overrides, options_.methods));
    player_.play_if_seen();
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    const std::string text = error_message("open", e);
    board_.set_standing_error(text);
    board_.say(0, text);
  }
}

void ViewSession::pages_are(std::size_t count) {
  if (watched_.exchange(count > 0) == (count > 0)) return;
  waiting_.add([this] { player_.look(); });
}

void ViewSession::ask(unsigned long client, std::string message) {
  if (message.empty()) return;
  const std::size_t bytes = message.size();
  const auto answer = [this, client, message = std::move(message)] {
    std::string about;
    board_.guard(client, about, [&] { answer_page(message, client, player_, side_, board_, about); });
  };
  if (!waiting_.add_if_room(answer, bytes))
    board_.say_error(client, "", InputError("", "more is asked than can be kept waiting; this was left out"));
}

void ViewSession::live() {
  const Interruptible interruptible([this] { return !waiting_.ended(); });
  try {
    while (!waiting_.ended()) {
      const bool plays = player_.plays() && watched_;
      const auto work = waiting_.next(plays ? std::optional(player_.due(side_.busy())) : std::nullopt);
      if (work)
        board_.guard(0, "", work);
      else if (plays && !waiting_.ended())
        board_.guard(0, "", [this] { player_.step(side_.busy()); });
    }
  } catch (const Interrupted&) {  // the end
  }
}

}  // namespace limber
