// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/streams/group.hpp"
#include "transport/mpi/point_to_point.hpp"
#include "transport/mpi/private_comm.hpp"

namespace typewarp::exchange {

/// The ranks of a communicator, which is duplicated.
class MpiGroup final : public ExchangeGroup {
 public:
  /// Collective. Throws MpiError, as all do here.
  explicit MpiGroup(MPI_Comm comm);

  bool is_nobody(int peer) const noexcept override { return peer == MPI_PROC_NULL; }
  std::string_view nobody() const noexcept override { return "MPI_PROC_NULL"; }
  std::vector<std::byte> gather(std::span<const std::byte> own) override;
  std::vector<int> transpose(const std::vector<int>& numbers) override;
  Packets swap(Packets packets, const std::set<int>& from) override;
  std::optional<std::string> first_problem(const std::string& problem) override;
  std::unique_ptr<ExchangeGroup> another() const override;
  /// In mpi_transport.cpp.
  std::unique_ptr<HostTransport> host_transport(const Connections& connections, bool pinned) override;
  bool met() override;
  void abandon() noexcept override;

 private:
  transport::DuplicateComm comm_;
  transport::Posted meeting_;
  bool meets_ = false;
};

}  // namespace typewarp::exchange
