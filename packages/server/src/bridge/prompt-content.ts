// Turns the prompt of a client into what the CLI accepts: text, images and documents. An upload becomes a block if the
// model can see it. Otherwise it becomes a file in the session's own folder, and the text names it.

import { copyFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { documentBlock, imageBlock, isImageMediaType, isRecord, textBlock } from "@quarterdeck/protocol";
import type { PromptBlock } from "@quarterdeck/protocol";
import { attachedText } from "@quarterdeck/session";
import type { Device } from "../access/contract.ts";
import type { Upload } from "../http/contract.ts";
import { mustBeAllowed } from "./must-be-allowed.ts";
import type { Params, Parts } from "./parts.ts";
import { Refusal } from "../refusal.ts";

type Given = Params<"session/prompt">["content"];

export const promptContent = async (
  { tickets, sessionFiles, host, store }: Pick<Parts, "tickets" | "sessionFiles" | "host" | "store">,
  device: Device,
  session: string,
  content: Given,
  uploads: readonly string[],
): Promise<string | PromptBlock[]> => {
  // Only the session knows which commands belong to the CLI.
  if (store.session(session) !== undefined)
    mustBeAllowed(device, "session/prompt", { content }, { commands: host.view(session).head.commands });
  const found = uploads.map((id) => {
    const upload = tickets.upload(id, device);
    if (upload === undefined)
      throw new Refusal("not-found", "The upload does not exist. Upload the file again.", { upload: id });
    return upload;
  });
  if (typeof content === "string" && found.length === 0) return content;
  const typed = typeof content === "string" ? (content === "" ? [] : [textBlock(content)]) : content.map(blockOf);
  const folder = join(sessionFiles, session);
  return [...typed, ...(await Promise.all(found.map((upload) => uploadBlock(upload, folder))))];
};

/** The block kinds that a person can send. Other kinds could pretend to come from the model. */
const blockOf = (block: Readonly<Record<string, unknown>>): PromptBlock => {
  const { type, text, source } = block;
  if (type === "text" && typeof text === "string") return textBlock(text);
  if (isRecord(source) && source["type"] === "base64" && typeof source["data"] === "string") {
    const { media_type: mediaType, data } = source as { media_type?: unknown; data: string };
    if (type === "image" && isImageMediaType(mediaType)) return imageBlock(mediaType, data);
    if (type === "document" && mediaType === "application/pdf")
      return documentBlock(mediaType, data, typeof block["title"] === "string" ? block["title"] : undefined);
  }
  throw new Refusal("bad-request", "A prompt may contain text, images (PNG, JPEG, GIF, WebP) and PDF documents.");
};

const uploadBlock = async ({ id, name, mediaType, path }: Upload, folder: string): Promise<PromptBlock> => {
  if (isImageMediaType(mediaType)) return imageBlock(mediaType, await readFile(path, "base64"));
  if (mediaType === "application/pdf") return documentBlock(mediaType, await readFile(path, "base64"), name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const kept = join(folder, `${id}-${plainName(name)}`);
  await copyFile(path, kept);
  return textBlock(attachedText(name, kept));
};

/** A name without characters that have a meaning in a shell or a mention. */
const plainName = (name: string): string =>
  name
    .replaceAll(/[^\w.-]+/g, "_")
    .replace(/^[._-]+/, "")
    .slice(-100) || "file";
