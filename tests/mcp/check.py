"""Uses the built MCP server as agents do, over both transports, and lets the protocol's own tools judge it."""

import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import jsonschema
from mcp import Client, MCPError, StdioServerParameters
from mcp_types import PromptReference, ResourceTemplateReference

TOOLS = ["search_incidents", "get_incident", "list_incidents", "get_topic", "vocab"]

# Scenarios of the conformance suite that any server can pass. The others call tools, prompts and resources of the suite's own
# test server, or need what this server does not offer: sampling, elicitation, logging, subscriptions, sessions.
COMMON = ["tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"]
SCENARIOS = {
    # The package and the version of the protocol; the newest version is only in a preview of the suite.
    ("@modelcontextprotocol/conformance", "2025-11-25"): [*COMMON, "server-initialize", "ping"],
    ("conformance-2026-07-28", "2026-07-28"): [
        *COMMON,
        "caching",
        "http-header-validation",
        "input-required-result-unsupported-methods",
        "sep-2164-resource-not-found",
        "server-sse-multiple-streams",
    ],
}

QUESTION = "etcd members lose their leader and kubectl times out, DNS is fine"


@contextlib.contextmanager
def service(program, *options):
    """Runs the service on a free port and gives its address."""
    environment = {"PATH": os.environ["PATH"], "SLACK_SIGNING_SECRET": "not-used-here"}
    command = [program, "serve", "--listen", "127.0.0.1:0", *options]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        started = (re.search(r"listening address=(\S+)", line) for line in process.stderr)
        address = next((found[1] for found in started if found), None)
        if address is None:
            sys.exit("the program does not start")
        # A full pipe would stop the service.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield f"http://{address}"
    finally:
        process.kill()
        process.wait()


class Agent:
    """Calls tools and holds every answer against the schema that the server gave."""

    def __init__(self, client, tools):
        self.client = client
        self.schemas = {tool.name: tool.output_schema for tool in tools}

    async def call(self, tool, **arguments):
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result
        jsonschema.Draft202012Validator(self.schemas[tool]).validate(result.structured_content)
        assert json.loads(result.content[0].text) == result.structured_content
        return result.structured_content

    async def refused(self, tool, **arguments):
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result
        return result.content[0].text


async def use(server, mode):
    """Does what an agent does in an incident and in its review; returns the answers, to compare the transports."""
    async with Client(server, mode=mode, read_timeout_seconds=20) as client:
        assert client.server_info.name == "incident-like", client.server_info
        assert "search_incidents" in client.instructions
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS, tools
        for tool in tools:
            for schema in (tool.input_schema, tool.output_schema):
                jsonschema.Draft202012Validator.check_schema(schema)
        agent = Agent(client, tools)

        found = await agent.call("search_incidents", query=QUESTION)
        assert found["hits"] and "component/etcd" in found["understood"]["terms"], found
        korean = await agent.call("search_incidents", query=QUESTION, language="ko", component="etcd", limit=1)
        assert re.search("[가-힣]", korean["hits"][0]["title"]), korean
        case = await agent.call("get_incident", id=found["hits"][0]["id"])
        assert case["title"] == found["hits"][0]["title"] and case["related"], case
        listed = await agent.call("list_incidents", component=["etcd"], limit=3)
        assert listed["total"] > 3 and listed["next_offset"] == 3, listed
        topic = await agent.call("get_topic", slug="component/etcd")
        assert topic["total"] == listed["total"] and topic["together_with"]["symptoms"], topic
        vocab = await agent.call("vocab", kind="component", query="etcd", language="ko")
        assert vocab["kinds"][0]["names"][0]["incidents"] == listed["total"], vocab

        assert "did you mean `component/etcd`" in await agent.refused("get_topic", slug="etdc")
        assert "did you mean IL-0493" in await agent.refused("get_incident", id="IL-493")
        assert "did you mean `component`?" in await agent.refused("list_incidents", components=["etcd"])
        try:
            await client.call_tool("search", {})
        except MCPError as error:
            assert "search_incidents" in str(error), error
        else:
            raise AssertionError("an unknown tool was called")

        uris, cursor = [], None
        while True:
            page = await client.list_resources(cursor=cursor)
            uris += [str(resource.uri) for resource in page.resources]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert "incident://IL-0493" in uris and len(uris) == len(set(uris)) > 400, len(uris)
        template = (await client.list_resource_templates()).resource_templates[0].uri_template
        text = (await client.read_resource("incident://IL-0493?lang=ko")).contents[0].text
        assert text.startswith("# IL-0493 ") and "## 후속 조치" in text, text

        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["incident_review"], prompts
        review = await client.get_prompt("incident_review", {"incident": QUESTION})
        assert found["hits"][0]["id"] in review.messages[0].content.text, review

        ids = await client.complete(ResourceTemplateReference(uri=template), {"name": "id", "value": "IL-049"})
        assert "IL-0493" in ids.completion.values, ids
        languages = await client.complete(PromptReference(name="incident_review"), {"name": "language", "value": ""})
        assert languages.completion.values == ["en", "ko"], languages
        version = client.protocol_version
        return version, [found, korean, case, listed, topic, vocab, uris, text, review.messages[0].content.text]


