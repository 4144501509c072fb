// The published package: packed, unpacked into an empty folder, and started like `npx quarterdeck` starts it.
// Dependencies (ws, zod, uqr) are linked from the repository, so that nothing is downloaded.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildPackages } from "../scripts/build-packages.ts";

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "quarterdeck-packed-"));
const modules = join(folder, "app", "node_modules");

interface Manifest {
  readonly name: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

beforeAll(() => {
  // `npm test` has checked the types before.
  const built = buildPackages(join(folder, "built"), { check: false });
  const packed = join(folder, "packed");
  mkdirSync(packed);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", packed, ...built], { cwd: folder, stdio: "ignore" });
  for (const tarball of readdirSync(packed)) {
    const unpacked = join(folder, "unpacked");
    mkdirSync(unpacked);
    execFileSync("tar", ["-xzf", join(packed, tarball), "-C", unpacked]);
    const manifest = JSON.parse(readFileSync(join(unpacked, "package", "package.json"), "utf8")) as Manifest;
    cpSync(join(unpacked, "package"), join(modules, manifest.name), { recursive: true });
    rmSync(unpacked, { recursive: true });
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      if (name.startsWith("@quarterdeck/")) continue;
      rmSync(join(modules, name), { force: true });
      symlinkSync(join(root, "node_modules", name), join(modules, name));
    }
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));

it("starts from the tarball: the page, the link, the demo agent, and a clean end", async () => {
  const { bin } = JSON.parse(readFileSync(join(modules, "quarterdeck", "package.json"), "utf8")) as Manifest;
  const program = join(modules, "quarterdeck", bin!["quarterdeck"]!);
  expect(readFileSync(program, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/u);
  const child = spawn(process.execPath, [program, "--port", "0", "--no-open"], {
    cwd: folder,
    env: { HOME: folder, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const link = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        said += chunk.toString("utf8");
        const match = /http:\/\/\S+#pair=\S+/u.exec(said);
        if (match !== null && said.includes("Ctrl-C")) resolve(match[0]);
      });
    }
    child.once("close", () => reject(new Error(said)));
  });
  try {
    expect(said).toContain("demo mode: a script answers");
    const page = await fetch(new URL("/", link));
    const html = await page.text();
    expect([page.status, html]).toEqual([200, expect.stringContaining("<title>Quarterdeck</title>")]);
    const script = /src="(\/assets\/[^"]+\.js)"/u.exec(html)![1]!;
    const asset = await fetch(new URL(script, link), { headers: { "accept-encoding": "br" } });
    expect([asset.status, asset.headers.get("content-encoding"), asset.headers.get("cache-control")]).toEqual([
      200,
      "br",
      "public, max-age=31536000, immutable",
    ]);
    const run = spawn(
      process.execPath,
      [program, "run", "--cwd", join(folder, ".local/share/quarterdeck-demo/harbour"), "demo"],
      {
        env: { HOME: folder, PATH: "/usr/bin:/bin", NO_COLOR: "1" },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    let answer = "";
    run.stdout.on("data", (chunk: Buffer) => (answer += chunk.toString("utf8")));
    expect([(await once(run, "close"))[0], answer]).toEqual([0, expect.stringContaining("The tour has these prompts")]);
  } finally {
    child.kill("SIGTERM");
  }
  expect((await once(child, "close"))[0]).toBe(0);
});
