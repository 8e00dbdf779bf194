# %% [markdown]
# # What did masking cost?
#
# A data user wants to know whether an analysis still holds: means, spreads, correlations, a regression. Two
# ways of masking the same business survey, compared on what analysts compute.

# %%
import discreet as dc

survey = dc.datasets.business(400, random_state=5)
grouped = dc.MDAV(k=5).mask(survey)
swapped = dc.RankSwapping(p=10, random_state=5).mask(survey)

# %% [markdown]
# Every loss, side by side. All are in percent, 0 is no loss.

# %%
assessed = {"mdav k=5": dc.assess(survey, grouped), "rank-swapping p=10": dc.assess(survey, swapped)}
names = [m.name for m in assessed["mdav k=5"].of_kind("loss")]
print(f"{'':<22}" + "".join(f"{label:>22}" for label in assessed))
for name in names:
    print(f"{name:<22}" + "".join(f"{verdict[name].value:>22.2f}" for verdict in assessed.values()))

# %% [markdown]
# Microaggregation keeps means and takes variance away; swapping keeps every distribution and breaks relations.
# Which one costs less depends on what the file is for.

# %%
for label, verdict in assessed.items():
    print(label)
    for name in ("means", "variances", "correlations", "hellinger"):
        print(f"   {verdict[name].sentence}")

# %% [markdown]
# Attribute by attribute, for those who use only some of them.

# %%
assessed["mdav k=5"]["il1s"]

# %% [markdown]
# And what it bought.

# %%
for label, verdict in assessed.items():
    print(f"{label:<22} loss {verdict.score.loss:5.1f}   risk {verdict.score.risk:5.1f}")
