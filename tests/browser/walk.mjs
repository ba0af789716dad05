// Walks the pages as people do. Called by `run` with the folder that the driver is installed in and the service's address.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const [folder, service] = process.argv.slice(2);
const require = createRequire(`${folder}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const shots = process.env.SHOTS;

// Largest page, compressed, in bytes; the graph may be larger.
const PAGE_BYTES = 30 * 1024;

// How much of a page may jump while it loads, as Chromium measures it; up to 0.1 counts as good.
const MOST_JUMPED = 0.05;

const words = {
  en: { text: "etcd timeouts after upgrade", tag: "en-GB", one: "etcd", count: /cases?$/, of: / of / },
  ko: { text: "etcd 타임아웃, 업그레이드 뒤", tag: "ko-KR", one: "etcd", count: /건$/, of: /중 / },
};
const sizes = {
  desktop: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
let checked = 0;
const pictures = new Set();

/** Checks the page that is open: accessible in both colours, no wider than the window, small. */
async function check(page, name) {
  await page.waitForFunction(() => !document.querySelector(".busy"));
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.evaluate(axe);
    const result = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }));
    const found = result.violations.map((own) => `${own.impact} ${own.id}: ${own.nodes[0].html} ${own.nodes[0].failureSummary}`);
    assert.deepEqual(found, [], `${name} (${scheme})`);
    if (shots) await page.screenshot({ path: `${shots}/${name.replaceAll(" ", "-")}-${scheme}.png` });
  }
  const [width, room] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(width <= room, `${name} is ${width} wide in a window of ${room}`);
  const html = await (await page.request.get(page.url())).body();
  const packed = brotliCompressSync(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }).length;
  if (!name.includes("graph")) assert.ok(packed <= PAGE_BYTES, `${name} has ${packed} bytes compressed`);
  const jumped = await page.evaluate(() => window.jumped || 0);
  assert.ok(jumped <= MOST_JUMPED, `${name} jumps by ${jumped}`);
  await readHead(page, name);
  checked += 1;
}

/** Checks what search engines and unfurlers read of the page that is open. */
async function readHead(page, name) {
  const head = await page.evaluate(() => {
    const one = (selector, attribute) => document.head.querySelector(selector)?.getAttribute(attribute) ?? null;
    const og = (property) => one(`meta[property="og:${property}"]`, "content");
    return {
      title: document.title,
      lang: document.documentElement.lang,
      description: one("meta[name=description]", "content"),
      robots: one("meta[name=robots]", "content"),
      canonical: one("link[rel=canonical]", "href"),
      alternates: [...document.head.querySelectorAll("link[rel=alternate][hreflang]")].map((own) => own.hreflang),
      og: [og("title"), og("description"), og("url"), og("image:alt")],
      image: og("image"),
      headings: document.querySelectorAll("h1").length,
      foreign: [...document.querySelectorAll("script[src], link[rel=stylesheet], img")].filter((own) => new URL(own.src || own.href).origin !== location.origin).length,
    };
  });
  assert.ok(head.title.length > 10 && ["en", "ko"].includes(head.lang), `${name}: title and language`);
  assert.equal(head.headings, 1, `${name}: headings`);
  assert.equal(head.foreign, 0, `${name}: nothing foreign is loaded`);
  if (head.robots !== null) {
    assert.deepEqual([head.robots, head.canonical, head.image], ["noindex", null, null], `${name}: left out of search engines`);
    return;
  }
  assert.ok(head.description.length > 15, `${name}: description`);
  const canonical = new URL(head.canonical);
  assert.equal(canonical.searchParams.get("lang"), head.lang, `${name}: canonical address`);
  assert.equal(canonical.pathname, new URL(page.url()).pathname, `${name}: canonical address`);
  assert.deepEqual(head.alternates, ["en", "ko", "x-default"], `${name}: other languages`);
  assert.ok(head.og.every((text) => text), `${name}: ${head.og}`);
  if (!pictures.has(head.image)) {
    const picture = await page.request.get(head.image);
    assert.equal(picture.headers()["content-type"], "image/png");
    const bytes = await picture.body();
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [1200, 630], "the picture's size");
    pictures.add(head.image);
  }
}

/** Checks the map: each address of it answers, in its own language, and may be kept by search engines. */
async function readMap() {
  const context = await browser.newContext();
  const map = await (await context.request.get(`${service}/sitemap.xml`)).text();
  const places = [...map.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, place]) => place.replaceAll("&amp;", "&"));
  assert.ok(places.length > 1000 && new Set(places).size === places.length, `${places.length} addresses`);
  for (const place of places.filter((_, at) => at % 97 === 0)) {
    const answer = await context.request.get(place);
    assert.equal(answer.status(), 200, place);
    const html = await answer.text();
    assert.ok(html.includes(`<link rel="canonical" href="${place.replaceAll("&", "&#38;")}">`) && !html.includes("noindex"), place);
  }
  const robots = await (await context.request.get(`${service}/robots.txt`)).text();
  assert.match(robots, /Sitemap: http/);
  await context.close();
}

