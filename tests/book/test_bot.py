"""The programs in the guide for bots run as they are printed."""

import asyncio
import re
import sys
from pathlib import Path

from perdure.store.pool import Pool
from perdure.testing.fleet import open_fleet

GUIDE = Path(__file__).parents[2].joinpath("docs/guides/bot.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)


async def test_every_program_of_the_guide_prints_an_answer(database_url: str, pool: Pool, tmp_path: Path) -> None:
    async with open_fleet(database_url, pool, tmp_path, count=1) as fleet:
        for program in PROGRAMS:
            here = program.replace("http://127.0.0.1:8080", fleet.replicas[0].url)
            mine = here.replace("pdt_...", fleet.person.token)
            process = await asyncio.create_subprocess_exec(sys.executable, "-c", mine, stdout=asyncio.subprocess.PIPE)
            out, _ = await asyncio.wait_for(process.communicate(), 120)
            assert (process.returncode, "demo model" in out.decode()) == (0, True)
    assert len(PROGRAMS) == 2
