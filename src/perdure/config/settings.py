"""The settings of an organisation and of a person, by name, with what holds while nobody set them."""

from enum import StrEnum
from typing import Annotated, Any, get_type_hints

import msgspec
from msgspec import Meta, Struct

from perdure.core.action import Approvers
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.ids import ModelName, UserId
from perdure.core.message import Effort
from perdure.workspaces.egress.rules import NetworkAudit

PROMPT_LIMIT = 128 * 1024

Money = Annotated[int, Meta(ge=0, le=2**53)]
Days = Annotated[int, Meta(ge=0, le=36_500)]


class Experiment(StrEnum):
    """Features that are off until they are named."""

    ADVISOR = "advisor"
    HOOKS = "hooks"
    COMPUTER_USE = "computer_use"
    MCP_TOOL_SEARCH = "mcp_tool_search"


class Approval(StrEnum):
    AUTO = "auto"
    ASK = "ask"
    DENY = "deny"


class Advisor(Struct, frozen=True, forbid_unknown_fields=True):
    enabled: bool = False
    model: ModelName | None = None
    effort: Effort | None = None
    max_output_tokens: Annotated[int, Meta(ge=1)] = 16_384
    max_uses: Annotated[int, Meta(ge=0)] = 3
    """Per turn; 0 means no limit of its own."""


class SubagentModels(Struct, frozen=True, forbid_unknown_fields=True):
    """Which models agents use whose parent names none; None means the parent's."""

    general_model: ModelName | None = None
    explore_model: ModelName | None = None


class Subagents(SubagentModels, frozen=True, forbid_unknown_fields=True):
    depth: Annotated[int, Meta(ge=0, le=5)] = 1
    """How many chats may stand below a root; 0 switches agents off."""
    working: Annotated[int, Meta(ge=1, le=200)] = 20
    """How many agents of one root may work at once."""


class Retention(Struct, frozen=True, forbid_unknown_fields=True):
    archived_days: Days = 30
    """How long archived chats and files that no chat uses are kept; 0 keeps them for ever."""


class WorkspaceQuota(Struct, frozen=True, forbid_unknown_fields=True):
    per_person: Annotated[int, Meta(ge=0, le=10_000)] = 50
    """How many workspaces one person may have; 0 switches them off."""


class FileSnapshots(Struct, frozen=True, forbid_unknown_fields=True):
    megabytes: Annotated[int, Meta(ge=0, le=1_000_000)] = 2_048
    """How much room the earlier states of one workspace's files may take; 0 keeps none, so files cannot go back."""
    ignore: Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=500)], ...], Meta(max_length=100)] = (
        "node_modules/",
        ".venv/",
        "__pycache__/",
    )
    """What is never kept, besides what `.gitignore` names, written as there."""


class AutoArchive(Struct, frozen=True, forbid_unknown_fields=True):
    idle_days: Days = 0
    """Root chats whose family is idle for so long are archived; 0 switches that off."""


class MonthlyLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """Micro-dollars a calendar month; None means no limit."""

    user: Money | None = None
    """What each person may spend of whom `people` says nothing else."""
    organisation: Money | None = None
    people: dict[UserId, Money] = {}

    def of(self, user_id: UserId) -> int | None:
        """What this person may spend."""
        return self.people.get(user_id, self.user)


