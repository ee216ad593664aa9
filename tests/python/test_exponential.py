"""phi1, and the methods made of it: amplification in the modes, observed orders, the printed formulas, refresh rules.

The system is a chain of unequal masses on cubic springs, held at its left end; its stiffness is symmetric.
"""

import functools

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
from scipy.integrate import solve_ivp
from scipy.optimize import root

import limber

HYBRIDS = [method["name"] for method in limber.methods() if method["kind"] == "hybrid"]
PRINTED = [name for name in HYBRIDS if name.endswith("-printed")]
EULER = ["BEERE", "SIERE"]
SECOND = [name for name in HYBRIDS if name not in PRINTED and name not in EULER]


# phi1

def series_phi1(Z, b):
    """The last column of exp [[Z, b], [0, 0]] by Taylor's series, scaled and squared in long double."""
    n = len(b)
    A = np.zeros((n + 1, n + 1), dtype=np.longdouble)
    A[:n, :n], A[:n, n] = Z, b
    halvings = max(0, int(np.log2(float(np.abs(A).sum(axis=0).max()))) + 5)
    A /= np.longdouble(2) ** halvings
    E = term = np.eye(n + 1, dtype=np.longdouble)
    for i in range(1, 26):
        term = term @ A / i
        E = E + term
    for _ in range(halvings):
        E = E @ E
    return E[:n, n].astype(float)


def relative(x, exact):
    return np.linalg.norm(x - exact) / np.linalg.norm(exact)


FORMS = {"dense": np.asarray, "csc": scipy.sparse.csc_matrix, "csr": scipy.sparse.csr_matrix,
         "coo": scipy.sparse.coo_matrix, "callable": lambda J: lambda x: J @ x}


SIZE = 16


