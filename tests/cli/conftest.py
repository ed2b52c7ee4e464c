"""A file and a saved model."""

import pytest

import branchwork as bw
from branchwork.store.file import save

from pages import PATIENTS


@pytest.fixture
def patients(tmp_path):
    path = tmp_path / "patients.csv"
    path.write_text(PATIENTS, encoding="utf-8")
    return path


@pytest.fixture
def model(patients):
    """An ID3 tree of age and pulse: three leaves."""
    table = bw.read(patients)
    path = patients.with_name("patients.bw")
    save(bw.ID3Classifier().fit(table.drop(["id", "outcome"]), table.column("outcome")), path)
    return path


@pytest.fixture
def rentals(tmp_path):
    """A tree for numbers."""
    bikes = bw.datasets.load("bike_rentals")
    path = tmp_path / "rentals.bw"
    save(bw.CARTRegressor(max_depth=2).fit(bikes.X, bikes.y), path)
    return path
