// A notebook file as cells with outputs, in the form that the card of a read notebook shows. Pure.

import { IMAGE_MEDIA_TYPES, isRecord } from "@quarterdeck/client/content";
import { linesText } from "../../content/fields.ts";
import type { Cell } from "../../timeline/tools/notebook-cell.tsx";

const outputOf = (output: unknown): readonly unknown[] => {
  if (!isRecord(output)) return [];
  const { output_type: type, text, data, traceback, ename, evalue } = output;
  if (type === "stream") return [{ text: linesText(text) }];
  if (type === "error") {
    const lines = Array.isArray(traceback) ? traceback.filter((one) => typeof one === "string").join("\n") : "";
    return [{ text: lines === "" ? `${linesText(ename)}: ${linesText(evalue)}` : lines }];
  }
  if (!isRecord(data)) return [];
  const media = IMAGE_MEDIA_TYPES.find((one) => linesText(data[one]) !== "");
  if (media !== undefined)
    return [{ image: { image_data: linesText(data[media]).replaceAll(/\s/gu, ""), media_type: media } }];
  return [{ text: linesText(data["text/plain"]) }];
};

/** Undefined if it is not a notebook. */
export const notebookCells = (text: string): readonly Cell[] | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || !Array.isArray(value["cells"])) return undefined;
  const metadata = isRecord(value["metadata"]) ? value["metadata"] : {};
  const about = isRecord(metadata["language_info"]) ? metadata["language_info"] : {};
  const language = typeof about["name"] === "string" ? about["name"] : "python";
  return value["cells"].filter(isRecord).map((cell) => ({
    cell_type: typeof cell["cell_type"] === "string" ? cell["cell_type"] : "code",
    source: linesText(cell["source"]),
    language,
    outputs: Array.isArray(cell["outputs"]) ? cell["outputs"].flatMap(outputOf) : [],
  }));
};
