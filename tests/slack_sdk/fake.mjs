// Drives the tests' fake of Slack with Slack's clients for Node.js, which send every call as a form.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [program, modules] = process.argv.slice(2);
const require = createRequire(join(modules, "package.json"));
const { ErrorCode, LogLevel, WebClient } = require("@slack/web-api");
const { SocketModeClient } = require("@slack/socket-mode");
const { IncomingWebhook } = require("@slack/webhook");

const fake = spawn(program, ["--exact", "sdk::a_slack_to_be_driven", "--nocapture"], {
  env: { ...process.env, INCIDENT_LIKE_SDK: "1" },
  stdio: ["pipe", "pipe", "inherit"],
});
const ended = once(fake, "exit");
const lines = createInterface({ input: fake.stdout })[Symbol.asyncIterator]();

async function read() {
  for (;;) {
    const { value, done } = await lines.next();
    assert(!done, "the fake has ended");
    if (value.includes("{")) {
      return JSON.parse(value.slice(value.indexOf("{")));
    }
  }
}

async function tell(told) {
  fake.stdin.write(`${JSON.stringify(told)}\n`);
  return read();
}

const about = await read();
let checks = 0;
const equal = (found, expected, what) => {
  checks += 1;
  assert.deepEqual(found, expected, what);
};

const settings = { slackApiUrl: about.api, logLevel: LogLevel.ERROR, retryConfig: { retries: 0 } };
const client = new WebClient(about.token, { ...settings, rejectRateLimitedCalls: true });
// An error that is expected would be logged all the same.
client.logger.setLevel = () => {};

async function refused(error, method, fields) {
  const found = await client.apiCall(method, fields).then(
    () => "no error",
    (raised) => (raised.code === ErrorCode.PlatformError ? raised.data.error : raised.code),
  );
  equal(found, error, method);
}

async function pages(method, fields, name) {
  const found = [];
  for await (const page of client.paginate(method, fields)) {
    found.push(page[name]);
  }
  return found;
}

const rich = [{ type: "rich_text", elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "hello" }] }] }];
const quiet = { unfurl_links: false, unfurl_media: false };
const post = { channel: "C0ONE", text: "hello", blocks: rich, ...quiet };
const metadata = { event_type: "precedent_suggestion", event_payload: { channel: "C0ONE" } };
const view = { type: "modal", title: { type: "plain_text", text: "A title" }, blocks: rich };

equal((await client.auth.test()).ok, true, "auth.test");
equal((await client.api.test()).ok, true, "api.test");
const posted = await client.chat.postMessage({ ...post, metadata });
equal(posted.message.metadata, metadata, "chat.postMessage");
const change = { channel: "C0ONE", ts: posted.ts, text: "changed", blocks: rich, metadata, parse: "none" };
equal((await client.chat.update(change)).text, "changed", "chat.update");
equal((await client.chat.postEphemeral({ channel: "C0ONE", user: "U0ONE", text: "only you", blocks: rich })).ok, true);
const unfurls = { "https://a.example/cases/IL-1": { blocks: rich } };
equal((await client.chat.unfurl({ channel: "C0ONE", ts: posted.ts, unfurls })).ok, true, "chat.unfurl");
const listed = await pages("conversations.list", { limit: 1000, types: "public_channel", exclude_archived: true }, "channels");
equal(listed.map((page) => page.length), [2, 2, 1], "conversations.list");
// The client writes its cursor into what it is given.
const whole = () => ({ channel: "C0ONE", limit: 4, include_all_metadata: true });
equal((await pages("conversations.history", whole(), "messages")).flat().length, 6, "conversations.history");
const thread = await pages("conversations.replies", { ...whole(), ts: "1700000000.000000" }, "messages");
equal(thread.flat().map((message) => message.ts.slice(-1)), ["0", "5", "6", "7"], "conversations.replies");
equal((await client.conversations.info({ channel: "C0ONE" })).channel.is_member, true, "conversations.info");
equal((await client.conversations.join({ channel: "C0TWO" })).channel.id, "C0TWO", "conversations.join");
equal((await client.users.info({ user: "U0KOREAN", include_locale: true })).user.locale, "ko-KR", "users.info");
const opened = await client.views.open({ trigger_id: "1.2.abc", view });
equal((await client.views.update({ view_id: opened.view.id, hash: opened.view.hash, view })).ok, true, "views.update");
equal((await client.views.push({ trigger_id: "1.2.abc", view })).ok, true, "views.push");
equal((await client.views.publish({ user_id: "U0ONE", view: { type: "home", blocks: rich } })).ok, true, "views.publish");
const prompts = [{ title: "etcd", message: "etcd timeouts" }];
const prompted = { channel_id: "D0ONE", thread_ts: "1.2", title: "Ask", prompts };
equal((await client.assistant.threads.setSuggestedPrompts(prompted)).ok, true, "setSuggestedPrompts");
const step = new WebClient(about.step_token, settings);
equal((await step.functions.completeSuccess({ function_execution_id: "Fx1", outputs: { found: "x" } })).ok, true);
equal((await step.functions.completeError({ function_execution_id: "Fx2", error: "no text" })).ok, true);

