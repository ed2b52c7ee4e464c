"""Trees grown with settings of the core that no recipe has."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from branchwork.grow import grow as growth
from branchwork.tree.tree import Tree


def grow_with(core: dict[str, Any], *args: Any, **settings: Any) -> Tree:
    """Grow a tree with these options of the core; the other arguments are those of `grow`."""
    make = growth.core_options

    def options(*args: Any, **settings: Any) -> Any:
        made = make(*args, **settings)
        for name, value in core.items():
            setattr(made, name, value)
        return made

    with patch.object(growth, "core_options", options):
        return growth.grow(*args, **settings)[0]
