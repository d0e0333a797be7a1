"""`python -m perdure.sim [PORT [SCRIPTS]]`: the simulator alone. It ends with whoever holds its standard input."""

import sys
from pathlib import Path

from perdure.sim.server import Simulator, load_scripts, say_plainly, serve

if __name__ == "__main__":
    port, scripts, *_ = [*sys.argv[1:], "", ""]
    simulator = Simulator(port=int(port or 0), scripts=load_scripts(Path(scripts)) if scripts else ())
    serve(simulator, say_plainly, held=sys.stdin.fileno())
