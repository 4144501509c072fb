// Finds the protocol names in a `claude` program, from its own code: the minified JavaScript is text in the script and
// in the native binary. Thousands of `type:"..."` there do not belong to the protocol, so the surroundings of a name
// count. `type:"system",subtype:"x"` is a system message, `{subtype:schema("x")` or `request.subtype==="x"` a control
// request, and an object with `type`, `uuid` and `session_id` a line of stdout.

import { createReadStream } from "node:fs";

/** How sure we are that a name is used on the wire, surest first. */
const EVIDENCE = ["declared", "sent", "named", "compared"] as const;
/**
 * declared: in a schema. sent: in an object with a session id. named: in another object, which may never leave the
 * process. compared: in a comparison or a `case`.
 */
export type Evidence = (typeof EVIDENCE)[number];

export interface BinaryNames {
  /** `system/init`, `result/success`, `control_request/interrupt`, `assistant`: the best evidence for each. */
  readonly messages: ReadonlyMap<string, Evidence>;
  /** Subtypes whose message type the code does not show. */
  readonly unplaced: ReadonlyMap<string, Evidence>;
  /** Values of `type` without a sign of the protocol: blocks of the API, parts of screens, schemas of settings. */
  readonly otherTypes: ReadonlySet<string>;
  /** Flags that are declared or compared with argv, including those of subcommands and hidden ones. */
  readonly flags: ReadonlySet<string>;
}

export const namesInFile = async (file: string): Promise<BinaryNames> => {
  const reader = new NameReader();
  for await (const chunk of createReadStream(file, { highWaterMark: 4 * 1024 * 1024 })) {
    reader.push((chunk as Buffer).toString("latin1"));
  }
  return reader.end();
};

/** How many characters after a name are examined. A part is processed only with that much text after it. */
const LOOK_AHEAD = 48 * 1024;
const LOOK_BACK = 128;

