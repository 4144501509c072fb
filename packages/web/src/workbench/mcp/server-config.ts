// An MCP server as a form, and back. Pure.

import type { ParamsOf } from "@quarterdeck/client";
import { fieldsOf, textOf, type Fields } from "../../content/fields.ts";
import { WORDS } from "./words.ts";

export type Change = Omit<ParamsOf<"mcp/preview">, "session">;
export type McpScope = Change["scope"];

export interface ServerForm {
  readonly name: string;
  readonly scope: McpScope;
  readonly type: "stdio" | "http" | "sse";
  readonly command: string;
  /** One argument a line. */
  readonly args: string;
  readonly url: string;
  /** `NAME=value` lines: variables of a program, headers of an address. */
  readonly values: string;
}

export const EMPTY_SERVER: ServerForm = {
  name: "",
  scope: "session",
  type: "stdio",
  command: "",
  args: "",
  url: "",
  values: "",
};

export const formOf = (name: string, scope: McpScope, config: Fields): ServerForm => {
  const type = config["type"] === "http" || config["type"] === "sse" ? config["type"] : "stdio";
  const args = Array.isArray(config["args"]) ? config["args"].map(String) : [];
  const values = fieldsOf(config[type === "stdio" ? "env" : "headers"]);
  return {
    name,
    scope,
    type,
    command: textOf(config["command"]),
    args: args.join("\n"),
    url: textOf(config["url"]),
    values: Object.entries(values)
      .map(([key, value]) => `${key}=${String(value)}`)
      .join("\n"),
  };
};

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");

/** What the form says, or what is wrong with it. */
export const changeOf = (form: ServerForm): Change | string => {
  const name = form.name.trim();
  if (!/^[\w-]{1,64}$/u.test(name)) return WORDS.dialog.badName;
  const pairs = linesOf(form.values).map((line) => {
    const at = line.indexOf("=");
    return at < 1 ? undefined : ([line.slice(0, at).trim(), line.slice(at + 1)] as const);
  });
  if (pairs.includes(undefined)) return WORDS.dialog.badValues;
  const values = Object.fromEntries(pairs.filter((pair) => pair !== undefined));
  const about = { scope: form.scope, name };
  if (form.type === "stdio") {
    const command = form.command.trim();
    if (command === "") return WORDS.dialog.noProgram;
    const env = Object.keys(values).length === 0 ? {} : { env: values };
    return { ...about, config: { type: "stdio", command, args: linesOf(form.args), ...env } };
  }
  const url = form.url.trim();
  if (!/^https?:\/\/./u.test(url)) return WORDS.dialog.badAddress;
  return {
    ...about,
    config: { type: form.type, url, ...(Object.keys(values).length > 0 && { headers: values }) },
  };
};
