# %% [markdown]
# # How safe is this release?
#
# Somebody hands you an original and what is to be published. Before you sign: who could be found in it, by
# whom, and how much better than by guessing?

# %%
import tempfile
from pathlib import Path

import discreet as dc

original = dc.datasets.housing(600, random_state=2)
known = ["BUILT", "METRO", "RENT", "INCOME"]
roles = {name: "confidential" for name in original.schema.keys if name not in known}
original = dc.microdata(original, original.schema.with_roles(**roles))
release = dc.MDAV(k=3).mask(original)
release

# %% [markdown]
# An intruder who knows the true keys of everybody links them to the release. Guessing finds one record.

# %%
links = dc.attack(original, release, "distance", attributes=["RENT", "INCOME"])
found = links.evaluate()
low, high = found.interval()
print(f"{100 * found.rate:.1f} % found (95 % interval {100 * low:.1f} to {100 * high:.1f} %)")
print(f"guessing finds {100 * found.chance / found.n:.2f} %")
found

# %% [markdown]
# Linkage is one risk of several. `assess` measures every one that applies, and says what each number means.

# %%
verdict = dc.assess(original, release)
for risk in verdict.of_kind("risk"):
    print(f"{risk.value:6.1f} {risk.unit}  {risk.title}")
verdict

# %% [markdown]
# What a careful colleague would say, and the report that goes to the review board: risk before and after, where
# it sits, and what was done. The second report is for data users; it holds no seed and no risk.

# %%
remarks = dc.advise(original, release, verdict)
for remark in remarks:
    print(f"{remark.code}: {remark.sentence}")

with tempfile.TemporaryDirectory() as folder:
    inside, outside = Path(folder) / "internal.html", Path(folder) / "external.html"
    before = {"every key": dc.assess(original, original)}
    dc.write_report(
        original, release, verdict, html=inside, before=before, after={"every key": verdict}, advice=remarks
    )
    dc.write_report(original, release, verdict, html=outside, audience="external")
    print(f"internal report: {inside.stat().st_size // 1024} kB, external report: {outside.stat().st_size // 1024} kB")
