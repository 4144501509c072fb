// Short ways to write cases. The cases of one `group` call share a setup, so that they can share a process.
import type { Call, FileSpec, PermissionCase } from "../case.ts";

export const BASE: Readonly<Record<string, FileSpec>> = {
  "{{cwd}}/a.txt": "alpha\n",
  "{{cwd}}/old.txt": "old\n",
  "{{cwd}}/.env": "SECRET=lab\n",
  "{{cwd}}/src/app.ts": "export const app = 1\n",
  "{{cwd}}/src/deep/x.ts": "export const x = 1\n",
  "{{cwd}}/tool": { exec: "#!/bin/sh\ntouch tool-ran\n" },
  "{{cwd}}/package.json":
    '{"name":"lab","version":"1.0.0","scripts":{"build":"touch ran-build","build:prod":"touch ran-prod","test":"touch ran-test"}}',
  "{{cwd}}/nb.ipynb":
    '{"cells":[{"cell_type":"code","id":"c1","source":["print(1)"],"metadata":{},"outputs":[],"execution_count":null}],"metadata":{"language_info":{"name":"python"}},"nbformat":4,"nbformat_minor":5}',
  "{{home}}/other/x.txt": "other\n",
  "{{out}}/o.txt": "omega\n",
};

export const bash = (command: string, more: Readonly<Record<string, unknown>> = {}): Call => ({
  tool: "Bash",
  input: { command, description: "lab", ...more },
});
export const read = (file_path: string): Call => ({ tool: "Read", input: { file_path } });
export const write = (file_path: string): Call => ({ tool: "Write", input: { file_path, content: "new\n" } });
/** Makes a new file: the Edit tool wants to have read an existing one. */
export const edit = (file_path: string): Call => ({
  tool: "Edit",
  input: { file_path, old_string: "", new_string: "new\n" },
});
export const web = (url: string): Call => ({ tool: "WebFetch", input: { url, prompt: "lab" } });
export const mcp = (name: string): Call => ({ tool: `mcp__${name}`, input: { x: "1" } });
export const glob = (pattern: string, path?: string): Call => ({
  tool: "Glob",
  input: path === undefined ? { pattern } : { pattern, path },
});
export const grep = (pattern: string, path?: string): Call => ({
  tool: "Grep",
  input: path === undefined ? { pattern } : { pattern, path },
});
export const task = (subagent_type: string, tool = "Task"): Call => ({
  tool,
  input: { description: "Sub job", prompt: "LAB-SUB", subagent_type, run_in_background: false },
});
export const question: Call = {
  tool: "AskUserQuestion",
  input: {
    questions: [
      {
        question: "Which color?",
        header: "Color",
        multiSelect: false,
        options: [
          { label: "Red", description: "warm" },
          { label: "Blue", description: "cold" },
        ],
      },
    ],
  },
};

export interface Rules {
  readonly allow?: readonly unknown[];
  readonly ask?: readonly unknown[];
  readonly deny?: readonly unknown[];
  readonly defaultMode?: string;
  readonly additionalDirectories?: readonly string[];
}
export const user = (permissions: Rules): Pick<PermissionCase, "settings"> => ({ settings: { user: { permissions } } });
export const mode = (name: string): Pick<PermissionCase, "flags"> => ({ flags: ["--permission-mode", name] });

type Setup = Omit<PermissionCase, "id" | "group" | "note" | "call">;
export type Entry = Call | readonly [note: string, call: Call, more?: Partial<Setup>] | typeof REMOVED;

/** In place of a case that was removed, so that the others keep their numbers. */
export const REMOVED = "removed";

/** The ids are `prefix-01`, `prefix-02`, ... Add cases at the end only: the record knows them by id. */
export const group = (
  name: string,
  prefix: string,
  about: string,
  setup: Setup,
  entries: readonly Entry[],
): readonly PermissionCase[] =>
  entries.flatMap((entry, index) => {
    if (entry === REMOVED) return [];
    const [note, call, more] = "tool" in entry ? [textOf(entry), entry] : entry;
    const id = `${prefix}-${String(index + 1).padStart(2, "0")}`;
    return [{ id, group: name, note: `${about}: ${note}`, ...setup, ...more, call }];
  });

const textOf = ({ tool, input }: Call): string => {
  const [first] = [input["command"], input["file_path"], input["url"], input["pattern"]].filter(
    (value) => typeof value === "string",
  );
  return first === undefined || tool === "Bash" ? (first ?? tool) : `${tool} ${first}`;
};
