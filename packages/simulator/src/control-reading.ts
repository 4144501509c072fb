// Control requests that only read: files of the folder, the conversation, the rules, the changes in the repository.
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { ControlError } from "./control-answer.ts";
import type { Answer } from "./control-answer.ts";
import { textAt } from "./json.ts";
import { textOf } from "./prompt.ts";
import { workspaceDiff } from "./workspace-diff.ts";

const readFileAnswer: Answer = ({ session, request }) => {
  const requested = textAt(request, "path") ?? "";
  const path = resolve(session.cwd, requested);
  const isInside = !relative(session.cwd, path).startsWith("..");
  if (!isInside || !existsSync(path) || relative(realpathSync(session.cwd), realpathSync(path)).startsWith("..")) {
    throw new ControlError(`read denied: ${requested}`);
  }
  const bytes = readFileSync(path);
  const max = typeof request.max_bytes === "number" ? request.max_bytes : bytes.length;
  const shown = bytes.subarray(0, max);
  const isBase64 = request.encoding === "base64";
  return {
    contents: shown.toString(isBase64 ? "base64" : "utf8"),
    absPath: path,
    ...(max < bytes.length ? { truncated: true } : {}),
    ...(isBase64 ? { encoding: "base64" } : { lossy: false }),
    requested_path: requested,
  };
};

/** Without a query only what lies in the folder itself, folders first. */
const fileSuggestions: Answer = ({ session, request }) => {
  const query = (textAt(request, "query") ?? "").toLowerCase();
  const found: string[] = [];
  const visit = (folder: string, depth: number): void => {
    const entries = readdirSync(folder, { withFileTypes: true }).toSorted(
      (a, b) => Number(b.isDirectory()) - Number(a.isDirectory()),
    );
    for (const entry of entries) {
      if (entry.name === ".git" || entry.name === "node_modules" || found.length >= 15) continue;
      const path = join(folder, entry.name);
      const shown = relative(session.cwd, path) + (entry.isDirectory() ? "/" : "");
      if (shown.toLowerCase().includes(query)) found.push(shown);
      if (entry.isDirectory() && depth < 6 && query !== "") visit(path, depth + 1);
    }
  };
  visit(session.cwd, 0);
  return { suggestions: found.map((path) => ({ path })), cwd: session.cwd };
};

const exportConversation: Answer = ({ session }) => {
  const lines = session.messages.map((message) => `\n${message.role === "user" ? "❯" : "●"} ${textOf(message)}\n`);
  return { text: lines.join("").trimEnd(), default_filename: "conversation.txt" };
};

const permissionRules: Answer = ({ session }) => ({
  state: {
    rules: session.permissions.rules.map(({ behavior, scope, text, rule }) => ({
      behavior,
      source: scope,
      rule: text,
      description:
        rule.ruleContent === undefined
          ? { prefix: "Any use of the ", emphasis: rule.toolName, suffix: " tool" }
          : {
              prefix: `Any ${rule.toolName} command starting with `,
              emphasis: rule.ruleContent.replace(/(?::\*| \*)$/, ""),
            },
      editability: scope.endsWith("Settings") ? "persistent" : "session",
    })),
    workspaceDirectories: session.permissions.directories.map((path) => ({
      path: resolve(session.cwd, path),
      source: "projectSettings",
    })),
    originalCwd: session.cwd,
    managedOnly: false,
  },
});

export const READING: Readonly<Record<string, Answer>> = {
  read_file: readFileAnswer,
  file_suggestions: fileSuggestions,
  export_conversation: exportConversation,
  list_permission_rules: permissionRules,
  get_workspace_diff: ({ session }) => workspaceDiff(session.cwd),
  get_plan: ({ session }) =>
    existsSync(session.planFile)
      ? { exists: true, content: readFileSync(session.planFile, "utf8"), path: session.planFile }
      : { exists: false },
};
