"""Every method through limber.integrate: its order, one step against the printed formula, and its damping curve.

The system has a mass matrix with couplings, a nonlinear force that depends on positions, velocities and time, and
non-symmetric tangents. The references work on the first-order system u' = F(t, u), u = (q, v), in dense arithmetic.
"""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
from scipy.integrate import solve_ivp
from scipy.optimize import root

import limber

N = 3
M = np.array([[2.0, 0.3, 0.0], [0.3, 1.5, -0.2], [0.0, -0.2, 1.0]])
S = np.array([[9.0, -4.0, 0.0], [-4.0, 8.0, -3.0], [0.0, -3.0, 5.0]])
C = np.array([[0.6, -0.1, 0.0], [-0.1, 0.5, -0.2], [0.1, -0.2, 0.4]])
Q0, V0 = np.array([0.5, -0.3, 0.4]), np.array([-0.2, 0.6, 0.1])
NAMES = [method["name"] for method in limber.methods()]
ORDERS = {method["name"]: method["order"] for method in limber.methods()}
KINDS = {method["name"]: method["kind"] for method in limber.methods()}
HYBRIDS = [name for name in NAMES if KINDS[name] == "hybrid"]


def force(q, v, t):
    return (-S @ q - 2 * q**3 - C @ v - 0.3 * v**3 - 0.4 * np.roll(q, 1) * v
            + np.sin(2 * t + np.arange(N)) * np.array([1, -2, 0.5]))


def stiffness(q, v, t):
    K = S + np.diag(6 * q**2)
    for i in range(N):
        K[i, (i - 1) % N] += 0.4 * v[i]
    return K


def damping(q, v, t):
    return C + np.diag(0.9 * v**2 + 0.4 * np.roll(q, 1))


def rate(t, u):
    return np.concatenate([u[N:], np.linalg.solve(M, force(u[:N], u[N:], t))])


def jacobian(t, u):
    q, v = u[:N], u[N:]
    return np.block([[np.zeros((N, N)), np.eye(N)],
                     [-np.linalg.solve(M, stiffness(q, v, t)), -np.linalg.solve(M, damping(q, v, t))]])


def time_rate(t, u):
    """dF/dt."""
    return np.concatenate([np.zeros(N), np.linalg.solve(M, 2 * np.cos(2 * t + np.arange(N)) * np.array([1, -2, 0.5]))])


def integrate(method, step, steps, q0=Q0, v0=V0, **options):
    options = {"stiffness": stiffness, "damping": damping, "newton_tolerance": 1e-13, **options}
    if method in HYBRIDS:
        options = {"modes": 1, **options}
    return limber.integrate(options.pop("M", M), options.pop("force", force), q0, v0, method=method, step=step,
                            steps=steps, **options)


def test_kinds():
    assert KINDS["ERE"] == "exponential" and list(KINDS.values()).count("exponential") == 1
    assert set(HYBRIDS) == set(
        "BEERE SIERE BDF2ERE SBDF2ERE TR-BDF2ERE STR-SBDF2ERE SDIRKERE SSDIRKERE "
        "BDF2ERE-printed SBDF2ERE-printed TR-BDF2ERE-printed STR-SBDF2ERE-printed".split())
    for name in HYBRIDS:
        assert ORDERS[name] == (1 if name in ("BEERE", "SIERE") or name.endswith("-printed") else 2), name


# Order

@pytest.fixture(scope="module")
def exact_end():
    done = solve_ivp(rate, (0, 1), np.concatenate([Q0, V0]), method="DOP853", rtol=1e-13, atol=1e-14)
    return done.y[:, -1]


@pytest.mark.parametrize("method", NAMES)
def test_order(method, exact_end):
    errors = []
    for steps in (24, 48) if ORDERS[method] == 4 else (128, 256):
        t, Q, V = integrate(method, 1 / steps, steps, newton_tolerance=1e-10)
        assert t.shape == (steps + 1,) and Q.shape == V.shape == (steps + 1, N)
        assert t[0] == 0 and t[-1] == pytest.approx(1, abs=1e-14)
        assert np.array_equal(Q[0], Q0) and np.array_equal(V[0], V0)
        errors.append(np.linalg.norm(np.concatenate([Q[-1], V[-1]]) - exact_end))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(ORDERS[method], abs=0.1)


def test_newmark_with_another_gamma_is_of_order_one(exact_end):
    errors = []
    for n in (160, 320):
        _, Q, V = integrate("newmark", 1 / n, n, beta=0.36, gamma=0.7, newton_tolerance=1e-10)
        errors.append(np.linalg.norm(np.concatenate([Q[-1], V[-1]]) - exact_end))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1, abs=0.1)


# One step against the formula

