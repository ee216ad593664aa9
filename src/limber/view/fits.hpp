#pragma once  // internal
/// Fits of scenes to tables of observed positions, for pages, in a thread of their own. One at a time: each ends the
/// one before.

#include <atomic>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "limber/scene/gradient/fit.hpp"
#include "limber/view/options.hpp"
#include "limber/view/side_thread.hpp"

namespace limber {

class PageFits {
 public:
  /// Both must outlive it.
  PageFits(const ViewOptions& options, ViewBoard& board) : options_(options), board_(board), thread_(board, "fit") {}

  /// Tells the page what a table holds (its text, or the name of a file), and which numbers of the pane's scene can be
  /// varied. Throws InputError.
  void observe(unsigned long client, const nlohmann::json& message, const Pane& pane, const FileAccess& access);
  /// Throws InputError. The page is told of progress and the end.
  void begin(unsigned long client, const nlohmann::json& message, const Pane& pane, const FileAccess& access);
  /// Ends the page's own fit; the best so far is told.
  void cancel(unsigned long client);
  bool busy() const { return !*ended_; }
  void end() { thread_.end(); }

 private:
  using Flag = std::shared_ptr<std::atomic<bool>>;

  Observations table_at(const nlohmann::json& message, const Pane& pane, const FileAccess& access) const;
  void work(unsigned long client, FitRequest request, const Flag& stop);

  const ViewOptions& options_;
  ViewBoard& board_;
  unsigned long client_ = 0;  // whose fit is the last
  Flag stop_ = std::make_shared<std::atomic<bool>>(false), ended_ = std::make_shared<std::atomic<bool>>(true);
  SideThread thread_;
};

}  // namespace limber