/** Looks for names in the graph: by typing, by keyboard, in both languages, and beyond what the picture holds. */
async function find(page, lang) {
  await page.goto(`${service}/graph`);
  const box = page.locator("#graph-find");
  const said = page.locator("#graph-said");
  for (const [typed, slug] of [["timeouts", "timeouts"], ["타임아웃", "timeouts"], ["소프트웨어 결함", "software-defect"]]) {
    await box.fill(typed);
    const node = page.locator(`.graph .nodes a.found[href*="${slug}"]`);
    await node.waitFor();
    assert.ok((await said.textContent()).includes("Enter"), "what was found is told");
    await box.press("Enter");
    assert.ok((await page.evaluate(() => document.activeElement.getAttribute("href"))).includes(slug), "the name has the focus");
    const [there, frame] = [await node.boundingBox(), await page.locator("#graph").boundingBox()];
    assert.ok(there.x + there.width > frame.x && there.x < frame.x + frame.width && there.y > frame.y - 1 && there.y < frame.y + frame.height, "and is in sight");
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => document.activeElement.id), "graph-find");
  }
  await box.fill(lang === "ko" ? "부" : "fail");
  const many = await page.locator(".graph .nodes a.found").count();
  assert.ok(many > 1);
  await box.press("Enter");
  const first = await page.evaluate(() => document.activeElement.dataset.n);
  await page.keyboard.press("n");
  assert.notEqual(await page.evaluate(() => document.activeElement.dataset.n), first, "the next one");
  // What the picture does not hold.
  await box.fill("etcd");
  await box.press("Enter");
  await page.waitForURL(/component=etcd/);
  await page.goto(`${service}/graph`);
  await box.fill("ectd");
  await box.press("Enter");
  await page.waitForURL(/find=ectd/);
  await check(page, `name not found ${lang}`);
  await said.locator("a[href*='component=etcd']").click();
  await page.waitForURL(/component=etcd/);
}