def solved(function, start, **options):
    x = root(function, start, tol=1e-13, **options).x
    assert np.abs(function(x)).max() < 1e-12
    return x


def in_full(star, tau, t, about):
    """u = star + tau F(t, u)."""
    return solved(lambda u: u - star - tau * rate(t, u), about, jac=lambda u: np.eye(2 * N) - tau * jacobian(t, u))


def once(star, tau, t, about):
    """The same, F replaced by its linearisation about the last known state."""
    A = np.eye(2 * N) - tau * jacobian(t, about)
    return about + np.linalg.solve(A, star + tau * rate(t, about) - about)


def backward_euler(solve):
    return lambda past, h: solve(past[0][1], h, past[0][0] + h, past[0][1])


def bdf2(solve):
    def step(past, h):
        (t0, u0), (t1, u1) = past
        r = h / (t0 - t1)
        # (1+2r)/(1+r) u - (1+r) u0 + r^2/(1+r) u1 = h F
        lead = (1 + 2 * r) / (1 + r)
        return solve(((1 + r) * u0 - r**2 / (1 + r) * u1) / lead, h / lead, t0 + h, u0)
    return step


def trapezoidal(solve):
    return lambda past, h: solve(past[0][1] + h / 2 * rate(*past[0]), h / 2, past[0][0] + h, past[0][1])


def midpoint(solve):
    return lambda past, h: 2 * solve(past[0][1], h / 2, past[0][0] + h / 2, past[0][1]) - past[0][1]


def blend(theta):
    def step(past, h):
        (t0, u0), (t1, u1) = past
        r = h / (t0 - t1)
        star = u0 + theta * r**2 / (1 + 2 * r) * (u0 - u1) + (1 - theta) * h / 2 * rate(t0, u0)
        return in_full(star, (theta * (1 + r) / (1 + 2 * r) + (1 - theta) / 2) * h, t0 + h, u0)
    return step


def tr_bdf2(solve):
    def step(past, h):
        t0, u0 = past[0]
        half = solve(u0 + h / 4 * rate(t0, u0), h / 4, t0 + h / 2, u0)
        return solve((4 * half - u0) / 3, h / 3, t0 + h, half)
    return step


def sdirk(solve, frozen=False):
    """The last stage combines increments: F of the first one is what its own equation says it is."""
    def step(past, h):
        t0, u0 = past[0]
        gamma, beta = 2 - np.sqrt(2), np.sqrt(2) / 4
        J0 = jacobian(t0, u0)

        def stage(star, t, about):
            if not frozen:
                return solve(star, gamma * h / 2, t, about)
            A = np.eye(2 * N) - gamma * h / 2 * J0
            return about + np.linalg.solve(A, star + gamma * h / 2 * rate(t, about) - about)

        k0 = rate(t0, u0)
        u = stage(u0 + gamma * h / 2 * k0, t0 + gamma * h, u0)
        k = (u - u0) / (gamma * h / 2) - k0
        return stage(u0 + beta * h * (k0 + k), t0 + h, u)
    return step


def alpha(alpha_m, alpha_f, beta, gamma, linearized=False):
    """Generalized-alpha in the unknown a1; alpha_m = alpha_f = 0 is Newmark."""
    def step(past, h):
        t0, u0 = past[0]
        q0, v0 = u0[:N], u0[N:]
        a0 = rate(t0, u0)[N:]
        w, t = 1 - alpha_f, t0 + (1 - alpha_f) * h

        def end(a1):
            return np.concatenate([q0 + h * v0 + h**2 * ((0.5 - beta) * a0 + beta * a1),
                                   v0 + h * ((1 - gamma) * a0 + gamma * a1)])

        def middle_force(a1):
            u = w * end(a1) + alpha_f * u0
            if linearized:
                return force(q0, v0, t) - stiffness(q0, v0, t) @ (u[:N] - q0) - damping(q0, v0, t) @ (u[N:] - v0)
            return force(u[:N], u[N:], t)

        return end(solved(lambda a1: M @ ((1 - alpha_m) * a1 + alpha_m * a0) - middle_force(a1), a0))
    return step


def chung_hulbert(rho):
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    return am, af, (1 - am + af) ** 2 / 4, 0.5 - am + af


def hht(a):
    return 0, -a, (1 - a) ** 2 / 4, 0.5 - a


def a_1(past, h):
    """The position of backward Euler, the velocity with the force at the old position and at its velocity."""
    t0, u0 = past[0]
    u = in_full(u0, h, t0 + h, u0)
    v = u0[N:] + h * np.linalg.solve(M, force(u0[:N], u[N:], t0))
    return np.concatenate([u[:N], v])


