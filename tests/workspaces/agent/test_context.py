"""What a workspace tells its agents."""

import asyncio
import hashlib

import pytest
from tests.workspaces.inside import PATIENCE, Inside

SKILL = '---\nname: release\ndescription: "How to cut a release."\n---\n# Release\n'


async def test_an_empty_workspace_tells_nothing(inside: Inside) -> None:
    found = await inside.client.context()
    assert (found.files, found.skills, found.mcp) == ([], [], [])


async def test_instructions_come_with_their_paths_and_hashes(inside: Inside) -> None:
    (inside.tree / "AGENTS.md").write_text("Be brief.\n")
    (inside.tree / "repo/.git").mkdir(parents=True)
    (inside.tree / "repo/CLAUDE.md").write_text("Use tabs.\n")
    found = await inside.client.context()
    assert [(file.path, file.content) for file in found.files] == [
        ("AGENTS.md", "Be brief.\n"),
        ("repo/CLAUDE.md", "Use tabs.\n"),
    ]
    assert found.files[0].sha256 == hashlib.sha256(b"Be brief.\n").hexdigest()


async def test_a_long_file_is_cut_at_64_kibibytes(inside: Inside) -> None:
    (inside.tree / "AGENTS.md").write_text("x" * 70_000)
    file = (await inside.client.context()).files[0]
    assert (len(file.content), file.truncated) == (64 * 1024, True)


async def test_skills_are_indexed_by_their_header(inside: Inside) -> None:
    for root in (inside.tree / ".agents/skills/release", inside.home / ".claude/skills/plain"):
        root.mkdir(parents=True)
    (inside.tree / ".agents/skills/release/SKILL.md").write_text(SKILL)
    (inside.home / ".claude/skills/plain/SKILL.md").write_text("no header\n")
    skills = (await inside.client.context()).skills
    assert [(skill.name, skill.description) for skill in skills] == [
        ("release", "How to cut a release."),
        ("plain", ""),
    ]


@pytest.mark.parametrize(
    ("header", "name", "description"),
    [
        ("---\nname: release\n", "odd", "Its header is broken"),
        ("---\n: [\nno colon\n---\n", "odd", ""),
        ("---\r\nname: 'release'\r\n---\r\n", "release", ""),
        ("\xff\x00", "odd", ""),
    ],
)
async def test_a_skill_with_a_broken_header_is_still_listed_and_harms_no_other(
    inside: Inside, header: str, name: str, description: str
) -> None:
    for folder, text in (("odd", header), ("whole", SKILL)):
        (inside.tree / f"skills/{folder}").mkdir(parents=True)
        (inside.tree / f"skills/{folder}/SKILL.md").write_bytes(text.encode("latin-1"))
    broken, whole = (await inside.client.context()).skills
    assert (broken.name, broken.description[: len(description) or None]) == (name, description)
    assert whole.description == "How to cut a release."


async def test_tool_servers_are_read(inside: Inside) -> None:
    (inside.tree / ".mcp.json").write_text('{"mcpServers": {}}')
    assert [file.content for file in (await inside.client.context()).mcp] == ['{"mcpServers": {}}']


async def test_a_link_to_the_outside_tells_nothing(inside: Inside) -> None:
    (inside.outside / "secret").write_text("secret")
    (inside.tree / "AGENTS.md").symlink_to(inside.outside / "secret")
    assert (await inside.client.context()).files == []


async def test_drift_is_heard_of(inside: Inside) -> None:
    known = (await inside.client.context()).hash
    watching = asyncio.ensure_future(inside.client.context(known, PATIENCE))
    await inside.client.files.write("AGENTS.md", "New rules.\n")
    assert [file.content for file in (await watching).files] == ["New rules.\n"]
