"""A process that holds a lease: says when it has it, then does what it reads."""

import sys
from pathlib import Path

from perdure.core.errors import Misconfigured
from perdure.store.embedded.server import EmbeddedPostgres

try:
    lease = EmbeddedPostgres(Path(sys.argv[1]), binaries=Path(sys.argv[2]) if len(sys.argv) > 2 else None).lease()
except Misconfigured as error:
    sys.exit(f"misconfigured: {error}")
sys.stdout.write(f"{lease.url}\n")
sys.stdout.flush()
for order in sys.stdin:
    if order.strip() == "tend":
        lease.tend()
        sys.stdout.write("tended\n")
        sys.stdout.flush()
lease.release()
