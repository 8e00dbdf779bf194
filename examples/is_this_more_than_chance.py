# %% [markdown]
# # Is this more than chance?
#
# Two releases of the same companies. Of which does an intruder find more than by guessing?

# %%
import discreet as dc
from discreet.linkage.chance import probability_at_least, significance

companies = dc.datasets.business(200)
releases = {
    "groups of ten": dc.MDAV(10).mask(companies),
    "ranks handed out anew": dc.BucketSwapping(1, random_state=1).mask(companies),
}

# %% [markdown]
# How likely it is that a random matching gets as many right, exactly:

# %%
for right in (1, 2, 5):
    print(f"{right} or more of 200 right by chance: {probability_at_least(right, 200):.4f}")

# %%
for name, release in releases.items():
    judged = significance(dc.DistanceLinkage().link(companies, release))
    print(f"{name}: {judged.sentence}")
