// A value, or one sentence about the error in the input. Errors stay values until the binding turns them into
// hitbox.InputError. Ask ok() first: an Error has no value.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace hitbox {

struct Error {
  std::string message;  // the place, the error, the allowed values, the remedy
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  // A Result that is about to end hands its value over, so that `for (... : fit(...).value().shapes)` is safe. It has
  // no arrow, which would lead to a value that is gone.
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() & { return &value(); }
  const T* operator->() const& { return &value(); }
  const T* operator->() const&& = delete;
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace hitbox
