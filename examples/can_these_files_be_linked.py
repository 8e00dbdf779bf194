# %% [markdown]
# # Can these two files be linked?
#
# A register and a survey hold some of the same households, but no common number. How many of the survey can be
# found in the register, and how sure is each link?

# %%
import numpy as np

import discreet as dc

population = dc.datasets.housing(500, random_state=3)
rng = np.random.default_rng(3)
members = np.sort(rng.choice(500, size=200, replace=False))
shared = ["BUILT", "DEGREE", "METRO", "WFUEL", "TRAN1", "SCH"]
register = population.select(shared)
survey = dc.PRAM(theta=0.1, random_state=3).mask(population.take(members).select(shared))  # answers with mistakes
print(register)
print(survey)

# %% [markdown]
# The probabilistic linker weighs agreements: one on a rare value says more than one on a frequent value. It
# also decides which pairs are links, which are none, and which a clerk should look at.

# %%
links = dc.ProbabilisticLinkage(attributes=shared).link(register, survey)
links

# %% [markdown]
# Here the truth is known, so the links can be checked. Ties are shared: a tie among t candidates counts 1/t.

# %%
found = links.evaluate(truth=members)
print(f"{found.expected:.1f} of {found.n} linked correctly; guessing finds {found.chance:.1f}")
found

# %% [markdown]
# Knowing less helps less: what each further attribute brings.

# %%
for size in range(1, len(shared) + 1):
    some = dc.DistanceLinkage(attributes=shared[:size]).link(register, survey).evaluate(truth=members)
    print(f"{size} attributes: {100 * some.rate:5.1f} % linked correctly   ({', '.join(shared[:size])})")
