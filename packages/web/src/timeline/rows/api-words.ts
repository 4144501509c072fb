// Errors of the API in words: what happened, and what to do next. Pure. The text of the CLI may contain JSON of the API.

import type { ErrorRow } from "@quarterdeck/client";
import { WORDS } from "../rare-words.ts";

export interface ApiWords {
  readonly title: string;
  /** What the API said, without its JSON. Empty if the title says it all. */
  readonly text: string;
  readonly step: string;
  /** The same message may succeed later. */
  readonly again: boolean;
  /** The text as it came, if words were taken from it. */
  readonly raw?: string;
}

type Failure = Pick<ErrorRow, "text" | "code" | "status">;

interface Kind extends Pick<ApiWords, "title" | "step" | "again"> {
  readonly is: (failure: { readonly text: string; readonly code: string; readonly status: number }) => boolean;
}

export const BAD_KEY = /external API key/iu;

const KINDS: readonly Kind[] = [
  {
    ...WORDS.api.key,
    again: true,
    is: ({ text }) => BAD_KEY.test(text),
  },
  {
    ...WORDS.api.credit,
    again: true,
    is: ({ text, code, status }) => code === "billing_error" || status === 402 || /credit balance/iu.test(text),
  },
  {
    ...WORDS.api.long,
    again: false,
    is: ({ text, status }) => status === 413 || /prompt is too long|request_too_large/iu.test(text),
  },
  {
    ...WORDS.api.answer,
    again: false,
    is: ({ text, code }) => code === "max_output_tokens" || /output token maximum/iu.test(text),
  },
  {
    ...WORDS.api.model,
    again: false,
    is: ({ code, status }) => code === "model_not_found" || status === 404,
  },
  {
    ...WORDS.api.account,
    again: false,
    is: ({ status }) => status === 403,
  },
  {
    ...WORDS.api.overloaded,
    again: true,
    is: ({ text, status }) => status === 529 || /overloaded/iu.test(text),
  },
  {
    ...WORDS.api.many,
    again: true,
    is: ({ code, status }) => status === 429 || code === "rate_limit",
  },
  {
    ...WORDS.api.late,
    again: true,
    is: ({ text, status }) => status === 408 || status === 504 || /timed? ?out/iu.test(text),
  },
  {
    ...WORDS.api.network,
    again: true,
    is: ({ text, status }) =>
      status === 0 && /connect|network|fetch failed|socket|E(?:CONN\w+|NOTFOUND|AI_AGAIN)/iu.test(text),
  },
  {
    ...WORDS.api.server,
    again: true,
    is: ({ code, status }) => status >= 500 || code === "server_error",
  },
  {
    ...WORDS.api.rejected,
    again: false,
    is: ({ code, status }) => status >= 400 || code === "invalid_request",
  },
];

const OTHER = { ...WORDS.api.other, again: true };

/** `API Error: 529 {…}` of the CLI without the prefix, and with the message inside of the JSON. */
const saidOf = (text: string): string => {
  const bare = text.replace(/^API Error:?\s*/iu, "").replace(/^(?:Request rejected \()?(\d{3})\)?[\s·:]*/u, "");
  const inner = /"message"\s*:\s*("(?:[^"\\]|\\.){0,2000}")/u.exec(bare)?.[1];
  if (inner === undefined) return bare.trim();
  try {
    return String(JSON.parse(inner)).trim();
  } catch {
    // An escape that JSON does not have.
    return bare.trim();
  }
};

/** Words that only repeat the title. */
const MUTE =
  /^(?:overloaded|internal server error|api error|connection error|error|unknown error|prompt is too long)?\.?$/iu;

export const apiWords = ({ text, code = "", status }: Failure): ApiWords => {
  const known = status ?? Number(/^API Error:?\s*(?:Request rejected \()?(\d{3})\b/iu.exec(text)?.[1] ?? 0);
  const { title, step, again } = KINDS.find(({ is }) => is({ text, code, status: known })) ?? OTHER;
  const said = saidOf(text);
  const shown = MUTE.test(said) ? "" : said;
  return { title, step, again, text: shown, ...(shown !== text.trim() && { raw: text }) };
};

/** Why the CLI tries again, in a few words. */
export const retryWords = ({ status, error }: { readonly status: number | null; readonly error: string }): string => {
  // The CLI knows no reason and had no answer: the connection failed.
  if (status === null && error === "unknown") return WORDS.api.network.title;
  const { title } = apiWords({ text: error, code: error, ...(status !== null && { status }) });
  return title === OTHER.title ? error : title;
};
