"""The protocol: one TOML file that holds the data, the schema, the intruders, the steps, the thresholds and the seed.

::

    seed = 1  # left out, one of 128 bits is drawn

    [data]
    file = "survey.csv"  # beside the protocol, unless the path is absolute

    [release]
    masked = "survey-masked.csv"
    internal = "internal.html"
    external = "external.html"
    manifest = "manifest.json"

    [[attribute]]  # as in a schema file
    name = "AGE"
    role = "key"
    scale = "numeric"

    [[scenario]]
    name = "neighbour"
    known = ["AGE"]
    linkers = ["distance", "probabilistic"]

    [[step]]
    method = "mdav"
    k = 5
    attributes = ["AGE"]

    [thresholds]
    risk_at_most = 10
    smallest_group = 3

Python, the command line and the web page read and write this file. It holds names, levels and choices, never a record.
Methods are not looked up here: a step that names an unknown method is refused where it is run.
"""

from discreet.protocol.document import Protocol, Scenario, Source, Step, nearest, seed_line
from discreet.protocol.tables import Tables

__all__ = ["Protocol", "Scenario", "Source", "Step", "Tables", "nearest", "seed_line"]
