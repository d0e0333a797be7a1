"""What the launcher is told: the sandbox's arguments, what to keep open, and the agent program's settings."""

from pathlib import Path

from perdure.workspaces.driver import Network, Plan
from perdure.workspaces.egress import control
from perdure.workspaces.egress.proxy import PORT
from perdure.workspaces.local import bubblewrap
from perdure.workspaces.local.bubblewrap import AGENT, HOME, TREE, TRUSTED, Sources
from perdure.workspaces.local.cgroups import Group
from perdure.workspaces.local.launch import STAGE
from perdure.workspaces.local.layout import Layout, interpreter, user_of
from perdure.workspaces.local.seccomp import program

SEARCHED = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def launch_request(
    plan: Plan, layout: Layout, role: str, *, shared: Path, group: Group, sandboxed: bool
) -> dict[str, object]:
    """Everything for one start, as JSON. `@name` stands for the number of a descriptor that the launcher opens."""
    python = interpreter()
    allow = plan.network is Network.ALLOW
    trusted = layout.egress.trusted if allow else None
    sources = Sources(layout.tree, layout.home, shared / "agent", shared / "accounts", python.prefix, trusted)
    run = [str(python.program), "-I", "-S", "-B", AGENT if sandboxed else str(sources.agent), "-"]
    user = user_of(plan.id) if sandboxed else None
    seen = sources if user is None else sources.staged(Path(STAGE))
    sandbox = bubblewrap.arguments(seen, plan.network, read_only=role == "view", python=python.prefix)
    return {
        "groups": [str(directory) for directory in group.directories],
        "events": str(group.events) if group.events else "",
        "socket": str(layout.socket(role)),
        "state": str(layout.state(role)),
        "egress": str(layout.egress.offers.parent) if allow else "",
        "information": str(layout.information(role)),
        "log": str(layout.log(role)),
        "filter": program().hex(),
        "sandboxed": sandboxed,
        "stage": [] if user is None else sources.binds(),
        "arguments": [*_drop(user), *sandbox, *run] if sandboxed else run,
        "path": SEARCHED,
        "settings": _settings(plan, layout, role, group=group, sandboxed=sandboxed),
    }


def _drop(user: int | None) -> list[str]:
    """Under root a user namespace would map to the real root, so the rights go first."""
    if user is None:
        return []
    return [
        "setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups",
        "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all",
    ]  # fmt: skip


def _settings(plan: Plan, layout: Layout, role: str, *, group: Group, sandboxed: bool) -> dict[str, object]:
    limits = plan.limits
    return {
        "tree": TREE if sandboxed else str(layout.tree),
        "home": HOME if sandboxed else str(layout.home),
        "roots": ["/tmp"] if sandboxed else [],  # noqa: S108
        "state_descriptor": "@state",
        "socket_descriptor": "@socket",
        "oom_descriptor": "@events",
        "egress_descriptor": "@egress",
        "egress_port": PORT,
        "read_only": role == "view",
        "environment": {**_network(plan), **plan.environment},
        "limits": {
            "processes": 0 if group.limits_processes else limits.processes,
            "process_memory_bytes": 0 if group.limits_memory else limits.memory_bytes,
            "file_bytes": limits.file_bytes,
            "disk_bytes": 0 if role == "view" else limits.disk_bytes,
        },
    }


def _network(plan: Plan) -> dict[str, str]:
    return control.environment(TRUSTED) if plan.network is Network.ALLOW else {}
