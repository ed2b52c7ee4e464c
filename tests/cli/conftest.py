"""A file and a saved model."""

import pytest

import branchwork as bw
from branchwork.store.file import save

PATIENTS = "id,age,pulse,outcome\n" + "".join(
    f"{k},{20 + 3 * k},{60 + 7 * k % 23},{'ill' if k > 7 and 7 * k % 23 > 6 else 'well'}\n" for k in range(20)
)


@pytest.fixture
def patients(tmp_path):
    path = tmp_path / "patients.csv"
    path.write_text(PATIENTS, encoding="utf-8")
    return path


@pytest.fixture
def model(patients):
    """An ID3 tree of age and pulse: three leaves. It does not know the name of its target."""
    table = bw.read(patients)
    path = patients.with_name("patients.bw")
    save(bw.ID3Classifier().fit(table.drop(["id", "outcome"]), list(table.column("outcome"))), path)
    return path


@pytest.fixture
def rentals(tmp_path):
    """A tree for numbers."""
    bikes = bw.datasets.load("bike_rentals")
    path = tmp_path / "rentals.bw"
    save(bw.CARTRegressor(max_depth=2).fit(bikes.X, bikes.y), path)
    return path
