// Pull requests through `gh`, where it is installed. It runs in an empty folder with everything in its arguments, so it never looks at the
// repository or its settings.

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { cleanPath } from "@quarterdeck/host";
import { refuse, saidByGit } from "./git-refusal.ts";
import { runProgram, withFolder } from "./run-git.ts";

export const findGh = async (): Promise<string | undefined> => {
  for (const folder of cleanPath(process.env["PATH"]).split(delimiter)) {
    const path = join(folder, "gh");
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() !== true) continue;
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return undefined;
};

/** `host/owner/name`, as gh names a repository. */
export const repositoryAt = (url: string): string | undefined => {
  const found =
    /^(?:https|ssh):\/\/(?:[^/@]*@)?([\w.-]+)(?::\d+)?\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url) ??
    /^(?:[^/@:]*@)?([\w.-]+):\/?([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url);
  const [, host, owner, name] = found ?? [];
  return host === undefined || host.startsWith("-") ? undefined : `${host}/${owner}/${name}`;
};

export interface Wanted {
  readonly repository: string;
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
}

const GH_MS = 120_000;

export const createPullRequest = async (wanted: Wanted, env: Readonly<Record<string, string>>): Promise<string> => {
  const gh = await findGh();
  if (gh === undefined) throw refuse("gh is not installed. See cli.github.com.");
  const args = [
    ...["pr", "create", `--repo=${wanted.repository}`, `--head=${wanted.branch}`, `--base=${wanted.base}`],
    ...[`--title=${wanted.title.replaceAll(/\p{Cc}/gu, " ")}`, "--body-file=-", ...(wanted.draft ? ["--draft"] : [])],
  ];
  const { ok, stdout, stderr } = await withFolder((cwd) =>
    runProgram(gh, args, {
      cwd,
      input: wanted.body,
      timeoutMs: GH_MS,
      env: { ...env, GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", NO_COLOR: "1" },
    }),
  );
  if (!ok) throw refuse(`gh did not create the pull request. ${saidByGit(stderr)}`);
  const url = /^https:\/\/\S{1,2000}$/m.exec(stdout.toString())?.[0];
  if (url === undefined) throw refuse("gh gave no address of the pull request. Look for it on the web.");
  return url;
};