def a_search(past, h):
    """Between both velocities, so that the step loses what the forces that depend on v take."""
    t0, u0 = past[0]
    u, still = in_full(u0, h, t0 + h, u0), np.zeros(N)
    v, d, way = u[N:], a_1(past, h)[N:] - u[N:], u[:N] - u0[:N]
    mean = (force(u0[:N], still, t0) + force(u[:N], still, t0 + h)) / 2
    taken = (force(u[:N], still, t0 + h) - force(u[:N], v, t0 + h)) @ way
    missing = mean @ way - taken - (v @ M @ v - u0[N:] @ M @ u0[N:]) / 2
    curvature, slope = d @ M @ d / 2, v @ M @ d
    if missing <= 0 or slope < 0 and slope**2 > 4 * curvature * missing:
        return u
    alpha = max(np.roots([curvature, slope, -missing]))
    return np.concatenate([u[:N], v + min(alpha, 10) * d])


def symplectic_euler(past, h):
    t0, u0 = past[0]
    v = u0[N:] + h * rate(t0, u0)[N:]
    return np.concatenate([u0[:N] + h * v, v])


def verlet(past, h):
    t0, u0 = past[0]
    half = u0[N:] + h / 2 * rate(t0, u0)[N:]
    q = u0[:N] + h * half
    v = solved(lambda v: v - half - h / 2 * np.linalg.solve(M, force(q, v, t0 + h)), half)
    return np.concatenate([q, v])


def runge_kutta(past, h):
    t, u = past[0]
    k1 = rate(t, u)
    k2 = rate(t + h / 2, u + h / 2 * k1)
    k3 = rate(t + h / 2, u + h / 2 * k2)
    k4 = rate(t + h, u + h * k3)
    return u + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def phi1(Z, b):
    """phi1(Z) b: the last column of exp [[Z, b], [0, 0]]."""
    n = len(b)
    return scipy.linalg.expm(np.block([[Z, b[:, None]], [np.zeros((1, n + 1))]]))[:n, n]


def rosenbrock_euler(past, h):
    """(eqERE), with t among the coordinates."""
    t0, u0 = past[0]
    J = np.block([[jacobian(t0, u0), time_rate(t0, u0)[:, None]], [np.zeros((1, 2 * N + 1))]])
    return u0 + h * phi1(h * J, np.append(rate(t0, u0), 1))[:-1]


class Split:
    """The lowest modes at the step's start taken out: R = diag(X X^T M, X X^T M), Q = I - R, H = Q F, G = R F."""

    def __init__(self, past, modes, solve, coupling):
        t0, u0 = past[0]
        K = stiffness(u0[:N], u0[N:], t0)
        X = scipy.linalg.eigh((K + K.T) / 2, M)[1][:, :modes]
        self.R = scipy.linalg.block_diag(X @ X.T @ M, X @ X.T @ M)
        self.Q = np.eye(2 * N) - self.R
        self.solve_unsplit, self.coupling = solve, coupling

    def H(self, t, u):
        return self.Q @ rate(t, u)

    def moved(self, t, u, s):
        """s phi1(s J_G) [G + what couples modes and complement], J_G = R J R."""
        J, G = jacobian(t, u), self.R @ rate(t, u)
        if self.coupling == "K":  # what J makes of the complement's velocity, in the velocities
            PV = np.concatenate([self.H(t, u)[:N], np.zeros(N)])
            G[N:] += s / 2 * (self.R @ J @ PV)[N:]
        elif self.coupling == "all":
            G += s / 2 * self.R @ (J @ self.H(t, u) + time_rate(t, u))
        return s * phi1(s * self.R @ J @ self.R, G)

    def solve(self, star, tau, t, about):
        """u = star + tau H(t, u), or with H linearised about the last known state."""
        if self.solve_unsplit is once:
            A = np.eye(2 * N) - tau * self.Q @ jacobian(t, about)
            return about + np.linalg.solve(A, star + tau * self.H(t, about) - about)
        return solved(lambda u: u - star - tau * self.H(t, u), about,
                      jac=lambda u: np.eye(2 * N) - tau * self.Q @ jacobian(t, u))


def euler_ere(split, past, h):
    """(beere), (SIERE)."""
    t0, u0 = past[0]
    return split.solve(u0 + split.moved(t0, u0, h), h, t0 + h, u0)


def bdf2_ere(split, past, h):
    if len(past) == 1:
        return euler_ere(split, past, h)
    (t0, u0), (t1, u1) = past
    r = h / (t0 - t1)
    star = u0 + r**2 / (1 + 2 * r) * split.Q @ (u0 - u1) + split.moved(t0, u0, h)
    return split.solve(star, (1 + r) / (1 + 2 * r) * h, t0 + h, u0)


