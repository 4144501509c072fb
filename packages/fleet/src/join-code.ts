// The code that lets one machine join. It has the address of the bus and a key that can only ask the hub, once. A check sum tells a
// code that was cut off or mistyped from one that the fleet does not accept.

import { createHash } from "node:crypto";

export interface JoinCode {
  readonly fleet: string;
  readonly fleetName: string;
  /** `nats://host:port` or `tls://host:port`. */
  readonly url: string;
  readonly codeId: string;
  readonly seed: string;
  readonly expiresAt: number;
  /** A certificate that signs itself, PEM. Other certificates are checked as usual. */
  readonly certificate?: string;
}

const PREFIX = "qdf1-";
const SUM_CHARS = 8;
const MOST_CHARS = 8000;

export const encodeJoinCode = (code: JoinCode): string => {
  const { fleet, fleetName, url, codeId, seed, expiresAt, certificate } = code;
  const fields = [fleet, fleetName, url, codeId, seed, expiresAt, ...(certificate === undefined ? [] : [certificate])];
  const body = Buffer.from(JSON.stringify(fields), "utf8").toString("base64url");
  return `${PREFIX}${body}${sumOf(body)}`;
};

/** `broken`: the text was cut off or changed. */
export const decodeJoinCode = (text: string): JoinCode | "not-a-code" | "broken" => {
  // A terminal or a mail may have wrapped the line.
  const joined = text.replaceAll(/\s+/gu, "");
  if (!joined.startsWith(PREFIX)) return "not-a-code";
  const rest = joined.slice(PREFIX.length);
  const body = rest.slice(0, -SUM_CHARS);
  if (rest.length > MOST_CHARS || !/^[\w-]+$/u.test(rest) || sumOf(body) !== rest.slice(-SUM_CHARS)) return "broken";
  let fields: unknown;
  try {
    fields = JSON.parse(Buffer.from(body, "base64url").toString("utf8"));
  } catch {
    // The sum is right, so another program made it.
    return "broken";
  }
  if (!Array.isArray(fields) || fields.length < 6 || fields.length > 7) return "broken";
  const [fleet, fleetName, url, codeId, seed, expiresAt, certificate] = fields as unknown[];
  const texts = [fleet, fleetName, url, codeId, seed];
  if (!texts.every((each): each is string => typeof each === "string") || typeof expiresAt !== "number")
    return "broken";
  if (certificate !== undefined && typeof certificate !== "string") return "broken";
  const [one, two, three, four, five] = texts as [string, string, string, string, string];
  if (!/^[\w-]{1,40}$/u.test(one) || !/^[\w-]{1,40}$/u.test(four) || !/^SU[A-Z2-7]{40,80}$/u.test(five))
    return "broken";
  if (two.length > 100 || !isBusUrl(three)) return "broken";
  const code = { fleet: one, fleetName: two, url: three, codeId: four, seed: five, expiresAt };
  return certificate === undefined ? code : { ...code, certificate };
};

export const isBusUrl = (url: string): boolean =>
  /^(?:nats|tls):\/\/(?:[a-z0-9.-]{1,253}|\[[0-9a-f:]+\]):\d{1,5}$/u.test(url);

const sumOf = (body: string): string =>
  createHash("sha256").update(`quarterdeck-join\n${body}`).digest("base64url").slice(0, SUM_CHARS);
