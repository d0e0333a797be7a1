"""Whether this host can run the sandbox, and what to do where it cannot."""

import asyncio
import os
import shutil

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