def bdf2_ere_printed(split, past, h):
    """(BDF2ERE), (sbdf2ere); at r = 1 the star is (4 u0 - u1 + 2 h phi1 G) / 3."""
    if len(past) == 1:
        return euler_ere(split, past, h)
    (t0, u0), (t1, u1) = past
    r = h / (t0 - t1)
    share = (1 + r) / (1 + 2 * r)
    star = ((1 + r) ** 2 * u0 - r**2 * u1) / (1 + 2 * r) + share * split.moved(t0, u0, h)
    return split.solve(star, share * h, t0 + h, u0)


def tr_bdf2_ere(split, past, h):
    t0, u0 = past[0]
    half = split.solve(u0 + h / 4 * split.H(t0, u0) + split.moved(t0, u0, h / 2), h / 4, t0 + h / 2, u0)
    star = half + split.Q @ (half - u0) / 3 + split.moved(t0 + h / 2, half, h / 2)
    return split.solve(star, h / 3, t0 + h, half)


def tr_bdf2_ere_printed(split, past, h):
    """(26n): the first stage is that of (10), unsplit; in the second h/3 phi1(h/2 J_G) G."""
    t0, u0 = past[0]
    half = split.solve_unsplit(u0 + h / 4 * rate(t0, u0), h / 4, t0 + h / 2, u0)
    star = u0 + 4 / 3 * (half - u0) + 2 / 3 * split.moved(t0 + h / 2, half, h / 2)
    return split.solve(star, h / 3, t0 + h, half)


def sdirk_ere(split, past, h):
    t0, u0 = past[0]
    gamma, beta = 2 - np.sqrt(2), np.sqrt(2) / 4
    tau, t = gamma * h / 2, t0 + gamma * h
    u = split.solve(u0 + tau * split.H(t0, u0) + split.moved(t0, u0, gamma * h), tau, t, u0)
    star = u + (2 * beta / gamma - 1) * split.Q @ (u - u0) + split.moved(t, u, (1 - gamma) * h)
    return split.solve(star, tau, t0 + h, u)


def hybrid(scheme, solve, coupling):
    return lambda past, h, modes=1: scheme(Split(past, modes, solve, coupling), past, h)


HYBRID_FORMULAS = {
    "BEERE": hybrid(euler_ere, in_full, "K"), "SIERE": hybrid(euler_ere, once, "K"),
    "BDF2ERE": hybrid(bdf2_ere, in_full, "all"), "SBDF2ERE": hybrid(bdf2_ere, once, "all"),
    "TR-BDF2ERE": hybrid(tr_bdf2_ere, in_full, "all"), "STR-SBDF2ERE": hybrid(tr_bdf2_ere, once, "all"),
    "SDIRKERE": hybrid(sdirk_ere, in_full, "all"), "SSDIRKERE": hybrid(sdirk_ere, once, "all"),
    "BDF2ERE-printed": hybrid(bdf2_ere_printed, in_full, None),
    "SBDF2ERE-printed": hybrid(bdf2_ere_printed, once, None),
    "TR-BDF2ERE-printed": hybrid(tr_bdf2_ere_printed, in_full, None),
    "STR-SBDF2ERE-printed": hybrid(tr_bdf2_ere_printed, once, None),
}

FORMULAS = [
    ("BE", {}, backward_euler(in_full)), ("SI", {}, backward_euler(once)),
    ("BDF2", {}, bdf2(in_full)), ("SBDF2", {}, bdf2(once)),
    ("TR", {}, trapezoidal(in_full)), ("STR", {}, trapezoidal(once)),
    ("blend", {}, blend(0.5)), ("blend", {"theta": 0.2}, blend(0.2)),
    ("midpoint", {}, midpoint(in_full)), ("S-midpoint", {}, midpoint(once)),
    ("TR-BDF2", {}, tr_bdf2(in_full)), ("STR-SBDF2", {}, tr_bdf2(once)),
    ("SDIRK", {}, sdirk(in_full)), ("SSDIRK", {}, sdirk(once)), ("SSDIRK", {"freeze": 1}, sdirk(once, frozen=True)),
    ("newmark", {}, alpha(0, 0, 0.25, 0.5)), ("newmark", {"beta": 0.3, "gamma": 0.6}, alpha(0, 0, 0.3, 0.6)),
    ("S-newmark", {}, alpha(0, 0, 0.25, 0.5, linearized=True)),
    ("gen-alpha", {}, alpha(*chung_hulbert(0.5))), ("gen-alpha", {"rho_inf": 0.9}, alpha(*chung_hulbert(0.9))),
    ("gen-alpha", {"rho_inf": 0}, alpha(*chung_hulbert(0))),
    ("S-gen-alpha", {}, alpha(*chung_hulbert(0.5), linearized=True)),
    ("HHT", {}, alpha(*hht(-0.1))), ("HHT", {"alpha": -0.3}, alpha(*hht(-0.3))),
    ("S-HHT", {}, alpha(*hht(-0.1), linearized=True)),
    ("A-1", {}, a_1), ("A-search", {}, a_search), ("symplectic-euler", {}, symplectic_euler), ("verlet", {}, verlet), ("RK4", {}, runge_kutta),
    ("ERE", {}, rosenbrock_euler), *((name, {}, formula) for name, formula in HYBRID_FORMULAS.items()),
]


