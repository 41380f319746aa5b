"""LangChain's adapters: tools are called as an agent calls them. They are made for one session, as their documents show."""

import contextlib

from langchain_mcp_adapters.callbacks import Callbacks
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.prompts import load_mcp_prompt
from langchain_mcp_adapters.resources import load_mcp_resources
from langchain_mcp_adapters.tools import load_mcp_tools
from mcp.types import ElicitResult
from steps import USER, Session, plain, run_steps


class LangChainSession(Session):
    def __init__(self, session, callbacks, progress):
        self.session = session
        self.callbacks = callbacks
        self.progress = progress

    async def load(self):
        return await load_mcp_tools(self.session, callbacks=self.callbacks, server_name="server")

    async def tools(self):
        return [
            {"name": tool.name, "description": tool.description, "inputSchema": tool.args_schema}
            for tool in await self.load()
        ]

    async def call(self, name, args, on_progress=None):
        self.progress["heard"] = on_progress
        tool = next(tool for tool in await self.load() if tool.name == name)
        message = await tool.ainvoke({"type": "tool_call", "id": "1", "name": name, "args": args})
        return {
            "content": [without_id(block) for block in message.content],
            "artifact": plain(message.artifact),
            "status": message.status,
        }

    async def read(self, uri):
        return [
            {"data": plain(blob.data), "mimeType": blob.mimetype, "metadata": plain(blob.metadata)}
            for blob in await load_mcp_resources(self.session, uris=uri)
        ]

    async def resources(self):
        return plain((await self.session.list_resources()).resources)

    async def templates(self):
        return plain((await self.session.list_resource_templates()).resourceTemplates)

    async def prompts(self):
        return plain((await self.session.list_prompts()).prompts)

    async def prompt(self, name, args):
        return [plain(message) for message in await load_mcp_prompt(self.session, name, arguments=args)]


def without_id(block):
    """LangChain gives each block an id of its own."""
    return {key: value for key, value in block.items() if key != "id"} if isinstance(block, dict) else block


@contextlib.asynccontextmanager
async def connect(target, asked):
    progress = {"heard": None}

    async def elicit(_mcp_context, params, _context):
        asked("elicitation/create", params)
        return ElicitResult(action="accept", content=USER)

    async def on_progress(*heard):
        if progress["heard"] is not None:
            await progress["heard"](*heard)

    is_stdio = target["kind"] == "stdio"
    connection = (
        {"transport": "stdio", "command": target["command"], "args": target["args"]}
        if is_stdio
        else {"transport": "http", "url": target["url"]}
    )
    callbacks = Callbacks(on_elicitation=elicit, on_progress=on_progress)
    client = MultiServerMCPClient({"server": connection}, callbacks=callbacks)
    async with client.session("server") as session:
        yield LangChainSession(session, callbacks, progress)


run_steps(
    connect,
    lacks={
        "sampling": "it answers no sampling",
        "roots": "it answers no roots",
        "cancel": "it drops the call and does not notify the server",
    },
)
