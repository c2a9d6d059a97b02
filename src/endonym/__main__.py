"""``python -m endonym`` is ``endonym``."""

from .cli import main

if __name__ == "__main__":
    main()
