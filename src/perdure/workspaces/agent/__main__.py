"""The place where `python -m perdure.workspaces.agent` and the zipapp begin."""

import sys

# asyncio takes TLS along when it finds it; the agent never uses it, and an idle workspace should cost little.
sys.modules["ssl"] = None  # pyright: ignore[reportArgumentType]

from perdure.workspaces.agent.main import main  # noqa: E402

sys.exit(main())
