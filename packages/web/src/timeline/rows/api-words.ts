// Errors of the API in words: what happened, and what to do next. Pure. The text of the CLI may contain JSON of the API.

import type { ErrorRow } from "@quarterdeck/client";

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

const AGAIN = "send the message again";

const KINDS: readonly Kind[] = [
  {
    title: "No credit left",
    step: `Add credit to the account, then ${AGAIN}.`,
    again: true,
    is: ({ text, code, status }) => code === "billing_error" || status === 402 || /credit balance/iu.test(text),
  },
  {
    title: "The conversation is too long",
    step: "Send /compact to make room.",
    again: false,
    is: ({ text, status }) => status === 413 || /prompt is too long|request_too_large/iu.test(text),
  },
  {
    title: "The answer was too long",
    step: "Ask for a shorter answer, or for one part at a time.",
    again: false,
    is: ({ text, code }) => code === "max_output_tokens" || /output token maximum/iu.test(text),
  },
  {
    title: "This model is not available",
    step: `Choose another model, then ${AGAIN}.`,
    again: false,
    is: ({ code, status }) => code === "model_not_found" || status === 404,
  },
  {
    title: "This account may not do that",
    step: "Ask the owner of the account, or choose another model.",
    again: false,
    is: ({ status }) => status === 403,
  },
  {
    title: "Claude is overloaded",
    step: `Wait a minute, then ${AGAIN}. Another model may answer sooner.`,
    again: true,
    is: ({ text, status }) => status === 529 || /overloaded/iu.test(text),
  },
  {
    title: "Too many requests",
    step: `Wait a minute, then ${AGAIN}.`,
    again: true,
    is: ({ code, status }) => status === 429 || code === "rate_limit",
  },
  {
    title: "No answer in time",
    step: `This is temporary. Wait a moment, then ${AGAIN}.`,
    again: true,
    is: ({ text, status }) => status === 408 || status === 504 || /timed? ?out/iu.test(text),
  },
  {
    title: "No connection to the API",
    step: `Check the network of the machine that runs Claude Code, then ${AGAIN}.`,
    again: true,
    is: ({ text, status }) =>
      status === 0 && /connect|network|fetch failed|socket|E(?:CONN\w+|NOTFOUND|AI_AGAIN)/iu.test(text),
  },
  {
    title: "The API has a problem",
    step: `This is temporary. Wait a moment, then ${AGAIN}.`,
    again: true,
    is: ({ code, status }) => status >= 500 || code === "server_error",
  },
  {
    title: "The API rejected the request",
    step: `Change the message or the model, then ${AGAIN}.`,
    again: false,
    is: ({ code, status }) => status >= 400 || code === "invalid_request",
  },
];

const OTHER = { title: "API error", step: `Change the message or the model, then ${AGAIN}.`, again: true };

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
const MUTE = /^(?:overloaded|internal server error|api error|connection error|error|unknown error)?\.?$/iu;

export const apiWords = ({ text, code = "", status }: Failure): ApiWords => {
  const known = status ?? Number(/^API Error:?\s*(?:Request rejected \()?(\d{3})\b/iu.exec(text)?.[1] ?? 0);
  const { title, step, again } = KINDS.find(({ is }) => is({ text, code, status: known })) ?? OTHER;
  const said = saidOf(text);
  const shown = MUTE.test(said) ? "" : said;
  return { title, step, again, text: shown, ...(shown !== text.trim() && { raw: text }) };
};

/** Why the CLI tries again, in a few words. */
export const retryWords = ({ status, error }: { readonly status: number | null; readonly error: string }): string => {
  const { title } = apiWords({ text: error, code: error, ...(status !== null && { status }) });
  return title === OTHER.title ? error : title;
};
