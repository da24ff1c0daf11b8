// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/observe/sites.hpp"

#include "base/never_destroyed.hpp"
#include "interpose/calls.hpp"
#include "interpose/core/observe/trace.hpp"
#include "layout/node.hpp"
#include "plan/wire.hpp"

#include <typewarp/mpi.hpp>

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <string_view>

namespace typewarp::interpose {
namespace {

using record::RecordedSide;
using record::Site;
using record::Text;

constexpr int most_frames = 32;

std::string own_path() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "?";
}

void append(std::string& text, const void* address) {
  Dl_info info{};
  link_map* module = nullptr;
  const bool found = dladdr1(address, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) != 0;
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), " %zx\n", found ? place - module->l_addr : place);
  if (!found) {
    text += '?';
  } else {
    text += module->l_name[0] != '\0' ? std::string(module->l_name) : own_path();
  }
  text += digits.data();
}

/// The frames of this thread from the one that `caller` returns to, as a line each: the file of the module, a
/// blank, and the offset of the return address in it, in hexadecimal digits, which is what addr2line reads.
/// Where the stack cannot be walked it is that one frame. Takes some 50 us. Throws std::bad_alloc.
std::string call_stack(const void* caller) {
  std::array<void*, most_frames> frames{};
  const int found = backtrace(frames.data(), most_frames);
  const std::span all(frames.data(), static_cast<std::size_t>(std::max(found, 0)));
  const auto first = std::ranges::find(all, const_cast<void*>(caller));
  std::string text;
  if (first == all.end()) append(text, caller);
  for (auto frame = first; frame != all.end(); ++frame) append(text, *frame);
  return text;
}

struct Entry {
  SiteKey key;
  Site* site;
};

/// Twice as many as there can be sites: a search is short.
constexpr std::size_t slots = 2 * record::most_sites;

/// The description and the wire of each datatype are kept once.
struct TypeTexts {
  Text type, wire;
};

/// What is recorded. Threads may call after the library has ended: it is never destroyed.
struct Sites {
  std::atomic<record::File*> file = nullptr;
  std::array<std::atomic<const Entry*>, slots> table{};
  std::mutex adding;
  std::map<std::string, TypeTexts> types;  ///< under the lock
};

Sites& all() noexcept {
  static NeverDestroyed<Sites> instance;
  return instance.get();
}

template <class T>
std::uint64_t word(T value) noexcept {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<std::uintptr_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

std::size_t slot_of(const SiteKey& key) noexcept {
  constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15;  // of the golden ratio
  std::uint64_t hash = 0;
  for (const std::uint64_t part :
       {word(key.number), word(key.caller), word(key.where.comm), word(key.where.file), word(key.sent),
        word(key.received), word(key.size_bin), word(key.memory)}) {
    hash = (hash ^ part) * multiplier;
    hash ^= hash >> 32;
  }
  return hash % slots;
}

// What follows is under the lock of Sites.

/// Nothing if there is no room.
Text text_of(std::string_view words) noexcept {
  record::File& to = *all().file.load(std::memory_order_relaxed);
  const std::uint32_t at = to.text_bytes.load(std::memory_order_relaxed);
  if (words.size() > to.texts.size() - at) return {};
  std::memcpy(to.texts.data() + at, words.data(), words.size());
  const auto bytes = static_cast<std::uint32_t>(words.size());
  to.text_bytes.store(at + bytes, std::memory_order_relaxed);
  return {at, bytes};
}

TypeTexts describe(const Plan& plan, const std::string& text) {
  std::map<std::string, TypeTexts>& known = all().types;
  const auto found = known.find(text);
  if (found != known.end()) return found->second;
  TypeTexts made{text_of(text), {}};
  const bool is_one = one_line(plan.datatype()) == text;  // beyond what is told apart all have one record
  if (const auto wire = is_one ? plan::to_wire(plan, record::longest_wire) : std::nullopt) {
    made.wire = text_of({reinterpret_cast<const char*>(wire->data()), wire->size()});
  }
  known.emplace(text, made);
  return made;
}

RecordedSide side_of(const ObservedData& part) {
  if (part.bytes == 0 || part.plan == nullptr || part.type == nullptr) return {};
  const TypeTexts described = describe(*part.plan, part.type->text);
  const Layout layout = repeat(part.plan->layout(), part.count, part.plan->extent());
  return {described.type, described.wire, part.count, layout::runs(*layout.root) + part.other_pieces,
          part.bytes};
}

void note_comm(Site& site, MPI_Comm comm) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  PMPI_Comm_size(comm, &site.ranks);
  PMPI_Comm_get_name(comm, name.data(), &length);
  site.comm = text_of({name.data(), static_cast<std::size_t>(length)});
}

void release(MPI_Datatype type) noexcept {
  if (!mpi::is_named(type)) PMPI_Type_free(&type);
}

