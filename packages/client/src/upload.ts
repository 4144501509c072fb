// Uploads: the ticket comes from the socket, the bytes go by HTTP.

import { BridgeError } from "./bridge-error.ts";
import { pageOrigin } from "./connection.ts";
import { optionsOf, urlOf } from "./connect.ts";
import type { Client } from "./contract.ts";

export interface Uploaded {
  id: string;
  mediaType: string;
  size: number;
}
export interface UploadOptions {
  name: string;
  onProgress?: (share: number) => void;
  signal?: AbortSignal;
}

export const upload = async (client: Client, file: Blob, options: UploadOptions): Promise<Uploaded> => {
  const { signal, onProgress } = options;
  const ticket = await client.call(
    "tickets/create",
    { kind: "upload", name: options.name, size: file.size },
    signal && { signal },
  );
  const url = urlOf(client, ticket.url);
  const { credentials } = optionsOf(client) ?? {};
  const headers: Headers =
    credentials?.kind === "token"
      ? { authorization: `Bearer ${credentials.token}` }
      : pageOrigin() === undefined
        ? // A program sends what a browser sends itself.
          { origin: url.origin }
        : {};
  onProgress?.(0);
  const put = typeof XMLHttpRequest === "undefined" ? putWithFetch : putWithProgress;
  const { status, text } = await put(url, file, headers, options);
  const answer = jsonOf(text);
  if (status >= 300 || answer.id === undefined) {
    const { code = "internal", message = `The upload was answered with ${status}.` } = answer.error ?? {};
    throw new BridgeError(code, message, { status });
  }
  onProgress?.(1);
  return answer as Uploaded;
};

interface Answer {
  readonly status: number;
  readonly text: string;
}

const jsonOf = (text: string): Partial<Uploaded> & { error?: { code?: string; message?: string } } => {
  try {
    return JSON.parse(text) as Partial<Uploaded>;
  } catch {
    // A page of a proxy, or an empty body: the status is enough.
    return {};
  }
};

type Headers = Readonly<Record<string, string>>;

const putWithFetch = async (url: URL, body: Blob, headers: Headers, { signal }: UploadOptions): Promise<Answer> => {
  const response = await fetch(url, { method: "PUT", body, headers, ...(signal && { signal }) }).catch(
    (error: Error) => {
      throw signal?.aborted === true ? error : brokenOff(error);
    },
  );
  return { status: response.status, text: await response.text() };
};

const brokenOff = (cause?: Error): BridgeError => {
  const why = cause?.cause instanceof Error ? ` (${cause.cause.message})` : "";
  return new BridgeError("disconnected", `The upload broke off${why}.`);
};

/** Only XMLHttpRequest reports upload progress. */
const putWithProgress = (
  url: URL,
  body: Blob,
  headers: Headers,
  { onProgress, signal }: UploadOptions,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(total === 0 ? 0 : loaded / total);
    request.onload = () => resolve({ status: request.status, text: request.responseText });
    request.onerror = () => reject(brokenOff());
    request.onabort = () => reject(signal?.reason as Error);
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(body);
  });
