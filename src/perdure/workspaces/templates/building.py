"""Making a workspace from a template, with its progress; what fails half-way leaves nothing behind."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from perdure.core.errors import BuildFailed, InvalidInput, PerdureError, Validation
from perdure.core.ids import WorkspaceId
from perdure.core.timing import BUILD_STEP_LONGEST
from perdure.workspaces import wire
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.driver import Driver, Plan
from perdure.workspaces.templates.template import GitSource, Template, Value, value_faults


@dataclass(frozen=True, slots=True)
class Bound:
    """All that building a workspace needs to know."""

    template: Template
    values: Mapping[str, str]

    @property
    def git(self) -> GitSource | None:
        source = self.template.recipe.git
        return source and GitSource(self._filled(source.url), self._filled(source.branch))

    def plan(self, workspace: WorkspaceId) -> Plan:
        """Parameters reach commands as variables, never as pieces of a script."""
        recipe = self.template.recipe
        variables = {f"TEMPLATE_{name.upper()}": value for name, value in self.values.items()}
        return Plan(
            id=workspace,
            network=recipe.network,
            limits=recipe.limits,
            environment={**recipe.environment, **variables},
            settings=recipe.settings,
            computer=recipe.computer,
            rules=recipe.rules,
        )

    def _filled(self, text: str) -> str:
        for name, value in self.values.items():
            text = text.replace("{" + name + "}", value)
        return text


def bind(template: Template, values: Mapping[str, Value]) -> Bound:
    """Say a template's parameters, or everything that is wrong with what was said."""
    known = {parameter.name: parameter for parameter in template.recipe.parameters}
    faults = [Validation(f"parameters.{name}", "is not a parameter") for name in values if name not in known]
    said: dict[str, str] = {}
    for name, parameter in known.items():
        value = values.get(name, parameter.default)
        if value is None:
            faults.append(Validation(f"parameters.{name}", "is required"))
            continue
        faults += value_faults(parameter, value)
        said[name] = str(value).lower() if isinstance(value, bool) else str(value)
    if faults:
        raise InvalidInput("The template's parameters are not valid.", *faults)
    return Bound(template, said)


CLONE = 'git clone --quiet ${CLONE_BRANCH:+--branch "$CLONE_BRANCH"} -- "$CLONE_URL" .'
TAIL_CHARACTERS = 4000

_log = logging.getLogger(__name__)


class Stage(StrEnum):
    CREATE = "create"
    FILES = "files"
    CLONE = "clone"
    START_UP = "start_up"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a build is, and what it printed there."""

    stage: Stage
    text: str = ""


async def _nothing() -> None:
    pass


async def build(
    driver: Driver, workspace: WorkspaceId, bound: Bound, started: Callable[[], Awaitable[object]] = _nothing
) -> AsyncGenerator[Progress]:
    """Make, fill and start a workspace. Asked again after a crash it goes on; its commands run once.

    `started` is waited for before the first command runs inside.
    """
    plan = bound.plan(workspace)
    finished = False
    try:
        yield Progress(Stage.CREATE)
        await driver.create(plan)
        async with await driver.start(plan) as client:
            await started()
            async for progress in _fill(client, workspace, bound):
                yield progress
        finished = True
        yield Progress(Stage.READY)
    except BuildFailed:
        raise
    except PerdureError as error:
        raise BuildFailed(Stage.CREATE, str(error)) from error
    except OSError as error:
        raise BuildFailed(Stage.CREATE, f"The workspace could not be made: {error.strerror}.") from error
    finally:
        if not finished:
            await clear(driver, plan)


async def clear(driver: Driver, plan: Plan) -> None:
    """Leave nothing. Where that cannot be, why the build failed is still what people have to hear."""
    try:
        await driver.remove(plan)
    except (PerdureError, OSError) as error:
        _log.warning("workspace %s was not cleared away: %s", plan.id, error)


async def _fill(client: WorkspaceClient, workspace: WorkspaceId, bound: Bound) -> AsyncGenerator[Progress]:
    recipe, source = bound.template.recipe, bound.git
    if source is not None:
        variables = {"CLONE_URL": source.url, "CLONE_BRANCH": source.branch}
        async for text in _run(client, f"build/{workspace}/clone", CLONE, stage=Stage.CLONE, environment=variables):
            yield Progress(Stage.CLONE, text)
    if bound.template.files:
        yield Progress(Stage.FILES)
        for path, content in bound.template.files.items():
            await client.files.put(path, content, executable=content.startswith(b"#!"))
    if recipe.start_up:
        script = f"set -e\n{recipe.start_up}"
        async for text in _run(client, f"build/{workspace}/start_up", script, stage=Stage.START_UP, environment={}):
            yield Progress(Stage.START_UP, text)


async def _run(
    client: WorkspaceClient, key: str, command: str, *, stage: Stage, environment: dict[str, str]
) -> AsyncGenerator[str]:
    """A step's output as it comes; a step that fails or takes too long ends the build."""
    process = await client.processes.start(command, key=key, environment=environment)
    if process.state is wire.ProcessState.RUNNING:
        late = asyncio.create_task(_stop_late(client, process.id))
        try:
            async for frame in client.processes.follow(process.id):
                yield frame.content.decode(errors="replace")
        finally:
            late.cancel()
        process = await client.processes.wait(process.id, BUILD_STEP_LONGEST)
    if process.state is not wire.ProcessState.EXITED:
        raise BuildFailed(stage, f"The step {stage} did not end.", process.tail or process.head)
    if process.exit_code != 0:
        reason = f"exit code {process.exit_code}" if process.exit_code is not None else f"signal {process.signal}"
        said = (process.head + process.tail)[-TAIL_CHARACTERS:]
        raise BuildFailed(stage, f"The step {stage} failed with {reason}.", said)


async def _stop_late(client: WorkspaceClient, process: str) -> None:
    await asyncio.sleep(BUILD_STEP_LONGEST.total_seconds())
    await client.processes.stop(process)
