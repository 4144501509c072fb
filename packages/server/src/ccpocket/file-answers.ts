// Answers an app's questions about files and changes below the roots.

import { BridgeError } from "@quarterdeck/client";
import { readGitDiff } from "../files/git.ts";
import { openSharedGit } from "../files/shared-git.ts";
import type { GitSight } from "../files/shared-git.ts";
import { filesBelow } from "../files/walker.ts";
import type { MessageAnswers } from "./client-message.ts";
import type { PocketApp } from "./pocket-app.ts";

export const fileAnswers = (
  app: PocketApp,
): MessageAnswers<"list_files" | "list_directory" | "read_file" | "get_diff"> => ({
  list_files: async ({ projectPath, requestId }) => {
    const sight = app.sight();
    const { files, incomplete } = await filesBelow(await resolve(sight, projectPath), sight);
    app.send({
      type: "file_list",
      projectPath,
      files,
      totalFiles: files.length,
      truncated: incomplete,
      ...(requestId !== undefined && { requestId }),
    });
  },

  list_directory: async ({ path, includeHidden, includeFiles, requestId }) => {
    const { entries } = await app.client.call("files/list", {
      path,
      ...(includeHidden === true && { hidden: true }),
    });
    const named = (kind: string) =>
      entries.filter((entry) => entry.kind === kind).map(({ name, path: at }) => ({ name, path: at }));
    app.send({
      type: "directory_listing",
      path,
      directories: named("folder"),
      ...(includeFiles === true && { files: named("file") }),
      ...(requestId !== undefined && { requestId }),
    });
  },

  read_file: async ({ projectPath, filePath, maxLines, requestId }) => {
    const named = { projectPath, filePath, ...(requestId !== undefined && { requestId }) };
    const path = filePath.startsWith("/") ? filePath : `${projectPath}/${filePath}`;
    try {
      const read = await app.client.call("files/read", { path });
      if (read.text === undefined) {
        app.send({
          type: "file_content",
          ...named,
          content: "",
          error: `This is ${read.mediaType}, not text.`,
          sizeBytes: read.size,
        });
        return;
      }
      const lines = read.text.split("\n");
      const cut = maxLines !== undefined && lines.length > maxLines;
      const content = cut ? lines.slice(0, maxLines).join("\n") : read.text;
      app.send({
        type: "file_content",
        ...named,
        kind: "text",
        content,
        totalLines: lines.length,
        truncated: cut || read.truncated,
        sizeBytes: read.size,
      });
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error;
      app.send({ type: "file_content", ...named, content: "", error: error.message });
    }
  },

  get_diff: async ({ projectPath, requestId }) => {
    const named = { projectPath, ...(requestId !== undefined && { requestId }) };
    const sight = app.sight();
    const git = await openSharedGit(await resolve(sight, projectPath), sight);
    if (git === undefined) {
      app.send({
        type: "diff_result",
        ...named,
        diff: "",
        error: "This folder is in no git repository.",
        errorCode: "git_not_available",
      });
      return;
    }
    app.send({ type: "diff_result", ...named, diff: await readGitDiff(git, (path) => sight.seen.shows(path)) });
  },
});

const resolve = async ({ seen }: GitSight, path: string): Promise<string> => {
  try {
    return await seen.resolve(path);
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    throw new BridgeError(code === "outside-roots" ? code : "not-found", message);
  }
};
