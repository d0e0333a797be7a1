"""What a model is told about files and commands: texts with fixed limits, each saying how to go on."""

from perdure.workspaces import wire


def page(found: wire.TextPage) -> str:
    """Numbered lines, and where to continue."""
    if not found.total_lines:
        return "[The file is empty.]"
    numbered = "\n".join(f"{found.offset + index:>6}\t{line}" for index, line in enumerate(found.lines))
    last = found.offset + len(found.lines) - 1
    if last >= found.total_lines:
        return numbered
    return f"{numbered}\n[Lines {found.offset} to {last} of {found.total_lines}. Continue with offset={last + 1}.]"


def listing(found: wire.Listing) -> str:
    """One entry a line, directories with a slash."""
    if not found.entries:
        return "[The directory is empty.]"
    lines = [_entry(entry) for entry in found.entries]
    if not found.complete:
        lines.append("[There is more. List a directory further down, or use a smaller depth.]")
    return "\n".join(lines)


def matches(found: wire.Matches) -> str:
    """One match a line: path, line number, text."""
    if not found.matches and found.complete:
        return "[No match. Patterns are regular expressions: escape special characters, or try fewer words.]"
    lines = [f"{match.path}:{match.line}: {match.text}" for match in found.matches]
    if not found.complete:
        lines.append(f"[More than {len(found.matches)} matches. Narrow the pattern, or pass a path or a glob.]")
    return "\n".join(lines)


def written(result: wire.Written) -> str:
    return "\n".join(f"{'Created' if file.new else 'Wrote'} {file.path} ({file.bytes} bytes)." for file in result.files)


def diffs(result: wire.Written) -> str:
    return "\n".join(file.diff.rstrip("\n") or f"{file.path} is unchanged." for file in result.files)


def output(process: wire.Process) -> str:
    """What a command printed, its middle left out where it is long."""
    if not process.omitted_bytes:
        return process.head + process.tail
    return f"{process.head}\n[… {process.omitted_bytes} bytes left out …]\n{process.tail}"


def outcome(process: wire.Process) -> str:
    """One line that says how it stands with a command, and what can be done about it."""
    seconds = f"{process.duration_ms / 1000:.1f} s"
    match process:
        case wire.Process(state=wire.ProcessState.LOST):
            return f"[Process {process.id}: the workspace restarted meanwhile; it is not known how the command ended.]"
        case wire.Process(state=wire.ProcessState.RUNNING):
            return (
                f"[Process {process.id} is still running after {seconds}. "
                "Use process_output to follow it or process_signal to stop it.]"
            )
        case wire.Process(failure=failure) if failure:
            return f"[The command could not be started: {failure}.]"
        case wire.Process(over_disk=True):
            return (
                f"[Ended after {seconds}, process {process.id}: the workspace's disk limit was reached. "
                "Delete files that are not needed.]"
            )
        case wire.Process(out_of_memory=True):
            return (
                f"[{_how(process)} after {seconds}, process {process.id}: the workspace's memory limit was reached. "
                "Use less memory at once.]"
            )
        case _:
            left = (
                "" if process.quiet else f" It left processes running; process_signal with id {process.id} stops them."
            )
            return f"[{_how(process)} after {seconds}, process {process.id}.{left}]"


def command(process: wire.Process) -> str:
    """Output first, then the outcome."""
    said = output(process)
    return f"{said.rstrip()}\n{outcome(process)}" if said.strip() else outcome(process)


def refusal(said: str) -> str:
    """A request that did not leave. Only people can change that."""
    return f"[The network refused {said}. The user can allow it: ask them, and do not try to get around it.]"


def processes(found: list[wire.Process]) -> str:
    if not found:
        return "[No process was started here yet.]"
    return "\n".join(f"{process.id}\t{_state(process)}\t{_short(process.command)}" for process in found)


def _how(process: wire.Process) -> str:
    return f"Ended by signal {process.signal}" if process.signal else f"Exit code {process.exit_code}"


def _state(process: wire.Process) -> str:
    if process.state is wire.ProcessState.RUNNING:
        return f"running for {process.duration_ms // 1000} s"
    return _how(process).lower() + ("" if process.quiet else ", left processes running")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else line[:119] + "…"


def _entry(entry: wire.Entry) -> str:
    match entry.kind:
        case "directory":
            return f"{entry.path}/"
        case "link":
            return f"{entry.path} -> {entry.target}"
        case _:
            return f"{entry.path} ({entry.bytes} bytes)"
