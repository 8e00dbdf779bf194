# %% [markdown]
# # How can itineraries be shared?
#
# Where people went, in which order, is nearly unique to them: a few known stops single a visitor out. Here,
# days in a theme park are grouped so that every released itinerary appears at least k times.

# %%
import discreet as dc

trips = dc.datasets.itineraries(300, random_state=4)
trips

# %% [markdown]
# The policy of the distance says what is to be kept. A small α keeps which places people visited, a large α
# keeps what they visited when.

# %%
for policy in ("power:0.4", "power:4"):
    masked = dc.KSHC(k=5, quantifier=policy).mask(trips)
    verdict = dc.assess(trips, masked)
    print(f"{policy:<10} loss {verdict.score.loss:5.1f}   risk {verdict.score.risk:5.1f}")

# %% [markdown]
# What was lost, measure by measure, each with its sentence.

# %%
for loss in verdict.of_kind("loss"):
    print(f"{loss.value:6.2f} {loss.unit:<3} {loss.title}")
verdict

# %% [markdown]
# Larger groups are safer and coarser.

# %%
for k in (2, 5, 15):
    masked = dc.KSHC(k=k, quantifier="power:0.4").mask(trips)
    verdict = dc.assess(trips, masked)
    print(f"k = {k:<3} loss {verdict.score.loss:5.1f}   risk {verdict.score.risk:5.1f}")