async function walk(lang, size) {
  const own = words[lang];
  // Nothing fades: a check looks at what stays.
  const context = await browser.newContext({ ...sizes[size], locale: own.tag, reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.jumped = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.jumped += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  const errors = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) errors.push(message.text()); });
  page.on("pageerror", (error) => errors.push(error.message));
  const name = (what) => `${what} ${lang} ${size}`;
  const heading = page.locator("h1").first();

  // Search as you type: the results follow without a new page, the address too.
  await page.goto(`${service}/`);
  assert.equal(await page.locator("html").getAttribute("lang"), lang);
  await check(page, name("home"));
  await page.evaluate(() => { window.stayed = true; });
  await page.locator("#q").pressSequentially(own.text, { delay: 5 });
  await page.waitForFunction((text) => new URLSearchParams(location.search).get("q") === text, own.text);
  await page.locator(".why .has").first().waitFor();
  assert.ok(await page.locator("mark").count() > 0, "matches are marked");
  assert.match(await page.locator("#status").textContent(), own.count, "the count is told");
  assert.match(await page.locator(".head .range").textContent(), own.of);
  await check(page, name("results"));

  // A failure is told and takes nothing away; the next answer ends it.
  await page.route("**/results*", (route) => route.fulfill({ status: 503 }));
  await page.locator("#q").press("End");
  await page.locator("#q").pressSequentially("x");
  await page.locator("#status.note").waitFor();
  assert.ok(await page.locator(".hits article").count() > 0, "what was found stays");
  await page.unroute("**/results*");
  await page.locator("#q").press("Backspace");
  await page.locator("#q").press("Enter");
  await page.locator("#status.out").waitFor({ state: "attached" });
  errors.splice(0, errors.length, ...errors.filter((text) => !text.includes("503")));

  // Filter by what was recommended, then by a count; take both away again.
  await page.locator(".state .chip", { hasText: own.one }).first().click();
  await page.waitForFunction(() => new URLSearchParams(location.search).get("component") === "etcd");
  if (size === "phone") await page.locator("label.show-filters").click();
  const narrowed = await page.locator(".hits article").count();
  await page.locator("#filters ul[aria-labelledby=f-cause] a").first().click();
  await page.waitForFunction(() => new URLSearchParams(location.search).has("cause"));
  assert.ok(await page.locator(".hits article").count() <= narrowed);
  await check(page, name("filtered"));
  await page.locator(".state .clear").click();
  await page.waitForFunction(() => !location.search.includes("component"));
  await page.goBack();
  await page.waitForFunction(() => location.search.includes("component"));
  await page.locator(".state .chip.on").first().waitFor();
  assert.ok(await page.evaluate(() => window.stayed), "no new page was loaded");

  // Read more inside the list, then the case.
  await page.locator(".expand").first().click();
  await page.locator(".brief").first().waitFor();
  await check(page, name("expanded"));
  const title = await page.locator(".hits h3 a").first().textContent();
  await page.locator(".hits h3 a").first().click();
  await page.waitForURL(/\/cases\/IL-\d+/);
  assert.equal((await heading.textContent()).trim(), title.trim());
  await check(page, name("case"));
  await page.locator("[data-copy]").first().click();

  // Related → topic → graph → a case of it.
  const reason = page.locator(".related .reason").first();
  assert.ok((await reason.textContent()).trim().length > 0);
  const before = page.url();
  await page.locator(".related h3 a").first().click();
  await page.waitForURL((url) => url.href !== before);
  await page.locator(".facts dd a").first().click();
  await page.waitForURL(/\/topics\/cause\//);
  await check(page, name("topic"));
  await page.locator(".tools a[href^='/graph']").click();
  await page.waitForURL(/\/graph\?cause=/);
  assert.equal(await page.locator(".graph .centre").count(), 1);
  await check(page, name("graph"));
  const view = () => page.locator("#graph > svg").getAttribute("viewBox");
  const whole = await view();
  await page.locator("[data-zoom=in]").click();
  assert.notEqual(await view(), whole, "the picture is enlarged");
  await page.locator("#graph").focus();
  const enlarged = await view();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await view(), enlarged, "the picture moves");
  await page.locator(".graph-list summary").first().click();
  await page.locator(".graph-list details[open] a").first().click();
  await page.waitForURL(/\/topics\//);

  await find(page, lang);

  // The rest.
  for (const [what, path] of [["topics", "/topics"], ["stats", "/stats"], ["api", "/api"], ["drawn list", "/?component=ingress-controller&symptom=database-overload"], ["whole graph", "/graph"], ["graph with cases", "/graph?component=etcd&cases=1"]]) {
    await page.goto(`${service}${path}`);
    await check(page, name(what));
  }
  assert.deepEqual(errors, [], name("console"));
  // What is not there is said and looked for; the browser logs that as an error, rightly.
  await page.goto(`${service}/etcd-timeouts`);
  await check(page, name("not found"));
  assert.ok(await page.locator(".rows a").count() > 0);

  // The language is one link away, and the question stays.
  await page.goto(`${service}/?q=etcd`);
  await page.locator("a.lang").click();
  await page.waitForURL(/q=etcd.*lang=/);
  assert.notEqual(await page.locator("html").getAttribute("lang"), lang);
  await context.close();
}

/** Walks without script: forms and links do the same. */
async function walkWithoutScript() {
  const context = await browser.newContext({ javaScriptEnabled: false, locale: "en-GB", ...sizes.phone });
  const page = await context.newPage();
  await page.goto(`${service}/`);
  await page.locator("#q").fill("etcd timeouts");
  await page.locator("form button").click();
  await page.waitForURL(/q=etcd/);
  assert.equal(await page.locator("button.expand").first().isVisible(), false);
  await page.locator("label.show-filters").click();
  await page.locator("#filters a").first().click();
  await page.waitForURL(/cause=/);
  await page.locator(".hits h3 a").first().click();
  await page.waitForURL(/\/cases\//);
  await page.goto(`${service}/graph`);
  assert.ok(await page.locator(".graph .nodes a").count() > 20);
  await page.locator("#graph-find").fill("타임아웃");
  await page.locator(".graph-find button").click();
  await page.waitForURL(/symptom=timeouts/);
  await context.close();
}

try {
  for (const lang of Object.keys(words)) {
    for (const size of Object.keys(sizes)) await walk(lang, size);
  }
  await walkWithoutScript();
  await readMap();
  console.log(`${checked} pages walked and checked in two colours each`);
} finally {
  await browser.close();
}