def test_every_method_has_a_formula():
    assert {name for name, _, _ in FORMULAS} == set(NAMES)


@pytest.mark.parametrize("method, parameters, formula", FORMULAS, ids=[f"{n}-{p}" if p else n for n, p, _ in FORMULAS])
@pytest.mark.parametrize("h", [0.05, 0.3])
def test_one_step_is_the_formula(method, parameters, formula, h):
    t0 = 0.7
    before = (t0 - 0.04, Q0 - 0.04 * V0, V0 + [0.01, -0.02, 0.03])
    expected = formula([(t0, np.concatenate([Q0, V0])), (before[0], np.concatenate(before[1:]))], h)
    t, Q, V = integrate(method, h, 1, t0=t0, history=[before], **parameters)
    assert t.tolist() == [t0, t0 + h]
    np.testing.assert_allclose(np.concatenate([Q[1], V[1]]), expected, atol=formula_tolerance(method, h), rtol=0)


def formula_tolerance(method, h):
    """df/dt is taken by differences."""
    differences = ORDERS[method] == 2 and (method in HYBRIDS or method == "ERE")
    return 1e-10 + (1e-8 * h**6 if differences else 0)


@pytest.mark.parametrize("method", HYBRIDS)
@pytest.mark.parametrize("modes", [2, 3])
def test_one_step_with_more_modes_is_the_formula(method, modes):
    t0, h = 0.7, 0.05
    before = (t0 - h, Q0 - h * V0, V0 + [0.01, -0.02, 0.03])
    expected = HYBRID_FORMULAS[method]([(t0, np.concatenate([Q0, V0])), (before[0], np.concatenate(before[1:]))], h,
                                       modes)
    t, Q, V = integrate(method, h, 1, t0=t0, history=[before], modes=modes)
    np.testing.assert_allclose(np.concatenate([Q[1], V[1]]), expected, atol=1e-10, rtol=0)


@pytest.mark.parametrize("method", HYBRIDS)
def test_modes_of_later_steps_are_those_of_their_start(method):
    """Large deformations: the modes at the first start would not do."""
    h, past = 0.05, [(0.0, np.concatenate([3 * Q0, V0]))]
    for _ in range(4):
        past = [(past[0][0] + h, HYBRID_FORMULAS[method](past, h)), past[0]]
    t, Q, V = integrate(method, h, 4, q0=3 * Q0)
    np.testing.assert_allclose(np.concatenate([Q[-1], V[-1]]), past[0][1], atol=1e-9, rtol=0)
    once_only = integrate(method, h, 4, q0=3 * Q0, refresh="once")[1]
    assert np.abs(once_only[-1] - Q[-1]).max() > 1e-6


@pytest.mark.parametrize("method, first", [("BDF2", "BE"), ("SBDF2", "SI")])
def test_without_history_the_first_step_is_of_order_one(method, first):
    assert np.array_equal(integrate(method, 0.1, 1)[1:], integrate(first, 0.1, 1)[1:])


@pytest.mark.parametrize("method", ["BDF2", "SBDF2", "blend", "BDF2ERE", "SBDF2ERE", "SBDF2ERE-printed"])
def test_history_continues_a_run(method):
    t, Q, V = integrate(method, 0.05, 6)
    u, P, W = integrate(method, 0.05, 3, q0=Q[3], v0=V[3], t0=t[3], history=[(t[2], Q[2], V[2]), (t[1], Q[1], V[1])])
    np.testing.assert_allclose(np.hstack([P, W]), np.hstack([Q[3:], V[3:]]), atol=1e-13)
    without = integrate(method, 0.05, 3, q0=Q[3], v0=V[3], t0=t[3])[1]
    assert np.abs(without[-1] - Q[-1]).max() > 1e-6


# What may be given, and in which form

@pytest.mark.parametrize("method", ["BE", "SI", "STR-SBDF2", "SDIRK", "gen-alpha", "verlet", "RK4", "ERE", "SIERE",
                                    "TR-BDF2ERE"])