def example_matrices(n=SIZE):
    random = np.random.default_rng(3)
    turn = np.linalg.qr(random.normal(size=(n, n)))[0]
    skew = random.normal(size=(n, n))
    jordan = -2 * np.eye(n) + np.diag(np.ones(n - 1), 1)
    nearly = jordan.copy()
    nearly[-1, 0] = 1e-9
    return {
        "stiff": turn @ np.diag(-np.geomspace(1e-3, 1e4, n)) @ turn.T,
        "oscillating": 4 * (skew - skew.T),
        "non-normal": np.triu(random.normal(size=(n, n)) * 10, 1) - np.diag(np.linspace(1, 40, n)),
        "Grcar": np.triu(np.tril(np.ones((n, n)), 3)) - 2 * np.diag(np.ones(n - 1), -1),
        "defective": jordan, "nearly defective": nearly,
        "growing": 2 * random.normal(size=(n, n)),
        "singular": np.diag(np.ones(n - 1), 1),
        "mechanical": np.block([[np.zeros((n // 2, n // 2)), np.eye(n // 2)],
                                [-1e3 * np.diag(np.arange(n // 2)), -np.eye(n // 2)]]),
    }


MATRICES = example_matrices()
STEPS = {**{name: (1.0, 0.02, -0.1) for name in MATRICES}, "stiff": (1.0, 0.02, -0.002), "oscillating": (1.0, 0.02, -1)}
VECTOR = np.cos(np.arange(SIZE)) + 0.3


@functools.lru_cache(None)
def exact_phi1(name, h):
    return series_phi1(h * MATRICES[name], VECTOR)


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("form", FORMS)
def test_phi1_keeps_its_tolerance(name, form):
    J, b = MATRICES[name], VECTOR
    for h in STEPS[name]:
        exact = exact_phi1(name, h)
        for tol in (1e-3, 1e-6, 1e-9):
            x, info = limber.phi1(FORMS[form](J), b, h, tol=tol, info=True)
            assert relative(x, exact) <= tol, (h, tol)
            assert set(info) == {"products", "substeps", "error"} and 0 <= info["error"] <= tol
            assert (info["products"] > 0) == (form == "callable")
        assert relative(limber.phi1(J, b, h), exact) < 1e-10


def test_phi1_of_a_step_of_zero_is_the_vector():
    b = np.arange(3.0)
    for form in FORMS.values():
        np.testing.assert_allclose(limber.phi1(form(np.diag([1.0, -2, 3])), b, 0.0), b, rtol=1e-15)
        assert np.array_equal(limber.phi1(form(np.eye(3)), np.zeros(3), 1.0), np.zeros(3))


def test_phi1_runs_backwards():
    """phi1(-Z) = exp(-Z) phi1(Z)."""
    J, b = MATRICES["Grcar"], np.arange(1.0, SIZE + 1)
    expected = scipy.linalg.expm(-0.7 * J) @ series_phi1(0.7 * J, b)
    for form in FORMS.values():
        assert relative(limber.phi1(form(J), b, -0.7, tol=1e-9), expected) < 1e-8


def diffusion(n):
    """The second difference, its eigenvalues, and its symmetric matrix of eigenvectors."""
    k = np.arange(1, n + 1)
    L = scipy.sparse.diags([np.ones(n - 1), -2 * np.ones(n), np.ones(n - 1)], [-1, 0, 1]).tocsc()
    return L, -4 * np.sin(k * np.pi / 2 / (n + 1)) ** 2, np.sqrt(2 / (n + 1)) * np.sin(np.outer(k, k) * np.pi / (n + 1))


@pytest.mark.parametrize("norm, tol", [(1e2, 1e-10), (1e4, 1e-10), (1e6, 1e-8)])
@pytest.mark.parametrize("form", ["dense", "csc", "callable"])
def test_phi1_of_diffusion(norm, tol, form):
    n, h = 200, norm / 4
    L, lam, W = diffusion(n)
    b = np.sin(np.arange(n) ** 2)
    exact = W @ (np.expm1(h * lam) / (h * lam) * (W @ b))
    J = L.toarray() if form == "dense" else L if form == "csc" else (lambda x: L @ x)
    x, info = limber.phi1(J, b, h, tol=tol, info=True)
    assert relative(x, exact) <= tol and info["error"] <= tol


@pytest.mark.parametrize("norm, forms", [(1e2, ["dense", "csc", "callable"]), (5e3, ["dense", "csc", "callable"]),
                                         (1e6, ["dense", "csc"])])
def test_phi1_of_oscillations(norm, forms):
    """x' = w y, y' = -w x, so x + iy turns by exp(-i w t)."""
    n = 60
    w = np.geomspace(1e-3, 1, n)
    J = np.block([[np.zeros((n, n)), np.diag(w)], [-np.diag(w), np.zeros((n, n))]])
    c = np.cos(np.arange(n)) + 1j * np.sin(2 * np.arange(n))
    mean = np.expm1(-1j * norm * w) / (-1j * norm * w) * c
    for form in forms:
        x = limber.phi1(FORMS[form](J), np.concatenate([c.real, c.imag]), norm, tol=1e-8)
        assert relative(x, np.concatenate([mean.real, mean.imag])) <= 1e-8, form


@pytest.mark.parametrize("stiffness, h", [(1e6, 0.01), (1e6, 0.3), (1e8, 0.05), (1e10, 1e-3)])
def test_phi1_of_a_chain(stiffness, h):
    """[[0, I], [-K, 0]], which is far from normal: in closed form by the chain's own modes."""
    n = 200
    L, lam, W = diffusion(n)
    w, b = np.sqrt(-stiffness * lam), np.sin(np.arange(2 * n) ** 2)
    cosine, sine = np.sin(w * h) / (w * h), 2 * np.sin(w * h / 2) ** 2 / (w * h)  # means over [0, h]
    d, v = W @ b[:n], W @ b[n:]
    exact = np.concatenate([W @ (cosine * d + sine / w * v), W @ (cosine * v - w * sine * d)])
    J = scipy.sparse.bmat([[None, scipy.sparse.eye(n)], [stiffness * L, None]]).tocsr()
    x, info = limber.phi1(lambda x: J @ x, b, h, info=True)
    assert relative(x, exact) <= info["error"] <= 1e-10


def test_phi1_counts_its_products():
    """On oscillations they grow with the norm and with the digits."""
    J = diffusion(100)[0]
    wave = scipy.sparse.bmat([[None, scipy.sparse.eye(100)], [J, None]]).tocsr()
    b = np.sin(np.arange(200.0))

    def products(h, tol):
        return limber.phi1(lambda x: wave @ x, b, h, tol=tol, info=True)[1]["products"]

    assert 6 < products(1000, 1e-8) / products(100, 1e-8) < 15
    assert products(100, 1e-4) < products(100, 1e-10)


@pytest.mark.parametrize("change, message", [
    ({"J": np.ones((2, 3))}, "J"), ({"J": scipy.sparse.csc_matrix(np.ones((2, 3)))}, "J"), ({"J": np.ones(2)}, "J"),
    ({"J": np.array([[1, np.nan], [0, 1]])}, "J"), ({"J": np.diag([np.inf, 1])}, "J"),
    ({"J": lambda x: np.ones(3)}, "J"), ({"J": lambda x: "text"}, "J"),
    ({"b": [1.0, 2, 3]}, "b"), ({"b": [1.0]}, "b"), ({"b": [np.nan, 1]}, "b"),
    ({"tol": 0}, "tol"), ({"tol": -1e-3}, "tol"), ({"tol": 1}, "tol"), ({"tol": np.nan}, "tol"),
    ({"h": np.nan}, "h"), ({"h": np.inf}, "h"),
])
def test_phi1_names_wrong_arguments(change, message):
    with pytest.raises(limber.InputError, match=f"^{message}:"):
        limber.phi1(**{"J": np.diag([1.0, 2]), "b": [1.0, 2], "h": 1.0, **change})


def test_phi1_fails_with_a_message_not_with_noise():
    for form in ("dense", "csc", "callable"):
        with pytest.raises(limber.StepFailure, match="finite"):  # e^1000
            limber.phi1(FORMS[form](np.diag([1e3, 999])), [1.0, 1], 1.0)
        with pytest.raises(limber.StepFailure, match="relative error"):
            limber.phi1(FORMS[form](MATRICES["stiff"]), np.ones(SIZE), 1.0, tol=1e-17)
    with pytest.raises(limber.StepFailure, match="not finite"):
        limber.phi1(lambda x: np.full(2, np.nan), [1.0, 1], 1.0)


def test_an_exception_in_the_product_comes_through():
    def broken(x):
        raise KeyError("my own mistake")

    with pytest.raises(KeyError, match="my own mistake"):
        limber.phi1(broken, [1.0, 2], 1.0)


# Amplification

THETA = np.concatenate([np.geomspace(0.01, 100, 81), [np.pi, 2 * np.pi, 10 * np.pi]])


@pytest.mark.parametrize("method", EULER + SECOND)
def test_modes_are_neither_damped_nor_amplified(method):
    np.testing.assert_allclose(limber.spectral_radius(method, THETA, in_modes=True), 1, atol=1e-12, rtol=0)
    np.testing.assert_allclose(limber.damping_curve(method, THETA, in_modes=True) * THETA, 0, atol=1e-11)


@pytest.mark.parametrize("method", ["BDF2ERE-printed", "SBDF2ERE-printed"])
def test_printed_bdf2_amplifies_modes(method):
    """rho^2 - 2/3 (1 + e^{i theta}) rho + 1/3 = 0."""
    expected = [np.abs(np.roots([1, -2 / 3 * (1 + np.exp(1j * x)), 1 / 3])).max() for x in THETA]
    found = limber.spectral_radius(method, THETA, in_modes=True)
    np.testing.assert_allclose(found, expected, atol=1e-7, rtol=0)  # where roots meet, half of the digits are left
    small = THETA < 0.05
    np.testing.assert_allclose((found[small] - 1) / THETA[small] ** 2, 0.5, atol=0.01)


@pytest.mark.parametrize("method", ["TR-BDF2ERE-printed", "STR-SBDF2ERE-printed"])
def test_printed_tr_bdf2_amplifies_modes(method):
    m = (1 + 1j * THETA / 4) / (1 - 1j * THETA / 4)
    expected = np.abs(4 / 3 * m - 1 / 3 + 2 / 3 * (np.exp(1j * THETA / 2) - 1) * m)
    found = limber.spectral_radius(method, THETA, in_modes=True)
    np.testing.assert_allclose(found, expected, atol=1e-11, rtol=0)
    small = THETA < 0.1
    np.testing.assert_allclose((found[small] - 1) / THETA[small] ** 2, 1 / 12, atol=0.002)


def test_the_exponential_method_neither_damps_nor_amplifies():
    np.testing.assert_allclose(limber.spectral_radius("ERE", THETA), 1, atol=1e-12, rtol=0)


@pytest.mark.parametrize("method, base", [("BEERE", "BE"), ("SIERE", "SI"), ("BDF2ERE", "BDF2"),
                                          ("SBDF2ERE-printed", "SBDF2"), ("STR-SBDF2ERE", "STR-SBDF2"),
                                          ("TR-BDF2ERE-printed", "TR-BDF2"), ("SDIRKERE", "SDIRK")])
def test_outside_the_modes_a_hybrid_is_its_base(method, base):
    np.testing.assert_allclose(limber.spectral_radius(method, THETA), limber.spectral_radius(base, THETA), atol=1e-12)


@pytest.mark.parametrize("method", ["BE", "TR-BDF2", "ERE", "newmark", "RK4"])
def test_methods_without_modes_have_no_amplification_in_them(method):
    for curve in (limber.spectral_radius, limber.damping_curve):
        with pytest.raises(limber.InputError, match="in_modes"):
            curve(method, [1.0], in_modes=True)


# A chain

N = 5
MASSES = np.array([1.0, 2, 1.5, 0.5, 1])
SPRINGS = np.array([0.9, 3, 1.4, 2.1, 4.5, 1.2])
Q0, V0 = np.array([0.3, -0.2, 0.5, 0.1, -0.4]), np.array([0.5, 0.2, -0.4, 0.3, -0.1])


def stretches(q, end):
    return np.diff(np.concatenate([[0], q, [end]]))


class Chain:
    """Springs with the force k (d + d^3/2). end(t): where the right end is; alpha: damping by the rest stiffness."""

    def __init__(self, end=lambda t: 0.0, alpha=0.0, cubic=0.5):
        self.end, self.alpha, self.cubic = end, alpha, cubic

    def force(self, q, v, t):
        d = stretches(q, self.end(t))
        return np.diff(SPRINGS * (d + self.cubic * d**3)) - self.damping(q, v, t) @ v

    def stiffness(self, q, v, t):
        d = stretches(q, self.end(t))
        k = SPRINGS * (1 + 3 * self.cubic * d**2)
        return np.diag(k[:-1] + k[1:]) - np.diag(k[1:-1], 1) - np.diag(k[1:-1], -1)

    def damping(self, q, v, t):
        k = self.alpha * SPRINGS
        return np.diag(k[:-1] + k[1:]) - np.diag(k[1:-1], 1) - np.diag(k[1:-1], -1)

    def rate(self, t, u):
        return np.concatenate([u[N:], self.force(u[:N], u[N:], t) / MASSES])

    def jacobian(self, u):
        return np.block([[np.zeros((N, N)), np.eye(N)],
                         [-self.stiffness(u[:N], u[N:], 0) / MASSES[:, None],
                          -self.damping(u[:N], u[N:], 0) / MASSES[:, None]]])

    def integrate(self, method, step, steps, **options):
        options = {"q0": Q0, "v0": V0, "newton_tolerance": 1e-11, **options}
        if method in HYBRIDS:
            options = {"modes": 3, **options}
        return limber.integrate(np.diag(MASSES), self.force, options.pop("q0"), options.pop("v0"), method=method,
                                step=step, steps=steps, stiffness=self.stiffness, damping=self.damping, **options)

    def exact(self, time):
        done = solve_ivp(self.rate, (0, time), np.concatenate([Q0, V0]), method="DOP853", rtol=1e-13, atol=1e-14)
        return done.y[:, -1]


CHAINS = {"undamped": Chain(), "damped": Chain(alpha=0.1), "moving": Chain(end=lambda t: 0.5 * np.sin(2 * t)),
          "both": Chain(end=lambda t: 0.5 * np.sin(2 * t), alpha=0.1)}


@pytest.fixture(scope="module")
def exact_ends():
    return {name: chain.exact(1.0) for name, chain in CHAINS.items()}


def observed_order(chain, method, exact, steps=(64, 128), **options):
    errors = []
    for n in steps:
        _, Q, V = chain.integrate(method, 1 / n, n, **options)
        errors.append(np.linalg.norm(np.concatenate([Q[-1], V[-1]]) - exact))
    return np.log2(errors[0] / errors[1])


@pytest.mark.parametrize("chain", CHAINS)
def test_order_of_the_exponential_method(chain, exact_ends):
    assert observed_order(CHAINS[chain], "ERE", exact_ends[chain]) == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("method", SECOND)
def test_corrected_hybrids_are_of_order_two(chain, method, exact_ends):
    assert observed_order(CHAINS[chain], method, exact_ends[chain]) == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("chain", ["undamped", "damped"])
@pytest.mark.parametrize("method", EULER)
def test_hybrids_of_backward_euler_are_of_order_one(chain, method, exact_ends):
    assert observed_order(CHAINS[chain], method, exact_ends[chain]) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("method", PRINTED)
def test_printed_hybrids_are_of_order_one(method, exact_ends):
    assert observed_order(CHAINS["undamped"], method, exact_ends["undamped"], (96, 192)) == pytest.approx(1, abs=0.1)


# The printed formulas, with the exact modes of eq. (24) and no damping

def augmented_phi1(Z, b):
    n = len(b)
    return scipy.linalg.expm(np.block([[Z, b[:, None]], [np.zeros((1, n + 1))]]))[:n, n]


def lowest_modes(chain, u, count):
    return scipy.linalg.eigh(chain.stiffness(u[:N], u[N:], 0), np.diag(MASSES))[1][:, :count]


def modal_update(chain, u, X, h):
    """h diag(X, X) phi1(h J_G^r) G^r, eq. (25)."""
    s = X.shape[1]
    J = np.block([[np.zeros((s, s)), np.eye(s)], [-X.T @ chain.stiffness(u[:N], u[N:], 0) @ X, np.zeros((s, s))]])
    G = np.concatenate([X.T @ (MASSES * u[N:]), X.T @ chain.force(u[:N], u[N:], 0)])
    return h * scipy.linalg.block_diag(X, X) @ augmented_phi1(h * J, G)


def siere_step(chain, u, X, h):
    """(25a) with J_H = J - J_G of (24)."""
    M, K = np.diag(MASSES), chain.stiffness(u[:N], u[N:], 0)
    R = X @ X.T @ M
    zero = np.zeros((N, N))
    JH = np.block([[zero, np.eye(N)], [-np.linalg.solve(M, K), zero]]) \
        - np.block([[zero, R], [-X @ X.T @ K @ R, zero]])
    f = chain.force(u[:N], u[N:], 0)
    H = np.concatenate([u[N:] - R @ u[N:], np.linalg.solve(M, f - M @ X @ X.T @ f)])
    return u + np.linalg.solve(np.eye(2 * N) - h * JH, h * H + modal_update(chain, u, X, h))


@pytest.mark.parametrize("modes", [1, 2, 4, 5])
@pytest.mark.parametrize("h", [0.02, 0.3])
def test_siere_is_the_printed_formula(modes, h):
    chain, u = CHAINS["undamped"], np.concatenate([Q0, V0])
    _, Q, V = chain.integrate("SIERE", h, 3, modes=modes)
    for k in range(3):
        u = siere_step(chain, u, lowest_modes(chain, u, modes), h)
        np.testing.assert_allclose(np.concatenate([Q[k + 1], V[k + 1]]), u, atol=1e-10, rtol=0)


@pytest.mark.parametrize("modes", [1, 2, 4, 5])
@pytest.mark.parametrize("h", [0.02, 0.1])
def test_beere_is_the_printed_formula(modes, h):
    """(beere): u = u0 + h H(u) + h phi1(h J_G) G(u0)."""
    chain, u0 = CHAINS["undamped"], np.concatenate([Q0, V0])
    X = lowest_modes(chain, u0, modes)
    Q = np.eye(2 * N) - scipy.linalg.block_diag(*[X @ X.T @ np.diag(MASSES)] * 2)
    star = u0 + modal_update(chain, u0, X, h)
    found = root(lambda u: u - star - h * Q @ chain.rate(0, u), u0, tol=1e-14,
                 jac=lambda u: np.eye(2 * N) - h * Q @ chain.jacobian(u)).x
    assert np.abs(found - star - h * Q @ chain.rate(0, found)).max() < 1e-12
    _, Qs, Vs = chain.integrate("BEERE", h, 1, modes=modes, newton_tolerance=1e-13)
    np.testing.assert_allclose(np.concatenate([Qs[1], Vs[1]]), found, atol=1e-10, rtol=0)


# When modes are computed anew

def siere_run(period, steps, h):
    """At most five steps of (SIERE) with J_H = Q J. Modes are kept for `period` steps; X^T K X is taken in the step of
    a refresh and in the one after it. What K v has beyond that pushes for half of the step."""
    chain, u = CHAINS["undamped"], np.concatenate([Q0, V0])
    for k in range(steps):
        if k % period == 0:
            X = lowest_modes(chain, u, 3)
        J, F = chain.jacobian(u), chain.rate(0, u)
        if k % period < 2:
            J_then = J
        R = scipy.linalg.block_diag(*[X @ X.T @ np.diag(MASSES)] * 2)
        G = R @ F
        flow = np.concatenate([u[N:], np.zeros(N)])
        G[N:] += h / 2 * (R @ (J @ flow - J_then @ R @ flow))[N:]
        moved = h * augmented_phi1(h * R @ J_then @ R, G)
        u = u + np.linalg.solve(np.eye(2 * N) - h * (J - R @ J), h * (F - R @ F) + moved)
    return u


@pytest.mark.parametrize("refresh, period", [(None, 1), ("once", 99), ({"every": 1}, 1), ({"every": 2}, 2),
                                             ({"every": 3}, 3), ({"residual": 1e-9}, 1), ({"residual": 1e9}, 99)],
                         ids=str)
def test_refresh(refresh, period):
    _, Q, V = CHAINS["undamped"].integrate("SIERE", 0.2, 5, refresh=refresh)
    np.testing.assert_allclose(np.concatenate([Q[-1], V[-1]]), siere_run(period, 5, 0.2), atol=1e-10, rtol=0)


def test_refresh_rules_differ():
    ends = [siere_run(period, 5, 0.2) for period in (1, 2, 3, 99)]
    for i in range(4):
        for j in range(i):
            assert np.abs(ends[i] - ends[j]).max() > 1e-7


def test_a_residual_decides_about_a_refresh():
    """A linear chain keeps its modes for ever; a nonlinear one does not."""
    def ends(chain):
        return [chain.integrate("SIERE", 0.2, 20, refresh=rule)[1][-1] for rule in ({"residual": 0.1}, "once")]

    linear, frozen = ends(Chain(cubic=0.0))
    assert np.array_equal(linear, frozen)
    kept, frozen = ends(Chain())
    assert np.abs(kept - frozen).max() > 1e-6


def test_frozen_modes_of_a_linear_chain_are_exact():
    """All modes split off: the exact motion, for any step."""
    chain = Chain(cubic=0.0)
    for method in EULER + SECOND:
        _, Q, V = chain.integrate(method, 0.7, 3, modes=N, refresh="once")
        u = scipy.linalg.expm(2.1 * chain.jacobian(np.zeros(2 * N))) @ np.concatenate([Q0, V0])
        np.testing.assert_allclose(np.concatenate([Q[-1], V[-1]]), u, atol=1e-11, rtol=0)


# The exponential method itself

def long_chain(n, alpha, beta, skew):
    """M q'' = g + t r - K q - D v, of n masses, by which ERE is exact."""
    k = np.arange(1, n + 1)
    K = (-diffusion(n)[0]).toarray() * 50
    K[0, -1] += skew
    masses = 1 + 0.5 * np.sin(k)
    D = alpha * K + beta * np.diag(masses)
    return masses, K, D, np.cos(k), np.sin(3 * k)


@pytest.mark.parametrize("n", [12, 70])
@pytest.mark.parametrize("alpha, beta, skew", [(0, 0, 0), (0, 0.4, 0), (0.01, 0, 0), (0.01, 0.4, 0), (0, 0, 5.0)])
@pytest.mark.parametrize("h", [0.05, 1.0])
def test_the_exponential_method_is_exact_on_linear_systems(n, alpha, beta, skew, h):
    masses, K, D, g, r = long_chain(n, alpha, beta, skew)
    q0, v0 = np.sin(np.arange(n)), np.cos(2 * np.arange(n))
    A = np.zeros((2 * n + 2, 2 * n + 2))  # on (q, v, t, 1)
    A[:n, n:2 * n] = np.eye(n)
    A[n:2 * n] = np.hstack([-K, -D, r[:, None], g[:, None]]) / masses[:, None]
    A[2 * n, 2 * n + 1] = 1
    expected = scipy.linalg.expm(h * A) @ np.concatenate([q0, v0, [0.3, 1]])
    _, Q, V = limber.integrate(np.diag(masses), lambda q, v, t: g + t * r - K @ q - D @ v, q0, v0, method="ERE", t0=0.3,
                               step=h, steps=1, stiffness=lambda *u: K, damping=lambda *u: D, krylov_tolerance=1e-11)
    np.testing.assert_allclose(np.concatenate([Q[1], V[1]]), expected[:2 * n], atol=2e-9, rtol=0)


def test_krylov_tolerance_sets_the_error():
    n = 70
    masses, K, D, g, r = long_chain(n, 0, 0, 0)
    ends = [limber.integrate(np.diag(masses), lambda q, v, t: g - K @ q, np.sin(np.arange(n)), np.zeros(n), step=1.0,
                             steps=1, method="ERE", stiffness=lambda *u: K, damping=lambda *u: 0 * K,
                             krylov_tolerance=tol)[1][1] for tol in (1e-2, 1e-5, 1e-12)]
    assert relative(ends[1], ends[2]) < 1e-5
    assert relative(ends[1], ends[2]) < relative(ends[0], ends[2]) < 1e-2


# Modes with negative stiffness

@pytest.mark.parametrize("method", EULER + SECOND)
def test_a_mode_with_negative_stiffness_grows_as_it_should(method):
    w, h = 3.0, 0.2
    _, Q, V = limber.integrate(np.eye(1), lambda q, v, t: w**2 * q, [0.4], [-0.3], method=method, step=h, steps=2,
                               stiffness=lambda *u: [[-w**2]], damping=lambda *u: [[0]], modes=1)
    c, s = np.cosh(2 * h * w), np.sinh(2 * h * w)
    assert Q[2, 0] == pytest.approx(0.4 * c - 0.3 * s / w, abs=1e-12)
    assert V[2, 0] == pytest.approx(0.4 * w * s - 0.3 * c, abs=1e-12)


def test_a_mode_with_negative_stiffness_may_be_clamped():
    w, h = 3.0, 0.2
    _, Q, V = limber.integrate(np.eye(1), lambda q, v, t: w**2 * q, [0.4], [-0.3], method="SIERE", step=h, steps=1,
                               stiffness=lambda *u: [[-w**2]], damping=lambda *u: [[0]], modes=1,
                               negative_modes="clamp")
    assert Q[1, 0] == pytest.approx(0.4 - 0.3 * h + h**2 / 2 * w**2 * 0.4, abs=1e-13)
    assert V[1, 0] == pytest.approx(-0.3 + h * w**2 * 0.4, abs=1e-13)


def test_rigid_modes_need_no_special_case():
    """Two masses on a spring, free: the centre moves on, the distance oscillates."""
    M, K = np.diag([1.0, 3]), np.array([[2.0, -2], [-2, 2]])
    for method in EULER + SECOND:
        t, Q, V = limber.integrate(M, lambda q, v, t: -K @ q, [0.1, -0.2], [1.0, 0.5], method=method, step=0.5, steps=4,
                                   stiffness=lambda *u: K, damping=lambda *u: 0 * K, modes=2)
        centre = (Q @ [1, 3]) / 4
        np.testing.assert_allclose(centre, centre[0] + t * 2.5 / 4, atol=1e-13)
        w = np.sqrt(2 + 2 / 3)
        np.testing.assert_allclose(Q[:, 0] - Q[:, 1], 0.3 * np.cos(w * t) + 0.5 / w * np.sin(w * t), atol=1e-12)


# Bad input

@pytest.mark.parametrize("change, message", [
    ({"modes": 0}, "modes"), ({"modes": -1}, "modes.*-1"), ({"modes": N + 1}, "modes.*6"),
    ({"method": "newmark", "modes": 2}, "Newmark"), ({"method": "HHT", "modes": 2}, "Newmark"),
    ({"method": "newmarkERE"}, "Newmark"), ({"method": "gen-alphaERE"}, "Newmark"), ({"method": "HHT-ERE"}, "Newmark"),
    ({"method": "BEREE"}, "BEERE"),
    ({"refresh": "never"}, "refresh"), ({"refresh": {"every": 0}}, "refresh"), ({"refresh": {"every": -2}}, "refresh"),
    ({"refresh": {"residual": 0}}, "refresh"), ({"refresh": {"residual": -1.0}}, "refresh"),
    ({"refresh": {"sometimes": 3}}, "refresh"), ({"refresh": {"every": 2, "residual": 0.1}}, "refresh"),
    ({"refresh": 3}, "refresh"), ({"refresh": {"residual": float("nan")}}, "refresh"),
    ({"negative_modes": "ignore"}, "negative_modes.*grow"),
    ({"method": "ERE", "krylov_tolerance": 0}, "krylov_tolerance"),
    ({"method": "ERE", "krylov_tolerance": -1e-3}, "krylov_tolerance"),
    ({"method": "ERE", "krylov_tolerance": 1}, "krylov_tolerance"),
    ({"method": "ERE", "krylov_tolerance": float("nan")}, "krylov_tolerance"),
    ({"method": "SIERE", "rho_inf": 0.5}, "rho_inf"),
])
def test_wrong_arguments_are_named(change, message):
    with pytest.raises(limber.InputError, match=message):
        Chain().integrate(change.get("method", "SIERE"), 0.1, 1, **{k: v for k, v in change.items() if k != "method"})


def test_modes_have_a_default():
    """Ten, or all there are."""
    chain = CHAINS["undamped"]
    default = limber.integrate(np.diag(MASSES), chain.force, Q0, V0, method="SIERE", step=0.1, steps=2,
                               stiffness=chain.stiffness, damping=chain.damping)
    assert np.array_equal(default[1], chain.integrate("SIERE", 0.1, 2, modes=N)[1])
    masses, K, _, _, _ = long_chain(30, 0, 0, 0)
    ends = [limber.integrate(np.diag(masses), lambda q, v, t: -K @ q, np.sin(np.arange(30)), np.zeros(30),
                             method="SIERE", step=0.1, steps=2, stiffness=lambda *u: K, damping=lambda *u: 0 * K,
                             **given)[1][-1] for given in ({}, {"modes": 10}, {"modes": 9})]
    assert np.array_equal(ends[0], ends[1]) and np.abs(ends[0] - ends[2]).max() > 1e-6
