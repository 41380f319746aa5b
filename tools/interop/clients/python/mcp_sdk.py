"""The Python SDK: revision 2026-07-28 where the server has it."""

import contextlib

import mcp_types as types
from mcp import Client, StdioServerParameters
from steps import MODEL_ANSWER, ROOT, USER, Session, plain, run_steps


class SdkSession(Session):
    def __init__(self, client):
        self.client = client

    async def tools(self):
        return await every_page(self.client.list_tools, "tools")

    async def call(self, name, args, on_progress=None):
        return plain(await self.client.call_tool(name, args, progress_callback=on_progress))

    async def resources(self):
        return await every_page(self.client.list_resources, "resources")

    async def templates(self):
        return await every_page(self.client.list_resource_templates, "resource_templates")

    async def read(self, uri):
        return plain(await self.client.read_resource(uri))

    async def prompts(self):
        return await every_page(self.client.list_prompts, "prompts")

    async def prompt(self, name, args):
        return plain(await self.client.get_prompt(name, args))


async def every_page(page_of, field):
    items, cursor = [], None
    while True:
        page = await page_of(cursor=cursor)
        items.extend(plain(item) for item in getattr(page, field))
        cursor = page.next_cursor
        if cursor is None:
            return items


@contextlib.asynccontextmanager
async def connect(target, asked):
    async def elicit(_context, params):
        asked("elicitation/create", params)
        return types.ElicitResult(action="accept", content=USER)

    async def sample(_context, params):
        asked("sampling/createMessage", params)
        content = types.TextContent(type="text", text=MODEL_ANSWER)
        return types.CreateMessageResult(role="assistant", content=content, model="interop", stop_reason="endTurn")

    async def roots(_context):
        asked("roots/list", None)
        return types.ListRootsResult(roots=[types.Root(**ROOT)])

    is_stdio = target["kind"] == "stdio"
    server = StdioServerParameters(command=target["command"], args=target["args"]) if is_stdio else target["url"]
    async with Client(
        server, elicitation_callback=elicit, sampling_callback=sample, list_roots_callback=roots
    ) as client:
        yield SdkSession(client)


run_steps(connect)
