// Plays in the playground as a person would. Arguments: the page, the folder with playwright-core, the browser.

import assert from "node:assert/strict";
import http from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

const [address, modules, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(join(modules, "package.json"))("playwright-core");
const shots = process.env.PLAYGROUND_SHOTS;

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

const complaints = [];

async function open(options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: "en-US", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // An action that is refused is answered with this status, and the page says why.
    if (message.type() === "error" && !message.text().includes("422")) complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith("data:")) complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(address);
  await page.locator("#messages .message").first().waitFor();
  return page;
}

async function shot(page, name) {
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`) });
}

const steps = [];
const step = (name, run) => steps.push([name, run]);

const say = async (page, text) => {
  await page.locator("#text").fill(text);
  await page.locator("#text").press("Enter");
};
const last = (page, kind) => page.locator(`#messages > .message.${kind}`).last();
const count = (page, kind) => page.locator(`#messages > .message.${kind}`).count();
// Waits until there is one message more than before and returns it.
const after = async (page, kind, act) => {
  const before = await count(page, kind);
  await act();
  const message = page.locator(`#messages > .message.${kind}`).nth(before);
  await message.waitFor();
  return message;
};

step("what the demo played is there", async () => {
  const page = await open();
  await page.getByRole("button", { name: "# 장애-2026-1130-checkout" }).click();
  await last(page, "bot").waitFor();
  assert.match(await last(page, "alerts").innerText(), /CoreDNS/);
  await shot(page, "suggestion");
  return page;
});

step("a command is answered for the asker alone, and its buttons work", async (page) => {
  await page.getByRole("button", { name: "# general" }).click();
  const answer = await after(page, "bot", () => say(page, "/incident-like etcdserver: request timed out, kubectl hangs"));
  assert.match(await answer.innerText(), /Only visible to you[\s\S]*IL-\d{4}/);
  assert.ok((await answer.locator("a").count()) > 0);
  await shot(page, "answer");
  const press = (action) => after(page, "bot", () => answer.locator(`[data-action=${action}]`).first().click());
  const id = (await answer.innerText()).match(/IL-\d{4}/)[0];
  const details = await press("precedent_details");
  assert.ok((await details.innerText()).includes(id));
  await shot(page, "details");
  await press("precedent_more");
  assert.match(await (await press("precedent_helpful")).innerText(), /Only visible to you/);
  await press("precedent_not_this");
  const shared = await press("precedent_share");
  assert.ok(!(await shared.getAttribute("class")).includes("ephemeral"));
  assert.ok((await shared.innerText()).includes(id));
  await shot(page, "shared");
});

step("a new incident channel gets one suggestion after its alert", async (page) => {
  await page.locator("#new-channel").click();
  await page.locator("#create-name").fill("Not A Name");
  await page.locator("#create-form .primary").click();
  await page.locator("#create-problem").filter({ hasText: "small letters" }).waitFor();
  await shot(page, "create");
  await page.locator("#create-name").fill("inc-1130-certificates");
  await page.locator("#create-form .primary").click();
  await page.locator("#channel-name", { hasText: "inc-1130-certificates" }).waitFor();
  await page.locator(".notice", { hasText: "incident-like · joined" }).waitFor();
  assert.equal(await count(page, "bot"), 0);
  const suggestion = await after(page, "bot", () => page.getByRole("button", { name: "🚨 Alert: certificate" }).click());
  assert.match(await suggestion.innerText(), /IL-\d{4}/);
  await shot(page, "incident");
  // Whatever else is said: one suggestion a channel.
  await say(page, "x509: certificate has expired, ingress 502");
  await last(page, "you").filter({ hasText: "x509" }).waitFor();
  assert.equal(await count(page, "bot"), 1);
});

step("a mention is answered in its thread", async (page) => {
  const mention = await after(page, "you", () => say(page, "@incident-like redis OOMKilled, latency up since the campaign"));
  await mention.locator(".thread .message.bot").waitFor();
  assert.match(await mention.locator(".thread .message.bot").innerText(), /IL-\d{4}/);
  await shot(page, "mention");
});

step("the message shortcut finds similar incidents", async (page) => {
  const alert = last(page, "alerts");
  await alert.hover();
  const found = await after(page, "bot", () => alert.getByRole("button", { name: "Find similar incidents" }).click());
  assert.match(await found.innerText(), /Only visible to you[\s\S]*IL-\d{4}/);
});

step("a question is changed in a form", async (page) => {
  const answer = await after(page, "bot", () => say(page, "/incident-like etcd timeouts, kubectl hangs"));
  await answer.locator("[data-action=precedent_edit]").click();
  const view = page.locator("#view");
  await view.locator("[type=checkbox]").first().waitFor();
  const add = view.locator("[data-block=add] input");
  await add.fill("dns");
  await view.locator(".options li", { hasText: "DNS" }).first().waitFor();
  await shot(page, "form");
  await add.press("Enter");
  await view.locator(".chips li", { hasText: "DNS" }).waitFor();
  await view.locator("[type=checkbox]").first().uncheck();
  const before = await answer.innerText();
  await view.locator("[type=submit]").click();
  await view.waitFor({ state: "hidden" });
  // The answer changes in place, or another one follows.
  await page.waitForFunction(
    ([ts, text, bots]) => document.querySelector(`[data-ts="${ts}"]`)?.innerText !== text || document.querySelectorAll("#messages > .message.bot").length > bots,
    [await answer.getAttribute("data-ts"), before, await count(page, "bot")],
  );
});

step("the global shortcut searches from anywhere", async (page) => {
  await page.locator("#search").click();
  const view = page.locator("#view");
  const text = view.locator("[data-block=text] textarea");
  await text.waitFor();
  await view.locator("[type=submit]").click();
  await view.locator(".problem:visible").waitFor();
  await text.fill("redis OOMKilled, latency up");
  await view.locator("[type=submit]").click();
  await view.locator(".rich", { hasText: /IL-\d{4}/ }).first().waitFor();
  await shot(page, "results");
  const under = (await view.getAttribute("data-key")).split("/")[0];
  await view.locator("[data-action=precedent_details]").first().click();
  // The case lies on top of the answer.
  await page.waitForFunction((id) => !document.getElementById("view").dataset.key.startsWith(id), under);
  await view.locator(".rich", { hasText: /IL-\d{4}/ }).first().waitFor();
  await page.keyboard.press("Escape");
  await page.waitForFunction((id) => document.getElementById("view").dataset.key.startsWith(id), under);
  await view.locator(".row button").first().click();
  await view.waitFor({ state: "hidden" });
});

step("the bot has a home and answers messages to it alone", async (page) => {
  await page.locator("#apps button").click();
  await page.locator("#home", { hasText: "/incident-like help" }).waitFor();
  await shot(page, "home");
  await page.locator("[data-tab=messages]").click();
  const typed = await after(page, "you", () => say(page, "x509: certificate has expired, ingress answers 502"));
  await page.waitForFunction(() => [...document.querySelectorAll("#messages .message.bot")].some((node) => /IL-\d{4}/.test(node.innerText)));
  await typed.waitFor();
  await shot(page, "direct");
  await page.getByRole("button", { name: "# inc-1130-certificates" }).click();
});

step("what somebody types is shown and never run", async (page) => {
  const evil = `<img src=x onerror="document.title='owned'"> & <script>document.title='owned'</script> <https://a.example|x>`;
  const typed = await after(page, "you", () => say(page, evil));
  assert.ok((await typed.innerText()).includes(evil));
  const asked = await after(page, "bot", () => say(page, `/incident-like ${evil} etcd timeouts`));
  await asked.waitFor();
  assert.equal(await page.locator("#messages img, #messages script").count(), 0);
  assert.notEqual(await page.title(), "owned");
});

step("mistakes are told", async (page) => {
  await say(page, "/nonsense");
  await page.locator("#problem", { hasText: "/incident-like, /invite" }).waitFor();
  await page.locator("#text").fill("");
});

step("the wire is shown", async (page) => {
  await page.locator("#wire-toggle").click();
  await page.locator("#wire li", { hasText: "slash command" }).first().waitFor();
  await page.locator("#wire li", { hasText: "chat.postMessage" }).first().waitFor();
  await shot(page, "wire");
  await page.locator("#wire-toggle").click();
});

step("it speaks Korean", async (page) => {
  await page.getByRole("button", { name: "한국어" }).click();
  await page.getByRole("button", { name: "# general" }).click();
  assert.equal(await page.locator("html").getAttribute("lang"), "ko");
  // The first command teaches the bot the language of somebody it does not know.
  await after(page, "bot", () => say(page, "/incident-like etcd 타임아웃에 kubectl이 멈춰요"));
  const help = await after(page, "bot", () => page.getByRole("button", { name: "도움말" }).click());
  assert.match(await help.innerText(), /[가-힣]/);
  await shot(page, "korean");
  await page.context().close();
});

step("it fits a phone, light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open({ viewport: { width: 390, height: 780 }, colorScheme });
    await page.getByRole("button", { name: "# inc-1130-certificates" }).click();
    await last(page, "bot").waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    assert.ok(!wide, "nothing is wider than the phone");
    await shot(page, `phone-${colorScheme}`);
    await page.context().close();
  }
  const page = await open({ colorScheme: "dark" });
  await page.getByRole("button", { name: "# inc-1130-certificates" }).click();
  await last(page, "bot").waitFor();
  await shot(page, "dark");
  await page.context().close();
});

