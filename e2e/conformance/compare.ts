// Compares the simulator with the newest CLI, for each message id, tool id, prompt uuid and request id. Both must write
// the same kinds of lines, in the same order, with the same fields and types. The order between ids is racy and not
// compared. Lines without an id are compared within their kind.
import type { Message } from "./drive.ts";
import type { CaseRun } from "./run-case.ts";

export interface Difference {
  /** A kind of line, for example `system/init`. */
  readonly kind: string;
  /** What the simulator does: a missing or extra line or field, another type, another order. */
  readonly issue: "lacks-line" | "adds-line" | "lacks-field" | "adds-field" | "other-type" | "other-order";
  /** The field, with its types if they differ. Empty for a whole line. */
  readonly what: string;
}

interface Entry {
  readonly kind: string;
  readonly fields: ReadonlyMap<string, string>;
}

export const differencesOf = (cli: CaseRun, simulator: CaseRun): readonly Difference[] => {
  const theirs = bucketsOf(cli);
  const ours = bucketsOf(simulator);
  return [...new Set([...theirs.keys(), ...ours.keys()])].flatMap((key) =>
    compareSequences(theirs.get(key) ?? [], ours.get(key) ?? []),
  );
};

const compareSequences = (theirs: readonly Entry[], ours: readonly Entry[]): readonly Difference[] => {
  const pairs = aligned(theirs, ours);
  const matchedTheirs = new Set(pairs.map(([their]) => their));
  const matchedOurs = new Set(pairs.map(([, our]) => our));
  const lacking = theirs.filter((entry) => !matchedTheirs.has(entry));
  const added = ours.filter((entry) => !matchedOurs.has(entry));
  const moved = lacking.filter((entry) => added.some((other) => other.kind === entry.kind));
  const isMoved = (entry: Entry): boolean => moved.some((other) => other.kind === entry.kind);
  return [
    ...moved.map(({ kind }): Difference => ({ kind, issue: "other-order", what: "" })),
    ...lacking
      .filter((entry) => !isMoved(entry))
      .map(({ kind }): Difference => ({ kind, issue: "lacks-line", what: "" })),
    ...added.filter((entry) => !isMoved(entry)).map(({ kind }): Difference => ({ kind, issue: "adds-line", what: "" })),
    ...pairs.flatMap(([their, our]) => compareFields(their, our)),
  ];
};

const compareFields = (theirs: Entry, ours: Entry): readonly Difference[] => {
  const { kind } = theirs;
  const differences: Difference[] = [];
  for (const [what, type] of theirs.fields) {
    const other = ours.fields.get(what);
    // If a field is missing, the fields below it are not reported.
    if (other === undefined) {
      if (hasParent(ours.fields, what)) differences.push({ kind, issue: "lacks-field", what });
    } else if (other !== type) differences.push({ kind, issue: "other-type", what: `${what}: ${type}, not ${other}` });
  }
  for (const what of ours.fields.keys()) {
    if (!theirs.fields.has(what) && hasParent(theirs.fields, what)) {
      differences.push({ kind, issue: "adds-field", what });
    }
  }
  return differences;
};

const hasParent = (fields: ReadonlyMap<string, string>, path: string): boolean => {
  const at = Math.max(path.lastIndexOf("."), path.lastIndexOf("[]"));
  return at <= 0 || fields.has(path.slice(0, at));
};

