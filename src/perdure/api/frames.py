"""WebSockets as uvicorn speaks them, which also take frames that were made once for all who follow the same."""

from typing import Any

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from perdure.stream.transport import FRAME

REFUSAL = "websocket.http.response.body"


class FrameProtocol(WebSocketsSansIOProtocol):
    """Sends ready frames past the library that would make them: they need neither masks nor compression."""

    async def send(self, message: Any) -> None:
        if message["type"] != FRAME:
            await super().send(message)
            if message["type"] == REFUSAL and not message.get("more_body", False):
                # Refused in good order. Uvicorn would log that no handshake followed, as an error of ours.
                self.handshake_complete = True
            return
        await self.writable.wait()
        if self.disconnected or self.close_sent or self.transport.is_closing():
            raise ClientDisconnected
        self.transport.write(message["frame"])
