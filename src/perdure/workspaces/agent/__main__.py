"""The place where `python -m perdure.workspaces.agent` and the zipapp begin."""

import sys

# asyncio and hashlib take OpenSSL along when they find it; the agent does without, and an idle workspace costs less.
for heavy in ("ssl", "_hashlib"):
    sys.modules[heavy] = None  # pyright: ignore[reportArgumentType]

from perdure.workspaces.agent.main import main  # noqa: E402

sys.exit(main())
