// The larger forms of structured results: unions with a tag field, and forms that several tools share.

import {
  anything,
  array,
  boolean,
  byTag,
  literal,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
} from "../schema.ts";
import type { Infer } from "../schema.ts";

export const PatchHunk = object({
  oldStart: number,
  oldLines: number,
  newStart: number,
  newLines: number,
  lines: array(string),
});
export type PatchHunk = Infer<typeof PatchHunk>;

const GitDiff = object({
  filename: string,
  status: oneOf("modified", "added"),
  additions: number,
  deletions: number,
  changes: number,
  patch: string,
  repository: optional(nullable(string)),
});

export const ShellResult = object({
  stdout: string,
  stderr: string,
  interrupted: boolean,
  isImage: optional(boolean),
  noOutputExpected: optional(boolean),
  backgroundTaskId: optional(string),
  backgroundedByUser: optional(boolean),
  timedOutAfterMs: optional(number),
  dangerouslyDisableSandbox: optional(boolean),
  returnCodeInterpretation: optional(string),
  structuredContent: optional(array(anything)),
  rawOutputPath: optional(string),
  persistedOutputPath: optional(string),
  persistedOutputSize: optional(number),
  gitOperation: optional(
    object({
      commit: optional(
        object({ sha: string, kind: oneOf("committed", "amended", "cherry-picked"), branch: optional(string) }),
      ),
      push: optional(object({ branch: string })),
      branch: optional(object({ ref: string, action: oneOf("merged", "rebased") })),
      pr: optional(object({ number: number, url: optional(string), action: string })),
    }),
  ),
});

export const AgentResult = byTag("status", {
  completed: object({
    status: literal("completed"),
    agentId: string,
    agentType: optional(string),
    prompt: optional(string),
    content: array(object({ type: string, text: optional(string) })),
    resolvedModel: optional(string),
    modelsUsed: optional(array(string)),
    totalToolUseCount: optional(number),
    totalDurationMs: optional(number),
    totalTokens: optional(number),
    usage: optional(record),
    toolsUsed: optional(array(string)),
    toolStats: optional(record),
    worktreePath: optional(string),
    worktreeBranch: optional(string),
  }),
  async_launched: object({
    status: literal("async_launched"),
    agentId: string,
    description: optional(string),
    prompt: optional(string),
    outputFile: optional(string),
    canReadOutputFile: optional(boolean),
    resolvedModel: optional(string),
    modelsUsed: optional(array(string)),
  }),
  remote_launched: object({
    status: literal("remote_launched"),
    taskId: string,
    sessionUrl: string,
    description: optional(string),
    prompt: optional(string),
    outputFile: optional(string),
  }),
});

export const ReadResult = byTag("type", {
  text: object({
    type: literal("text"),
    file: object({
      filePath: string,
      content: string,
      numLines: number,
      startLine: number,
      totalLines: optional(number),
      truncatedByTokenCap: optional(boolean),
    }),
  }),
  image: object({
    type: literal("image"),
    file: object({
      base64: string,
      type: string,
      originalSize: optional(number),
      dimensions: optional(
        object({
          originalWidth: optional(number),
          originalHeight: optional(number),
          displayWidth: optional(number),
          displayHeight: optional(number),
        }),
      ),
    }),
  }),
  notebook: object({ type: literal("notebook"), file: object({ filePath: string, cells: array(anything) }) }),
  pdf: object({
    type: literal("pdf"),
    file: object({ filePath: string, base64: string, originalSize: optional(number) }),
  }),
  parts: object({
    type: literal("parts"),
    file: object({ filePath: string, originalSize: optional(number), count: number, outputDir: string }),
    firstPage: optional(number),
  }),
});

export const ProjectsResult = byTag("method", {
  project_info: object({
    method: literal("project_info"),
    name: string,
    description: string,
    instructions: string,
    docs: array(object({ path: string, created_at: nullable(string) })),
    files: optional(array(object({ path: string, file_kind: string, created_at: nullable(string) }))),
    sync_sources: optional(array(record)),
    knowledge: optional(object({ knowledge_size: number, max_knowledge_size: number })),
    notice: optional(string),
    local_file: optional(string),
  }),
  project_read: object({
    method: literal("project_read"),
    path: string,
    file_kind: optional(string),
    content: optional(string),
    local_file: optional(string),
    created_at: optional(nullable(string)),
    notice: optional(string),
  }),
  project_search: object({
    method: literal("project_search"),
    rag: boolean,
    hits: optional(
      array(
        object({
          name: optional(string),
          doc_uuid: optional(string),
          text: optional(string),
          image_attached: optional(boolean),
          page: optional(number),
        }),
      ),
    ),
    docs: optional(array(string)),
    notice: optional(string),
  }),
  project_write: object({
    method: literal("project_write"),
    path: string,
    doc_uuid: string,
    replaced: boolean,
    present_to_user: optional(boolean),
    local_path: optional(string),
    notice: optional(string),
  }),
  project_delete: object({
    method: literal("project_delete"),
    path: string,
    deleted: boolean,
    notice: optional(string),
  }),
  project_memory_list: object({
    method: literal("project_memory_list"),
    files: array(object({ path: string, size_bytes: number, updated_at: nullable(string), truncated: boolean })),
    truncated: boolean,
    notice: optional(string),
  }),
  project_memory_read: object({
    method: literal("project_memory_read"),
    path: string,
    content: optional(string),
    local_file: optional(string),
    size_bytes: number,
    updated_at: nullable(string),
    truncated: boolean,
    notice: optional(string),
  }),
});

const taskStatus = oneOf("pending", "in_progress", "completed");
export const ListedTask = object({
  id: string,
  subject: string,
  status: taskStatus,
  owner: optional(string),
  blockedBy: array(string),
});
export type ListedTask = Infer<typeof ListedTask>;
export const TaskDetail = object({
  id: string,
  subject: string,
  description: string,
  status: taskStatus,
  blocks: array(string),
  blockedBy: array(string),
});
export type TaskDetail = Infer<typeof TaskDetail>;

export const patched = {
  structuredPatch: array(PatchHunk),
  userModified: optional(boolean),
  gitDiff: optional(GitDiff),
  staged: optional(boolean),
};
