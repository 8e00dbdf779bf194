# %% [markdown]
# # What do opposites say of levels?
#
# Nobody has numbers for *awful*, *fair* and *good*, but everybody knows what is the opposite of what.

# %%
import discreet as dc

levels = ("awful", "fair", "good")
opposites = {"awful": ["fair", "good"], "fair": ["awful"], "good": ["awful"]}
behind = dc.scales.Negation(levels, opposites).semantics()
for level, low, high in zip(levels, behind.low, behind.high, strict=True):
    print(f"{level}: {low:g} to {high:g}")

# %% [markdown]
# *Awful* is the opposite of both others and takes half of the scale, so that it is farther from *fair* than *good* is.

# %%
scale = dc.Ordinal(levels, behind)
print(scale.distance_matrix().round(3))

# %% [markdown]
# A group is released as the level in whose interval the mean of the centres lies.

# %%
print(levels[dc.operators.SemanticsMean(behind)([0, 1, 2])])