/** The longest common subsequence of kinds. */
const aligned = (theirs: readonly Entry[], ours: readonly Entry[]): readonly (readonly [Entry, Entry])[] => {
  const length: number[][] = Array.from({ length: theirs.length + 1 }, () => Array<number>(ours.length + 1).fill(0));
  const at = (i: number, j: number): number => length[i]?.[j] ?? 0;
  for (let i = theirs.length - 1; i >= 0; i--) {
    for (let j = ours.length - 1; j >= 0; j--) {
      length[i]![j] = theirs[i]?.kind === ours[j]?.kind ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: (readonly [Entry, Entry])[] = [];
  for (let i = 0, j = 0; i < theirs.length && j < ours.length;) {
    const their = theirs[i]!;
    const our = ours[j]!;
    if (their.kind === our.kind) {
      pairs.push([their, our]);
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
};

/** Kinds that come in any number. Only their presence and place are compared. */
const UNCOUNTED = new Set([
  "stream_event/content_block_delta",
  "stream_event/ping",
  "system/thinking_tokens",
  "system/task_progress",
]);

const bucketsOf = (run: CaseRun): ReadonlyMap<string, readonly Entry[]> => {
  const buckets = new Map<string, Entry[]>();
  const names = new Names();
  for (const [phase, recording] of run.phases.entries()) {
    const requests = new Map<string, string>();
    for (const { dir, msg } of recording.lines) {
      if (msg === undefined) continue;
      if (msg.type === "control_request")
        requests.set(String(msg.request_id), String((msg.request as Message).subtype));
      if (dir === "in") {
        names.sent(msg);
        continue;
      }
      const kind = kindOf(msg, requests);
      const key = `${String(phase)} ${names.bucketOf(msg, kind)}`;
      const bucket = buckets.get(key) ?? [];
      buckets.set(key, bucket);
      if (UNCOUNTED.has(kind) && bucket.at(-1)?.kind === kind) continue;
      const fields = new Map([...fieldsOf(msg), ...valuesOf(msg, kind, run.variables)]);
      bucket.push({ kind, fields });
    }
  }
  return buckets;
};

/** Ids differ from run to run. They are named by the order in which they first appear below the same parent. */
class Names {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #taskTools = new Map<string, string>();
  readonly #prompts = new Set<unknown>();
  #streaming = "";

  /** A line of the host. The uuid of a prompt is the same in both runs. */
  sent(msg: Message): void {
    if (msg.type === "user") this.#prompts.add(msg.uuid);
  }

  bucketOf(msg: Message, kind: string): string {
    switch (msg.type) {
      case "assistant":
        return this.#assistant(msg, kind);
      case "stream_event": {
        const event = msg.event as Message;
        if (event.type === "message_start") this.#streaming = String((event.message as Message).id);
        return `message ${this.#name("message", this.#streaming, this.#parentOf(msg))}`;
      }
      case "user":
        return this.#user(msg, kind);
      case "command_lifecycle":
        return `prompt ${String(msg.command_uuid)}`;
      case "control_response":
        return `request ${requestNameOf(msg)}`;
      case "control_request": {
        const { tool_use_id: tool, subtype } = msg.request as Message;
        return subtype === "can_use_tool" || (subtype === "hook_callback" && this.#names.has(`tool ${String(tool)}`))
          ? this.#tool(String(tool))
          : `kind ${kind}`;
      }
    }
    const tool = this.#toolOfTask(msg);
    return tool === undefined ? `kind ${kind}` : this.#tool(tool);
  }

  #assistant(msg: Message, kind: string): string {
    const message = msg.message as Message;
    const parent = this.#parentOf(msg);
    if (message.model === "<synthetic>") return `kind ${kind}`;
    for (const block of message.content as readonly Message[]) {
      if (block.type === "tool_use") this.#name("tool", String(block.id), parent);
    }
    return `message ${this.#name("message", String(message.id), parent)}`;
  }

  #user(msg: Message, kind: string): string {
    const { content } = msg.message as Message;
    const result = Array.isArray(content)
      ? (content as readonly Message[]).find((block) => block.type === "tool_result")
      : undefined;
    if (result !== undefined) return this.#tool(String(result.tool_use_id));
    if (msg.isReplay === true && this.#prompts.has(msg.uuid)) return `prompt ${String(msg.uuid)}`;
    return `kind ${kind}`;
  }

  #toolOfTask(msg: Message): string | undefined {
    if (typeof msg.tool_use_id === "string" && typeof msg.task_id === "string") {
      this.#taskTools.set(msg.task_id, msg.tool_use_id);
    }
    if (typeof msg.parent_tool_use_id === "string") return msg.parent_tool_use_id;
    if (typeof msg.tool_use_id === "string") return msg.tool_use_id;
    return typeof msg.task_id === "string" ? this.#taskTools.get(msg.task_id) : undefined;
  }

  #parentOf(msg: Message): string {
    return typeof msg.parent_tool_use_id === "string" ? this.#tool(msg.parent_tool_use_id) : "";
  }

  #tool(id: string): string {
    return `tool ${this.#names.get(`tool ${id}`) ?? "unseen"}`;
  }

  #name(what: string, id: string, parent: string): string {
    const known = this.#names.get(`${what} ${id}`);
    if (known !== undefined) return known;
    const count = (this.#counts.get(`${what} ${parent}`) ?? 0) + 1;
    this.#counts.set(`${what} ${parent}`, count);
    const name = `${parent}/${String(count)}`;
    this.#names.set(`${what} ${id}`, name);
    return name;
  }
}

const kindOf = (msg: Message, requests: ReadonlyMap<string, string>): string => {
  const type = String(msg.type);
  switch (type) {
    case "system":
    case "result":
      return `${type}/${String(msg.subtype)}`;
    case "stream_event":
      return `${type}/${String((msg.event as Message).type)}`;
    case "command_lifecycle":
      return `${type}/${String(msg.state)}`;
    case "control_request":
      return `${type}/${String((msg.request as Message).subtype)}`;
    case "control_response": {
      const response = msg.response as Message;
      return `${type}/${requests.get(String(response.request_id)) ?? "?"}/${String(response.subtype)}`;
    }
    case "assistant":
      return `${type}/${(msg.message as Message).model === "<synthetic>" ? "synthetic" : blockTypeOf(msg)}`;
    case "user": {
      if (msg.isReplay === true) return `${type}/replay`;
      if (msg.isSynthetic === true) return `${type}/synthetic`;
      return `${type}/${blockTypeOf(msg)}`;
    }
    default:
      return type;
  }
};

/** The host's ids are the same in both runs. An echoed answer has an id of the CLI. */
const requestNameOf = (msg: Message): string => {
  const id = String((msg.response as Message).request_id);
  return id.startsWith("host-") ? id : "of the CLI";
};

const blockTypeOf = (msg: Message): string => {
  const { content } = msg.message as Message;
  return Array.isArray(content) ? String((content[0] as Message | undefined)?.type) : "text";
};

/** Inputs of tools and names that people choose are not part of the protocol. */
const OPAQUE = new Set(["input", "tool_input", "updatedInput", "answers", "env", "schema", "config"]);
/** Objects with a model, a tool or a file as key. */
const KEYED = new Set(["modelUsage", "model_usage_since_last_result", "memory_paths", "by_tool", "by_model"]);
const MAX_DEPTH = 6;

const fieldsOf = (msg: Message): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>();
  const walk = (value: unknown, path: string, name: string, depth: number): void => {
    if (path !== "") fields.set(path, merged(fields.get(path), typeOf(value)));
    if (typeof value !== "object" || value === null || OPAQUE.has(name) || depth > MAX_DEPTH) return;
    if (Array.isArray(value)) {
      for (const entry of value) walk(entry, `${path}[]`, "", depth + 1);
      return;
    }
    for (const [key, entry] of Object.entries(value)) {
      const field = KEYED.has(name) ? "*" : key;
      walk(entry, path === "" ? field : `${path}.${field}`, field, depth + 1);
    }
  };
  walk(msg, "", "", 0);
  return fields;
};

