// The workflows of CI: they can be read, and they run commands that exist. No YAML library is installed, so a strict reader of the
// part of YAML that they use is here. A line that it does not know fails.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const root = new URL("../", import.meta.url);
const folder = new URL(".github/workflows/", root);

type Yaml = string | null | readonly Yaml[] | { readonly [key: string]: Yaml };
interface Line {
  readonly indent: number;
  readonly text: string;
}

const linesOf = (text: string): Line[] =>
  text.split("\n").flatMap((line, index) => {
    if (/^\s*(?:#.*)?$/u.test(line)) return [];
    const [, spaces, content] = /^( *)(\S.*)$/u.exec(line) ?? [];
    if (spaces === undefined || content === undefined || spaces.length % 2 !== 0)
      throw new Error(`line ${String(index + 1)} is indented in another way: ${line}`);
    return [{ indent: spaces.length, text: content }];
  });

const scalar = (text: string): Yaml => {
  if (text === "") return null;
  if (/^\[[^[\]]*\]$/u.test(text))
    return text
      .slice(1, -1)
      .split(",")
      .map((each) => scalar(each.trim()));
  const plain = /^[\w./$@](?:[^#:{}[\]]|:(?!\s)|\{\{|\}\}|\{|\}|\[|\])*$/u;
  if (!plain.test(text)) throw new Error(`not a plain value: ${text}`);
  return text;
};

const read = (lines: Line[], indent: number): Yaml => {
  if (lines[0]?.text.startsWith("- ") === true) {
    const list: Yaml[] = [];
    while (lines[0]?.indent === indent && lines[0].text.startsWith("- ")) {
      lines[0] = { indent: indent + 2, text: lines[0].text.slice(2) };
      list.push(read(lines, indent + 2));
    }
    return list;
  }
  const map: Record<string, Yaml> = {};
  while (lines[0]?.indent === indent) {
    const { text } = lines.shift()!;
    const [, key, value = ""] = /^([\w-]+):(?: (.+))?$/u.exec(text) ?? [];
    if (key === undefined) throw new Error(`neither a key nor an item: ${text}`);
    if (Object.hasOwn(map, key)) throw new Error(`${key} is named twice`);
    const isNested = value === "" && lines[0] !== undefined && lines[0].indent > indent;
    map[key] = isNested ? read(lines, indent + 2) : scalar(value);
  }
  return map;
};

const yamlOf = (text: string): Yaml => {
  const lines = linesOf(text);
  const value = read(lines, 0);
  if (lines.length > 0) throw new Error(`not read: ${lines[0]!.text}`);
  return value;
};

interface Job {
  readonly "runs-on": string;
  readonly strategy: { readonly matrix: { readonly os: readonly string[]; readonly node: readonly string[] } };
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
}

describe("the workflows", () => {
  const files = readdirSync(folder);
  const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
    scripts: Readonly<Record<string, string>>;
  };
  const jobsOf = (file: string): readonly Job[] => {
    const { jobs } = yamlOf(readFileSync(new URL(file, folder), "utf8")) as unknown as { jobs: Record<string, Job> };
    return Object.values(jobs);
  };

  it("run only scripts that the repository has", () => {
    expect(files).toContain("ci.yml");
    for (const job of files.flatMap(jobsOf)) {
      for (const { run, uses } of job.steps) {
        expect([run, uses].filter((each) => each !== undefined)).toHaveLength(1);
        const [, script] = /^npm (?:run )?([\w:]+)/u.exec(run ?? "") ?? [];
        if (script !== undefined && script !== "ci") expect(scripts).toHaveProperty([script]);
        if (uses !== undefined) expect(uses).toMatch(/^actions\/[\w-]+@v\d+$/u);
      }
    }
  });

  it("test on Linux and macOS with every Node that is supported, as a contributor does", () => {
    const [job] = jobsOf("ci.yml");
    expect(job!.strategy.matrix).toEqual({ os: ["ubuntu-latest", "macos-latest"], node: ["22", "24", "26"] });
    const runs = job!.steps.flatMap(({ run }) => (run?.startsWith("npm") === true ? [run] : []));
    expect(runs).toEqual(["npm ci", "npm test", "npm run release -- --dry-run"]);
  });

  it("are read strictly", () => {
    expect(yamlOf("a:\n  - b: c\n    d: [1, x]\ne:\n")).toEqual({ a: [{ b: "c", d: ["1", "x"] }], e: null });
    for (const wrong of [
      "a: b\na: c\n",
      "a:\n   b: c\n",
      "a:\n\tb: c\n",
      "a: b: c\n",
      "a: {b\n",
      "a\n",
      "a: b\n  c: d\n",
    ])
      expect(() => yamlOf(wrong), wrong).toThrow(/\w/u);
  });
});
