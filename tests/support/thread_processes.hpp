#pragma once
/// Processes that are threads of one program: what several processes do, tested without MPI.

#include <barrier>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "limber/core/communicator.hpp"

namespace limber::test {

class ThreadProcesses {
 public:
  explicit ThreadProcesses(int count) : all_(count), meet_(count), ints_(slots()), doubles_(slots()) {}

  /// work(all) on each of them. Throws what one of them threw; work must then throw on all.
  void run(const std::function<void(const Communicator&)>& work) {
    std::vector<std::exception_ptr> failures(slots());
    std::vector<std::thread> threads;
    for (int rank = 0; rank < all_; ++rank)
      threads.emplace_back([&, rank] {
        try {
          const One one(*this, rank);
          work(one);
        } catch (...) {
          failures[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
    for (auto& thread : threads) thread.join();
    for (const auto& failure : failures)
      if (failure) std::rethrow_exception(failure);
  }

 private:
  std::size_t slots() const { return static_cast<std::size_t>(all_); }

  class One final : public Communicator {
   public:
    One(ThreadProcesses& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return all_.all_; }
    void sum(std::span<double> x) const override {
      const auto all = gathered(all_.doubles_, x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = all[0][i];
        for (std::size_t p = 1; p < all.size(); ++p) x[i] += all[p][i];
      }
    }
    void min(std::span<double> x) const override { smallest(all_.doubles_, x); }
    void min(std::span<int> x) const override { smallest(all_.ints_, x); }
    void exchange(std::span<Message> messages) const override {
      // Each lays out what it has for the others, one after the other.
      std::vector<double> out;
      for (int p = 0; p < size(); ++p)
        for (const Message& l : messages)
          if (l.process == p) {
            out.push_back(static_cast<double>(p));
            out.push_back(static_cast<double>(l.out.size()));
            out.insert(out.end(), l.out.begin(), l.out.end());
          }
      const auto all = gathered(all_.doubles_, std::span<const double>(out));
      for (const Message& l : messages) {
        const auto& from = all[static_cast<std::size_t>(l.process)];
        for (std::size_t i = 0; i < from.size(); i += 2 + static_cast<std::size_t>(from[i + 1]))
          if (static_cast<int>(from[i]) == rank_)
            std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(i) + 2, l.in.size(), l.in.begin());
      }
    }
    void broadcast(std::span<int> x) const override {
      const auto all = gathered(all_.ints_, std::span<const int>(x));
      std::copy(all[0].begin(), all[0].end(), x.begin());
    }

   private:
    /// What all have, after all have laid it out; nobody goes on before all have read it.
    template <class T, class Span>
    std::vector<std::vector<T>> gathered(std::vector<std::vector<T>>& slots, const Span& x) const {
      slots[static_cast<std::size_t>(rank_)].assign(x.begin(), x.end());
      all_.meet_.arrive_and_wait();
      const auto copy = slots;
      all_.meet_.arrive_and_wait();
      return copy;
    }
    template <class T>
    void smallest(std::vector<std::vector<T>>& slots, std::span<T> x) const {
      for (const auto& one : gathered(slots, x))
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::min(x[i], one[i]);
    }

    ThreadProcesses& all_;
    int rank_;
  };

  int all_;
  std::barrier<> meet_;
  std::vector<std::vector<int>> ints_;
  std::vector<std::vector<double>> doubles_;
};

}  // namespace limber::test
