// Turns a diagram's source into the address of a picture. Mermaid draws in its own frame (diagram-frame.ts), which is
// created for the first diagram. One drawing at a time, because Mermaid has global settings.

// oxlint-disable-next-line import/default -- Vite makes the address.
import frameUrl from "./diagram-frame.ts?worker&url";
import { ownScript } from "../code/own-script.ts";
import type { DrawAnswer, DrawRequest } from "./diagram-frame.ts";
import { MOST_CHARACTERS, MOST_LINES, TOO_LARGE } from "./diagram-limits.ts";
import { WORDS } from "../diagram-words.ts";
import { locale } from "../../words/language.ts";

/** For loading Mermaid and for drawing. */
const PATIENCE_MS = 30_000;
const REMEMBERED = 30;
/** Each of them blocked the page for a while. */
const MOST_TOO_LARGE = 3;

let last = 0;
let tooLarge = 0;
let turn: Promise<unknown> = Promise.resolve();
let opened: Promise<DiagramFrame> | undefined;
/** A row that becomes visible again is not drawn, or tried, again. */
const known = new Map<string, Promise<string>>();

/** `isWanted` is called when its turn comes, because the reader may have left. */
export const drawDiagram = async (source: string, dark: boolean, isWanted: () => boolean): Promise<string> =>
  URL.createObjectURL(new Blob([await drawSvg(source, dark, isWanted)], { type: "image/svg+xml" }));

export const drawSvg = (source: string, dark: boolean, isWanted: () => boolean): Promise<string> => {
  const key = `${dark} ${source}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const drawn = turn.then(() => {
    if (!isWanted()) {
      known.delete(key);
      throw new Error("No longer needed.");
    }
    const problem = tooLarge < MOST_TOO_LARGE ? problemOfSource(source) : WORDS.several;
    if (problem !== undefined) throw new Error(problem);
    return draw({ id: ++last, source, dark });
  });
  turn = drawn.catch(() => {});
  known.set(key, drawn);
  if (known.size > REMEMBERED) known.delete(known.keys().next().value!);
  return drawn;
};

/** Why a source is not drawn. */
const problemOfSource = (source: string): string | undefined => {
  if (source.length > MOST_CHARACTERS) return WORDS.characters(MOST_CHARACTERS.toLocaleString(locale ?? "en"));
  if (source.split("\n").length > MOST_LINES) return WORDS.lines(MOST_LINES.toLocaleString(locale ?? "en"));
  return undefined;
};

const draw = async (request: DrawRequest): Promise<string> => {
  const frame = (opened ??= openFrame());
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(WORDS.slow)), PATIENCE_MS);
  });
  try {
    const answer = await Promise.race([late, frame.then(({ port }) => ask(port, request))]);
    if (!("problem" in answer)) return answer.svg;
    if (answer.problem !== TOO_LARGE) throw new Error(answer.problem);
    tooLarge++;
    throw new Error(WORDS.large);
  } catch (error) {
    // After a failed source, Mermaid keeps its settings and would fail with the next one too. So the next source gets
    // another frame.
    opened = undefined;
    frame.then(({ element }) => element.remove()).catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

const ask = (port: MessagePort, request: DrawRequest): Promise<DrawAnswer> =>
  new Promise((resolve) => {
    port.onmessage = ({ data }: MessageEvent<DrawAnswer>) => {
      if (data.id === request.id) resolve(data);
    };
    port.postMessage(request);
  });

interface DiagramFrame {
  readonly element: HTMLIFrameElement;
  readonly port: MessagePort;
}

const openFrame = async (): Promise<DiagramFrame> => {
  const element = document.createElement("iframe");
  element.className = "diagram-frame";
  element.ariaHidden = "true";
  element.tabIndex = -1;
  await new Promise((resolve) => {
    element.addEventListener("load", resolve, { once: true });
    document.body.append(element);
  });
  const script = element.contentDocument!.createElement("script");
  script.type = "module";
  script.src = ownScript(frameUrl);
  await new Promise((resolve, reject) => {
    script.addEventListener("load", resolve, { once: true });
    script.addEventListener("error", () => reject(new Error(WORDS.notLoaded)), {
      once: true,
    });
    element.contentDocument!.head.append(script);
  }).catch((error: unknown) => {
    element.remove();
    throw error;
  });
  const { port1, port2 } = new MessageChannel();
  element.contentWindow!.postMessage("draw", location.origin, [port2]);
  return { element, port: port1 };
};
