"""One file for each change of the schema: ``revision``, ``down_revision``, ``upgrade``."""
