// `quarterdeck rules` as a process of its own, without a server and with one.

import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { pairAndConnect, runQuarterdeck, scratchHome, startQuarterdeck } from "../serve/serve.fixture.ts";

const scratch = scratchHome();
afterAll(() => rmSync(scratch.folder, { recursive: true, force: true, maxRetries: 5 }));
const project = join(realpathSync(scratch.folder), "project");
const shared = join(project, ".claude", "settings.json");
const local = join(project, ".claude", "settings.local.json");
mkdirSync(join(project, ".claude"), { recursive: true });
writeFileSync(
  shared,
  `{\n  "model": "opus",\n  "permissions": {\n    "allow": ["Bash(npm test:*)", "Write(docs/**)", "bash(ls)", "Bash(rm *)"],\n    "deny": ["Bash(rm:*)"]\n  }\n}\n`,
);
const rules = (...args: string[]) => runQuarterdeck(scratch, ["rules", ...args, "--cwd", project]);

describe("rules without a server", () => {
  it("lists rules with file, line and what is wrong with them", async () => {
    const { code, stdout, stderr } = await rules();
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`This project, shared ${shared}`);
    expect(stdout).toMatch(/allow {2}Bash\(npm test:\*\) {2}line 4\n/u);
    expect(stdout).toMatch(/deny {3}Bash\(rm:\*\) {2}line 5\n/u);
    expect(stdout).toContain("Use Edit(docs/**) instead.");
    expect(stdout).toMatch(/allow {2}bash\(ls\) {2}line 4, not in effect\n.*Use Bash\(ls\) instead\.\n/u);
    expect(stdout).toMatch(/Bash\(rm \*\) {2}line 4\n.*Bash\(rm:\*\) \(deny, .*is stronger\.\n.*Risky: rm/u);
    expect(stdout).toContain("This folder is not trusted.");
    const json = JSON.parse((await rules("list", "--json")).stdout) as { rules: object[]; files: object[] };
    expect(json.rules).toHaveLength(5);
    expect(json.rules).toContainEqual(expect.objectContaining({ text: "bash(ls)", line: 4, inEffect: false }));
    expect(json.files).toContainEqual({ scope: "projectSettings", path: shared, exists: true });
    expect(json.files).toContainEqual({ scope: "localSettings", path: local, exists: false });
  });

  it("says whether a call would be allowed, and why", { tags: "long" }, async () => {
    const allowed = await rules("test", "npm test -- a");
    expect([allowed.code, allowed.stdout.startsWith("Allowed.")]).toEqual([0, true]);
    const asks = await rules("test", "npm run build");
    expect([asks.code, asks.stdout.startsWith("Asks.")]).toEqual([3, true]);
    const denied = await rules("test", "npm test && rm x");
    expect(denied.code).toBe(4);
    expect(denied.stdout).toContain(`File: ${shared}, line 5`);
    expect((await rules("test", "eval rm x")).stdout).toContain(
      "denies rm, but Claude Code does not see it behind eval",
    );
    const json = JSON.parse((await rules("test", "--json", "--tool", "Read", "a.txt")).stdout) as object;
    expect(json).toMatchObject({ tool: "Read", input: { file_path: "a.txt" }, behavior: "allow" });
    const wrong = await rules("test", "--tool", "Other", "text");
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("must be a JSON object")]);
  });

  it("answers for the installed Claude Code, and says which that is", async () => {
    const bin = join(scratch.folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "claude"), "#!/bin/sh\necho '2.1.38 (Claude Code)'\n", { mode: 0o755 });
    const folder = join(scratch.folder, "stars");
    mkdirSync(join(folder, ".claude"), { recursive: true });
    writeFileSync(join(folder, ".claude", "settings.json"), `{"permissions":{"allow":["Bash(make *)"]}}`);
    const test = (env: Record<string, string>) =>
      runQuarterdeck(scratch, ["rules", "test", "make", "--cwd", folder], { env });
    // Only since 2.1.200 does `make *` match `make` too.
    const old = await test({ PATH: `${bin}:${scratch.env["PATH"]!}` });
    expect([old.code, old.stdout]).toEqual([3, expect.stringContaining("Claude Code: 2.1.38\n")]);
    const newest = await test({});
    expect([newest.code, newest.stdout]).toEqual([0, expect.stringContaining("because none is installed")]);
  });

  it("flags a default mode that asks nobody, and tests calls without it unless it is named", async () => {
    const folder = join(scratch.folder, "bold");
    mkdirSync(join(folder, ".claude"), { recursive: true });
    writeFileSync(
      join(folder, ".claude", "settings.local.json"),
      `{"permissions":{"defaultMode":"bypassPermissions"}}`,
    );
    const inFolder = (...args: string[]) => runQuarterdeck(scratch, ["rules", ...args, "--cwd", folder]);
    expect((await inFolder()).stdout).toContain("Risky: the default mode “Allow everything” asks nobody.");
    expect((await inFolder("test", "make")).code).toBe(3);
    expect((await inFolder("test", "make", "--mode", "bypassPermissions")).code).toBe(0);
  });

  it("shows the change of the file first, and saves it only with a yes", async () => {
    const shown = await rules("add", "Bash(ls:*)", "--allow");
    expect(shown.stdout).toContain(`${local} (new file)`);
    expect(shown.stdout).toContain(`+      "Bash(ls:*)"`);
    expect([shown.code, shown.stderr]).toEqual([1, expect.stringContaining("Use --yes")]);
    expect((await rules("add", "bash(ls)", "--deny")).stdout).toContain("Warning: This rule matches nothing.");
    expect(existsSync(local)).toBe(false);
    expect((await rules("add", "Bash(ls:*)", "--allow", "--yes")).stdout).toContain("Saved.");
    expect(JSON.parse(readFileSync(local, "utf8"))).toEqual({ permissions: { allow: ["Bash(ls:*)"] } });
    expect((await rules("add", "Bash(ls:*)", "--allow", "--yes")).stdout).toContain("Nothing was changed.");
    const removed = await rules("remove", "Bash(rm:*)", "--yes", "--json");
    expect(JSON.parse(removed.stdout)).toMatchObject({ saved: true, files: [{ path: shared }] });
    // What nobody changed stays.
    expect(JSON.parse(readFileSync(shared, "utf8"))).toMatchObject({ model: "opus" });
    expect(readFileSync(shared, "utf8")).not.toContain("Bash(rm:*)");
  });

  it("refuses what nobody can have meant, and says what to do", async () => {
    expect(await rules("add", "Bash(ls")).toMatchObject({ code: 2 });
    expect((await rules("add", "Bash(ls", "--deny", "--yes")).code).toBe(1);
    expect((await rules("add", "Read", "--allow", "--deny")).stderr).toContain("only one of");
    expect((await rules("remove", "Read")).stderr).toContain("quarterdeck rules list");
    expect((await rules("list", "--times", "3")).stderr).toContain("--times cannot be used with `rules list`.");
    expect((await runQuarterdeck(scratch, ["rules", "--cwd", "/nowhere"])).stderr).toContain("does not exist");
    expect(await rules("policy", "add", "--preset", "none")).toMatchObject({ code: 2 });
  });

  it("keeps policies for the folder", { tags: "long" }, async () => {
    expect((await rules("policy")).stdout).toContain("No policies.");
    await rules("policy", "add", "--preset", "publish", "--times", "3");
    const { stdout } = await rules("policy", "list");
    expect(stdout).toContain("Always ask before something is published  on");
    expect(stdout).toContain(`always asks in ${project}; used 0 of 3 times`);
    const tested = await rules("test", "git push origin main");
    expect(tested.code).toBe(3);
    expect(tested.stdout).toMatch(
      /^Asks\. {2}Your policy “Always ask before something is published” decides\. .*\nWithout it:\n/u,
    );
  });
});