def test_sparse_and_dense_and_differences_agree(method):
    plain = np.hstack(integrate(method, 0.05, 4)[1:])
    for matrix in (scipy.sparse.csc_matrix, scipy.sparse.csr_matrix, scipy.sparse.coo_matrix):
        sparse = integrate(method, 0.05, 4, M=matrix(M), stiffness=lambda *u: matrix(stiffness(*u)),
                           damping=lambda *u: matrix(damping(*u)))
        np.testing.assert_allclose(np.hstack(sparse[1:]), plain, atol=1e-13)
    for absent in ("stiffness",), ("damping",), ("stiffness", "damping"):
        differences = integrate(method, 0.05, 4, **{key: None for key in absent})
        np.testing.assert_allclose(np.hstack(differences[1:]), plain, atol=1e-8)
    lists = integrate(method, 0.05, 4, M=M.tolist(), q0=list(Q0), v0=tuple(V0))
    assert np.array_equal(np.hstack(lists[1:]), plain)


@pytest.mark.parametrize("solver", ["auto", "lu", "gmres"])
def test_solvers_agree(solver):
    plain = np.hstack(integrate("TR-BDF2", 0.05, 4)[1:])
    np.testing.assert_allclose(np.hstack(integrate("TR-BDF2", 0.05, 4, solver=solver)[1:]), plain, atol=1e-11)


def test_names_ignore_case():
    assert np.array_equal(integrate("tr-bdf2", 0.05, 2)[1], integrate("TR-BDF2", 0.05, 2)[1])


def test_no_steps_give_the_initial_state():
    t, Q, V = integrate("BE", 0.1, 0)
    assert t.shape == (1,) and np.array_equal(Q, [Q0]) and np.array_equal(V, [V0])


# Failure

def test_a_force_that_is_not_finite_is_a_step_failure():
    def leaves(q, v, t):
        return np.sqrt(0.2 - t) * np.ones(N) - q if t < 0.2 else np.full(N, np.nan)

    for method in ("BE", "SI", "TR-BDF2", "RK4", "gen-alpha", "ERE", "SIERE", "TR-BDF2ERE"):
        with pytest.raises(limber.StepFailure):
            integrate(method, 0.05, 10, force=leaves, stiffness=lambda *u: np.eye(N),
                      damping=lambda *u: np.zeros((N, N)))


def test_a_newton_that_may_not_iterate_is_a_step_failure():
    with pytest.raises(limber.StepFailure, match="(?i)iteration|converge"):
        integrate("BE", 5.0, 1, max_iterations=1, newton_tolerance=1e-14)


def test_a_force_without_a_root_is_a_step_failure():
    """v = h (1 + v^2) has no real solution for h > 1/2."""
    with pytest.raises(limber.StepFailure):
        limber.integrate(np.eye(1), lambda q, v, t: 1 + v**2, [0], [0], method="BE", step=1.0, steps=1)


def test_an_exception_in_the_force_comes_through():
    def broken(q, v, t):
        raise KeyError("my own mistake")

    with pytest.raises(KeyError, match="my own mistake"):
        integrate("BE", 0.1, 1, force=broken)


@pytest.mark.parametrize("change, message", [
    ({"method": "BE2"}, "TR-BDF2"),
    ({"step": 0.0}, "step"),
    ({"step": -1.0}, "step"),
    ({"step": float("nan")}, "step"),
    ({"steps": -1}, "steps"),
    ({"q0": [0, 0]}, "q0"),
    ({"v0": [0, 0, 0, 0]}, "v0"),
    ({"rho_inf": 0.5}, "rho_inf"),
    ({"method": "gen-alpha", "rho_inf": 1.5}, "rho_inf"),
    ({"method": "HHT", "alpha": 0.1}, "alpha"),
    ({"solver": "magic"}, "solver"),
    ({"force": lambda q, v, t: np.zeros(2)}, "force"),
    ({"history": [(0.1, Q0, V0)]}, "history"),
    ({"history": [(-0.1, Q0[:2], V0)]}, "history"),
    ({"stiffness": lambda q, v, t: np.eye(2)}, "stiffness"),
    ({"M": np.ones((2, 3))}, "M|mass"),
    ({"M": np.diag([1.0, 1.0, np.nan])}, "M|mass"),
])
def test_wrong_arguments_are_named(change, message):
    arguments = {"M": M, "force": force, "q0": Q0, "v0": V0, "method": "TR-BDF2", "step": 0.1, "steps": 1, **change}
    with pytest.raises(limber.InputError, match=message):
        limber.integrate(**arguments)


# Damping curves

THETA = np.concatenate([np.geomspace(0.05, 200, 60), [1.0, np.pi]])


