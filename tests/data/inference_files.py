"""Files of many shapes, generated, each with the role and scale that a statistician would give to every column.

A scale may be one of two where both are right ("ordinal|numeric"). The last three were written down before the rules
had been tried on them, and held out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

Truth = dict[str, tuple[str, str]]
File = tuple[pl.DataFrame, Truth]

_AMOUNT = ("confidential", "numeric")
_CODE = ("key", "nominal")
_ORDER = ("key", "ordinal")


def _made(columns: dict[str, tuple[object, str, str]]) -> File:
    frame = pl.DataFrame({name: values for name, (values, _, _) in columns.items()})
    return frame, {name: (role, scale) for name, (_, role, scale) in columns.items()}


def _homes(rng: np.random.Generator, households: int, most: int = 6) -> np.ndarray:
    return np.repeat(np.arange(households), rng.integers(1, most, households))


def coded_survey() -> File:
    """Answers are codes, and −8 and −9 stand for none."""
    rng = np.random.default_rng(1)
    n = 900

    def answers(high: int) -> np.ndarray:
        return rng.choice([*range(1, high + 1), -8, -9], n, p=[0.94 / high] * high + [0.03, 0.03])

    return _made(
        {
            "respid": (np.arange(10_001, 10_001 + n), "identifier", "nominal|numeric"),
            "gender": (answers(2), *_CODE),
            "age": (rng.integers(18, 95, n), "key", "numeric"),
            "educ": (answers(6), *_ORDER),
            "region": (rng.choice([11, 12, 21, 22, 31, 45], n), *_CODE),
            "isco08": (rng.choice([1111, 2221, 2310, 4110, 5223, 7115, 9112], n), *_CODE),
            "marital": (answers(5), *_CODE),
            "hhsize": (rng.integers(1, 7, n), "key", "ordinal|numeric"),
            "satisf_life": (answers(10), "confidential", "ordinal"),
            "trust_parl": (answers(5), "confidential", "ordinal"),
            "vote_last": (answers(7), "confidential", "nominal|ordinal"),
            "hhincome": (rng.lognormal(8, 0.7, n).round(-2), *_AMOUNT),
            "dweight": (rng.uniform(0.3, 3, n).round(4), "weight", "numeric"),
        }
    )


def hospital() -> File:
    """Patients with record numbers, dates, places and diagnoses."""
    rng = np.random.default_rng(2)
    n = 500
    born = np.datetime64("1930-01-01") + rng.integers(0, 30_000, n)
    came = np.datetime64("2021-01-01") + rng.integers(0, 700, n)
    return _made(
        {
            "mrn": (rng.permutation(np.arange(400_000, 400_000 + n)), "identifier", "nominal|numeric"),
            "patient_name": ([f"Name{i} Family{i % 90}" for i in range(n)], "identifier", "nominal"),
            "email": ([f"p{i}@example.org" for i in range(n)], "identifier", "nominal"),
            "phone": ([f"+41 44 {i:07d}" for i in range(n)], "identifier", "nominal"),
            "date_of_birth": ([str(d) for d in born], "key", "date"),
            "sex": (rng.choice(["F", "M"], n), *_CODE),
            "zip": ([f"{z:05d}" for z in rng.choice([1234, 2139, 60_601, 94_110], n)], *_CODE),
            "admission_date": ([d.item().strftime("%d.%m.%Y") for d in came], "key", "date"),
            "icd10": (rng.choice(["E11.9", "I10", "J45", "C50", "F32.1"], n), "confidential", "nominal"),
            "systolic_bp": (rng.normal(130, 15, n).round(), "confidential", "numeric"),
            "smoker": (rng.choice(["yes", "no"], n), "confidential", "nominal"),
            "length_of_stay": (rng.integers(1, 40, n), "confidential", "numeric"),
            "severity": (rng.choice(["mild", "moderate", "severe"], n), "confidential", "ordinal"),
        }
    )


def business_register() -> File:
    """Companies: numbers of their own, industries, and amounts with heavy tails."""
    rng = np.random.default_rng(3)
    n = 700
    sales = rng.lognormal(12, 2, n).round()
    return _made(
        {
            "company_no": (rng.permutation(np.arange(81_000_000, 81_000_000 + 10 * n, 10)), "identifier",
                           "nominal|numeric"),
            "vat_number": ([f"ATU{i:08d}" for i in rng.permutation(n)], "identifier", "nominal"),
            "nace": (rng.choice([1051, 2511, 4711, 5610, 6201, 8610], n), *_CODE),
            "legal_form": (rng.choice(["GmbH", "AG", "KG", "e.U."], n), *_CODE),
            "district": (rng.choice([101, 105, 208, 302, 417], n), *_CODE),
            "founded": (rng.integers(1950, 2022, n), "key", "numeric"),
            "employees": (rng.lognormal(2, 1.5, n).round() + 1, "key", "numeric"),
            "size_class": (rng.choice(["micro", "small", "medium", "large"], n), *_ORDER),
            "turnover": (sales, *_AMOUNT),
            "wages": ((sales * rng.uniform(0.1, 0.4, n)).round(), *_AMOUNT),
            "profit": (rng.normal(0, 1e5, n).round(), *_AMOUNT),
            "exports": ((sales * rng.uniform(0, 0.5, n)).round(), *_AMOUNT),
        }
    )  # fmt: skip


def spanish_households() -> File:
    """A household survey whose columns are called in Spanish."""
    rng = np.random.default_rng(4)
    home = _homes(rng, 300)
    n = home.size
    by_home = rng.integers(0, 10**6, 300)
    return _made(
        {
            "hogar": (home + 7000, "identifier", "nominal|numeric"),
            "factor_expansion": (rng.uniform(50, 800, 300)[home].round(2), "weight", "numeric"),
            "estrato": ((by_home % 6)[home] + 1, "stratum", "nominal|ordinal"),
            "provincia": ((by_home % 9)[home] * 5 + 3, *_CODE),
            "edad": (rng.integers(0, 95, n), "key", "numeric"),
            "sexo": (rng.choice(["hombre", "mujer"], n), *_CODE),
            "estado_civil": (rng.choice([1, 2, 3, 4], n), *_CODE),
            "nivel_estudios": (rng.choice(["sin estudios", "primaria", "secundaria", "universidad"], n), *_ORDER),
            "ocupacion": (rng.choice([11, 23, 41, 52, 93], n), *_CODE),
            "ingresos": (rng.lognormal(9, 0.8, n).round(2), *_AMOUNT),
            "gasto_total": (rng.lognormal(8, 0.6, 300)[home].round(2), *_AMOUNT),
            "salud": (rng.choice(["muy malo", "malo", "regular", "bueno", "muy bueno"], n), "confidential", "ordinal"),
        }
    )


def headerless() -> File:
    """Columns that were named by their places: values alone speak, and little can be known."""
    rng = np.random.default_rng(5)
    n = 400
    return _made(
        {
            "column_1": (np.arange(1, n + 1), "identifier", "nominal|numeric"),
            "column_2": (rng.choice(["m", "f"], n), *_CODE),
            "column_3": ([f"user{i}@mail.example" for i in range(n)], "identifier", "nominal"),
            "column_4": (rng.lognormal(9, 2, n).round(2), *_AMOUNT),
            "column_5": (rng.choice(["18-29", "30-44", "45-64", "65+"], n), *_ORDER),
            "column_6": ([f"{d:04d}" for d in rng.choice([12, 1010, 3040, 8001], n)], *_CODE),
            "column_7": ([str(np.datetime64("2020-01-01") + int(i)) for i in rng.integers(0, 900, n)], "key", "date"),
            "column_8": ([f"10.0.{i // 250}.{i % 250}" for i in range(n)], "identifier", "nominal"),
        }
    )


def wide() -> File:
    """Two hundred columns: a few that describe a person, and batteries of questions."""
    rng = np.random.default_rng(6)
    n = 300
    columns: dict[str, tuple[object, str, str]] = {
        "CASEID": (np.arange(n) + 1, "identifier", "nominal|numeric"),
        "SEX": (rng.choice([1, 2], n), *_CODE),
        "AGEGROUP": (rng.choice([1, 2, 3, 4, 5, 6], n), *_ORDER),
        "COUNTRY": (rng.choice([40, 56, 276, 380, 724], n), *_CODE),
        "WEIGHT": (rng.uniform(0.2, 4, n).round(5), "weight", "numeric"),
    }
    for i in range(65):
        columns[f"SATISF_{i}"] = (rng.choice([1, 2, 3, 4, 5, 99], n, p=[0.19] * 5 + [0.05]), "confidential", "ordinal")
        columns[f"TRUST_{i}"] = (rng.integers(0, 11, n), "confidential", "ordinal")
        columns[f"EXPENSE_{i}"] = (rng.lognormal(4, 1, n).round(2), *_AMOUNT)
    return _made(columns)


def german_persons() -> File:
    """Held out: persons in households, called in German."""
    rng = np.random.default_rng(7)
    home = _homes(rng, 280, 5)
    n = home.size
    return _made(
        {
            "HHNR": (rng.permutation(90_000)[:280][home], "identifier", "nominal|numeric"),
            "Bundesland": (rng.integers(1, 17, 280)[home], *_CODE),
            "Haushaltsgroesse": (np.bincount(home)[home], "key", "ordinal|numeric"),
            "Alter": (rng.integers(0, 99, n), "key", "numeric"),
            "Geschlecht": (rng.choice(["maennlich", "weiblich", "divers"], n), *_CODE),
            "Familienstand": (rng.choice(["ledig", "verheiratet", "geschieden", "verwitwet"], n), *_CODE),
            "Schulabschluss": (rng.choice(["Hauptschule", "Realschule", "Abitur", "ohne Abschluss"], n), *_ORDER),
            "Staatsangehoerigkeit": (rng.choice([0, 123, 137, 163], n), *_CODE),
            "Beruf_KldB": (rng.choice([1110, 2430, 6212, 8130, 9341], n), *_CODE),
            "Nettoeinkommen": (rng.lognormal(7.6, 0.6, n).round(), *_AMOUNT),
            "Miete": (rng.normal(700, 150, 280)[home].round(2), *_AMOUNT),
            "Gesundheitszustand": (rng.choice(["sehr gut", "gut", "mittel", "schlecht"], n), "confidential", "ordinal"),
            "Konfession": (rng.choice(["ev", "rk", "keine", "andere"], n), "confidential", "nominal"),
            "Hochrechnungsfaktor": (rng.uniform(100, 900, 280)[home].round(1), "weight", "numeric"),
        }
    )


def credit() -> File:
    """Held out: customers of a bank."""
    rng = np.random.default_rng(8)
    n = 600
    return _made(
        {
            "customer_id": ([f"C{i:06d}" for i in rng.permutation(n)], "identifier", "nominal"),
            "iban": ([f"DE{i % 90 + 10}5001 0517 {i:04d} {i:04d} 00".replace("5001", " 5001", 1) for i in range(n)],
                     "identifier", "nominal"),
            "birth_year": (rng.integers(1935, 2004, n), "key", "numeric"),
            "gender": (rng.choice(["female", "male"], n), *_CODE),
            "postcode": (rng.choice([10115, 20095, 50667, 80331, 1067], n), *_CODE),
            "employment_status": (rng.choice(["employed", "self-employed", "retired", "student"], n), *_CODE),
            "job_category": (rng.choice([1, 2, 3, 4], n), "key", "nominal|ordinal"),
            "dependents": (rng.integers(0, 5, n), "key", "ordinal|numeric"),
            "annual_salary": (rng.lognormal(10.3, 0.6, n).round(), *_AMOUNT),
            "loan_amount": (rng.lognormal(9, 1, n).round(), *_AMOUNT),
            "account_balance": (rng.normal(2000, 5000, n).round(2), *_AMOUNT),
            "defaulted": (rng.choice([0, 1], n), "confidential", "nominal"),
            "opened_on": ([f"{m:02d}/{d:02d}/{y}" for m, d, y in zip(rng.integers(1, 13, n), rng.integers(1, 29, n),
                           rng.integers(2001, 2022, n), strict=True)], "key", "date"),
        }
    )  # fmt: skip


def french_farms() -> File:
    """Held out: farms and their accounts, called in French."""
    rng = np.random.default_rng(9)
    n = 450
    crops = rng.lognormal(9, 1.2, n).round(2)
    animals = rng.lognormal(8.5, 1.4, n).round(2)
    return _made(
        {
            "siret": (rng.permutation(np.arange(10**13, 10**13 + n)), "identifier", "nominal|numeric"),
            "nom_exploitant": ([f"Famille {i}" for i in range(n)], "identifier", "nominal"),
            "departement": (rng.choice(["01", "2A", "33", "59", "75"], n), *_CODE),
            "code_postal": (rng.choice([1000, 33000, 59000, 75011], n), *_CODE),
            "strate": (rng.integers(1, 9, n), "stratum", "nominal|ordinal"),
            "poids": (rng.uniform(1, 60, n).round(3), "weight", "numeric"),
            "age_chef": (rng.integers(20, 80, n), "key", "numeric"),
            "niveau_formation": (rng.choice(["aucun", "primaire", "secondaire", "superieur"], n), *_ORDER),
            "nb_salaries": (rng.integers(0, 12, n), "key", "ordinal|numeric"),
            "ventes_cultures": (crops, *_AMOUNT),
            "ventes_animaux": (animals, *_AMOUNT),
            "chiffre_affaires": ((crops + animals).round(2), *_AMOUNT),
            "dettes": (rng.lognormal(8, 2, n).round(), *_AMOUNT),
            "subventions": (rng.lognormal(7, 1, n).round(), *_AMOUNT),
        }
    )


DEVELOPED: tuple[Callable[[], File], ...] = (
    coded_survey, hospital, business_register, spanish_households, headerless, wide,
)  # fmt: skip
HELD_OUT: tuple[Callable[[], File], ...] = (german_persons, credit, french_farms)
