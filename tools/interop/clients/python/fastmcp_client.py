"""FastMCP's client."""

import contextlib

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from steps import MODEL_ANSWER, ROOT, USER, Session, plain, run_steps


class FastSession(Session):
    def __init__(self, client):
        self.client = client

    async def tools(self):
        return plain(await self.client.list_tools())

    async def call(self, name, args, on_progress=None):
        return plain(await self.client.call_tool_mcp(name, args, progress_handler=on_progress))

    async def resources(self):
        return plain(await self.client.list_resources())

    async def templates(self):
        return plain(await self.client.list_resource_templates())

    async def read(self, uri):
        return plain(await self.client.read_resource(uri))

    async def prompts(self):
        return plain(await self.client.list_prompts())

    async def prompt(self, name, args):
        return plain(await self.client.get_prompt(name, args))


@contextlib.asynccontextmanager
async def connect(target, asked):
    async def elicit(_message, _response_type, params, _context):
        asked("elicitation/create", params)
        return USER

    async def sample(_messages, params, _context):
        asked("sampling/createMessage", params)
        return MODEL_ANSWER

    async def roots(_context):
        asked("roots/list", None)
        return [ROOT["uri"]]

    is_stdio = target["kind"] == "stdio"
    transport = (
        StdioTransport(target["command"], target["args"]) if is_stdio else StreamableHttpTransport(target["url"])
    )
    async with Client(transport, elicitation_handler=elicit, sampling_handler=sample, roots=roots) as client:
        yield FastSession(client)


run_steps(connect)
