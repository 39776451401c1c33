// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_check_law_h
#define saltus_physics_check_law_h

#include <saltus/base/algebra/array.h>
#include <saltus/physics/boundary_kind.h>

#include <type_traits>
#include <utility>

/// Whether a class is a conservation law, member by member; Advection documents the members.
namespace Saltus
{
  namespace LawMembers
  {
    /// Arguments of a law's functions, with one kind of number.
    template <typename Law, typename T>
    using State = Array<T, Law::n_components>;
    template <typename Law, typename T>
    using Field = Array<T, Law::n_fields>;
    template <typename Law, typename T>
    using Direction = Array<T, Law::dimension>;

    template <typename Type>
    const Type &
    some();

    /// Whether `Member<Law>` is well-formed, and of the type that the law's functions must return.
    template <template <typename> class Member, typename Law, typename = void>
    struct Has : std::false_type
    {};

    template <template <typename> class Member, typename Law>
    struct Has<Member, Law, std::void_t<Member<Law>>> : std::true_type
    {};

    template <typename Wanted, typename Found>
    using Same = std::enable_if_t<std::is_same_v<Wanted, std::decay_t<Found>>>;

    template <int value>
    using Constant = std::integral_constant<int, value>;

    template <typename Law>
    using dimension = std::enable_if_t<Law::dimension == 2 || Law::dimension == 3>;
    template <typename Law>
    using n_components = std::enable_if_t<(Constant<Law::n_components>::value > 0)>;
    template <typename Law>
    using n_fields = std::enable_if_t<(Constant<Law::n_fields>::value >= 0)>;
    template <typename Law>
    using n_derived = std::enable_if_t<(Constant<Law::n_derived>::value >= 0)>;
    template <typename Law>
    using n_positive = std::enable_if_t<(Constant<Law::n_positive>::value >= 0)>;

    template <typename Law>
    using name = Same<const char *, decltype(Law::name)>;
    template <typename Law>
    using conserved_names = Same<const char *, decltype(Law::conserved_names[0])>;
    template <typename Law>
    using primitive_names = Same<const char *, decltype(Law::primitive_names[0])>;
    template <typename Law>
    using derived_names = Same<const char *, decltype(Law::derived_names[0])>;

    template <typename Law>
    using flux = Same<State<Law, double>,
                      decltype(some<Law>().flux(some<State<Law, double>>(),
                                                some<Field<Law, double>>(),
                                                some<Direction<Law, double>>()))>;
    template <typename Law>
    using numerical_flux =
      Same<State<Law, double>,
           decltype(some<Law>().numerical_flux(some<State<Law, double>>(),
                                               some<State<Law, double>>(),
                                               some<Field<Law, double>>(),
                                               some<Direction<Law, double>>()))>;
    template <typename Law>
    using wave_speed = Same<double,
                            decltype(some<Law>().wave_speed(some<State<Law, double>>(),
                                                            some<Field<Law, double>>(),
                                                            some<Direction<Law, double>>()))>;
    template <typename Law>
    using admissible = std::enable_if_t<
      std::is_convertible_v<decltype(some<Law>().admissible(some<State<Law, double>>())), bool>>;
    template <typename Law>
    using positive = Same<Array<double, Law::n_positive>,
                          decltype(some<Law>().positive(some<State<Law, double>>()))>;
    template <typename Law>
    using supports = Same<bool, decltype(Law::supports(BoundaryKind::outflow))>;
    template <typename Law>
    using boundary_state =
      Same<State<Law, double>,
           decltype(some<Law>().boundary_state(some<BoundaryKind>(),
                                               some<State<Law, double>>(),
                                               some<State<Law, double>>(),
                                               some<Direction<Law, double>>()))>;
    template <typename Law>
    using conserved =
      Same<State<Law, double>, decltype(some<Law>().conserved(some<State<Law, double>>()))>;
    template <typename Law>
    using primitive =
      Same<State<Law, double>, decltype(some<Law>().primitive(some<State<Law, double>>()))>;
    template <typename Law>
    using derived = Same<Array<double, Law::n_derived>,
                         decltype(some<Law>().derived(some<State<Law, double>>()))>;
  } // namespace LawMembers

  /// True if @p Law has all members of a conservation law; else the compiler says, one line a
  /// member, which one is missing or has another type.
  template <typename Law>
  constexpr bool
  check_law()
  {
    bool complete = true;
#define SALTUS_LAW_NEEDS(member, text)                                                         \
  static_assert(LawMembers::Has<LawMembers::member, Law>::value,                               \
                "A conservation law needs " text " The model is saltus/physics/advection.h."); \
  complete &= LawMembers::Has<LawMembers::member, Law>::value;

    SALTUS_LAW_NEEDS(dimension, "the constant 'dimension', which is 2 or 3.")
    SALTUS_LAW_NEEDS(n_components, "the constant 'n_components', at least 1.")
    SALTUS_LAW_NEEDS(n_fields, "the constant 'n_fields', at least 0.")
    SALTUS_LAW_NEEDS(n_derived, "the constant 'n_derived', at least 0.")
    SALTUS_LAW_NEEDS(n_positive, "the constant 'n_positive', at least 0.")
    SALTUS_LAW_NEEDS(name, "the text 'name'.")
    SALTUS_LAW_NEEDS(conserved_names, "the texts 'conserved_names', one a component.")
    SALTUS_LAW_NEEDS(primitive_names, "the texts 'primitive_names', one a component.")
    SALTUS_LAW_NEEDS(derived_names, "the texts 'derived_names', one for each derived quantity.")
    SALTUS_LAW_NEEDS(flux, "'flux(u, field, n) const', which returns an Array<T, n_components>.")
    SALTUS_LAW_NEEDS(numerical_flux,
                     "'numerical_flux(inside, outside, field, n) const', which returns an Array<T, "
                     "n_components>.")
    SALTUS_LAW_NEEDS(wave_speed, "'wave_speed(u, field, n) const', which returns a T.")
    SALTUS_LAW_NEEDS(admissible,
                     "'admissible(u) const', which returns what a comparison of two T does.")
    SALTUS_LAW_NEEDS(positive, "'positive(u) const', which returns an Array<T, n_positive>.")
    SALTUS_LAW_NEEDS(supports, "'static constexpr bool supports(BoundaryKind)'.")
    SALTUS_LAW_NEEDS(boundary_state,
                     "'boundary_state(kind, inside, data, n) const', which returns an Array<T, "
                     "n_components>.")
    SALTUS_LAW_NEEDS(conserved, "'conserved(u) const', which returns an Array<T, n_components>.")
    SALTUS_LAW_NEEDS(primitive, "'primitive(u) const', which returns an Array<T, n_components>.")
    SALTUS_LAW_NEEDS(derived, "'derived(u) const', which returns an Array<T, n_derived>.")
#undef SALTUS_LAW_NEEDS
    return complete;
  }
} // namespace Saltus

#endif
