# %% [markdown]
# # Which level stands for a group of levels?
#
# Six people of a group answered on a scale of seven. One answer is released for all of them.

# %%
import discreet as dc
from discreet.operators import ConvexHull, MedianSelection, WOWTransformation
from discreet.operators.typed_operator import as_operator

answers = [0, 0, 0, 4, 4, 6]
scale = dc.Ordinal(range(7))

# %% [markdown]
# The most frequent answer says nothing of the others; a set made convex lets one between them win.

# %%
print("plurality:", as_operator("mode", "ordinal")(answers))
print("convex median:", (ConvexHull() | MedianSelection())(answers))

# %% [markdown]
# A quantifier leans the result, and the same can be typed wherever an operator is asked for.

# %%
for alpha in (0.5, 1, 2):
    pipeline = ConvexHull() | WOWTransformation(alpha) | MedianSelection()
    typed = as_operator(f"defuzzifier:convex-hull > wow:{alpha} > median", scale)
    print(f"alpha {alpha}: level {pipeline(answers)}, and typed {typed(answers)}")
