#include "limber/record/checkpoint.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "limber/core/errors.hpp"

namespace limber {

static_assert(std::endian::native == std::endian::little, "checkpoints are written in the machine's byte order");

namespace {

constexpr std::string_view magic = "LIMBERCP";
constexpr std::uint64_t version = 2;

/// FNV-1a, 64 bits.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return sum;
}

class Writer {
 public:
  void put(std::uint64_t x) { append(&x, sizeof x); }
  void put(double x) { append(&x, sizeof x); }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    append(text.data(), text.size());
  }
  void put(const Vector& x) {
    put(static_cast<std::uint64_t>(x.size()));
    append(x.data(), static_cast<std::size_t>(x.size()) * sizeof(double));
  }
  void append(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

struct Damaged {
  std::string how;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t count() { return fixed<std::uint64_t>(); }
  long integer() { return static_cast<long>(count()); }
  double number() { return fixed<double>(); }
  std::string text() { return std::string(take(count())); }
  Vector vector() {
    const std::uint64_t n = count();
    if (n > bytes_.size() / sizeof(double)) throw Damaged{"it ends too early"};
    Vector x(static_cast<Index>(n));
    if (n > 0) std::memcpy(x.data(), take(n * sizeof(double)).data(), n * sizeof(double));
    return x;
  }
  std::string_view take(std::uint64_t n) {
    if (n > bytes_.size()) throw Damaged{"it ends too early"};
    const std::string_view taken = bytes_.substr(0, n);
    bytes_.remove_prefix(n);
    return taken;
  }
  bool done() const { return bytes_.empty(); }

 private:
  template <class T>
  T fixed() {
    T x;
    std::memcpy(&x, take(sizeof x).data(), sizeof x);
    return x;
  }

  std::string_view bytes_;
};

void put_payload(Writer& out, const Checkpoint& c) {
  for (const long number : {c.step, c.frames, c.rows}) out.put(static_cast<std::uint64_t>(number));
  out.put(std::uint64_t{c.history.size()});
  for (const State& u : c.history) {
    out.put(u.t);
    for (const Vector* x : {&u.q, &u.v, &u.a}) out.put(*x);
  }
  out.put(std::uint64_t{c.numbers.size()});
  for (const auto& [name, x] : c.numbers) out.put(std::string_view(name)), out.put(x);
  out.put(std::uint64_t{c.vectors.size()});
  for (const auto& [name, x] : c.vectors) out.put(std::string_view(name)), out.put(x);
  out.put(std::uint64_t{c.texts.size()});
  for (const auto& [name, text] : c.texts) out.put(std::string_view(name)), out.put(std::string_view(text));
  out.put(std::string_view(c.scene_text));
}

Checkpoint read_payload(Reader& in) {
  Checkpoint c;
  for (long* number : {&c.step, &c.frames, &c.rows}) *number = in.integer();
  for (std::uint64_t n = in.count(); n > 0; --n) {
    State u;
    u.t = in.number();
    for (Vector* x : {&u.q, &u.v, &u.a}) *x = in.vector();
    c.history.push_back(std::move(u));
  }
  for (std::uint64_t n = in.count(); n > 0; --n) {
    std::string name = in.text();
    c.numbers[std::move(name)] = in.number();
  }
  for (std::uint64_t n = in.count(); n > 0; --n) {
    std::string name = in.text();
    c.vectors[std::move(name)] = in.vector();
  }
  for (std::uint64_t n = in.count(); n > 0; --n) {
    std::string name = in.text();
    c.texts[std::move(name)] = in.text();
  }
  c.scene_text = in.text();
  if (!in.done()) throw Damaged{"it has bytes after its end"};
  return c;
}

Checkpoint parse(std::string_view bytes) {
  Reader file(bytes);
  if (file.take(magic.size()) != magic) throw Damaged{"it does not begin like a checkpoint"};
  const std::uint64_t found = file.count();
  if (found != version) throw Damaged{fmt::format("its format version is {}, this Limber reads {}", found, version)};
  const std::string_view payload = file.take(file.count());
  const std::uint64_t sum = file.count();
  if (!file.done()) throw Damaged{"it has bytes after its end"};
  if (checksum(payload) != sum) throw Damaged{"its checksum does not match"};
  Reader in(payload);
  return read_payload(in);
}

}  // namespace

std::string checkpoint_bytes(const Checkpoint& checkpoint) {
  Writer payload;
  put_payload(payload, checkpoint);
  Writer file;
  file.bytes().reserve(payload.bytes().size() + 32);
  file.append(magic.data(), magic.size());
  file.put(version);
  file.put(std::string_view(payload.bytes()));
  file.put(checksum(payload.bytes()));
  return std::move(file.bytes());
}

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint, Durable durable) {
  write_atomically(path, checkpoint_bytes(checkpoint), durable);
}

Checkpoint parse_checkpoint(const std::string& bytes, const std::string& path) {
  try {
    return parse(bytes);
  } catch (const Damaged& damage) {
    throw InputError(path, fmt::format("cannot be resumed from: {}; start the run again with --overwrite", damage.how));
  }
}

std::optional<Checkpoint> load_checkpoint(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return std::nullopt;
  return parse_checkpoint(read_file(path), path);
}

}  // namespace limber
