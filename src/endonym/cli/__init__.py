"""The command line: one file a verb, loaded when it is asked for, so that help answers at once.

Exit codes: 0 done; 2 the user's files or words are wrong; 3 a model failed or somebody is waited for; 4 integrity.
"""

import sys
from importlib import import_module

import click

VERBS: dict[str, tuple[str, str]] = {
    "evaluate": ("evaluate", "Put a benchmark to models and write a report."),
    "report": ("report", "Write the report of a workspace anew, by other groups."),
    "compare": ("compare", "Set workspaces side by side: models with paired tests, or two benchmarks."),
    "new": ("new", "Make a workspace from a recipe that comes with the package."),
    "run": ("run", "Bring the tables of a workspace up to date with its recipe."),
    "status": ("status", "Say which tables are fresh, stale, waiting or have failed rows."),
    "audit": ("audit", "Find what is wrong with a benchmark, by kind, and mend what is safe."),
    "release": ("release", "Write a benchmark as a folder to give away: open, behind a gate, or sealed."),
    "verify": ("verify", "Hold every table of a workspace to its manifest."),
    "models": ("models", "List the models that can be asked here, and how to get the others."),
    "benchmarks": ("benchmarks", "List the benchmarks that come with the package, and the readers."),
    "show": ("show", "Show what a benchmark holds, or one of its items."),
    "web": ("web", "Serve the pages in which people write questions, adjudicate, rate and review."),
}


class Verbs(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        return getattr(import_module(f"endonym.cli.{VERBS[cmd_name][0]}"), cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in VERBS.items()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from ..errors import UnknownName

            raise click.UsageError(str(UnknownName("command", args[0], VERBS)), ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="endonym")
def app() -> None:
    """Build, validate, run and report benchmarks of what language models know of a culture, from the inside."""


def main(args: list[str] | None = None) -> None:
    """Run the command line; an error that the package knows ends in one sentence on stderr and its exit code."""
    sys.exit(run(args))


def run(args: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        app.main(args=args, prog_name="endonym", standalone_mode=False)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.Abort:
        return _say("stopped; what was answered is kept, and the same command goes on from here", 130)
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code
    except BrokenPipeError:
        return 0
    except Exception as problem:
        return _known(problem)
    return 0


def _known(problem: Exception) -> int:
    from ..errors import EndonymError

    if isinstance(problem, EndonymError):
        return _say(str(problem), problem.exit_code)
    raise problem


def _say(text: str, code: int) -> int:
    click.echo(f"endonym: {text}", err=True)
    return code


