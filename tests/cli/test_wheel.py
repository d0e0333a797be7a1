"""The package is the whole product: installed without a checkout and without Node, it shows the page and answers."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "web/dist/index.html"
READY = re.compile(r"ready at (http://\S+?)\"?\}?$")
# Root may run anything; who is nobody may run what everybody may.
ORDINARY = "nobody" if os.geteuid() == 0 else None


def ran(*command: str | Path) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that everybody may enter."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        path = Path(name)
        path.chmod(0o755)
        yield path


@pytest.fixture(scope="module")
def wheel(folder: Path) -> Path:
    assert PAGE.exists(), "The page is not built. 'make test' builds it first, and so does: make web/dist/index.html"
    ran(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder)
    (built,) = folder.glob("perdure-*.whl")
    return built


@pytest.fixture(scope="module")
def bin_folder(folder: Path, wheel: Path) -> Path:
    """The programs of an environment that has this package, its dependencies, and nothing else of ours."""
    uv = shutil.which("uv") or str(ROOT / ".make/uv/bin/uv")
    ran("scripts/install-uv", uv, sys.executable)
    versions = re.sub(r" \\$|^ +--hash.*\n", "", (ROOT / "requirements.lock").read_text(), flags=re.MULTILINE)
    (folder / "versions.txt").write_text(versions)
    ran(uv, "venv", "--quiet", "--python", reachable_python(), folder / "venv")
    python = folder / "venv/bin/python"
    ran(uv, "pip", "install", "--quiet", "--python", python, "--constraint", folder / "versions.txt", wheel)
    return folder / "venv/bin"


def reachable_python() -> str:
    """A Python that an ordinary user may run, which is not so of one in root's home."""
    for python in (Path(sys.executable).resolve(), *(Path(place, "python3") for place in os.defpath.split(":"))):
        check = [python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        try:
            if subprocess.run(check, user=ORDINARY, cwd="/", capture_output=True, check=False).returncode == 0:
                return str(python)
        except OSError:
            continue
    raise FileNotFoundError("no Python 3.11 that an ordinary user may run")


@pytest.fixture
def home(folder: Path) -> Path:
    """An empty directory of an ordinary user's own."""
    path = Path(tempfile.mkdtemp(dir=folder))
    if ORDINARY:
        shutil.chown(path, ORDINARY)
    return path


@contextmanager
def served(perdure: Path, home: Path) -> Generator[str]:
    """`perdure serve --demo`, and where it is."""
    process = started(perdure, "serve", "--demo", "--bind", "127.0.0.1:0", home=home)
    assert process.stderr is not None
    try:
        told: list[str] = []
        for line in process.stderr:
            told.append(line)
            if found := READY.search(line.strip()):
                yield found[1]
                break
        else:
            raise AssertionError("".join(told))
    finally:
        process.terminate()
        process.communicate()


def started(*command: str | Path, home: Path) -> "subprocess.Popen[str]":
    """A program of an ordinary user, in a directory where there is nothing."""
    return subprocess.Popen(
        command,
        cwd=home,
        user=ORDINARY,
        env={"HOME": str(home), "PATH": os.defpath},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def said(*command: str | Path, home: Path) -> str:
    process = started(*command, home=home)
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    return out


def fetched(url: str) -> str:
    with urllib.request.urlopen(url) as answer:  # noqa: S310 - it is our own, on loopback
        return answer.read().decode()


def test_the_wheel_carries_every_file_of_the_page(wheel: Path) -> None:
    built = {str(path.relative_to(PAGE.parent)) for path in PAGE.parent.rglob("*") if path.is_file()}
    names = ZipFile(wheel).namelist()
    assert {name.removeprefix("perdure/page/") for name in names if name.startswith("perdure/page/")} == built
    assert [name for name in names if name.endswith(".pyc")] == []


def test_installed_it_shows_the_page_and_answers_a_chat(bin_folder: Path, home: Path) -> None:
    with served(bin_folder / "perdure", home) as url:
        script = re.search(r'src="(/assets/[^"]+\.js)"', fetched(url))
        assert script is not None
        assert fetched(f"{url}{script[1]}") == (PAGE.parent / script[1].lstrip("/")).read_text()
        token = said(bin_folder / "perdure", "tokens", "add", "a program", home=home).strip()
        answer = said(
            *(bin_folder / "perdure", "chat", "--url", url, "--token", token, "Hello, who are you?"), home=home
        )
        assert "demo model" in answer


def test_what_is_not_installed_is_named_when_it_is_wanted(bin_folder: Path, home: Path) -> None:
    report, _ = started(bin_folder / "perdure", "doctor", home=home).communicate()
    assert "extras: not installed: aws, docker, google, kubernetes, nats, push, s3, ssh, traces" in report
