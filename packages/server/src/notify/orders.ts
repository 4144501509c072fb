// A notification as a request to another server: encrypted for a browser, signed for a webhook, as ntfy publishes it. What each
// receiver learns is decided here (docs/notifications.md).

import { createHash, createHmac } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { KeptSubscription, KeptTarget, NotifyChoices } from "./notify-file.ts";
import type { Order } from "./outbound.ts";
import { encrypt, MOST_PLAIN_BYTES, vapidHeader } from "./web-push.ts";

export interface Note {
  /** Names the notification. A withdrawal has the same one. */
  readonly tag: string;
  readonly event: "waiting" | "finished" | "failed" | "test";
  readonly at: number;
  readonly session: string;
  /** The machine of the fleet that has the session. Absent: this one. */
  readonly machine?: string;
  readonly cwd: string;
  readonly project: string;
  readonly title: string;
  readonly body: string;
  /** A request that a notification may answer, bound as every answer is. */
  readonly request?: { readonly id: string; readonly incarnation: number; readonly inputHash: string };
}

const HIDDEN: Readonly<Record<Note["event"], string>> = {
  waiting: "A session needs you",
  finished: "A session finished",
  failed: "A session failed",
  test: "Notifications work",
};

export interface Sender {
  readonly publicKey: string;
  readonly key: KeyObject;
}

const WAITING_SECONDS = 12 * 60 * 60;
const ENDED_SECONDS = 4 * 60 * 60;
export const secondsOf = ({ event }: Pick<Note, "event">): number =>
  event === "waiting" ? WAITING_SECONDS : ENDED_SECONDS;

/** Says nothing about the session, and is the same for a notification and its withdrawal. */
const shortId = (tag: string): string => createHash("sha256").update(tag).digest("base64url").slice(0, 32);

/** Apple takes a subscription away if a message shows nothing. */
const mustShow = (endpoint: string): boolean => /(?:^|\.)apple\.com$/u.test(new URL(endpoint).hostname);

export const pushOrder = (
  { endpoint, p256dh, auth }: KeptSubscription,
  about:
    | { readonly show: Note; readonly choices: NotifyChoices }
    | { readonly withdraw: string }
    | { readonly revoke: true },
  sender: Sender,
): Order => {
  const [tag, seconds, urgency, message] = saidTo(endpoint, about);
  const body = encrypt(Buffer.from(JSON.stringify({ v: 1, ...message })), { p256dh, auth });
  return {
    url: endpoint,
    method: "POST",
    headers: {
      authorization: vapidHeader(new URL(endpoint), sender.publicKey, sender.key, Date.now()),
      "content-type": "application/octet-stream",
      "content-encoding": "aes128gcm",
      ttl: String(seconds),
      urgency,
      // The push service replaces a message that it could not deliver yet.
      topic: shortId(tag),
    },
    body,
  };
};

const saidTo = (
  endpoint: string,
  about: Parameters<typeof pushOrder>[1],
): readonly [tag: string, seconds: number, urgency: string, message: Readonly<Record<string, unknown>>] => {
  if ("revoke" in about) return ["revoke", WAITING_SECONDS, "normal", { do: "revoke" }];
  if ("withdraw" in about)
    return [
      about.withdraw,
      WAITING_SECONDS,
      "normal",
      { do: "withdraw", tag: about.withdraw, ...(mustShow(endpoint) && { mustShow: true }) },
    ];
  const { show: note, choices } = about;
  const { tag, event, at, session, machine, request } = note;
  const urgency = event === "waiting" ? "high" : "normal";
  const isHidden = choices.content === "hidden";
  const words = isHidden
    ? { title: "Quarterdeck", body: HIDDEN[event] }
    : { title: cut(titleOf(note), 200), body: cut(note.body, 600), ...(request !== undefined && { request }) };
  const place = { session, ...(machine !== undefined && { machine }) };
  return [tag, secondsOf(note), urgency, { do: "show", tag, event, at, ...place, ...words }];
};

const titleOf = ({ machine, title }: Note): string => (machine === undefined ? title : `${machine}: ${title}`);

/** By bytes, because the whole message has a limit. */
export const cut = (text: string, most: number): string => {
  const bytes = Buffer.from(text);
  if (bytes.length <= Math.min(most, MOST_PLAIN_BYTES)) return text;
  return `${bytes
    .subarray(0, most)
    .toString("utf8")
    .replace(/\uFFFD+$/u, "")}…`;
};

export const targetOrder = (
  target: KeptTarget,
  about: { readonly show: Note } | { readonly withdraw: Pick<Note, "tag" | "event" | "session" | "machine" | "at"> },
): Order => (target.kind === "webhook" ? webhookOrder(target, about) : ntfyOrder(target, about));

const webhookOrder = ({ url, secret = "", choices }: KeptTarget, about: Parameters<typeof targetOrder>[1]): Order => {
  const note = "show" in about ? about.show : about.withdraw;
  const isShown = choices.content === "shown" && "show" in about;
  const body = Buffer.from(
    JSON.stringify({
      version: 1,
      id: shortId(note.tag),
      event: "show" in about ? note.event : "withdrawn",
      at: note.at,
      session: note.session,
      ...(note.machine !== undefined && { machine: note.machine }),
      ...(isShown && { title: about.show.title, text: about.show.body, project: about.show.project }),
    }),
  );
  const time = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex");
  return {
    url,
    method: "POST",
    headers: {
      "content-type": "application/json; charset=utf-8",
      "x-quarterdeck-time": time,
      "x-quarterdeck-signature": `sha256=${signature}`,
    },
    body,
  };
};

/** Taking back needs ntfy 2.16 or newer. Older servers refuse it, and keep the notification. */
const ntfyOrder = ({ url, secret, choices }: KeptTarget, about: Parameters<typeof targetOrder>[1]): Order => {
  const authorization = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
  if (!("show" in about)) {
    const at = new URL(url);
    at.pathname = `${at.pathname.replace(/\/$/u, "")}/${shortId(about.withdraw.tag)}`;
    return { url: at.href, method: "DELETE", headers: authorization, body: Buffer.alloc(0) };
  }
  const { show: note } = about;
  const isShown = choices.content === "shown";
  return {
    url,
    method: "POST",
    headers: {
      ...authorization,
      "content-type": "text/plain; charset=utf-8",
      "x-title": encoded(isShown ? cut(titleOf(note), 200) : "Quarterdeck"),
      "x-priority": note.event === "waiting" ? "4" : "3",
      "x-sequence-id": shortId(note.tag),
    },
    body: Buffer.from(isShown ? cut(note.body, 600) : HIDDEN[note.event]),
  };
};

/** RFC 2047, which ntfy decodes. Headers are ASCII. */
const encoded = (text: string): string => `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`;
