"""The lattice of generalisations: classes rolled up from finer ones, judged, and walked over."""