class DebugRecording(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether calls to models are kept, word for word but for secrets, for admins to look at."""

    enabled: bool = False
    kept_hours: Annotated[int, msgspec.Meta(ge=1, le=24 * 14)] = 24


Domain = Annotated[str, Meta(pattern=r"^[a-z0-9*-]+(\.[a-z0-9-]+)*(/[^\s]*)?$(?!\n)", max_length=253)]


class WebSearch(Struct, frozen=True, forbid_unknown_fields=True):
    """How the search of the web is bounded that providers carry out, in chats that have it on."""

    allowed_domains: tuple[Domain, ...] = ()
    blocked_domains: tuple[Domain, ...] = ()
    max_uses: Annotated[int, Meta(ge=1, le=100)] | None = None
    """Per answer of the model."""

    def __post_init__(self) -> None:
        if self.allowed_domains and self.blocked_domains:
            raise ValueError("name domains to allow or domains to block, not both")


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an organisation can set. The fields are the names of the settings."""

    system_prompt: Annotated[str, Meta(description="What the agents of all chats are told.")] = ""
    plan_instructions: Annotated[str, Meta(description="What agents are told besides while they plan.")] = ""
    advisor: Annotated[Advisor, Meta(description="Who gives second opinions: the experiment `advisor`.")] = Advisor()
    title_model: Annotated[
        ModelName | None, Meta(description="The model that finds titles, labels and summaries; the chat's own if none.")
    ] = None
    compaction_model: Annotated[
        ModelName | None, Meta(description="The model that summarises long histories; the chat's own if none.")
    ] = None
    subagents: Annotated[
        Subagents, Meta(description="How deep agents may stand, how many may work at once, and their models.")
    ] = Subagents()
    retention: Annotated[
        Retention,
        Meta(description="After how many days archived chats, and files that no chat uses, are removed; 0 is never."),
    ] = Retention()
    auto_archive: Annotated[
        AutoArchive, Meta(description="After how many idle days a chat is archived with its agents; 0 is never.")
    ] = AutoArchive()
    workspaces: Annotated[WorkspaceQuota, Meta(description="How many workspaces a person may have.")] = WorkspaceQuota()
    snapshots: Annotated[
        FileSnapshots, Meta(description="Room for earlier states of a workspace's files, and what is left out.")
    ] = FileSnapshots()
    network_audit: Annotated[
        NetworkAudit,
        Meta(
            description="Which requests of workspaces with a network by permission go to the audit log: "
            "`none`, `refused` or `all`."
        ),
    ] = NetworkAudit.NONE
    approvals: Annotated[
        dict[str, Approval], Meta(description="Tools by name: `auto`, `ask`, or `deny`, which nobody can overrule.")
    ] = {}
    approvers: Annotated[
        Approvers,
        Meta(
            description="Who may approve calls, in every chat: `anybody` who may approve there, the `author` of the "
            "message that is answered, `not_author`, or `two_people`. With `anybody`, each chat may say so itself."
        ),
    ] = Approvers.ANYBODY
    budgets: Annotated[MonthlyLimits, Meta(description="What may be spent in a calendar month, in micro-dollars.")] = (
        MonthlyLimits()
    )
    experiments: Annotated[
        tuple[Experiment, ...],
        Meta(description=f"What is off until it is named: {', '.join(f'`{each}`' for each in Experiment)}."),
    ] = ()
    step_limit: Annotated[int, Meta(ge=1, le=1_000_000, description="How many steps a turn may take.")] = 1_200
    web_search: Annotated[
        WebSearch, Meta(description="Which domains providers may search, and how often in one answer.")
    ] = WebSearch()
    debug_runs: Annotated[
        DebugRecording, Meta(description="Whether calls to models are kept word for word, and how long.")
    ] = DebugRecording()


class PersonalSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person can set for their own chats."""

    prompt: Annotated[str, Meta(description="What the agents of your chats are told.")] = ""
    compaction_thresholds: Annotated[
        dict[ModelName, Annotated[int, Meta(ge=1, le=100)]],
        Meta(description="Models by name: at how many percent of its window a chat is compacted."),
    ] = {}
    subagents: Annotated[SubagentModels, Meta(description="Which models your agents use.")] = SubagentModels()
    approvals: Annotated[dict[str, Approval], Meta(description="Tools by name: `auto`, `ask` or `deny`.")] = {}
    memory: Annotated[bool, Meta(description="Whether your agents keep facts for later chats, and are told them.")] = (
        True
    )


AnySettings = Settings | PersonalSettings


def explained(kind: type[AnySettings]) -> dict[str, str]:
    """What each setting is for, by name."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: hint.__metadata__[0].description for name, hint in hints.items()}


def checked(kind: type[AnySettings], name: str, value: Any) -> str:
    """The JSON text of a value that fits the setting of this name."""
    if name not in kind.__struct_fields__:
        raise NotFound("Setting not found.")
    try:
        fitting = msgspec.convert({name: value}, kind)
    except msgspec.ValidationError as error:
        raise InvalidInput("The value is not valid for this setting.", Validation("value", str(error))) from error
    found = getattr(fitting, name)
    # As it was said: what was not said keeps following the defaults.
    text = msgspec.json.encode(value).decode()
    check_length(found if isinstance(found, str) else text, "value")
    return text


def check_length(text: str, field: str) -> None:
    """Refuse a prompt that is too long for one."""
    if len(text.encode(errors="surrogatepass")) > PROMPT_LIMIT:
        raise InvalidInput("The text is too long.", Validation(field, f"at most {PROMPT_LIMIT} bytes"))


def merged(kind: type[AnySettings], stored: dict[str, str]) -> Any:
    """The settings with what is stored. A stored value that no longer fits counts as not set."""
    values: dict[str, Any] = {}
    for name, text in stored.items():
        try:
            values[name] = getattr(msgspec.convert({name: msgspec.json.decode(text)}, kind), name)
        except (msgspec.ValidationError, AttributeError):
            continue
    return kind(**values)
