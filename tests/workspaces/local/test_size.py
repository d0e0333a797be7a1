"""What a workspace's files take on disk."""

from pathlib import Path

from perdure.workspaces.local.layout import Layout


def test_the_size_counts_files_of_tree_and_home_and_follows_no_link(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "w")
    layout.make(None)
    empty = layout.size()
    (layout.tree / "deep").mkdir()
    (layout.tree / "deep" / "file").write_bytes(b"x" * 1_000_000)
    (layout.home / "other").write_bytes(b"y" * 500_000)
    (tmp_path / "outside").write_bytes(b"z" * 9_000_000)
    (layout.tree / "link").symlink_to(tmp_path / "outside")
    assert 1_500_000 <= layout.size() - empty < 1_700_000
