// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/operation_table.hpp"

namespace typewarp::interpose {

bool OperationTable::all_are_over() const {
  const Lock lock(mutex_);
  return std::ranges::all_of(needed_, [](const MessageOperation& operation) {
    return operation.messages.under_way == 0 && operation.telling == 0;
  });
}

void OperationTable::sweep() {
  std::list<MessageOperation> gone;
  const Lock lock(mutex_);
  gone.swap(gone_);
  number_.fetch_sub(gone.size(), std::memory_order_release);
}

MessageOperation* OperationTable::find(MPI_Request handle) const {
  const auto found = by_handle_.find(handle);
  return found == by_handle_.end() ? nullptr : found->second;
}

void OperationTable::add(std::list<MessageOperation>& made) {
  MessageOperation& operation = made.front();
  by_handle_.insert_or_assign(operation.handle, &operation);
  operation.place = made.begin();
  needed_.splice(needed_.end(), made);
  number_.fetch_add(1, std::memory_order_release);
}

void OperationTable::part_from_handle(MessageOperation& operation) noexcept {
  operation.freed = true;
  if (by_handle_.erase(operation.handle) != 0) erase(operation);
}

void OperationTable::erase(MessageOperation& operation) noexcept {
  const bool is_over = operation.messages.under_way == 0 && operation.telling == 0;
  if (operation.freed && is_over && (!operation.active || operation.messages.told))
    gone_.splice(gone_.end(), needed_, operation.place);
}

}  // namespace typewarp::interpose