describe("rules with a server", () => {
  it("go through the server, which knows the same policies", { tags: "long" }, async () => {
    const server = await startQuarterdeck(scratch, ["--no-open", "--demo", "--root", scratch.folder]);
    try {
      const client = await pairAndConnect(server.link);
      const before = (await client.call("policies/list", {})).policies;
      expect(before).toMatchObject([{ name: "Always ask before something is published", state: "on", times: 3 }]);
      expect(await rules("policy", "add", "Bash(rm:*)", "--deny", "--name", "No rm")).toMatchObject({
        code: 0,
        stderr: "",
      });
      expect((await rules("policy", "off", "No rm")).stdout).toBe("No rm is off.\n");
      const { policies, presets } = await client.call("policies/list", { cwd: project });
      expect(policies).toMatchObject([{ state: "on" }, { name: "No rm", behavior: "deny", state: "off" }]);
      expect(presets.map(({ id }) => id)).toEqual(["tests", "outside", "publish"]);
      await client.command("policies/remove", { id: policies[1]!.id });
      await expect(client.command("policies/change", { id: policies[1]!.id, isOn: true })).rejects.toMatchObject({
        code: "not-found",
      });
      await expect(
        client.command("policies/add", { name: "x", behavior: "allow", rules: ["AskUserQuestion"], folder: project }),
      ).rejects.toMatchObject({ code: "bad-request" });
      expect((await rules("add", "Bash(pwd)", "--ask", "--scope", "project", "--yes")).stdout).toContain("Saved.");
      expect(readFileSync(shared, "utf8")).toContain("Bash(pwd)");
      expect(await client.call("audit/list", {})).toEqual({ entries: [], skipped: [] });
      const { url } = await client.call("tickets/create", { kind: "audit", format: "csv" });
      const csv = await fetch(new URL(url, server.url));
      expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      expect(await csv.text()).toMatch(/^"time","decision","decided by"/u);
      client.close();
    } finally {
      server.kill("SIGTERM");
      await server.exit;
    }
  });
});
