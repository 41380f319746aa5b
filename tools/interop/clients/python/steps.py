"""What a client of Python does with an MCP server, step by step: the same as typescript/steps.mjs, which says what a client
is given and what it writes."""

import asyncio
import contextlib
import dataclasses
import json
import sys
from typing import Any

USER = {"username": "ada", "email": "ada@example.org"}
MODEL_ANSWER = "Paris"
ROOT = {"uri": "file:///interop", "name": "interop"}

# Tools that ask.
QUESTIONS = {
    "elicitation": ("test_elicitation", {"message": "Who are you?"}),
    "sampling": ("test_sampling", {"prompt": "What is the capital of France?"}),
    "roots": ("test_input_required_result_list_roots", {}),
}

MAX_LOOKS = 400
LOOK_SECONDS = 0.025
# Only for what would never end.
MAX_STEP_SECONDS = 30
MAX_CLOSE_SECONDS = 5


def plain(value: Any) -> Any:
    """JSON of what a library hands out: models of Pydantic, data classes, lists and dictionaries of them."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    if dataclasses.is_dataclass(value):
        return plain({field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items() if member is not None}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    return value


class Session:
    """What a client can do, under the names that the server itself uses. A method returns JSON."""

    async def tools(self) -> list[dict[str, Any]]:
        raise NotImplementedError

    async def call(self, name: str, args: dict[str, Any], on_progress=None) -> Any:
        raise NotImplementedError

    def text_of(self, result: Any) -> str:
        return result["content"][0]["text"]

    async def resources(self) -> Any:
        raise NotImplementedError

    async def templates(self) -> Any:
        raise NotImplementedError

    async def read(self, uri: str) -> Any:
        raise NotImplementedError

    async def prompts(self) -> list[dict[str, Any]]:
        raise NotImplementedError

    async def prompt(self, name: str, args: dict[str, str]) -> Any:
        raise NotImplementedError


class Run:
    def __init__(self, target, server, connect, lacks):
        self.target = target
        self.server = server
        self.connect = connect
        self.lacks = lacks
        self.asked = []
        self.closing = None
        self.holder = None
        self.session = None

    async def open(self):
        """A session has a task of its own: a library may cancel the task that has opened it."""
        self.closing = asyncio.Event()
        opened = asyncio.get_running_loop().create_future()
        self.holder = asyncio.ensure_future(self.hold(opened, self.closing))
        await asyncio.wait([opened, self.holder], return_when=asyncio.FIRST_COMPLETED)
        if not opened.done():
            self.holder.result()  # raises what the client has raised
        self.session = opened.result()

    async def hold(self, opened, closing):
        async with self.connect(self.target, self.hear) as session:
            opened.set_result(session)
            await closing.wait()

    async def close(self):
        self.closing.set()
        await asyncio.wait([self.holder], timeout=MAX_CLOSE_SECONDS)
        with contextlib.suppress(BaseException):  # its server may be gone
            self.holder.cancel()
            await self.holder

    def hear(self, method, params):
        self.asked.append({"method": method, "params": plain(params)})

    def name_of(self, name):
        return name if self.server is None else f"{self.server}__{name}"

    def is_own(self, name):
        return self.server is None or name.startswith(f"{self.server}__")

    def own_name(self, name):
        return name if self.server is None else name[len(self.server) + 2 :]

    async def call(self, name, args=None, **options):
        return await self.session.call(self.name_of(name), args or {}, **options)

    async def all_tools(self):
        tools = [tool for tool in await self.session.tools() if self.is_own(tool["name"])]
        return [{**tool, "name": self.own_name(tool["name"])} for tool in tools]

    async def own_tool(self, name, args):
        """One of Portico's own tools."""
        return json.loads(self.session.text_of(await self.session.call(name, args)))

    async def list(self):
        return await self.all_tools()

    async def search(self):
        query = "Reports progress three times"
        if self.server is None:
            tools = await self.all_tools()
            return {"first": next(tool["name"] for tool in tools if tool["description"] == query)}
        found = await self.own_tool("capability_search", {"query": query})
        return {"first": found["capabilities"][0]["id"][len(self.server) + 1 :]}

    async def describe(self):
        name = "json_schema_2020_12_tool"
        if self.server is None:
            tool = next(tool for tool in await self.all_tools() if tool["name"] == name)
            return {"description": tool["description"], "inputSchema": tool["inputSchema"]}
        found = await self.own_tool("capability_describe", {"capability_id": f"{self.server}.{name}"})
        capability = found["capability"]
        return {"description": capability["description"], "inputSchema": capability["input_schema"]}

    async def run_call(self):
        results = [await self.call("greet", {"name": "Ada ✓"})]
        for name in ["test_multiple_content_types", "test_error_handling", "count_waits"]:
            try:
                results.append(await self.call(name))
            except Exception as error:  # some clients raise where a result says isError
                results.append({"raised": str(error).replace(self.name_of(name), name)})
        return results

    async def run_resources(self):
        session = self.session
        return {
            "list": await session.resources(),
            "templates": await session.templates(),
            "text": await session.read("test://static-text"),
            "binary": await session.read("test://static-binary"),
            "made": await session.read("test://template/7/data"),
        }

    async def run_prompts(self):
        prompts = [prompt for prompt in await self.session.prompts() if self.is_own(prompt["name"])]
        return {
            "list": [{**prompt, "name": self.own_name(prompt["name"])} for prompt in prompts],
            "plain": await self.session.prompt(self.name_of("test_simple_prompt"), {}),
            "filled": await self.session.prompt(
                self.name_of("test_prompt_with_arguments"), {"arg1": "a", "arg2": "b"}
            ),
        }

    async def ask(self, name, args):
        self.asked.clear()
        result = await self.call(name, args)
        return {"asked": list(self.asked), "result": result}

    async def elicitation(self):
        return await self.ask(*QUESTIONS["elicitation"])

    async def sampling(self):
        return await self.ask(*QUESTIONS["sampling"])

    async def roots(self):
        return await self.ask(*QUESTIONS["roots"])

    async def refusal(self, step):
        """The words of a refusal are the server's or Portico's; that there is one is what counts."""
        try:
            result = await self.call(*QUESTIONS[step])
        except Exception:
            return "refused"
        is_refused = result.get("isError") is True or result.get("status") == "error"
        return "refused" if is_refused else result

    async def progress(self):
        seen = []
        both = asyncio.Event()

        async def on_progress(progress, total=None, message=None, *_rest):
            seen.append({"progress": progress, "total": total, "message": message})
            if len(seen) == 2:
                both.set()

        answer = asyncio.ensure_future(self.call("report_progress", {}, on_progress=on_progress))
        told = asyncio.ensure_future(both.wait())
        await asyncio.wait([answer, told], return_when=asyncio.FIRST_COMPLETED)
        told.cancel()
        await self.call("finish_progress")
        return {"progress": seen, "result": await answer}

    async def counted(self, is_enough):
        waits = {}
        for look in range(MAX_LOOKS):
            if look > 0:
                await asyncio.sleep(LOOK_SECONDS)
            waits = json.loads(self.session.text_of(await self.call("count_waits")))
            if is_enough(waits):
                break
        return waits

    async def cancel(self):
        call = asyncio.ensure_future(self.call("wait_for_cancel"))
        await self.counted(lambda waits: waits["waiting"] == 1)
        call.cancel()
        ended = "answered"
        try:
            await call
        except BaseException:
            ended = "cancelled"
        return {"call": ended, "seen": await self.counted(lambda waits: waits["cancelled"] == 1)}

    async def greeting(self):
        return {"text": self.session.text_of(await self.call("greet", {"name": "Ada"}))}

    async def restart(self):
        if self.server is None:
            return await self.greeting()
        say({"step": "restart", "waiting": True})
        await asyncio.to_thread(sys.stdin.readline)
        try:
            return await asyncio.wait_for(self.greeting(), MAX_STEP_SECONDS)
        except Exception:
            await self.close()
            await self.open()  # a session over HTTP ends with its server: 2025-11-25, "Session Management"
            return {**await self.greeting(), "afterConnectingAgain": True}

    async def all(self):
        await self.open()
        steps = {
            "list": self.list,
            "search": self.search,
            "describe": self.describe,
            "call": self.run_call,
            "resources": self.run_resources,
            "prompts": self.run_prompts,
            "elicitation": self.elicitation,
            "sampling": self.sampling,
            "roots": self.roots,
            "progress": self.progress,
            "cancel": self.cancel,
            "restart": self.restart,
        }
        for step, run in steps.items():
            missing = {"lacks": self.lacks[step]} if step in self.lacks else {}
            if missing and step not in QUESTIONS:
                say({"step": step, **missing})
                continue
            try:
                end = self.refusal(step) if missing else run()
                say({"step": step, **missing, "result": await asyncio.wait_for(end, 2 * MAX_STEP_SECONDS)})
            except Exception as error:
                say({"step": step, "error": f"{type(error).__name__}: {error}"})
        await self.close()


def say(line):
    sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def run_steps(connect, lacks=None, lacks_over_http=None):
    """`connect(target, asked)` is an asynchronous context manager of a `Session`; `lacks` says what it cannot do."""
    request = json.loads(sys.argv[1])
    over_http = (lacks_over_http or {}) if request["target"]["kind"] == "http" else {}
    sys.stdout.reconfigure(encoding="utf-8")
    asyncio.run(Run(request["target"], request["server"], connect, {**(lacks or {}), **over_http}).all())
