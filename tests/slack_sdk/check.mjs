// Has tsc check every message and view against the block types of @slack/types.
//
// A message becomes a typed literal, so that unknown properties and elements in the wrong place are errors.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [golden, modules] = process.argv.slice(2);
const files = readdirSync(golden).filter((name) => name.endsWith(".json")).sort();
const views = readdirSync(join(golden, "views")).filter((name) => name.endsWith(".json")).sort();
if (files.length === 0 || views.length === 0) {
  console.log(`@slack/types: no messages in ${golden}`);
  process.exit(1);
}

// Inside the folder of the installed packages, so that they are found by the usual rules.
const folder = mkdtempSync(join(modules, "check-"));
let blocks = 0;
try {
  for (const name of files) {
    const message = JSON.parse(readFileSync(join(golden, name), "utf8"));
    blocks += message.blocks.length;
    const literal = JSON.stringify(message.blocks, null, 2);
    const source = `import type { KnownBlock } from "@slack/types";\nexport const blocks: KnownBlock[] = ${literal};\n`;
    writeFileSync(join(folder, name.replace(/\.json$/, ".ts")), source);
  }
  for (const name of views) {
    const view = JSON.parse(readFileSync(join(golden, "views", name), "utf8"));
    blocks += view.blocks.length;
    const type = view.type === "home" ? "HomeView" : "ModalView";
    const literal = JSON.stringify(view, null, 2);
    const source = `import type { ${type} } from "@slack/types";\nexport const view: ${type} = ${literal};\n`;
    writeFileSync(join(folder, `view-${name.replace(/\.json$/, ".ts")}`), source);
  }
  const options = {
    compilerOptions: {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      module: "nodenext",
      moduleResolution: "nodenext",
      target: "es2022",
      types: [],
    },
    include: ["*.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
  const tsc = spawnSync(process.execPath, [join(modules, "node_modules/typescript/bin/tsc"), "-p", folder], {
    encoding: "utf8",
  });
  const output = `${tsc.stdout ?? ""}${tsc.stderr ?? ""}`.trim();
  if (output) {
    console.log(output);
  }
  const failed = tsc.status !== 0;
  console.log(`@slack/types: ${files.length} messages, ${views.length} views, ${blocks} blocks, ${failed ? "refused" : "0 problems"}`);
  process.exitCode = failed ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
