// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/halo.hpp>

#include "../operand.hpp"
#include "bindings.hpp"
#include "communicator.hpp"
#include "../living.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <string>
#include <tuple>

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {
namespace {

// The words for the values of enumerations, in their order.
using Words = std::initializer_list<const char*>;
constexpr Words packings{"automatic", "manual", "datatype"};
constexpr Words messages_words{"automatic", "together", "each"};
constexpr Words diagonals_words{"direct", "by_dimension"};
constexpr Words buffers_words{"automatic", "pinned", "device"};
constexpr Words operations{"sum", "min", "max",  "prod", "land",   "band",
                           "lor", "bor", "lxor", "bxor", "minloc", "maxloc"};
static_assert(static_cast<int>(halo::Packing::datatype) == 2 && static_cast<int>(halo::Messages::each) == 2 &&
              static_cast<int>(halo::Diagonals::by_dimension) == 1 &&
              static_cast<int>(halo::Buffers::device) == 2 && static_cast<int>(Operation::maxloc) == 11);

template <typename Enum>
Enum choice(const char* argument, const std::string& text, Words words) {
  std::string all;
  for (const char* const* word = words.begin(); word != words.end(); ++word) {
    if (text == *word) return static_cast<Enum>(word - words.begin());
    all.append(word == words.begin() ? "" : word + 1 == words.end() ? " or " : ", ").append(*word);
  }
  throw nb::value_error((std::string(argument) + ": '" + text + "' must be " + all).c_str());
}

template <typename Enum>
std::string word_of(Enum value, Words words) {
  return words.begin()[static_cast<int>(value)];
}

/// Numbers have the types that accumulate() asks for; all else is bytes.
Datatype element_of(const Element& element) {
  const std::string name = element.name();
  if (name == "int8") return typewarp::element_of<std::int8_t>();
  if (name == "int16") return typewarp::element_of<std::int16_t>();
  if (name == "int32") return typewarp::element_of<std::int32_t>();
  if (name == "int64") return typewarp::element_of<std::int64_t>();
  if (name == "uint8") return typewarp::element_of<std::uint8_t>();
  if (name == "uint16") return typewarp::element_of<std::uint16_t>();
  if (name == "uint32") return typewarp::element_of<std::uint32_t>();
  if (name == "uint64") return typewarp::element_of<std::uint64_t>();
  if (name == "float32") return typewarp::element_of<float>();
  if (name == "float64") return typewarp::element_of<double>();
  if (name == "complex64") return typewarp::element_of<std::complex<float>>();
  if (name == "complex128") return typewarp::element_of<std::complex<double>>();
  return contiguous(element.bytes(), Named::byte);
}

class GridHandle {
 public:
  GridHandle(nb::handle comm, const std::vector<int>& sizes, const std::vector<bool>& periodic) {
    const MPI_Comm handle = comm_of(comm);
    state_ = Lives<halo::ProcessGrid>::made("the Grid", {}, [&] {
      return sizes.empty() ? halo::ProcessGrid(handle) : halo::ProcessGrid(handle, sizes, periodic);
    });
  }
  halo::ProcessGrid& grid() { return state_->object(); }
  nb::object neighbour(const std::vector<int>& direction) {
    const int rank = grid().neighbour(direction);
    return rank == MPI_PROC_NULL ? nb::none() : nb::object(nb::int_(rank));
  }
  bool closed() const { return state_->closed(); }
  void close() { state_->close(); }

 private:
  std::shared_ptr<Lives<halo::ProcessGrid>> state_;
};

/// A view; for each of its dimensions the elements of its halo below and above; the dimension of the grid
/// that it lies along.
using FieldText = std::tuple<View*, std::vector<std::int64_t>, std::vector<std::int64_t>, std::vector<int>>;

/// What an exchange is made of: made before the ranks meet, since it may refuse what one of them gave.
class HaloFields {
 public:
  HaloFields(const std::vector<FieldText>& texts, const std::string& packing, const std::string& messages,
             const std::string& diagonals, const std::string& buffers,
             const std::vector<halo::Direction>& sides, bool poison) {
    for (const auto& [view, below, above, along] : texts) add(*view, below, above, along);
    options.packing = choice<halo::Packing>("packing", packing, packings);
    options.messages = choice<halo::Messages>("messages", messages, messages_words);
    options.diagonals = choice<halo::Diagonals>("diagonals", diagonals, diagonals_words);
    options.buffers = choice<halo::Buffers>("buffers", buffers, buffers_words);
    options.sides = sides;
    options.poison = poison;
  }

  std::vector<halo::Field> fields;
  halo::Options options;
  std::vector<nb::object> views;

 private:
  void add(View& view, const std::vector<std::int64_t>& below, const std::vector<std::int64_t>& above,
           const std::vector<int>& along) {
    const std::string argument = "fields[" + std::to_string(fields.size()) + "]";
    check_strided(argument.c_str(), view);
    check_writable(argument.c_str(), view);
    check_reachable(argument.c_str(), view);
    std::vector<halo::Descriptor> descriptors;
    std::vector<std::int64_t> strides;
    const std::vector<Dimension>& dimensions = view.array().dimensions;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      const std::int64_t size = dimensions[d].size;
      descriptors.push_back({below[d], above[d], below[d], size - above[d], size});
      strides.push_back(dimensions[d].stride);
    }
    fields.emplace_back(view.array().data, element_of(view.array().element), std::move(descriptors),
                        halo::Storage::byte_strided(std::move(strides)), along);
    views.push_back(nb::find(view));
  }
};

class HaloHandle {
 public:
  HaloHandle(GridHandle& grid, const HaloFields& fields) {
    state_ = Lives<halo::Exchange>::made("the exchange", fields.views, [&] {
      return halo::Exchange(grid.grid(), fields.fields, fields.options);
    });
  }
  void start(std::uintptr_t stream) {
    state_->with([&](halo::Exchange& exchange) {
      exchange.pack(stream_of(stream));
      exchange.start_exchange(stream_of(stream));
    });
  }
  bool done() {
    return state_->with([](halo::Exchange& exchange) { return exchange.ready(); });
  }
  void wait(std::uintptr_t stream) {
    state_->with([&](halo::Exchange& exchange) {
      exchange.wait();
      exchange.unpack(stream_of(stream));
    });
  }
  void exchange(std::uintptr_t stream) {
    state_->with([&](halo::Exchange& exchange) { exchange.exchange(stream_of(stream)); });
  }
  void accumulate(const std::string& operation, std::uintptr_t stream) {
    const auto chosen = choice<Operation>("operation", operation, operations);
    state_->with([&](halo::Exchange& exchange) { exchange.accumulate(chosen, stream_of(stream)); });
  }
  void tune(std::uintptr_t stream) {
    state_->with([&](halo::Exchange& exchange) { exchange.tune(stream_of(stream)); });
  }
  void set_width(std::int64_t width) { state_->object().set_width(width); }
  void bind(const std::vector<View*>& views) {
    std::vector<void*> addresses;
    std::vector<nb::object> kept;
    for (std::size_t i = 0; i < views.size(); ++i) {
      check_writable(("fields[" + std::to_string(i) + "]").c_str(), *views[i]);
      addresses.push_back(views[i]->array().data);
      kept.push_back(nb::find(*views[i]));
    }
    state_->with([&](halo::Exchange& exchange) { exchange.bind(addresses); });
    state_->keep(std::move(kept));
  }
  std::string packing() { return word_of(state_->object().packing(), packings); }
  std::string messages() { return word_of(state_->object().messages(), messages_words); }
  bool closed() const { return state_->closed(); }
  void close() { state_->close(); }

 private:
  std::shared_ptr<Lives<halo::Exchange>> state_;
};

}  // namespace

