# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Linear stability of a parallel flow U(y) between plane walls: the equation of Orr and Sommerfeld by
collocation in Chebyshev's points.

A disturbance has the velocity v = Re(phi(y) exp(i (alpha x - omega t))) across the flow and, without
divergence, u = Re(i phi'(y)/alpha exp(i (alpha x - omega t))) along it. It grows with the imaginary
part of omega.

python3 stability.py prints the initial velocity of parameter_files/tollmien_schlichting.prm.
"""
import textwrap

import numpy as np


def differentiation(n):
    """Points cos(pi j/n) and the matrix of the derivative of polynomials given there."""
    y = np.cos(np.pi * np.arange(n + 1) / n)
    weight = (-1.) ** np.arange(n + 1)
    weight[[0, -1]] *= 2
    difference = y[:, None] - y[None, :] + np.eye(n + 1)
    matrix = weight[:, None] / weight[None, :] / difference
    np.fill_diagonal(matrix, 0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))  # constants have no derivative
    return y, matrix


def most_unstable(flow, curvature, alpha, viscosity, height=1., slip=False, n=128):
    """Of a flow U(y) with the second derivative `curvature` on -height < y < height: omega and, in the
    points of differentiation(n), y and phi, whose largest absolute value is 1."""
    s, d = differentiation(n)
    y, d = height * s, d / height
    inner = slice(1, n)
    second = (d @ d)[inner, inner]
    if slip:  # phi = phi'' = 0
        fourth = second @ second
    else:  # phi = phi' = 0: phi = (1-s^2) q with q = 0, whose derivatives these are
        d = d * height
        d2 = d @ d
        q = np.diag(1 - s ** 2) @ d2 @ d2 - 8 * np.diag(s) @ d2 @ d - 12 * d2
        fourth = q[inner, inner] / (1 - s[inner] ** 2) / height ** 4
    unit = np.eye(n - 1)
    laplacian = second - alpha ** 2 * unit
    right = (alpha * flow(y[inner])[:, None] * laplacian - alpha * np.diag(curvature(y[inner])) +
             1j * viscosity * (fourth - 2 * alpha ** 2 * second + alpha ** 4 * unit))
    omegas, modes = np.linalg.eig(np.linalg.solve(laplacian, right))
    first = np.argmax(omegas.imag)
    phi = np.zeros(n + 1, complex)
    phi[inner] = modes[:, first]
    return omegas[first], y, phi / phi[np.argmax(abs(phi))]


def series(coefficients):
    """Of Chebyshev's polynomials, as an expression of y."""
    return " ".join("%+.5g" % c + ("*cos(%d*acos(y))" % k if k else "")
                    for k, c in enumerate(coefficients) if c != 0)


def print_initial_velocity(alpha=1., viscosity=1 / 7500, degree=40):
    """Plane Poiseuille flow with its unstable mode, whose phi is even."""
    omega, y, phi = most_unstable(lambda y: 1 - y ** 2, lambda y: -2 + 0 * y, alpha, viscosity)
    even = np.polynomial.chebyshev.chebfit(y, phi, degree)
    even[1::2] = 0
    odd = np.polynomial.chebyshev.chebder(even)
    odd[0::2] = 0
    print("  # omega = %.8f + %.8f i" % (omega.real, omega.imag))
    text = ("1-y^2 + e*(cos(a*x)*(%s) - sin(a*x)*(%s)); e*(cos(a*x)*(%s) - sin(a*x)*(%s))"
            % (series(-odd.imag / alpha), series(odd.real / alpha), series(even.real),
               series(even.imag)))
    print("  set Initial velocity    = \\\n" + " \\\n".join(textwrap.wrap(
        text, 96, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)))


if __name__ == "__main__":
    print_initial_velocity()
