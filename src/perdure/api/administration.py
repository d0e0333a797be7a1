"""What an organisation is set up with, as somebody may see and change it."""

from functools import cached_property

from perdure.access.actor import ActorRows
from perdure.access.keyring import Keyring
from perdure.access.login_services import LoginSetup
from perdure.access.people import Groups, People, Tokens
from perdure.config.admin import Configuration, ModelConfiguration
from perdure.config.integrations import HookConfiguration, McpServers
from perdure.config.network import NetworkConfiguration


class Administration:
    """Each part is made when it is asked for."""

    def __init__(self, rows: ActorRows, keyring: Keyring) -> None:
        self._rows = rows
        self._keyring = keyring

    @cached_property
    def people(self) -> People:
        return People(self._rows)

    @cached_property
    def groups(self) -> Groups:
        return Groups(self._rows)

    @cached_property
    def tokens(self) -> Tokens:
        return Tokens(self._rows)

    @cached_property
    def login(self) -> LoginSetup:
        return LoginSetup(self._rows, self._keyring)

    @cached_property
    def providers(self) -> Configuration:
        return Configuration(self._rows, self._keyring)

    @cached_property
    def models(self) -> ModelConfiguration:
        return ModelConfiguration(self._rows)

    @cached_property
    def hooks(self) -> HookConfiguration:
        return HookConfiguration(self._rows, self._keyring)

    @cached_property
    def network(self) -> NetworkConfiguration:
        return NetworkConfiguration(self._rows, self._keyring)

    @cached_property
    def mcp_servers(self) -> McpServers:
        return McpServers(self._rows, self._keyring)