void bind_halo(nb::module_& module) {
  nb::class_<GridHandle>(module, "Grid")
      .def(nb::init<nb::handle, const std::vector<int>&, const std::vector<bool>&>(), "comm"_a.none(),
           "sizes"_a, "periodic"_a)
      .def_prop_ro("sizes", [](GridHandle& g) { return g.grid().sizes(); })
      .def_prop_ro("periodic", [](GridHandle& g) { return g.grid().periodic(); })
      .def_prop_ro("coordinates", [](GridHandle& g) { return g.grid().coordinates(); })
      .def_prop_ro("rank", [](GridHandle& g) { return g.grid().rank(); })
      .def(
          "agree", [](GridHandle& g, bool well) { return agree(g.grid().comm(), well); }, "well"_a)
      .def("neighbour", &GridHandle::neighbour, "direction"_a)
      .def_prop_ro("closed", &GridHandle::closed)
      .def("close", &GridHandle::close);
  nb::class_<HaloFields>(module, "HaloFields")
      .def(nb::init<const std::vector<FieldText>&, const std::string&, const std::string&, const std::string&,
                    const std::string&, const std::vector<halo::Direction>&, bool>(),
           "fields"_a, "packing"_a, "messages"_a, "diagonals"_a, "buffers"_a, "sides"_a, "poison"_a);
  nb::class_<HaloHandle>(module, "HaloExchange")
      .def(nb::init<GridHandle&, const HaloFields&>(), "grid"_a, "fields"_a)
      .def("start", &HaloHandle::start, "stream"_a)
      .def("done", &HaloHandle::done)
      .def("wait", &HaloHandle::wait, "stream"_a)
      .def("exchange", &HaloHandle::exchange, "stream"_a)
      .def("accumulate", &HaloHandle::accumulate, "operation"_a, "stream"_a)
      .def("tune", &HaloHandle::tune, "stream"_a)
      .def("set_width", &HaloHandle::set_width, "width"_a)
      .def("bind", &HaloHandle::bind, "views"_a)
      .def_prop_ro("packing", &HaloHandle::packing)
      .def_prop_ro("messages", &HaloHandle::messages)
      .def_prop_ro("closed", &HaloHandle::closed)
      .def("close", &HaloHandle::close);
}

}  // namespace typewarp::python