for (const [error, channel] of [["channel_not_found", "C0NONE"], ["not_in_channel", "C0THREE"], ["is_archived", "C0OLD"]]) {
  await refused(error, "chat.postMessage", { ...post, channel });
}
await refused("message_not_found", "chat.update", { ...change, ts: "1.2" });
await refused("msg_too_long", "chat.postMessage", { ...post, blocks: undefined, text: "x".repeat(40_001) });
await refused("no_text", "chat.postMessage", { channel: "C0ONE", ...quiet });
await refused("invalid_blocks", "chat.postMessage", { ...post, blocks: Array(51).fill(rich[0]) });
await refused("missing_scope", "users.info", { user: "U0OTHER", include_locale: true });
await refused("invalid_arguments", "views.open", { trigger_id: "1.2.abc", view: { ...view, title: undefined } });
const stranger = new WebClient("xoxb-somebody-else", settings);
equal(await stranger.auth.test().catch((raised) => raised.data.error), "invalid_auth", "another token");

await tell({ fail: "auth.test", rate_limited: true });
const limited = await client.auth.test().catch((raised) => raised);
equal([limited.code, limited.retryAfter], [ErrorCode.RateLimitedError, 1], "a rate limit");
await tell({ fail: "auth.test", rate_limited: true });
const patient = new WebClient(about.token, { ...settings, retryConfig: { retries: 1, minTimeout: 1 } });
equal((await patient.auth.test()).ok, true, "a client that waits as it is told");
await tell({ fail: "auth.test", status: 503 });
equal((await client.auth.test().catch((raised) => raised)).code, ErrorCode.HTTPError, "an error of the server's");
await tell({ fail: "auth.test", refused: { ok: false, error: "token_revoked" } });
await refused("token_revoked", "auth.test", {});

const hook = new IncomingWebhook(about.response_url);
const answer = { text: "hello", blocks: rich, ...quiet, response_type: "ephemeral", replace_original: false };
equal((await hook.send(answer)).text, "ok", "response_url");
const late = await new IncomingWebhook(about.expired_url).send({ text: "too late" }).catch((raised) => raised);
equal(late.statusCode, 404, "an old response_url");

const socket = new SocketModeClient({ appToken: about.app_token, logLevel: LogLevel.ERROR, clientOptions: { slackApiUrl: about.api } });
socket.on("slash_commands", ({ ack }) => ack({ text: "an answer" }));
socket.on("app_mention", ({ ack }) => ack());
socket.on("interactive", ({ ack }) => ack({ text: "an answer" }));
const started = socket.start();
equal((await tell({ do: "connect" })).connections, 1, "Socket Mode");
await started;
const command = await tell({ send: "slash_commands", payload: { command: "/incident-like", text: "etcd" } });
equal(command.acknowledged, { text: "an answer" }, "an acknowledgement with an answer");
const event = { type: "event_callback", event: { type: "app_mention" } };
equal((await tell({ send: "events_api", payload: event })).acknowledged, null, "an acknowledgement");
equal((await tell({ do: "reconnect" })).connections, 1, "a connection that was announced to close");
const press = await tell({ send: "interactive", payload: { type: "block_actions" } });
equal(press.acknowledged, { text: "an answer" }, "an answer over the new connection");
await socket.disconnect();

const seen = await tell({ do: "seen" });
fake.stdin.end();
const [code] = await ended;
equal(code, 0, "the fake finds nothing amiss");
console.log(`fake: ${seen.methods.length} methods, ${checks} checks by Slack's clients for Node.js`);
