"""Inference as a classifier: roles and scales that a statistician wrote down, against what is proposed.

The proposal before these rules (names and the number of different values alone) had 58 of 299 roles and 272 of 299
scales right on the generated files.
"""

from __future__ import annotations

import polars as pl
import pytest
from tests.data.inference_files import DEVELOPED, HELD_OUT

from discreet.data.inference import propose_schema

TRUTHS: dict[str, str] = {
    "sdc/testdata.csv": "urbrur=key:nominal roof=key:nominal walls=key:nominal water=key:nominal electcon=key:nominal "
    "relat=key:nominal sex=key:nominal age=key:numeric hhcivil=key:nominal expend=confidential:numeric "
    "income=confidential:numeric savings=confidential:numeric ori_hid=identifier:nominal "
    "sampling_weight=weight:numeric household_weights=other:numeric",
    "sdc/francdat.csv": "Num1=key:numeric Key1=key:nominal|ordinal Num2=key:numeric Key2=key:nominal|ordinal "
    "Key3=key:nominal|ordinal Key4=key:nominal|ordinal Num3=key:numeric w=weight:numeric",
    "arx/adult.csv": "sex=key:nominal age=key:numeric race=key:nominal marital-status=key:nominal "
    "education=key:ordinal native-country=key:nominal workclass=key:nominal occupation=key:nominal "
    "salary-class=confidential:ordinal",
    "uci/adult_train.csv": "age=key:numeric workclass=key:nominal fnlwgt=weight:numeric education=key:ordinal "
    "education-num=key:ordinal|numeric marital-status=key:nominal occupation=key:nominal relationship=key:nominal "
    "race=key:nominal sex=key:nominal capital-gain=confidential:numeric capital-loss=confidential:numeric "
    "hours-per-week=key:numeric native-country=key:nominal income=confidential:ordinal",
    "uci/actcal.csv": "idhous00=identifier:nominal age00=key:numeric educat00=key:ordinal civsta00=key:nominal "
    "nbadul00=key:ordinal|numeric nbkid00=key:ordinal|numeric aoldki00=key:ordinal|numeric "
    "ayouki00=key:ordinal|numeric region00=key:nominal com2.00=key:nominal sex=key:nominal birthy=key:numeric "
    "jan00..dec00=key:sequence",
    "uci/biofam.csv": "idhous=identifier:nominal sex=key:nominal birthyr=key:numeric nat_1_02=key:nominal "
    "plingu02=key:nominal p02r01=confidential:nominal p02r04=confidential:ordinal cspfaj=key:nominal "
    "cspmoj=key:nominal a15..a30=key:sequence"
     " wp00tbgp=weight:numeric wp00tbgs=other:numeric",
    "uci/iris.csv": "sepal_length=key:numeric sepal_width=key:numeric petal_length=key:numeric petal_width=key:numeric "
    "class=key:nominal",
    "uci/abalone.csv": "Sex=key:nominal Length=key:numeric Diameter=key:numeric Height=key:numeric "
    "Rings=key:numeric",
    "uci/wdbc.csv": "id=identifier:nominal diagnosis=confidential:nominal radius_mean=confidential:numeric "
    "texture_mean=confidential:numeric area_mean=confidential:numeric symmetry_worst=confidential:numeric",
    "uci/dermatology.csv": "erythema=confidential:ordinal itching=confidential:ordinal acanthosis=confidential:ordinal "
    "spongiosis=confidential:ordinal Age=key:numeric class=confidential:nominal|ordinal",
    "uci/housing.csv": "CRIM=key:numeric CHAS=key:nominal RM=key:numeric AGE=key:numeric RAD=key:ordinal|nominal "
    "TAX=confidential:numeric MEDV=confidential:numeric",
    "uci/water-treatment.csv": "DATE=key:nominal|date Q-E=key:numeric PH-E=key:numeric RD-SED-G=key:numeric",
    "uci/msnbc_sessions_sample20000.csv": "session=identifier:nominal sequence=key:sequence",
    "sdc/Tarragona.csv": "SALES=key:numeric TREASURY=key:numeric SHORT.TERM.DEBT=key:numeric NET.PROFIT=key:numeric",
    "sdc/CASCrefmicrodata.csv": "AFNLWGT=weight:numeric AGI=key:numeric FICA=key:numeric TAXINC=key:numeric",
}  # fmt: skip
"""By file of the shared folder, the role and scale of its columns; of series of alike measures, some of them."""


def wrong(schema, truth):
    """Return the columns whose role, and those whose scale, is not as it was written down."""
    roles = [name for name, (role, _) in truth.items() if schema[name].role != role]
    scales = [
        name
        for name, (_, scale) in truth.items()
        if schema[name].role != "identifier" and schema[name].scale.name not in scale.split("|")
    ]
    return roles, scales


@pytest.mark.parametrize("made", [*DEVELOPED, *HELD_OUT], ids=lambda made: made.__name__)
def test_generated_files(made):
    frame, truth = made()
    roles, scales = wrong(propose_schema(frame).schema, truth)
    assert len(roles) <= len(truth) // 20, roles
    assert len(scales) <= len(truth) // 20, scales


def test_most_is_right_and_what_is_sure_is_more_often_right():
    sure, right, doubtful, right_of_doubtful = 0, 0, 0, 0
    for made in (*DEVELOPED, *HELD_OUT):
        frame, truth = made()
        proposal = propose_schema(frame)
        roles, _ = wrong(proposal.schema, truth)
        for name in truth:
            if proposal.confidence(name) >= 0.8:
                sure, right = sure + 1, right + (name not in roles)
            else:
                doubtful, right_of_doubtful = doubtful + 1, right_of_doubtful + (name not in roles)
    assert right >= 0.97 * sure
    assert sure > 2 * doubtful
    assert right + right_of_doubtful >= 0.97 * (sure + doubtful)


def test_files_of_the_field(data_dir):
    from discreet.io.reading import inspect

    columns, roles, scales = 0, [], []
    for file, text in TRUTHS.items():
        truth = {}
        for part in text.split():
            name, _, said = part.rpartition("=")
            truth[name] = tuple(said.split(":"))
        schema = inspect(data_dir / file).schema
        wrong_roles, wrong_scales = wrong(schema, truth)
        columns += sum(len(getattr(schema[name].scale, "columns", ())) or 1 for name in truth)
        roles += [f"{file}: {name}" for name in wrong_roles]
        scales += [f"{file}: {name}" for name in wrong_scales]
    assert len(roles) <= 0.06 * columns, (columns, roles)
    assert len(scales) <= 0.06 * columns, (columns, scales)


def test_points_on_a_map_identify(data_dir):
    points = pl.read_csv(data_dir / "uci" / "geolife_sample.csv.gz", n_rows=3000)
    schema = propose_schema(points).schema
    assert {name: schema[name].role for name in ("lat", "lng", "uid")} == dict.fromkeys(
        ("lat", "lng", "uid"), "identifier"
    )
    assert schema["datetime"].scale.name == "datetime"
