# %% [markdown]
# # Which protection is best for this file?
#
# A study masks one file in many ways, attacks every result, measures what was lost, and ranks them. Here: the
# amounts of a housing survey, of which an intruder may know value, rent and income.

# %%
import discreet as dc

survey = dc.datasets.housing(400, random_state=1)
amounts = ["VALUE", "RENT", "INCOME"]
roles = {name: "confidential" for name in survey.schema.keys if name not in amounts}
survey = dc.microdata(survey, survey.schema.with_roles(**roles))
survey

# %% [markdown]
# Candidates are written down with their parameters; `grid` makes one of every combination.

# %%
candidates = (
    dc.grid(dc.MDAV, k=[3, 5, 10, 20])
    + dc.grid(dc.IndividualRanking, k=[5, 20])
    + dc.grid(dc.RankSwapping, p=[5, 15])
    + dc.grid(dc.AdditiveNoise, level=[0.1, 0.5])
)
study = dc.compare(survey, candidates, random_state=1)
study

# %% [markdown]
# The score is the mean of loss and risk. It is one opinion; the front is what nobody beats in both at once.

# %%
for entry in study.front():
    print(f"{entry['label']:<60} risk {entry['risk']:5.1f}   loss {entry['loss']:5.1f}")

# %% [markdown]
# Often the ceiling is given, and the question is what loses least under it.

# %%
ceiling = 20.0
best = study.best(risk_at_most=ceiling)
print(f"Under a risk of {ceiling:g} %, {best['label']} loses least: {best['loss']:.1f}.")