void note_file(Site& site, MPI_File handle) {
  MPI_Group group = MPI_GROUP_NULL;
  if (PMPI_File_get_group(handle, &group) == MPI_SUCCESS) {
    PMPI_Group_size(group, &site.ranks);
    PMPI_Group_free(&group);
  }
  MPI_Offset begin = 0;
  MPI_Datatype element = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  std::array<char, MPI_MAX_DATAREP_STRING> representation{};
  if (PMPI_File_get_view(handle, &begin, &element, &type, representation.data()) != MPI_SUCCESS) return;
  if (type == MPI_DATATYPE_NULL) return;
  try {
    const Plan plan = commit(mpi::decode(type));
    UsedType used(one_line(plan.datatype()));
    site.view = side_of({.plan = &plan, .type = &used, .count = 1, .bytes = plan.size()});
  } catch (const std::exception&) {  // a view that cannot be read is not told
  }
  release(element);
  release(type);
}

void fill(Site& site, const SiteKey& key, const ObservedData& sent, const ObservedData& received) {
  site.memory = key.memory;
  site.call = text_of(names[static_cast<std::size_t>(key.number)]);
  site.stack = text_of(call_stack(key.caller));
  site.sent = side_of(sent);
  site.received = side_of(received);
  if (key.where.comm != MPI_COMM_NULL) note_comm(site, key.where.comm);
  if (key.where.file != MPI_FILE_NULL) note_file(site, key.where.file);
}

/// The slot of such calls, or the empty one where it goes; nothing in a full table.
std::atomic<const Entry*>* find(const SiteKey& key) noexcept {
  for (std::size_t i = slot_of(key), steps = 0; steps < slots; i = (i + 1) % slots, ++steps) {
    const Entry* const there = all().table[i].load(std::memory_order_acquire);
    if (there == nullptr || there->key == key) return &all().table[i];
  }
  return nullptr;
}

Site* add(const SiteKey& key, const ObservedData& sent, const ObservedData& received) {
  const std::lock_guard lock(all().adding);
  record::File* const to = all().file.load(std::memory_order_acquire);
  std::atomic<const Entry*>* const slot = find(key);
  if (to == nullptr || slot == nullptr) return nullptr;
  if (const Entry* const there = slot->load(std::memory_order_relaxed)) return there->site;
  const std::uint32_t number = to->sites.load(std::memory_order_relaxed);
  if (number == record::most_sites) return nullptr;
  Site& made = to->site[number];
  auto entry = std::make_unique<const Entry>(key, &made);
  fill(made, key, sent, received);
  made.complete.store(1, std::memory_order_release);
  to->sites.store(number + 1, std::memory_order_release);
  slot->store(entry.release(), std::memory_order_release);  // stays for as long as the process lives
  return &made;
}

/// The room is reserved, since a program that finds its file system full in a mapped file is killed.
void* mapped(const std::string& path) noexcept {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return MAP_FAILED;
  errno = posix_fallocate(descriptor, 0, sizeof(record::File));
  void* const address =
      errno != 0 ? MAP_FAILED
                 : mmap(nullptr, sizeof(record::File), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return address;
}

}  // namespace

void open_sites(const char* folder, int rank, int ranks) noexcept {
  try {
    // Processes of several hosts may have one number.
    const std::string path = std::string(folder) + "/" + record::file_prefix + std::to_string(rank) + "-" +
                             std::to_string(getpid());
    void* const address = mapped(path);
    if (address == MAP_FAILED) {
      std::fprintf(stderr, "typewarp: TYPEWARP_DOCTOR: %s: %s\n", path.c_str(), std::strerror(errno));
      return;
    }
    auto* const made = static_cast<record::File*>(address);  // all zeros, as its objects begin
    made->rank = rank;
    made->ranks = ranks;
    made->begun = Trace::now();
    std::atomic_ref(made->version).store(record::version, std::memory_order_release);
    all().file.store(made, std::memory_order_release);
  } catch (const std::bad_alloc&) {
    std::fputs("typewarp: TYPEWARP_DOCTOR: no memory\n", stderr);
  }
}

// Threads may still be at a site, though MPI forbids it: the file stays mapped.
void close_sites() noexcept {
  if (record::File* const closed = all().file.exchange(nullptr)) closed->ended = Trace::now();
}

Site* site_of(const SiteKey& key, const ObservedData& sent, const ObservedData& received) noexcept {
  if (all().file.load(std::memory_order_relaxed) == nullptr) return nullptr;
  const std::atomic<const Entry*>* const slot = find(key);
  if (slot == nullptr) return nullptr;
  if (const Entry* const there = slot->load(std::memory_order_acquire)) return there->site;
  try {
    return add(key, sent, received);
  } catch (const std::exception&) {
    return nullptr;
  }
}

void note_other(std::int64_t nanoseconds) noexcept {
  record::File* const to = all().file.load(std::memory_order_relaxed);
  if (to == nullptr) return;
  to->others.fetch_add(1, std::memory_order_relaxed);
  to->others_nanoseconds.fetch_add(nanoseconds, std::memory_order_relaxed);
}

}  // namespace typewarp::interpose
