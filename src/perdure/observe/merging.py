"""Numbers of several processes as one page: every sample says which process it is from."""

from collections.abc import Mapping


def merged(pages: Mapping[str, bytes]) -> bytes:
    """Prometheus' text of several processes, by their names. A family's samples stay together, as the format wants."""
    families: dict[str, list[str]] = {}
    samples: dict[str, list[str]] = {}
    for process, page in pages.items():
        family = ""
        for line in page.decode().split("\n"):
            if line.startswith("# HELP "):
                family = line.split(" ", 3)[2]
            if line.startswith("#"):
                header = families.setdefault(family, [])
                if line not in header:
                    header.append(line)
            elif line:
                samples.setdefault(family, []).append(_labelled(line, process))
    lines = [line for family, header in families.items() for line in (*header, *samples.get(family, ()))]
    return "".join(f"{line}\n" for line in lines).encode()


def _labelled(sample: str, process: str) -> str:
    label = f'process="{process}"'
    name, brace, rest = sample.partition("{")
    if brace and " " not in name:
        return f"{name}{{{label},{rest}" if not rest.startswith("}") else f"{name}{{{label}{rest}"
    name, _, value = sample.partition(" ")
    return f"{name}{{{label}}} {value}"