// One pass for every form: `type:"x"`, `type:schema("x")`, `subtype==="x"`, `switch(y.subtype){`, `option("--x`.
const MENTION =
  /type(?:(:)(?:([\w$]{1,8}(?:\.literal|\.enum)?)\()?(?:"([a-z][a-z0-9_]*)"|\[((?:"[a-z][a-z0-9_]*",?)+)\])|[!=]==?"([a-z][a-z0-9_]*)"|(\)\{))|"(?:-\w{1,3}, )?(--[a-z][a-z0-9-]*)/g;

class NameReader {
  #text = "";
  /** Start of the unread part in `#text`. */
  #from = 0;
  readonly #messages = new Map<string, Evidence>();
  readonly #unplaced = new Map<string, Evidence>();
  readonly #types = new Set<string>();
  readonly #flags = new Set<string>();

  push(text: string): void {
    this.#text += text;
    this.#read(this.#text.length - LOOK_AHEAD);
  }

  end(): BinaryNames {
    this.#read(this.#text.length);
    const placed = new Set([...this.#messages.keys()].map((key) => key.slice(key.indexOf("/") + 1)));
    for (const name of [...placed, ...OUTCOMES]) this.#unplaced.delete(name);
    for (const name of this.#messages.keys()) this.#types.delete(name);
    return {
      messages: this.#messages,
      unplaced: this.#unplaced,
      otherTypes: this.#types,
      flags: this.#flags,
    };
  }

  #read(until: number): void {
    if (until <= this.#from) return;
    MENTION.lastIndex = this.#from;
    for (
      let match = MENTION.exec(this.#text);
      match !== null && match.index < until;
      match = MENTION.exec(this.#text)
    ) {
      const [, colon, schema, name, list, compared, opened, flag] = match;
      if (flag !== undefined) this.#flagAt(match.index, flag);
      else if (colon === undefined)
        this.#comparisonAt(match.index, compared, opened === undefined ? -1 : MENTION.lastIndex);
      else this.#propertyAt(match.index, name === undefined ? namesIn(list) : [name], schema !== undefined);
    }
    const kept = Math.max(0, until - LOOK_BACK);
    this.#text = this.#text.slice(kept);
    this.#from = until - kept;
  }

  #flagAt(at: number, flag: string): void {
    if (/(?:[Oo]ption|new [\w$]{1,6}|includes)\($|===?$/.test(this.#before(at, 16))) this.#flags.add(flag);
  }

  /** `type: ...` or `subtype: ...` in an object or in its schema. */
  #propertyAt(at: number, names: readonly string[], isSchema: boolean): void {
    const before = this.#before(at, LOOK_BACK);
    const isSubtype = before.endsWith("sub");
    if (/[\w$.]$/.test(isSubtype ? before.slice(0, -3) : before)) return;
    const keys = keysAfter(this.#text, at);
    const evidence: Evidence = isSchema ? "declared" : keys.includes("session_id:") ? "sent" : "named";
    for (const name of names) {
      if (isSubtype) this.#subtype(name, before.slice(0, -3), evidence);
      else if (name === "system" || name === "result") continue;
      else if (keys.includes("session_id:") && /(?<![\w$])uuid:/.test(keys) && !keys.includes("subtype:")) {
        note(this.#messages, name, isSchema ? "declared" : "sent");
      } else this.#types.add(name);
    }
  }

  #subtype(name: string, before: string, evidence: Evidence): void {
    const type = /(?<![\w$.])type:(?:[\w$]{1,8}(?:\.literal)?\()?"(system|result)"\)?,$/.exec(before)?.[1];
    if (type !== undefined) note(this.#messages, `${type}/${name}`, evidence);
    else if (OUTCOMES.has(name)) return;
    else if (/request:\{$/.test(before)) note(this.#messages, `control_request/${name}`, "sent");
    else if (evidence === "declared" && before.endsWith("({"))
      note(this.#messages, `control_request/${name}`, evidence);
    else note(this.#unplaced, name, evidence);
  }

  /** `x.subtype==="y"`, or the cases of `switch(x.subtype){`. */
  #comparisonAt(at: number, name: string | undefined, cases: number): void {
    const before = this.#before(at, LOOK_BACK);
    const subject = /(?:(typeof|switch\()\s?)?[\w$.?]*?(request\??)?\.(sub)?$/.exec(before);
    if (subject === null || subject[1] === "typeof") return;
    if (subject[3] === undefined) {
      if (name !== undefined) this.#types.add(name);
      return;
    }
    const names = name !== undefined ? [name] : subject[1] === undefined ? [] : casesAfter(this.#text, cases);
    for (const each of names) {
      if (OUTCOMES.has(each)) continue;
      if (subject[2] === undefined) note(this.#unplaced, each, "compared");
      else note(this.#messages, `control_request/${each}`, "compared");
    }
  }

  #before(at: number, length: number): string {
    return this.#text.slice(Math.max(0, at - length), at);
  }
}

/** Subtypes of answers, not of messages. */
const OUTCOMES: ReadonlySet<string> = new Set(["success", "error"]);

const note = (into: Map<string, Evidence>, name: string, evidence: Evidence): void => {
  const before = into.get(name);
  if (before === undefined || EVIDENCE.indexOf(evidence) < EVIDENCE.indexOf(before)) into.set(name, evidence);
};

const namesIn = (list: string | undefined): string[] => [...(list ?? "").matchAll(/[a-z0-9_]+/g)].map(([name]) => name);

/** The rest of the object that contains `at`, without nested objects and strings. */
const keysAfter = (text: string, at: number): string => {
  const limit = Math.min(text.length, at + 4096);
  let keys = "";
  let depth = 0;
  for (let here = at; here < limit; here++) {
    const char = text[here]!;
    if (char === '"') here = endOfString(text, here, limit);
    else if (char === "{" || char === "[" || char === "(") depth++;
    else if (char === "}" || char === "]" || char === ")") {
      if (depth === 0) return keys;
      depth--;
    } else if (depth === 0) keys += char;
  }
  return keys;
};

const casesAfter = (text: string, at: number): string[] => {
  const limit = Math.min(text.length, at + LOOK_AHEAD);
  const names: string[] = [];
  let depth = 0;
  for (let here = at; here < limit; here++) {
    const char = text[here]!;
    if (char === '"') {
      const end = endOfString(text, here, limit);
      const name = text.slice(here + 1, end);
      if (depth === 0 && text.slice(here - 4, here) === "case" && /^[a-z][a-z0-9_]*$/.test(name)) names.push(name);
      here = end;
    } else if (char === "{") depth++;
    else if (char === "}") {
      if (depth === 0) return names;
      depth--;
    }
  }
  return names;
};

const endOfString = (text: string, start: number, limit: number): number => {
  for (let here = start + 1; here < limit; here++) {
    if (text[here] === "\\") here++;
    else if (text[here] === '"') return here;
  }
  return limit;
};
