# %% [markdown]
# # How do experts weigh the marks of others?
#
# Six candidates, three examiners, and a final mark that a committee gave. Did the committee listen to one examiner more
# than to another, or to the worst mark more than to the best?

# %%
import numpy as np

from discreet.operators import OWAModel, WeightedMeanModel, WOWAModel

marks = np.array([[8, 4, 6], [5, 9, 7], [6, 6, 3], [9, 7, 8], [2, 8, 5], [7, 3, 9]], dtype=float)
final = np.array([4.8, 6.0, 3.9, 7.4, 3.5, 4.8])

# %% [markdown]
# Each model is fitted exactly; the distance is the sum of squared differences that are left.

# %%
places = OWAModel()
for name, model in {"sources": WeightedMeanModel(), "places": places, "both": WOWAModel()}.items():
    model.fit(marks, final)
    print(f"weights of {name}: {model.distance_:.3f} is left")

# %% [markdown]
# The committee goes by the worst mark: weights of places leave almost nothing, the smallest value last.

# %%
print(places.weights_.round(2))
print(f"A candidate with 9, 9 and 4 would get {places.operator_([9.0, 9.0, 4.0]):.1f}.")
