#include "limber/view/server.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <cerrno>
#include <cstring>
#include <deque>
#include <new>
#include <set>
#include <stdexcept>

#include "limber/core/errors.hpp"
#include "limber/core/json_depth.hpp"
#include "limber/scene/json.hpp"
#include "limber/view/messages.hpp"
#include "limber/view/page.hpp"

namespace limber {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = net::ip::tcp;
using ErrorCode = boost::system::error_code;

constexpr std::size_t most_queued = 256;             // messages for a page that does not read them,
constexpr std::size_t most_queued_bytes = 64 << 20;  // and their size
constexpr std::size_t short_message = 500;           // [bytes] all but scenes and files
constexpr std::size_t most_strangers = 32;           // connections that have not shown the key yet
constexpr std::size_t most_connections = 64;         // at one time
constexpr std::size_t most_header = 16 * 1024;       // [bytes]
constexpr auto patience = std::chrono::seconds(30);  // with a request

constexpr const char* content_policy =
    "default-src 'self'; connect-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

Field field_of(const std::string& name) {
  if (name == "displacement") return Field::displacement;
  if (name == "stress") return Field::stress;
  if (name == "contact") return Field::contact;
  return Field::none;
}

std::string without_port(const std::string& host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

class PageConnection;
class HttpConnection;

/// 128 random bits from the system, as a text that may stand in an address.
std::string new_key() {
  std::array<unsigned char, 16> bytes;
  if (::getentropy(bytes.data(), bytes.size()) != 0)
    throw InputError("", fmt::format("the system gives no random numbers: {}", std::strerror(errno)));
  std::string key;
  for (const unsigned char byte : bytes) key += fmt::format("{:02x}", byte);
  return key;
}

/// Takes as long wherever the two differ.
bool same_key(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  return difference == 0;
}

/// The value of "key" behind the question mark of a request's target; empty: there is none.
std::string_view shown_key(std::string_view target) {
  const auto question = target.find('?');
  if (question == std::string_view::npos) return {};
  for (std::string_view rest = target.substr(question + 1); !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    if (part.starts_with("key=")) return part.substr(4);
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return {};
}

/// Whether an Accept-Encoding lists gzip, or *, without forbidding it by q=0.
bool accepts_gzip(beast::string_view list) {
  for (const auto& [coding, parameters] : http::ext_list(list)) {
    if (!beast::iequals(coding, "gzip") && coding != "*") continue;
    const bool forbidden = std::any_of(parameters.begin(), parameters.end(), [](const auto& p) {
      return beast::iequals(p.first, "q") && p.second.find_first_not_of("0.") == beast::string_view::npos;
    });
    return !forbidden;
  }
  return false;
}

std::string uncompressed(std::string_view gzip) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  std::string text;
  std::array<char, 1 << 14> part;
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::logic_error("a file of the viewer's page is damaged");
  return text;
}

/// A file of the page, as it is and compressed.
struct ServedFile {
  std::string_view path, type, gzip;  // gzip: empty where it is only given as it is
  std::string plain;
};

/// All of them, the page with the key by which it asks for the others.
std::vector<ServedFile> served_files(const std::string& key) {
  std::vector<ServedFile> files;
  for (const PageFile& file : page_files()) {
    files.push_back({file.path, file.type, file.gzip, uncompressed(file.gzip)});
    ServedFile& served = files.back();
    constexpr std::string_view place = "LIMBER_KEY";
    for (std::size_t at = 0; (at = served.plain.find(place, at)) != std::string::npos; at += key.size()) {
      served.plain.replace(at, place.size(), key);
      served.gzip = {};
    }
  }
  return files;
}

/// What all connections share; used on the server's thread only.
struct Hub {
  ViewSession* session = nullptr;
  std::set<PageConnection*> pages;
  std::deque<HttpConnection*> strangers;  // the oldest first
  std::size_t connections = 0;
  unsigned long last_client = 0;
  net::ip::address asked_for;  // that the server was told to listen on
  std::string key;
  std::vector<ServedFile> files;
  std::size_t most_message = 0;

  void deliver();
  /// Tells the session how many pages there are, and what they show.
  void note_pages() const;
};

net::ip::address plain_address(const net::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return net::ip::make_address_v4(net::ip::v4_mapped, address.to_v6());
  return address;
}

std::string own_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Whether a page may call this server by that name: another site's page that found its way here has a name of its own.
/// Known are the address that the request came to, and names of this machine where the server listens on all addresses
/// or on loopback.
bool host_is_known(const Hub& hub, const std::string& host, const net::ip::address& reached) {
  const std::string name = without_port(host);
  const bool everywhere = hub.asked_for.is_unspecified();
  if ((everywhere || hub.asked_for.is_loopback()) && (name == "127.0.0.1" || name == "localhost" || name == "[::1]"))
    return true;
  if (everywhere && !name.empty() && beast::iequals(name, own_name())) return true;
  ErrorCode error;
  const bool in_brackets = name.size() > 2 && name.front() == '[' && name.back() == ']';
  const auto address = net::ip::make_address(in_brackets ? name.substr(1, name.size() - 2) : name, error);
  return !error && plain_address(address) == plain_address(reached);
}

class PageConnection : public std::enable_shared_from_this<PageConnection> {
 public:
  PageConnection(beast::tcp_stream stream, Hub& hub)
      : socket_(std::move(stream)), hub_(hub), client_(++hub.last_client) {
    ++hub_.connections;
  }
  ~PageConnection() {
    leave();
    --hub_.connections;
  }
  PageConnection(const PageConnection&) = delete;
  PageConnection& operator=(const PageConnection&) = delete;

  void start(const http::request<http::empty_body>& request) {
    beast::get_lowest_layer(socket_).expires_never();
    socket_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    socket_.read_message_max(hub_.most_message);
    socket_.auto_fragment(false);
    socket_.async_accept(request, [self = shared_from_this()](ErrorCode error) {
      if (error) return;
      self->open_ = true;
      self->hub_.pages.insert(self.get());
      self->send(std::make_shared<const std::string>(hello_message(self->hub_.session->options())));
      if (const std::string standing = self->hub_.session->standing_error(); !standing.empty())
        self->send(std::make_shared<const std::string>(standing));
      self->hub_.note_pages();
      self->read();
    });
  }

  /// An answer.
  void send(std::shared_ptr<const std::string> bytes) {
    if (queue_.size() >= most_queued || queued_bytes_ + bytes->size() > most_queued_bytes) return close();
    const std::size_t size = bytes->size();
    queue({std::move(bytes), false, size});
  }

  /// What is new, if the page waits for it and has taken all that came before: a picture may be of any size, but there
  /// is only one at a time.
  void update() {
    try {
      send_news();
    } catch (const std::exception&) {  // no memory for it, for example; the page can connect anew
      close();
    }
  }

  /// It cannot be served any more.
  void give_up() { close(); }

  unsigned long client() const { return client_; }
  bool shows_contacts() const { return shows_.arrows || shows_.field == Field::contact; }

 private:
  struct Outgoing {
    std::shared_ptr<const std::string> bytes;
    bool binary;
    std::size_t counted = 0;  // of an answer: its size
  };

  /// What the page wants to see.
  struct Shows {
    Field field = Field::none;
    bool arrows = false;
  };
  /// What it has been sent.
  struct Seen {
    unsigned long version = 0;
    unsigned session = 0;
    RowPlace rows = {};
  };

  void send_news() {
    const auto picture = hub_.session->picture();
    if (!open_ || !waits_ || !queue_.empty() || !picture || picture->version == seen_.version) return;
    waits_ = false;
    seen_.version = picture->version;
    if (seen_.session != picture->session) {
      seen_.session = picture->session;
      queue({picture->scene_message, false});
      queue({std::make_shared<const std::string>(topology_message(*picture)), true});
    }
    try {
      for (std::size_t pane = 0; pane < picture->panes.size(); ++pane)
        queue({std::make_shared<const std::string>(frame_message(*picture, pane, shows_.field, shows_.arrows)), true});
    } catch (const std::exception& e) {  // a field that this scene does not have
      if (shows_.field == Field::none) throw;
      shows_.field = Field::none;
      queue({std::make_shared<const std::string>(error_message("show", e)), false});
      seen_.version = 0;
      waits_ = true;
      return;
    }
    queue({std::make_shared<const std::string>(tick_message(*picture, hub_.session->rows_since(seen_.rows))), false});
  }

  void queue(Outgoing message) {
    if (!open_) return;
    queued_bytes_ += message.counted;
    queue_.push_back(std::move(message));
    if (queue_.size() == 1) write();
  }

  void read() {
    socket_.async_read(buffer_, [self = shared_from_this()](ErrorCode error, std::size_t) {
      if (error) return self->close();  // gone, or a message that is too long
      std::string text = beast::buffers_to_string(self->buffer_.data());
      self->buffer_.consume(self->buffer_.size());
      if (!self->socket_.got_text()) text = "a binary message";
      self->handle(std::move(text));
      self->read();
    });
  }

  void handle(std::string text) {
    // What is about this page alone is not the session's business.
    if (text.size() < short_message && is_shallow_json(text)) {
      const auto message = nlohmann::json::parse(text, nullptr, false);
      const auto what = message.is_object() ? message.value("do", nlohmann::json()) : nlohmann::json();
      if (what == "next") {
        waits_ = true;
        return update();
      }
      if (what == "show") {
        const auto color = message.value("color", nlohmann::json());
        const auto arrows = message.value("arrows", nlohmann::json());
        shows_ = {field_of(color.is_string() ? color.get<std::string>() : ""),
                  arrows.is_boolean() && arrows.get<bool>()};
        hub_.note_pages();
        seen_.version = 0;
        return update();
      }
      if (what == "pull" || what == "release") pulls_ = what == "pull";
    }
    hub_.session->ask(client_, std::move(text));
  }

  void write() {
    const Outgoing& next = queue_.front();
    socket_.binary(next.binary);
    socket_.async_write(net::buffer(*next.bytes), [self = shared_from_this()](ErrorCode error, std::size_t) {
      if (error) return self->close();
      self->queued_bytes_ -= self->queue_.front().counted;
      self->queue_.pop_front();
      if (!self->queue_.empty()) return self->write();
      self->update();
    });
  }

  void close() {
    if (!open_) return;
    open_ = false;
    leave();
    ErrorCode ignored;
    beast::get_lowest_layer(socket_).socket().close(ignored);
  }

  void leave() {
    if (hub_.pages.erase(this) == 0 || !hub_.session) return;
    if (pulls_) hub_.session->ask(client_, R"({"do":"release"})");  // nobody else will
    hub_.session->ask(client_, R"({"do":"cancel"})");
    hub_.note_pages();
  }

  websocket::stream<beast::tcp_stream, false> socket_;  // never compressed
  Hub& hub_;
  unsigned long client_;
  beast::flat_buffer buffer_;
  std::deque<Outgoing> queue_;
  std::size_t queued_bytes_ = 0;  // of answers
  bool open_ = false, waits_ = false, pulls_ = false;
  Shows shows_;
  Seen seen_;
};

void Hub::deliver() {
  const std::set<PageConnection*> now = pages;
  const std::vector<ViewAnswer> answers = session->take_answers();
  for (PageConnection* page : now) {
    try {
      for (const ViewAnswer& answer : answers)
        if (pages.contains(page) && (answer.client == 0 || answer.client == page->client()))
          page->send(std::make_shared<const std::string>(answer.text));
      if (pages.contains(page)) page->update();
    } catch (const std::exception&) {  // no memory for it, for example; the page can connect anew
      if (pages.contains(page)) page->give_up();
    }
  }
}

void Hub::note_pages() const {
  if (!session) return;
  bool wanted = false;
  for (const PageConnection* page : pages) wanted = wanted || page->shows_contacts();
  session->want_contacts(wanted);
  session->pages_are(pages.size());
}

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(tcp::socket socket, Hub& hub) : stream_(std::move(socket)), hub_(hub) {
    ++hub_.connections;
    // Who keeps many open without a word has not the key, and does not keep out who has it.
    if (hub_.strangers.size() >= most_strangers) {
      hub_.strangers.front()->stream_.close();
      hub_.strangers.pop_front();
    }
    hub_.strangers.push_back(this);
  }
  ~HttpConnection() {
    --hub_.connections;
    is_no_stranger();
  }
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void read() {
    parser_.emplace();
    parser_->header_limit(most_header);
    parser_->body_limit(0);
    stream_.expires_after(patience);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](ErrorCode error, std::size_t) {
      if (error == http::error::end_of_stream) return self->close();
      if (error == http::error::body_limit) return self->refuse(http::status::payload_too_large, "no body is taken");
      if (error == http::error::header_limit)
        return self->refuse(http::status::request_header_fields_too_large, "the header is too long");
      if (error && error.category() == make_error_code(http::error::bad_target).category())
        return self->refuse(http::status::bad_request, "this is no HTTP request: " + error.message());
      if (error) return;
      self->handle();
    });
  }

 private:
  void handle() {
    const auto& request = parser_->get();
    const std::string target(request.target()), host(request[http::field::host]);
    ErrorCode gone;
    const auto reached = stream_.socket().local_endpoint(gone);
    if (gone) return;
    if (!host_is_known(hub_, host, reached.address()))
      return refuse(http::status::forbidden, "this server is not known by the name " + without_port(host));
    if (!same_key(shown_key(target), hub_.key))
      return refuse(http::status::forbidden, "the address lacks the key; open the whole one that limber view printed");
    is_no_stranger();
    const std::string path = target.substr(0, target.find('?'));
    if (websocket::is_upgrade(request)) {
      if (path != "/ws") return refuse(http::status::not_found, "WebSocket is at /ws");
      if (request[http::field::origin] != "http://" + host)
        return refuse(http::status::forbidden, "only pages of this server may connect");
      return std::make_shared<PageConnection>(std::move(stream_), hub_)->start(parser_->release());
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return refuse(http::status::method_not_allowed, "only GET is served");
    for (const ServedFile& file : hub_.files)
      if (path == file.path || (path == "/" && file.path == "/index.html")) return give(file);
    if (const std::string prefix = "/recordings/"; path.starts_with(prefix))
      if (const std::string file = hub_.session->recorded(path.substr(prefix.size())); !file.empty())
        return give_recording(file);
    if (path == "/" && page_files().empty())
      return refuse(http::status::not_found,
                    "this program was built without the viewer's page; docs/view.md says how to");
    refuse(http::status::not_found, "there is no such file");
  }

  void is_no_stranger() { std::erase(hub_.strangers, this); }

  template <class Body>
  void prepare(http::response<Body>& response) {
    response.set(http::field::server, "limber");
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Content-Security-Policy", content_policy);
    response.set("Referrer-Policy", "no-referrer");
    response.set("Cross-Origin-Resource-Policy", "same-origin");
    response.keep_alive(parser_->get().keep_alive());
  }

  void give(const ServedFile& file) {
    http::response<http::string_body> response{http::status::ok, parser_->get().version()};
    prepare(response);
    const bool compressed = !file.gzip.empty() && accepts_gzip(parser_->get()[http::field::accept_encoding]);
    response.set(http::field::content_type, std::string(file.type));
    if (compressed) response.set(http::field::content_encoding, "gzip");
    response.set(http::field::vary, "Accept-Encoding");
    response.set(http::field::cache_control, "no-cache");
    response.body() = compressed ? std::string(file.gzip) : file.plain;
    answer(std::move(response));
  }

  void give_recording(const std::string& file) {
    http::response<http::file_body> response{http::status::ok, parser_->get().version()};
    ErrorCode error;
    http::file_body::value_type body;
    body.open(file.c_str(), beast::file_mode::scan, error);
    if (error) return refuse(http::status::not_found, "the file is gone");
    prepare(response);
    response.set(http::field::content_type, file.ends_with(".mp4") ? "video/mp4" : "model/gltf-binary");
    response.body() = std::move(body);
    answer(std::move(response));
  }

  void refuse(http::status status, const std::string& why) {
    http::response<http::string_body> response{status, parser_->get().version()};
    prepare(response);
    response.set(http::field::content_type, "text/plain; charset=utf-8");
    response.keep_alive(false);
    response.body() = why + "\n";
    answer(std::move(response));
  }

  template <class Body>
  void answer(http::response<Body> response) {
    response.prepare_payload();
    if (parser_->get().method() == http::verb::head) {
      auto head = std::make_shared<http::response<http::empty_body>>(response.base());
      send(head);
    } else {
      send(std::make_shared<http::response<Body>>(std::move(response)));
    }
  }

  template <class Message>
  void send(std::shared_ptr<Message> message) {
    http::async_write(stream_, *message, [self = shared_from_this(), message](ErrorCode error, std::size_t) {
      if (error) return;
      if (message->need_eof()) return self->close();
      self->read();
    });
  }

  void close() {
    ErrorCode ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  beast::tcp_stream stream_;
  Hub& hub_;
  beast::flat_buffer buffer_{most_header};
  std::optional<http::request_parser<http::empty_body>> parser_;
};

}  // namespace

