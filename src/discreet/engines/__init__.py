"""Where blocks of records are run."""