def squared_radius(method, x):
    """rho^2 in closed form, x = theta^2."""
    if method in ("BE", "SI"):
        return 1 / (1 + x)
    if method in ("BDF2", "SBDF2"):
        r = np.sqrt(1 + 4 * x)
        return (4 + r + 4 * np.sqrt((r + 1) / 2)) / (9 + 4 * x)
    if method in ("TR-BDF2", "STR-SBDF2"):
        return (1 + 25 * x / 144) / ((1 + x / 16) * (1 + x / 9))
    if method in ("SDIRK", "SSDIRK"):
        return (1 + (3 - 2 * np.sqrt(2)) * x) / (1 + (1.5 - np.sqrt(2)) * x) ** 2
    return np.ones_like(x)


@pytest.mark.parametrize("method", ["BE", "SI", "BDF2", "SBDF2", "TR-BDF2", "STR-SBDF2", "SDIRK", "SSDIRK", "TR", "STR",
                                    "midpoint", "S-midpoint", "newmark", "S-newmark"])
def test_damping_curve(method):
    expected = -np.log(squared_radius(method, THETA**2)) / THETA
    np.testing.assert_allclose(limber.damping_curve(method, THETA), expected, atol=1e-10, rtol=0)


@pytest.mark.parametrize("method, height, place", [("BE", 0.8047, 1.98), ("BDF2", 0.3175, 3.66),
                                                   ("TR-BDF2", 0.1569, 10.9), ("SDIRK", 0.1622, 10.6)])
def test_peaks_of_damping_curves(method, height, place):
    theta = np.linspace(0.5, 20, 2000)
    curve = limber.damping_curve(method, theta)
    assert curve.max() == pytest.approx(height, abs=5e-5)
    assert theta[curve.argmax()] == pytest.approx(place, abs=0.06)


def alpha_matrix(coefficients, theta):
    """On (q, h v, h^2 a): the kinematics and the balance of the middle state, solved for the new triple."""
    am, af, beta, gamma = coefficients
    new = np.array([[1, 0, -beta], [0, 1, -gamma], [(1 - af) * theta**2, 0, 1 - am]])
    old = np.array([[1, 1, 0.5 - beta], [0, 1, 1 - gamma], [-af * theta**2, 0, -am]])
    return np.linalg.solve(new, old)


@pytest.mark.parametrize("method, coefficients, parameters",
                         [(name, chung_hulbert(r), {"rho_inf": r}) for name in ("gen-alpha", "S-gen-alpha")
                          for r in (0.0, 0.5, 0.8, 1.0)]
                         + [(name, hht(a), {"alpha": a}) for name in ("HHT", "S-HHT") for a in (-0.3, -0.05)]
                         + [("newmark", (0, 0, 0.36, 0.7), {"beta": 0.36, "gamma": 0.7})])
def test_alpha_methods_have_their_amplification_matrix(method, coefficients, parameters):
    theta = np.geomspace(0.1, 30, 25)
    matrices = [alpha_matrix(coefficients, x) for x in theta]
    for x, A in zip(theta, matrices):
        T = limber.amplification_matrix(method, x, **parameters)
        np.testing.assert_allclose(np.poly(T), np.poly(A), atol=1e-10)
    if parameters != {"rho_inf": 0.0}:  # at rho_inf = 0 eigenvalues meet, and a radius has half the digits
        radii = np.array([np.abs(np.linalg.eigvals(A)).max() for A in matrices])
        np.testing.assert_allclose(limber.spectral_radius(method, theta, **parameters), radii, atol=1e-10)


def test_rho_inf_is_what_its_name_says():
    for r in (0.2, 0.5, 0.9):  # three eigenvalues meet there, to a third of the digits
        assert limber.spectral_radius("gen-alpha", 1e5, rho_inf=r) == pytest.approx(r, abs=1e-3)


def test_curves_keep_the_shape_of_theta():
    assert limber.damping_curve("BE", 1.0).shape == ()
    assert limber.damping_curve("BE", np.ones((2, 3))).shape == (2, 3)


def test_wrong_names_for_curves():
    with pytest.raises(limber.InputError, match="TR-BDF2"):
        limber.damping_curve("TRBDF3", [1.0])
    with pytest.raises(limber.InputError, match="rho"):
        limber.damping_curve("BE", [1.0], rho=0.3)
    with pytest.raises(limber.InputError, match="in_modes"):
        limber.spectral_radius("BE", [1.0], in_modes=True)


# Matrices as others store them

def unsorted(A):
    """The same matrix, with the rows of each column in falling order."""
    A = scipy.sparse.csc_matrix(A)
    A.sort_indices()
    order = np.concatenate([np.arange(a, b)[::-1] for a, b in zip(A.indptr, A.indptr[1:])])
    return scipy.sparse.csc_matrix((A.data[order], A.indices[order], A.indptr), shape=A.shape)


def doubled(A):
    """The same matrix, with every entry in two halves."""
    A = scipy.sparse.csc_matrix(A)
    return scipy.sparse.csc_matrix((np.repeat(A.data / 2, 2), np.repeat(A.indices, 2), 2 * A.indptr), shape=A.shape)


