// What the schemas of rows, head and events share: fields, shapes of the CLI, and the check that a schema equals its
// type.

import { z } from "zod";
import type { CliRequest, JsonValue, McpServerStatus, ToolResult } from "@quarterdeck/protocol";

export const text = z.string();
export const number = z.number();
export const flag = z.boolean();
export const texts = z.array(text);
export const time = z.number().describe("Milliseconds since 1970.");
export const yes = z.literal(true);
export const fields = z.record(text, z.unknown());

/** A shape of the CLI, with the names of the wire. docs/protocol.md lists its fields. */
export const theirs = <T>(title: string, description: string) => z.custom<T>().meta({ title, description });
export const AnyJson = theirs<JsonValue>("Any JSON", "Any JSON value, as the CLI wrote or read it.");
export const CliRequestValue = theirs<CliRequest>(
  "Request of the CLI",
  "With the names that the CLI uses, distinguished by `subtype`.",
);
export const ToolResultValue = theirs<ToolResult>(
  "Tool result",
  "The result of the tool: `ok`, `text`, and its structured result if the tool is known.",
);
export const McpServerValue = theirs<McpServerStatus>(
  "MCP server",
  "As the CLI lists it: `name`, `status`, tools, error.",
);

export const Actor = z
  .object({ id: text, name: text.exactOptional() })
  .meta({ title: "Actor", description: "Who did something: a device, a program, a rule." });
export const PromptContent = z
  .union([text, z.array(AnyJson)])
  .meta({ title: "Prompt content", description: "Text, or content blocks of the CLI." });

/** Without `readonly`, and with every intersection made one object. */
type Plain<T> = T extends readonly (infer I)[]
  ? Plain<I>[]
  : T extends object
    ? { -readonly [K in keyof T]: Plain<T[K]> }
    : T;
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the only way to test whether two types are the same
type Same<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : never;
/** `never` if a schema and its type differ. */
export type Checked<S extends z.ZodType, T> = Same<z.output<S>, T>;
