#include "limber/core/communicator.hpp"

#include <array>
#include <exception>
#include <utility>

#ifdef LIMBER_HAS_MPI
#include <mpi.h>

#include "limber/core/signals.hpp"
#include "limber/core/types.hpp"
#endif

namespace limber {
namespace {

std::vector<std::function<void()>>& last_things() {
  static std::vector<std::function<void()>> list;
  return list;
}

#ifdef LIMBER_HAS_MPI

/// All processes of MPI_COMM_WORLD.
class World final : public Communicator {
 public:
  World() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void sum(std::span<double> x) const override {
    const int n = static_cast<int>(x.size());
    constexpr int few = 256;
    if (n > few) {  // the order is then that of the library: the same in each run, and the same bits everywhere
      MPI_Allreduce(MPI_IN_PLACE, x.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      return;
    }
    std::vector<double> gathered(static_cast<std::size_t>(n) * static_cast<std::size_t>(size_));
    MPI_Allgather(x.data(), n, MPI_DOUBLE, gathered.data(), n, MPI_DOUBLE, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = gathered[i];
      for (std::size_t p = 1; p < static_cast<std::size_t>(size_); ++p) x[i] += gathered[p * x.size() + i];
    }
  }
  void min(std::span<double> x) const override {
    MPI_Allreduce(MPI_IN_PLACE, x.data(), static_cast<int>(x.size()), MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  }
  void min(std::span<int> x) const override {
    MPI_Allreduce(MPI_IN_PLACE, x.data(), static_cast<int>(x.size()), MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  }
  void exchange(std::span<Message> messages) const override {
    std::vector<MPI_Request> requests(2 * messages.size());
    MPI_Request* next = requests.data();
    for (const Message& l : messages)
      MPI_Irecv(l.in.data(), static_cast<int>(l.in.size()), MPI_DOUBLE, l.process, 0, MPI_COMM_WORLD, next++);
    for (const Message& l : messages)
      MPI_Isend(l.out.data(), static_cast<int>(l.out.size()), MPI_DOUBLE, l.process, 0, MPI_COMM_WORLD, next++);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
  void broadcast(std::span<int> x) const override {
    MPI_Bcast(x.data(), static_cast<int>(x.size()), MPI_INT, 0, MPI_COMM_WORLD);
  }

 private:
  int rank_ = 0, size_ = 1;
};

#endif

}  // namespace

int Communicator::exclusive_sum(int own) const {
  std::vector<double> sums(static_cast<std::size_t>(size()), 0.0);
  for (std::size_t p = static_cast<std::size_t>(rank()) + 1; p < sums.size(); ++p) sums[p] = own;
  sum(sums);
  return static_cast<int>(sums[static_cast<std::size_t>(rank())]);
}

std::vector<std::vector<double>> Communicator::alltoall(const std::vector<std::vector<double>>& lists) const {
  const auto count = static_cast<std::size_t>(size());
  std::vector<std::vector<double>> in(count);
  std::vector<double> sizes(count), theirs(count, 0.0);
  const auto post = [&](const auto& message) {
    std::vector<Message> messages;
    for (int p = 0; p < size(); ++p)
      if (p != rank()) messages.push_back(message(static_cast<std::size_t>(p)));
    exchange(messages);
  };
  for (std::size_t p = 0; p < count; ++p) sizes[p] = static_cast<double>(lists[p].size());
  post([&](std::size_t p) { return Message{static_cast<int>(p), {&sizes[p], 1}, {&theirs[p], 1}}; });
  post([&](std::size_t p) {
    in[p].resize(static_cast<std::size_t>(theirs[p]));
    return Message{static_cast<int>(p), lists[p], in[p]};
  });
  return in;
}

std::vector<std::vector<double>> Communicator::gather_to_root(std::vector<double> mine) const {
  double size_here = static_cast<double>(mine.size()), none = 0;
  if (rank() > 0) {
    Message count{0, {&size_here, 1}, {&none, 1}}, list{0, mine, {}};
    exchange({&count, 1});
    exchange({&list, 1});
    return {};
  }
  const auto processes = static_cast<std::size_t>(size());
  std::vector<std::vector<double>> all(processes);
  std::vector<double> sizes(processes, 0);
  std::vector<Message> counts, lists;
  for (std::size_t p = 1; p < processes; ++p) counts.push_back({static_cast<int>(p), {&none, 1}, {&sizes[p], 1}});
  exchange(counts);
  for (std::size_t p = 1; p < processes; ++p) {
    all[p].resize(static_cast<std::size_t>(sizes[p]));
    lists.push_back({static_cast<int>(p), {}, all[p]});
  }
  exchange(lists);
  all[0] = std::move(mine);
  return all;
}

std::vector<double> Communicator::scatter_from_root(std::vector<std::vector<double>> lists) const {
  double none = 0, size_here = 0;
  if (rank() > 0) {
    Message count{0, {&none, 1}, {&size_here, 1}};
    exchange({&count, 1});
    std::vector<double> mine(static_cast<std::size_t>(size_here));
    Message list{0, {}, mine};
    exchange({&list, 1});
    return mine;
  }
  const auto processes = static_cast<std::size_t>(size());
  std::vector<double> sizes(processes, 0);
  std::vector<Message> counts, messages;
  for (std::size_t p = 1; p < processes; ++p) {
    sizes[p] = static_cast<double>(lists[p].size());
    counts.push_back({static_cast<int>(p), {&sizes[p], 1}, {&none, 1}});
    messages.push_back({static_cast<int>(p), lists[p], {}});
  }
  exchange(counts);
  exchange(messages);
  return std::move(lists[0]);
}

std::vector<double> Communicator::send_from_root(int process, const std::vector<double>& list) const {
  std::vector<std::vector<double>> lists(static_cast<std::size_t>(rank() == 0 ? size() : 0));
  if (rank() == 0) lists[static_cast<std::size_t>(process)] = list;
  return scatter_from_root(std::move(lists));
}

std::vector<std::vector<double>> Communicator::allgather(const std::vector<double>& mine) const {
  auto all = alltoall(std::vector<std::vector<double>>(static_cast<std::size_t>(size()), mine));
  all[static_cast<std::size_t>(rank())] = mine;
  return all;
}

const Communicator& one_process() {
  static const Communicator alone;
  return alone;
}

#ifdef LIMBER_HAS_MPI

Processes::Processes(int& argc, char**& argv) {
  {
    const SignalsWait wait;  // MPI starts threads
    MPI_Init(&argc, &argv);
  }
  all_ = std::make_unique<World>();
}

Processes::~Processes() {
  for (const auto& last : last_things()) last();
  MPI_Finalize();
}

void Processes::abandon(int status) const {
  if (all_->size() > 1) MPI_Abort(MPI_COMM_WORLD, status);
}

bool Processes::possible() { return true; }

#else

Processes::Processes(int&, char**&) : all_(std::make_unique<const Communicator>()) {}
Processes::~Processes() {
  for (const auto& last : last_things()) last();
}
void Processes::abandon(int) const {}
bool Processes::possible() { return false; }

#endif

void Processes::at_end(std::function<void()> last) { last_things().push_back(std::move(last)); }

void on_root(const Communicator& all, const std::function<void()>& work) {
  std::exception_ptr failure;
  if (all.rank() == 0) {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  }
  std::array<int, 1> failed = {failure ? 1 : 0};
  all.broadcast(failed);
  if (failure) std::rethrow_exception(failure);
  if (failed[0] != 0) throw OtherProcessFailed();
}

}  // namespace limber