@pytest.mark.parametrize("stored", [unsorted, doubled, lambda A: unsorted(doubled(A))])
@pytest.mark.parametrize("method", ["SI", "TR-BDF2", "SIERE"])
def test_the_order_of_entries_does_not_matter(method, stored):
    expected = integrate(method, 0.1, 5)
    found = integrate(method, 0.1, 5, M=stored(M), stiffness=lambda *u: stored(stiffness(*u)),
                      damping=lambda *u: stored(damping(*u)))
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-15)
    grows = integrate(method, 0.1, 5, M=stored(M), stiffness=lambda *u: stored(stiffness(*u)),  # beyond M's entries
                      damping=lambda *u: stored(np.where(np.eye(N), damping(*u), 0)))
    same = integrate(method, 0.1, 5, damping=lambda *u: np.where(np.eye(N), damping(*u), 0))
    np.testing.assert_allclose(grows[1], same[1], rtol=1e-13, atol=1e-15)


def test_products_of_scipy_are_taken_as_they_are():
    random = np.random.default_rng(1)
    n, h = 40, 0.05
    B = scipy.sparse.random(n, n, 0.15, random_state=2, format="csc") + scipy.sparse.eye(n, format="csc")
    K = B.T.tocsc() @ B
    assert not K.has_sorted_indices
    q0, v0 = random.normal(size=n), random.normal(size=n)
    _, Q, V = limber.integrate(scipy.sparse.eye(n), lambda q, v, t: -(K @ q), q0, v0, method="SI", step=h, steps=1,
                               stiffness=lambda q, v, t: K, damping=lambda q, v, t: scipy.sparse.csc_matrix((n, n)))
    v1 = np.linalg.solve(np.eye(n) + h * h * K.toarray(), v0 - h * (K @ q0))
    np.testing.assert_allclose(V[1], v1, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(Q[1], q0 + h * v1, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("condition", [1e4, 1e8])
@pytest.mark.parametrize("n", [5, 60, 600])
def test_masses_of_any_condition(condition, n):
    """A full matrix with masses from 1 to `condition`, against the same motion mode by mode."""
    m = np.geomspace(1, condition, n)
    Q = np.linalg.qr(np.random.default_rng(1).normal(size=(n, n)))[0]
    mass = Q @ np.diag(m) @ Q.T
    q0, v0 = np.ones(n), np.zeros(n)
    f = 3 * m
    _, X, V = limber.integrate(mass, lambda q, v, t: Q @ f, q0, v0, method="RK4", step=0.5, steps=2)
    np.testing.assert_allclose(Q.T @ V[-1], 3 * np.ones(n), rtol=1e-15 * 100 * condition)
    np.testing.assert_allclose(Q.T @ (X[-1] - q0), 1.5 * np.ones(n), rtol=1e-15 * 100 * condition)


@pytest.mark.parametrize("mass", [np.zeros((2, 2)), np.ones((3, 3)), np.diag([1.0, 0]), np.diag([np.nan, 1])])
def test_masses_that_are_singular_are_refused(mass):
    n = len(mass)
    with pytest.raises(limber.InputError, match="^M: the mass matrix is (singular|zero)$"):
        limber.integrate(mass, lambda q, v, t: -q, np.ones(n), np.zeros(n), step=0.1, steps=1)


def test_forces_and_phi1_take_entries_in_any_order(bar):
    random = np.random.default_rng(4)
    n = 60
    B = np.where(random.uniform(size=(n, n)) < 0.2, random.normal(size=(n, n)), 0)
    K = 50 * (B + B.T)
    found = []
    for stored in (scipy.sparse.csc_matrix, unsorted, doubled):
        sim = limber.Simulation(bar(pin=None))
        rest = sim.positions.ravel()
        A = stored(K)
        sim.add_force(lambda q, v, t: -(K @ (q.ravel() - rest)).reshape(-1, 3), stiffness=lambda q, v, t: A,
                      symmetric=True)
        found.append(sim.stiffness().toarray())
        np.testing.assert_allclose(found[-1], found[0], rtol=1e-13, atol=1e-9)
    np.testing.assert_allclose(found[0] - limber.Simulation(bar(pin=None)).stiffness().toarray(), K, atol=1e-9)

    n, h = 100, 0.1
    J = scipy.sparse.random(n, n, 0.1, random_state=1, format="csc") - 2 * scipy.sparse.eye(n, format="csc")
    b = np.cos(np.arange(n))
    for stored in (unsorted, doubled):
        np.testing.assert_allclose(limber.phi1(stored(J), b, h), limber.phi1(J.toarray(), b, h), rtol=1e-9, atol=1e-10)
