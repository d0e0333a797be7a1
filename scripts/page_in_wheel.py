"""Puts the built web page into the wheel, so that an installed server is the whole product."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageInWheel(BuildHookInterface):
    """A wheel without the page is not built. An editable install finds the page in the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        page = Path(self.root, "web/dist")
        if not (page / "index.html").exists():
            raise FileNotFoundError("The web page is not built. 'make wheel' builds it, and the wheel with it.")
        build_data["force_include"][str(page)] = "perdure/page"
