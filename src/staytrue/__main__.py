"""`python -m staytrue` is the same as the command `staytrue`."""

from staytrue.cli import main

if __name__ == "__main__":
    main()
