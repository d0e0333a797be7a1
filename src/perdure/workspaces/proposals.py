"""Proposing what an agent did: a pull request of the branch that it pushed, and what reviewers say of one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from perdure.core.errors import Refused
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.pull_requests import Forge, Proposal, PullRequest, PullRequests, ReviewComment
from perdure.workspaces.service import Workspaces
from perdure.workspaces.watch import diff_status
from perdure.workspaces.wire import Repository


@dataclass(frozen=True, slots=True)
class Proposals:
    """Opens pull requests with the token that the fence adds to a push, which no agent sees."""

    workspaces: Workspaces
    forge: Forge
    pulls: PullRequests

    async def open(
        self, row: WorkspaceRow, client: WorkspaceClient, wanted: Proposal, path: str
    ) -> tuple[PullRequest, bool]:
        """The pull request of the branch that a repository is on, and whether it was opened now."""
        state = await client.git.state()
        repository = _chosen(state.repositories, path)
        if not self.forge.has(repository.origin):
            raise Refused(f"The origin {repository.origin or 'of the repository'} is not on this server's Git host.")
        _pushed(repository)
        token = await self._token(row, repository.origin)
        if token is None:
            raise Refused(
                f"No token for {_host(self.forge.pushes_to(repository.origin))} is stored for this workspace. Its "
                "network needs a rule for pushing there with a credential, and the user that token, in their profile."
            )
        found, made = await self.forge.open(repository.origin, replace(wanted, branch=repository.branch), token)
        self.pulls.note(repository, found)
        if repository is state.repositories[0]:
            await self.workspaces.stands(row.id, diff_status(state, found))
        return found, made

    async def comments(self, row: WorkspaceRow | None, origin: str, number: int) -> Sequence[ReviewComment]:
        """What reviewers said of a pull request, oldest first."""
        token = await self._token(row, origin) if row is not None else None
        return await self.forge.comments(origin, number, token or self.forge.token)

    async def _token(self, row: WorkspaceRow, origin: str) -> str | None:
        """Whoever may push may propose: it is the same token, of the same rule."""
        return await self.workspaces.secret_for(row, "POST", self.forge.pushes_to(origin))


def _chosen(repositories: Sequence[Repository], path: str) -> Repository:
    found = [each for each in repositories if path in ("", each.path)]
    if not found:
        raise Refused(f"There is no Git repository at {path}." if path else "There is no Git repository here.")
    if len(found) > 1:
        raise Refused(f"There are several repositories: say which with path: {', '.join(each.path for each in found)}.")
    return found[0]


def _pushed(repository: Repository) -> None:
    if not repository.branch:
        raise Refused("The repository is on no branch: git switch -c NAME first.")
    if not repository.upstream:
        raise Refused(f"The branch is not pushed yet: git push -u origin {repository.branch} first.")
    if repository.ahead:
        raise Refused(f"{repository.ahead} of the branch's commits are not pushed yet: git push first.")


def _host(url: str) -> str:
    return urlsplit(url).netloc
