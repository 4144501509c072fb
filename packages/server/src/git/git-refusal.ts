import type { BridgeErrorCode } from "@quarterdeck/session/bridge";
import { Refusal } from "../refusal.ts";

/** Why git work was not done, in words for a person. */
export const refuse = (
  message: string,
  code: BridgeErrorCode = "unsupported",
  data: Readonly<Record<string, unknown>> = {},
): Refusal => new Refusal(code, message, data);

/** What git itself said, without hints. Its messages name files of the repository, so control characters are left out. */
export const saidByGit = (stderr: string): string =>
  stderr
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("hint:"))
    .slice(0, 12)
    .join("\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, "")
    .slice(0, 2000);