bool is_loopback(const std::string& host) {
  ErrorCode error;
  const auto address = net::ip::make_address(host, error);
  return host == "localhost" || (!error && address.is_loopback());
}

struct ViewServer::Impl {
  Impl(const ServerOptions& server, const ViewOptions& view)
      : options(server), key(new_key()), acceptor(context), timer(context), session(with_key(view, key), [this] {
          something_changed();
        }) {
    hub.session = &session;
    hub.key = key;
    hub.files = served_files(key);
    hub.most_message = view.most_message;
    listen();
    hub.asked_for = acceptor.local_endpoint().address();
    accept();
  }

  ~Impl() { hub.session = nullptr; }  // which ends before the connections do
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  static ViewOptions with_key(ViewOptions view, const std::string& key) {
    view.key = key;
    return view;
  }

  void listen() {
    ErrorCode error;
    const auto address = net::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, error);
    if (error) throw InputError("--host", fmt::format("'{}' is no address such as 127.0.0.1 or 0.0.0.0", options.host));
    for (int tried = 0;; ++tried) {
      const auto port = static_cast<unsigned short>(options.port + tried);
      const tcp::endpoint endpoint(address, port);
      acceptor.open(endpoint.protocol(), error);
      if (!error) acceptor.set_option(net::socket_base::reuse_address(true), error);
      if (!error) acceptor.bind(endpoint, error);
      if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
      if (!error) break;
      ErrorCode ignored;
      acceptor.close(ignored);
      const bool in_use = error == net::error::address_in_use;
      if (in_use && tried < options.more_ports && port < 65535) continue;
      if (error == net::error::access_denied)
        throw InputError("--port", fmt::format("{} may not be used: ports below 1024 are the system's", port));
      if (in_use)
        throw InputError("--port", fmt::format("{} is in use by another program{}; choose another", port,
                                               tried > 0 ? fmt::format(", and so are the {} before it", tried) : ""));
      throw InputError("--host", fmt::format("cannot listen at {}:{}: {}", options.host, port, error.message()));
    }
    port = acceptor.local_endpoint().port();
  }

  void accept() {
    acceptor.async_accept([this](ErrorCode error, tcp::socket socket) {
      if (error == net::error::operation_aborted) return;
      accept();
      if (error || hub.connections >= most_connections) return;
      ErrorCode ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<HttpConnection>(std::move(socket), hub)->read();
    });
  }

  /// On any thread.
  void something_changed() {
    if (delivery_due.exchange(true)) return;
    net::post(context, [this] {
      delivery_due = false;
      hub.deliver();
    });
  }

  void look_up(const std::function<bool()>& go_on) {
    timer.expires_after(std::chrono::milliseconds(100));
    timer.async_wait([this, go_on](ErrorCode error) {
      if (error) return;
      if (!go_on()) return context.stop();
      look_up(go_on);
    });
  }

  ServerOptions options;
  std::string key;
  Hub hub;  // outlives the connections, which the context holds
  net::io_context context{1};
  tcp::acceptor acceptor;
  net::steady_timer timer;
  std::atomic<bool> delivery_due = false;
  unsigned short port = 0;
  ViewSession session;
};

ViewServer::ViewServer(const ServerOptions& server, const ViewOptions& view)
    : impl_(std::make_unique<Impl>(server, view)) {}
ViewServer::~ViewServer() = default;
ViewSession& ViewServer::session() { return impl_->session; }
unsigned short ViewServer::port() const { return impl_->port; }

std::string ViewServer::address() const {
  const std::string& host = impl_->options.host;
  const std::string shown = host == "0.0.0.0" || host == "::" ? "127.0.0.1" : host;
  return fmt::format("http://{}:{}/?key={}", shown.find(':') == std::string::npos ? shown : "[" + shown + "]", port(),
                     impl_->key);
}

void ViewServer::run(const std::function<bool()>& go_on) {
  impl_->look_up(go_on);
  while (!impl_->context.stopped()) {
    try {
      impl_->context.run();
    } catch (const std::exception&) {  // the connection that it is about has ended with it
    }
  }
}

void ViewServer::stop() { impl_->context.stop(); }

}  // namespace limber
