"""The MCP servers of the OpenAI Agents SDK, called without an agent."""

import contextlib

from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from steps import Session, plain, run_steps

SECONDS = 30


class AgentsSession(Session):
    def __init__(self, server):
        self.server = server

    async def tools(self):
        return plain(await self.server.list_tools())

    async def call(self, name, args, on_progress=None):
        return plain(await self.server.call_tool(name, args))

    async def resources(self):
        return plain((await self.server.list_resources()).resources)

    async def templates(self):
        result = plain(await self.server.list_resource_templates())
        return result["resourceTemplates"]

    async def read(self, uri):
        return plain(await self.server.read_resource(uri))

    async def prompts(self):
        return plain((await self.server.list_prompts()).prompts)

    async def prompt(self, name, args):
        return plain(await self.server.get_prompt(name, args))


@contextlib.asynccontextmanager
async def connect(target, _asked):
    options = {"client_session_timeout_seconds": SECONDS}
    if target["kind"] == "stdio":
        server = MCPServerStdio(params={"command": target["command"], "args": target["args"]}, **options)
    else:
        server = MCPServerStreamableHttp(params={"url": target["url"], "timeout": SECONDS}, **options)
    async with server:
        yield AgentsSession(server)


run_steps(
    connect,
    lacks={
        "elicitation": "it answers no elicitation",
        "sampling": "it answers no sampling",
        "roots": "it answers no roots",
        "progress": "it hands no progress on",
    },
    lacks_over_http={"cancel": "it has one request in flight at a time, so no other request can find its outcome"},
)
