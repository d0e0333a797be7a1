"""The sandbox as arguments: what a local workspace sees, and whether this host can run it at all."""

import asyncio
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from perdure.workspaces.driver import Network
from perdure.workspaces.local import seccomp

USER = 1000
TREE = "/workspace"
HOME = "/home/agent"
AGENT = "/run/perdure/agent"
TRUSTED = "/run/perdure/trusted"
TEMPORARY_BYTES = 1024 * 1024 * 1024

ACCOUNTS = {
    "passwd": "root:x:0:0:root:/:/bin/false\nagent:x:1000:1000:agent:/home/agent:/bin/bash\n",
    "group": "root:x:0:\nagent:x:1000:\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}
NAMESPACES = (
    "--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
)  # fmt: skip
MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
SHARED_CONFIGURATION = (
    "alternatives",
    "ssl",
    "ca-certificates",
    "pki",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "maven/m2.conf",
    "maven/logging",
)
SHARED_PATTERNS = ("java-*-openjdk",)
"""Where Debian keeps what programs of /usr do not start without."""
NETWORK_CONFIGURATION = ("resolv.conf", "hosts", "services", "protocols", "gai.conf")


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the sandbox's pieces are on the host, as the one who starts it sees them."""

    tree: Path
    home: Path
    agent: Path
    accounts: Path
    python: Path | None
    trusted: Path | None = None
    """Whom programs inside trust, where a proxy may open TLS."""

    def staged(self, stage: Path) -> "Sources":
        """The same pieces where the launcher puts them for a user who cannot reach the originals."""
        python = stage / "python" if self.python else None
        trusted = stage / "trusted" if self.trusted else None
        return Sources(stage / "tree", stage / "home", stage / "agent", stage / "accounts", python, trusted)

    def binds(self) -> list[tuple[str, str]]:
        pieces = {
            "tree": self.tree,
            "home": self.home,
            "agent": self.agent,
            "accounts": self.accounts,
            "python": self.python,
            "trusted": self.trusted,
        }
        return [(str(path), name) for name, path in pieces.items() if path is not None]


def arguments(sources: Sources, network: Network, *, read_only: bool, python: Path | None) -> list[str]:
    """Bubblewrap's arguments up to the program that runs inside."""
    bind = "--ro-bind" if read_only else "--bind"
    return [
        "bwrap", *NAMESPACES, *([] if network is Network.HOST else ["--unshare-net"]),
        "--as-pid-1", "--new-session", "--cap-drop", "ALL", "--clearenv", "--hostname", "workspace",
        "--uid", str(USER), "--gid", str(USER),
        *system(), *configuration(sources.accounts, network),
        "--proc", "/proc", "--dev", "/dev",
        "--perms", "1777", "--size", str(TEMPORARY_BYTES), "--tmpfs", "/tmp",  # noqa: S108
        "--ro-bind", str(sources.agent), AGENT,
        *(["--ro-bind", str(sources.python), str(python)] if python else []),
        *(["--ro-bind", str(sources.trusted), TRUSTED] if sources.trusted else []),
        bind, str(sources.tree), TREE, bind, str(sources.home), HOME, "--chdir", TREE,
        "--remount-ro", "/", "--info-fd", "@information", *(["--seccomp", "@filter"] if seccomp.program() else []),
    ]  # fmt: skip


def system() -> list[str]:
    """The host's programs, read-only, with the links of a merged /usr or the directories of an unmerged one."""
    shown = ["--ro-bind", "/usr", "/usr"]
    for name in MERGED:
        path = Path("/", name)
        if path.is_symlink():
            shown += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            shown += ["--ro-bind", str(path), str(path)]
    return shown


def configuration(accounts: Path, network: Network) -> list[str]:
    """As much of /etc as programs need; accounts are our own, names of hosts only where there is a network."""
    found = [path.name for pattern in SHARED_PATTERNS for path in sorted(Path("/etc").glob(pattern))]
    names = (*SHARED_CONFIGURATION, *found, *(NETWORK_CONFIGURATION if network is Network.HOST else ()))
    shown: list[str] = []
    for name in names:
        path = Path("/etc", name)
        if path.exists():
            shown += ["--ro-bind", str(path.resolve()), str(path)]
    for name in ACCOUNTS:
        shown += ["--ro-bind", str(accounts / name), f"/etc/{name}"]
    return shown


OTHERWISE = "or set PERDURE_UNSANDBOXED=yes (commands then run as the server's own user, without any isolation)"
TRIAL_USER = "65534"


async def why_not(program: str = "bwrap") -> str:
    """One sentence that says what is missing, or nothing where a trial sandbox runs."""
    if shutil.which(program) is None:
        return f"bubblewrap is not installed: install it (Debian: apt-get install bubblewrap), {OTHERWISE}."
    drop = (
        ["setpriv", "--reuid", TRIAL_USER, "--regid", TRIAL_USER, "--clear-groups", "--"] if os.geteuid() == 0 else []
    )
    trial = [
        program,
        "--unshare-user",
        "--disable-userns",
        "--unshare-pid",
        "--ro-bind",
        "/",
        "/",
        "--proc",
        "/proc",
        "true",
    ]
    process = await asyncio.create_subprocess_exec(
        *drop,
        *trial,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await process.communicate()
    return explanation(errors.decode(errors="replace").strip()) if process.returncode else ""


def explanation(said: str) -> str:
    """What bubblewrap's complaint asks of the administrator."""
    if "unknown option" in said.lower():
        return f"bubblewrap is too old: version 0.8 or newer is needed ({said}), {OTHERWISE}."
    if any(word in said.lower() for word in ("namespace", "permission denied", "not permitted", "uid map")):
        return (
            f"bubblewrap may not make user namespaces here ({said}): set the sysctl user.max_user_namespaces "
            "above 0, and where they exist kernel.unprivileged_userns_clone=1 and "
            "kernel.apparmor_restrict_unprivileged_userns=0; "
            "in a container allow the calls clone, unshare, mount and pivot_root, and have it see all of /proc, as "
            f"deploy/compose.yaml does; {OTHERWISE}."
        )
    return f"bubblewrap does not run here ({said}); {OTHERWISE}."
