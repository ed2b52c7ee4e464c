"""`python -m branchwork` is the `branchwork` command."""

from branchwork.cli.app import main

main()
