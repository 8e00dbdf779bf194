"""The screens, in the order of the work: each is a router with its own pages."""
