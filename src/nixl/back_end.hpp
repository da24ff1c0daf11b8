// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

/// What NIXL and its back ends have in common, as NIXL 1.5 lays it out: version 1 of its plugin interface, by
/// the C++ ABI of libstdc++. NIXL calls virtual functions by their places and reads members at their offsets,
/// so neither order nor types may change. Its headers are in no package, so this says what they say, in names
/// of our own; NIXL's stand beside them. Source: https://github.com/ai-dynamo/nixl, src/api/cpp/backend.
namespace typewarp::nixl {

/// What errors begin with.
inline constexpr std::string_view caller = "typewarp: NIXL back end";

/// nixl_mem_t
enum class NixlMemory : std::int32_t { host, device, block, object, file };
/// nixl_xfer_op_t
enum class NixlOperation : std::int32_t { read, write };
/// nixl_status_t
enum class NixlStatus : std::int32_t {
  in_progress = 1,
  success = 0,
  not_posted = -1,
  invalid_argument = -2,
  failed = -3,  ///< NIXL_ERR_BACKEND
  not_found = -4,
  mismatch = -5,
  not_allowed = -6,
  repost_active = -7,
  unknown = -8,
  not_supported = -9,
  disconnected = -10,  ///< NIXL_ERR_REMOTE_DISCONNECT
};

using NixlMemories = std::vector<NixlMemory>;                           ///< nixl_mem_list_t
using NixlParameters = std::unordered_map<std::string, std::string>;    ///< nixl_b_params_t
using NixlMessages = std::vector<std::pair<std::string, std::string>>;  ///< notif_list_t: agents and texts

/// nixlBasicDesc: `bytes` bytes from `address` on, of GPU `device` as its process counts.
struct NixlDescriptor {
  std::uintptr_t address;
  std::size_t bytes;
  std::uint64_t device;
};

/// nixlBlobDesc
struct DescribedMemory : NixlDescriptor {
  std::string text;
};

/// nixlBackendMD: what a back end knows of memory.
class NixlMetadata {
 public:
  explicit NixlMetadata(bool is_private) noexcept : is_private_(is_private) {}
  NixlMetadata(const NixlMetadata&) = delete;
  NixlMetadata& operator=(const NixlMetadata&) = delete;
  virtual ~NixlMetadata() = default;

 protected:
  bool is_private_;
};

/// nixlMetaDesc
struct KnownMemory : NixlDescriptor {
  NixlMetadata* metadata;
};

/// nixlDescList
template <typename Entry>
class NixlDescriptors {
 public:
  explicit NixlDescriptors(NixlMemory kind, std::vector<Entry> all = {})
      : kind_(kind), all_(std::move(all)) {}
  NixlDescriptors(const NixlDescriptors&) = delete;
  NixlDescriptors& operator=(const NixlDescriptors&) = delete;
  virtual ~NixlDescriptors() = default;

  NixlMemory kind() const noexcept { return kind_; }
  const std::vector<Entry>& all() const noexcept { return all_; }

 private:
  NixlMemory kind_;
  std::vector<Entry> all_;
};

/// nixlBackendOptionalArgs
struct NixlOptions {
  std::string message;
  bool has_message = false;
  std::string other;
};

/// nixlBackendReqH: a transfer.
class NixlRequest {
 public:
  NixlRequest() = default;
  NixlRequest(const NixlRequest&) = delete;
  NixlRequest& operator=(const NixlRequest&) = delete;
  virtual ~NixlRequest() = default;
};

/// nixlBackendInitParams
struct InitialParameters {
  std::string agent;
  std::string type;
  NixlParameters* parameters = nullptr;
  bool has_thread = false;
  std::uint64_t thread_delay_us = 0;
  std::int32_t synchronization = 0;
  bool has_telemetry = false;
};

/// nixlBackendEngine; NIXL's docs/BackendGuide.md explains each call. This part describes the back end and
/// its memory.
class BackEndOfMemory {
 public:
  explicit BackEndOfMemory(const InitialParameters& given)
      : type_(given.type),
        parameters_(*given.parameters),
        agent_(given.agent),
        has_telemetry_(given.has_telemetry) {}
  BackEndOfMemory(const BackEndOfMemory&) = delete;
  BackEndOfMemory& operator=(const BackEndOfMemory&) = delete;
  virtual ~BackEndOfMemory() = default;

