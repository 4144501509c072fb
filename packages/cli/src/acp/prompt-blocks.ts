// A prompt of an editor as a prompt of the bridge. Text and mentions become one text, so that a slash command stays a command. Large
// parts are uploaded, because a frame of the bridge is small. This program opens no file that a prompt names.

import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { RequestError } from "@agentclientprotocol/sdk/unstable";
import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { upload } from "@quarterdeck/client";
import type { Client, ParamsOf } from "@quarterdeck/client";
import { isImageMediaType } from "@quarterdeck/protocol";

type Prompt = Pick<ParamsOf<"session/prompt">, "content" | "uploads">;

const MOST_BLOCKS = 100;
const MOST_TEXT = 400_000;
/** A larger file is attached. */
const MOST_INLINE = 50_000;
const MOST_INLINE_IMAGES = 300_000;

export const promptOf = async (client: Client, blocks: readonly ContentBlock[]): Promise<Prompt> => {
  if (blocks.length > MOST_BLOCKS) throw invalid(`A prompt has at most ${String(MOST_BLOCKS)} parts.`);
  let text = "";
  const after: string[] = [];
  const images: { type: "image"; source: { type: "base64"; media_type: string; data: string } }[] = [];
  const uploads: string[] = [];
  let inline = 0;
  const attach = async (bytes: Buffer, name: string, mimeType?: string | null): Promise<void> => {
    const file = new Blob([new Uint8Array(bytes)], mimeType == null ? {} : { type: mimeType });
    uploads.push((await upload(client, file, { name })).id);
  };
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        text = joined(text, block.text);
        break;
      case "resource_link":
        text = joined(text, mentionOf(block.uri, block.name));
        break;
      case "resource": {
        const { uri, mimeType } = block.resource;
        text = joined(text, mentionOf(uri, nameOf(uri)));
        if ("blob" in block.resource) await attach(bytesOf(block.resource.blob), nameOf(uri), mimeType);
        else if (block.resource.text.length > MOST_INLINE)
          await attach(Buffer.from(block.resource.text), nameOf(uri), "text/plain");
        else after.push(`<context ref=${JSON.stringify(uri)}>\n${block.resource.text}\n</context>`);
        break;
      }
      case "image": {
        if (!isImageMediaType(block.mimeType)) throw invalid("Images must be PNG, JPEG, GIF or WebP.");
        inline += block.data.length;
        if (inline > MOST_INLINE_IMAGES)
          await attach(bytesOf(block.data), `image.${block.mimeType.slice(6)}`, block.mimeType);
        else images.push({ type: "image", source: { type: "base64", media_type: block.mimeType, data: block.data } });
        break;
      }
      case "audio":
        throw invalid("Claude Code does not take audio.");
    }
  }
  const length = after.reduce((sum, part) => sum + part.length, text.length);
  if (length > MOST_TEXT) throw invalid("The prompt is too long. Attach the text as a file instead.");
  if (length === 0 && images.length === 0 && uploads.length === 0) throw invalid("The prompt is empty.");
  const isPlain = after.length === 0 && images.length === 0;
  const content = isPlain
    ? text
    : [...[text, ...after].filter((part) => part !== "").map((part) => ({ type: "text", text: part })), ...images];
  return { content, ...(uploads.length > 0 && { uploads }) };
};

const invalid = (words: string): RequestError => RequestError.invalidParams({ reason: words }, words);

/** Editors split a text around its mentions. */
const joined = (before: string, next: string): string =>
  before === "" || next === "" || /\s$/u.test(before) || /^\s/u.test(next) ? before + next : `${before} ${next}`;

/** As the CLI reads it. Its permission rules decide whether the file is read. */
const mentionOf = (uri: string, name: string): string => {
  const path = pathOf(uri);
  if (path !== undefined && /^[^\s"'`<>]+$/u.test(path)) return `@${path}`;
  return `[${name.replaceAll(/[[\]\n]/gu, " ")}](${uri.replaceAll(/[()\s]/gu, encodeURIComponent)})`;
};

const pathOf = (uri: string): string | undefined => {
  try {
    const url = new URL(uri);
    return url.protocol === "file:" && url.host === "" && url.hash === "" ? fileURLToPath(url) : undefined;
  } catch {
    // Not an address, or one of another machine.
    return undefined;
  }
};

const nameOf = (uri: string): string => basename(pathOf(uri) ?? uri).slice(0, 200) || "file";

const bytesOf = (base64: string): Buffer => Buffer.from(base64, "base64");
