"""A workbench for benchmarks of what language models know of a culture, from the inside. There is one rule:

A stage is a function from tables to a table. Where a model or a person must be asked, a stage is two such
functions, ``write`` (tables to prompts) and ``read`` (responses to a table), with ``ask`` between them.

The house has floors; a module imports only from floors below its own:

    9  cli
    8  kitchen, web
    7  recipe, report, compare, benchmarks
    6  build, validate, evaluate, metrics, plots
    5  ask
    4  spread, purse
    3  models, cache, outside
    2  store, stages
    1  records, thoughts
    0  canonical, errors
"""

__version__ = "0.1.0"
