"""What the five-minute guide says to type works when it is typed."""

import asyncio
import os
import re
import sys
from pathlib import Path

from perdure.store.pool import Pool
from perdure.testing.fleet import open_fleet

GUIDE = Path(__file__).parents[2].joinpath("docs/guides/start.md").read_text()
BLOCKS = re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL)
# A busy machine may take longer for the answer than anybody watches the stream.
RESTS = """
until curl -s "$PERDURE/chats/$CHAT" -H "Authorization: Bearer $TOKEN" | grep -q '"status":"waiting"'; do :; done
"""


async def test_the_commands_of_the_guide_work_one_after_the_other(
    database_url: str, pool: Pool, tmp_path: Path
) -> None:
    assert BLOCKS[0] == "make run\n"
    async with open_fleet(database_url, pool, tmp_path, count=1) as fleet:
        chat, begin, *rest = BLOCKS[1:]
        script = "\n".join((chat, begin, RESTS, *rest)).replace("http://127.0.0.1:8080", fleet.replicas[0].url)
        perdure = Path(sys.executable).with_name("perdure")
        script = script.replace(".venv/bin/perdure", f"{perdure}").replace("--max-time 5", "--max-time 10")
        variables = {
            "PATH": os.defpath,
            "HOME": str(tmp_path),
            "PERDURE_DATABASE_URL": database_url,
            "PERDURE_DATA_DIR": str(tmp_path),
            "PERDURE_SECRET_KEY": "a secret key that only tests use",
        }
        process = await asyncio.create_subprocess_exec(
            *("bash", "-u", "-c", script),
            env=variables,
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, errors = await asyncio.wait_for(process.communicate(), 240)
    text = out.decode()
    assert process.returncode == 0, errors.decode()
    assert "event: message_part\n" in text or '"role":"assistant"' in text
    assert text.rstrip().endswith("}")
    assert text.count("demo model") >= 1
