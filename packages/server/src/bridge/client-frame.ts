// One text frame of a client: a JSON-RPC 2.0 object, not a batch. It is parsed once, and its depth is checked before
// other code walks it.

import { isRecord } from "@quarterdeck/protocol";

export interface CallFrame {
  readonly kind: "call";
  readonly id: string | number;
  readonly method: string;
  readonly params: unknown;
}
export interface Told {
  readonly kind: "told";
  readonly method: string;
  readonly params: unknown;
}
export interface BadFrame {
  readonly kind: "bad";
  readonly id: string | number | null;
  readonly why: string;
  /** Error number of JSON-RPC. */
  readonly number: number;
}

const MOST_DEPTH = 64;
const NOT_JSON = -32_700;
const NOT_A_CALL = -32_600;
const BAD_PARAMS = -32_602;

export const readFrame = (text: string): CallFrame | Told | BadFrame => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "bad", id: null, why: "The frame is not JSON.", number: NOT_JSON };
  }
  if (!isRecord(value)) {
    const why = "A frame must be one JSON-RPC object, not a batch.";
    return { kind: "bad", id: null, why, number: NOT_A_CALL };
  }
  const { id, method, params = {} } = value;
  const isId = typeof id === "string" || typeof id === "number";
  const known = isId ? id : null;
  if (value["jsonrpc"] !== "2.0" || typeof method !== "string" || (id !== undefined && !isId))
    return { kind: "bad", id: known, why: 'A call is { jsonrpc: "2.0", id, method, params }.', number: NOT_A_CALL };
  if (isDeep(params, MOST_DEPTH))
    return { kind: "bad", id: known, why: `Parameters are nested at most ${MOST_DEPTH} deep.`, number: BAD_PARAMS };
  return isId ? { kind: "call", id, method, params } : { kind: "told", method, params };
};

/** `JSON.parse` accepts any depth, but code that walks the value would overflow the stack. */
const isDeep = (value: unknown, left: number): boolean => {
  if (typeof value !== "object" || value === null) return false;
  if (left === 0) return true;
  for (const each of Object.values(value)) if (isDeep(each, left - 1)) return true;
  return false;
};