/** Fields whose value counts, not only the type: what is asked and offered, and why something is refused. */
const VALUED: Readonly<Record<string, readonly string[]>> = {
  "control_request/can_use_tool": [
    "description",
    "permission_suggestions",
    "blocked_path",
    "decision_reason",
    "decision_reason_type",
  ],
  "system/permission_denied": ["decision_reason", "decision_reason_type", "decision_reason_code", "message"],
  "user/tool_result": ["tool_result_meta"],
};
/** Ids and folders differ between runs. */
const OWN = ["id", "tool_use_id"];

const valuesOf = (
  msg: Message,
  kind: string,
  variables: Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] => {
  const fields = (msg.type === "control_request" ? msg.request : msg) as Message;
  return (VALUED[kind] ?? [])
    .filter((name) => fields[name] !== undefined)
    .map((name) => {
      const text = JSON.stringify(fields[name], (key, value: unknown) =>
        OWN.includes(key) ? undefined : inOrder(value),
      );
      const plain = Object.entries(variables).reduce(
        (sum, [variable, path]) => sum.replaceAll(path, `{{${variable}}}`),
        text,
      );
      return [`value of ${name}`, plain];
    });
};

/** The order of an object's keys does not matter. */
const inOrder = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

const merged = (before: string | undefined, type: string): string =>
  before === undefined || before === type ? type : [...new Set([...before.split("|"), type])].toSorted().join("|");

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
};
