"""A container engine that keeps names and states as a real one does; its containers only erase."""

import json
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web


class StandIn:
    """Containers by their names."""

    def __init__(self) -> None:
        self.containers: dict[str, dict[str, Any]] = {}
        self.images = {"image"}

    def left(self, name: str, status: str) -> None:
        """A container that somebody did not come to take away."""
        self.containers[name] = {"status": status, "binds": []}

    async def version(self, _: web.Request) -> web.Response:
        return _said({"ApiVersion": "1.43"})

    async def create(self, request: web.Request) -> web.Response:
        name, wanted = request.query["name"], await request.json()
        if name in self.containers:
            return _said({"message": f"the name {name} is in use"}, status=409)
        if wanted["Image"] not in self.images:
            return _said({"message": f"no such image: {wanted['Image']}"}, status=404)
        self.containers[name] = {"status": "created", "binds": wanted["HostConfig"]["Binds"]}
        return _said({"Id": name, "Warnings": []}, status=201)

    async def image(self, request: web.Request) -> web.Response:
        known = request.match_info["name"] in self.images
        return _said({"Id": "1"}) if known else _said({"message": "no such image"}, status=404)

    async def show(self, request: web.Request) -> web.Response:
        found = self.containers.get(request.match_info["name"])
        if found is None:
            return _said({"message": "no such container"}, status=404)
        return _said({"Id": request.match_info["name"], "State": {"Status": found["status"]}})

    async def start(self, request: web.Request) -> web.Response:
        found = self.containers[request.match_info["name"]]
        found["status"] = "running"
        _erase(found["binds"])
        return web.Response(status=204)

    async def wait(self, _: web.Request) -> web.Response:
        return _said({"StatusCode": 0})

    async def delete(self, request: web.Request) -> web.Response:
        known = self.containers.pop(request.match_info["name"], None)
        return web.Response(status=204) if known else _said({"message": "gone"}, status=404)


def _erase(binds: list[str]) -> None:
    for source, _, target in (bind.partition(":") for bind in binds):
        if target == "/erase":
            for path in Path(source).iterdir():
                shutil.rmtree(path)


def _said(value: object, status: int = 200) -> web.Response:
    """As engines say it: their clients look for exactly this type."""
    return web.Response(body=json.dumps(value), status=status, headers={"Content-Type": "application/json"})


@asynccontextmanager
async def standing_in(socket: Path) -> AsyncGenerator[StandIn]:
    """An engine that listens there."""
    found, app = StandIn(), web.Application()
    app.router.add_get("/version", found.version)
    app.router.add_get("/{version}/images/{name}/json", found.image)
    app.router.add_post("/{version}/containers/create", found.create)
    app.router.add_get("/{version}/containers/{name}/json", found.show)
    app.router.add_post("/{version}/containers/{name}/start", found.start)
    app.router.add_post("/{version}/containers/{name}/wait", found.wait)
    app.router.add_delete("/{version}/containers/{name}", found.delete)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.UnixSite(runner, str(socket)).start()
        yield found
    finally:
        await runner.cleanup()
