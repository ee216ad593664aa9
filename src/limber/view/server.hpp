#pragma once  // internal
/// The viewer's server: its page and what is recorded over HTTP, and the protocol of docs/view.md over WebSocket, on
/// one thread. It answers only those who show the key that stands in its address.

#include <memory>
#include <string>

#include "limber/view/session.hpp"

namespace limber {

struct ServerOptions {
  std::string host = "127.0.0.1";  // address to listen on
  unsigned short port = 0;         // 0: any that is free
  int more_ports = 0;              // how many after it are tried where it is in use
};

/// Whether only this machine can reach the address.
bool is_loopback(const std::string& host);

class ViewServer {
 public:
  /// Throws InputError("--host" or "--port", …).
  ViewServer(const ServerOptions& server, const ViewOptions& view);
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  ViewSession& session();
  unsigned short port() const;
  /// "http://127.0.0.1:8420/?key=…"
  std::string address() const;
  /// Serves until stop(), which any thread may call, or until `go_on`, asked a few times a second, says no.
  void run(const std::function<bool()>& go_on);
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace limber
