"""Run the command line as ``python -m sparktune``."""

from sparktune.cli.app import main

if __name__ == "__main__":
    main()