  virtual bool supports_remote() const { return true; }
  virtual bool supports_local() const { return true; }
  virtual bool supports_messages() const { return true; }
  virtual NixlMemories memories() const { return {NixlMemory::device}; }

  virtual NixlStatus register_memory(const DescribedMemory& memory, const NixlMemory& kind,
                                     NixlMetadata*& made) = 0;
  virtual NixlStatus deregister_memory(NixlMetadata* memory) = 0;
  virtual NixlStatus connect(const std::string& agent) = 0;
  virtual NixlStatus disconnect(const std::string& agent) = 0;
  /// Of what load_remote() or load_local() has made.
  virtual NixlStatus unload(NixlMetadata* memory) = 0;

 private:
  std::string type_;
  NixlParameters parameters_;
  std::vector<std::byte> telemetry_;  ///< which NIXL takes
  std::mutex telemetry_mutex_;

 protected:
  bool has_failed_ = false;  ///< which NIXL asks for once it is made
  const std::string agent_;  ///< this one's name
  const bool has_telemetry_;
};

/// This part has transfers, peers and messages: its functions come behind the others.
class BackEnd : public BackEndOfMemory {
 public:
  using BackEndOfMemory::BackEndOfMemory;

  using List = NixlDescriptors<KnownMemory>;
  virtual NixlStatus prepare(const NixlOperation& operation, const List& local, const List& remote,
                             const std::string& agent, NixlRequest*& made,
                             const NixlOptions* options) const = 0;
  /// Not again before check() has said that the last time is over.
  virtual NixlStatus post(const NixlOperation& operation, const List& local, const List& remote,
                          const std::string& agent, NixlRequest*& request,
                          const NixlOptions* options) const = 0;
  virtual NixlStatus check(NixlRequest* request) const = 0;
  /// Must not fail: NIXL 1.5 asks again only once, and then forgets the transfer.
  virtual NixlStatus release(NixlRequest* request) const = 0;

  // Memory that kernels see, which is not offered.
  virtual NixlStatus view_remote(const void*, void*&, const NixlOptions*) const {
    return NixlStatus::not_supported;
  }
  virtual NixlStatus view_local(const void*, void*&, const NixlOptions*) const {
    return NixlStatus::not_supported;
  }
  virtual void release_view(void*) const {}

  // What peers are told, of memory and of the agent, and what they make of it.
  virtual NixlStatus public_data(const NixlMetadata* memory, std::string& text) const = 0;
  virtual NixlStatus connection(std::string& text) const = 0;
  virtual NixlStatus load_connection(const std::string& agent, const std::string& text) = 0;
  virtual NixlStatus load_remote(const DescribedMemory& memory, const NixlMemory& kind,
                                 const std::string& agent, NixlMetadata*& made) = 0;
  virtual NixlStatus load_local(NixlMetadata* memory, NixlMetadata*& made) = 0;

  virtual NixlStatus take_messages(NixlMessages& messages) = 0;
  virtual NixlStatus send_message(const std::string& agent, const std::string& message) const = 0;

  virtual NixlStatus query(const void*, void*) const { return NixlStatus::not_supported; }
  virtual NixlStatus estimate(const NixlOperation&, const List&, const List&, const std::string&,
                              NixlRequest* const&, void*, void*, void*, const void*) const {
    return NixlStatus::not_supported;
  }
};

/// nixlBackendPlugin: what nixl_plugin_init() returns.
struct Plugin {
  static constexpr int version_1 = 1;

  int version;
  BackEnd* (*make)(const InitialParameters*);
  void (*destroy)(BackEnd*);
  const char* (*name)();
  const char* (*own_version)();
  NixlParameters (*parameters)();  ///< with their defaults
  NixlMemories (*memories)();
};

}  // namespace typewarp::nixl
