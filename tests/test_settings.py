"""What the environment can say, and what is said when it says something wrong."""

import os
from pathlib import Path

import pytest

from perdure.core.errors import Misconfigured
from perdure.settings import Address, LogFormat, LogLevel, Settings, described, misspelt, usable_cores, variable

REFERENCE = Path(__file__).parents[1] / "docs/reference/settings.md"


def test_an_empty_environment_is_enough() -> None:
    settings = Settings.from_environment({})
    assert settings.database_url is None
    assert settings.bind == Address("127.0.0.1", 8080)
    home = "/var/lib/perdure" if os.geteuid() == 0 else str(Path.home() / ".local/share/perdure")
    assert str(settings.data_dir) == home


def test_every_kind_of_value_is_read() -> None:
    settings = Settings.from_environment(
        {
            "PERDURE_DATABASE_URL": "postgresql://me:secret@db/perdure",
            "PERDURE_DATABASE_POOL": "5",
            "PERDURE_DATA_DIR": "/data",
            "PERDURE_BIND": "[::1]:80",
            "PERDURE_LOG_LEVEL": "debug",
            "PERDURE_LOG_FORMAT": "json",
        }
    )
    assert settings.database_url == "postgresql://me:secret@db/perdure"
    assert settings.database_pool == 5
    assert settings.data_dir == Path("/data")
    assert settings.bind == Address("::1", 80)
    assert (settings.log_level, settings.log_format) == (LogLevel.DEBUG, LogFormat.JSON)


def test_a_password_does_not_show() -> None:
    assert "secret" not in repr(
        Settings.from_environment({"PERDURE_DATABASE_URL": "postgresql://me:secret@db/perdure"})
    )


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("DATABASE_URL", "mysql://db", "it must start with postgresql://"),
        ("DATABASE_POOL", "none", "it must be a number above zero"),
        ("DATABASE_POOL", "0", "it must be a number above zero"),
        ("DATA_DIR", "somewhere", "it must be an absolute path"),
        ("BIND", "8080", "it must be host:port, such as 127.0.0.1:8080"),
        ("BIND", "localhost:99999", "it must be host:port, such as 127.0.0.1:8080"),
        ("LOG_LEVEL", "loud", "it must be one of debug, info, warning, error"),
    ],
)
def test_a_wrong_value_is_refused_by_name(name: str, text: str, complaint: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        Settings.from_environment({f"PERDURE_{name}": text})
    assert str(refused.value) == f"PERDURE_{name} is not usable: {complaint}."


def test_what_everybody_calls_a_proxy_counts_where_ours_is_not_set() -> None:
    everybodys = {"HTTPS_PROXY": "http://all:1", "NO_PROXY": "localhost, .test", "SSL_CERT_FILE": "/etc/ca.pem"}
    read = Settings.from_environment(everybodys)
    assert (read.https_proxy, read.no_proxy, read.ca_file) == (
        "http://all:1",
        ("localhost", ".test"),
        Path("/etc/ca.pem"),
    )
    ours = Settings.from_environment({**everybodys, "PERDURE_HTTPS_PROXY": "http://ours:1"})
    assert ours.https_proxy == "http://ours:1"
    assert Settings.from_environment({"HTTPS_PROXY": "socks5://else"}).https_proxy is None


def test_a_misspelt_variable_is_noticed() -> None:
    assert misspelt({"PERDURE_DATABSE_URL": "x", "PERDURE_BIND": "x", "PERDURE_SERVICE_HOST": "x"}) == {
        "PERDURE_DATABSE_URL": "PERDURE_DATABASE_URL"
    }


def test_the_reference_describes_every_setting() -> None:
    rows = {f"| `{variable(name)}` | {about.what} |" for name, about in described().items()}
    assert rows - set(REFERENCE.read_text().splitlines()) == set()


@pytest.mark.parametrize(
    ("limit", "cores"), [("150000 100000", 2), ("50000 100000", 1), ("max 100000", None), ("?", None)]
)
def test_a_container_has_as_many_cores_as_its_limit(tmp_path: Path, limit: str, cores: int | None) -> None:
    (tmp_path / "cpu.max").write_text(f"{limit}\n")
    machine = len(os.sched_getaffinity(0))
    assert usable_cores(tmp_path / "cpu.max") == (machine if cores is None else min(cores, machine))
    assert usable_cores(tmp_path / "nothing") == machine