// A status without a browser's care for headers.
function status(path, headers, body) {
  return new Promise((resolve, reject) => {
    const request = http.request(new URL(path, address), { method: body ? "POST" : "GET", headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    request.on("error", reject);
    request.end(body);
  });
}

step("other pages are kept out", async () => {
  const body = JSON.stringify({ do: "say", channel: "C0GENERAL", text: "hello", lang: "en" });
  const json = { "content-type": "application/json" };
  const { host } = new URL(address);
  assert.equal(await status("/do", { ...json, origin: "https://evil.example" }, body), 403);
  assert.equal(await status("/do", { ...json, host: "evil.example" }, body), 403);
  assert.equal(await status("/state", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" }), 403);
  assert.equal(await status("/do", { "content-type": "text/plain" }, body), 415);
  assert.equal(await status("/do", { ...json, origin: `http://${host}` }, body), 200);
  assert.equal(await status("/do", json, JSON.stringify({ do: "say", channel: "C0GENERAL", text: "x".repeat(100_000), lang: "en" })), 413);
});

let page;
let failed = false;
for (const [name, run] of steps) {
  try {
    page = (await run(page)) ?? page;
    assert.deepEqual(complaints, [], "the browser complains");
    console.log(`playground: ${name}: ok`);
  } catch (error) {
    console.log(`playground: ${name}: ${error.stack}`);
    if (page && !page.isClosed()) await shot(page, "failed");
    failed = true;
    break;
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
