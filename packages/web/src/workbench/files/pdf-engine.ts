// pdf.js with its two workers. A large module, loaded with the first PDF.

import { getDocument, GlobalWorkerOptions, PDFWorker } from "pdfjs-dist/legacy/build/pdf.mjs";
import { ownScript } from "../../content/code/own-script.ts";
import { PdfError, type PdfEngine } from "./pdf-document.ts";
// oxlint-disable-next-line import/default -- Vite makes the address.
import painterUrl from "./pdf-painter.worker.ts?worker&url";
// oxlint-disable-next-line import/default -- Vite makes the address.
import parserUrl from "./pdf-parser.worker.ts?worker&url";

/** Written by vite.config.ts. Only the page loads them: the worker may not, except for scripts. */
const PARTS = import.meta.env["VITE_PDF_PARTS"] as string;

/** One for each document, so that a document that hangs holds up no other. */
export const startEngine = (): PdfEngine => {
  const parser = new Worker(ownScript(parserUrl), { type: "module", name: "pdf" });
  const painter = new Worker(ownScript(painterUrl), { type: "module", name: "pdf-painter" });
  const failed = new Promise<never>((_, reject) => {
    parser.addEventListener("error", () => reject(new PdfError("unavailable")));
  });
  failed.catch(() => {});
  return {
    getDocument: (options) => {
      GlobalWorkerOptions.rendererPorts = [painter];
      return getDocument(options);
    },
    options: {
      worker: PDFWorker.create({ port: parser, verbosity: 0 }),
      cMapUrl: `${PARTS}cmaps/`,
      wasmUrl: `${PARTS}wasm/`,
    },
    stop: () => {
      parser.terminate();
      painter.terminate();
    },
    failed,
  };
};
