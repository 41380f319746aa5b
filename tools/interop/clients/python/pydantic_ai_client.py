"""Pydantic AI's toolset of an MCP server, called without an agent. It has FastMCP's client inside."""

import contextlib
import json

from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from pydantic_ai.mcp import MCPToolset
from steps import MODEL_ANSWER, ROOT, USER, Session, plain, run_steps


class PydanticSession(Session):
    def __init__(self, toolset, progress):
        self.toolset = toolset
        self.progress = progress

    def text_of(self, result):
        return result if isinstance(result, str) else json.dumps(result)

    async def tools(self):
        return plain(await self.toolset.list_tools())

    async def call(self, name, args, on_progress=None):
        self.progress["heard"] = on_progress
        return plain(await self.toolset.direct_call_tool(name, args))

    async def resources(self):
        return plain(await self.toolset.list_resources())

    async def templates(self):
        return plain(await self.toolset.list_resource_templates())

    async def read(self, uri):
        return plain(await self.toolset.read_resource(uri))

    async def prompts(self):
        return plain(await self.toolset.list_prompts())

    async def prompt(self, name, args):
        return plain(await self.toolset.get_prompt(name, args))


@contextlib.asynccontextmanager
async def connect(target, asked):
    progress = {"heard": None}

    async def elicit(_message, _response_type, params, _context):
        asked("elicitation/create", params)
        return USER

    async def sample(_messages, params, _context):
        asked("sampling/createMessage", params)
        return MODEL_ANSWER

    async def roots(_context):
        asked("roots/list", None)
        return [ROOT["uri"]]

    async def on_progress(*heard):
        if progress["heard"] is not None:
            await progress["heard"](*heard)

    is_stdio = target["kind"] == "stdio"
    transport = (
        StdioTransport(target["command"], target["args"]) if is_stdio else StreamableHttpTransport(target["url"])
    )
    toolset = MCPToolset(
        transport,
        elicitation_handler=elicit,
        sampling_handler=sample,
        progress_handler=on_progress,
        roots=roots,
    )
    async with toolset:
        yield PydanticSession(toolset, progress)


run_steps(connect)