async def use_everywhere(program, address):
    answers = []
    stdio = StdioServerParameters(command=program, args=["mcp", "--log", "warn"])
    for name, server in (("HTTP", f"{address}/mcp"), ("stdio", stdio)):
        for mode in ("legacy", "auto"):
            version, said = await use(server, mode)
            print(f"Python SDK: all five tools, resources and prompt over {name}, protocol {version}")
            answers.append(said)
    assert all(said == answers[0] for said in answers), "the transports answer differently"


async def check_own_cases(program, fixtures):
    """A team's own cases are shown on standard input and output, and over HTTP only where the API is."""
    stdio = StdioServerParameters(command=program, args=["mcp", "--log", "warn", "--corpus", fixtures])
    async with Client(stdio, read_timeout_seconds=20) as client:
        own = await client.call_tool("get_incident", {"id": "IL-9001"})
        assert own.structured_content["own"] is True, own
    with service(program, "--corpus", fixtures) as address:
        try:
            urllib.request.urlopen(urllib.request.Request(f"{address}/mcp", b"{}"), timeout=10)
        except urllib.error.HTTPError as refusal:
            assert refusal.code == 404, refusal
        else:
            raise AssertionError("own cases are shown to whoever asks")
    print("own cases: on standard input and output only")


def tool(*command):
    """Runs one of the protocol's own tools."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}")
    return done.stdout


def check_conformance(node, modules, address):
    for (package, version), scenarios in SCENARIOS.items():
        for scenario in scenarios:
            suite = (node, f"{modules}/{package}/dist/index.js", "server", "--url", f"{address}/mcp")
            said = tool(*suite, "--spec-version", version, "--scenario", scenario)
            assert re.search(r"Passed: ([1-9]\d*)/\1, 0 failed, 0 warnings", said), said
        print(f"conformance suite, protocol {version}: {len(scenarios)} scenarios passed")


def check_inspector(node, modules, program, address):
    inspector = (node, f"{modules}/.bin/mcp-inspector", "--cli")
    for target in ((f"{address}/mcp", "--transport", "http"), (program, "mcp")):
        said = tool(*inspector, *target, "--method", "tools/list", "--strict")
        for name in TOOLS:
            assert f'"name": "{name}"' in said, said
    print("inspector: lists the tools over both transports, schemas without fault")


def main():
    program, node, modules, fixtures = sys.argv[1:]
    program = os.path.abspath(program)
    with service(program) as address:
        asyncio.run(use_everywhere(program, address))
        check_conformance(node, modules, address)
        check_inspector(node, modules, program, address)
    asyncio.run(check_own_cases(program, fixtures))


main()
