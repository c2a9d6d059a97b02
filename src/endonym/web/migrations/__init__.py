"""Changes of the schema, one file each, applied in their order by Alembic.

In: a connection. Out: a database as ``models`` says. The one thing to know: a file here is never changed once it was released; a
change of the schema is another file, and ``database.HEAD`` names the last.
"""

from pathlib import Path

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection


def _scripts() -> tuple[Config, ScriptDirectory]:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    return config, ScriptDirectory.from_config(config)


def known() -> set[str]:
    """The revisions that this package can come from."""
    return {script.revision for script in _scripts()[1].walk_revisions()}


def upgrade(connection: Connection) -> None:
    """Apply what is missing, within the transaction of the connection."""
    config, scripts = _scripts()

    def steps(revision: object, _: object) -> list[object]:
        return scripts._upgrade_revs("head", revision)  # type: ignore[arg-type, return-value]

    with EnvironmentContext(config, scripts, fn=steps, destination_rev="head") as environment:  # type: ignore[arg-type]
        environment.configure(connection=connection, target_metadata=None)
        environment.run_migrations()
