// A PDF: its pages, what is known of it, and the way to the browser's own viewer. If the pages cannot be drawn, it says why.

import { useEffect, useState } from "react";
import { later } from "../../parts/later.tsx";
import { toastError } from "../../parts/toast.tsx";
import { formatBytes } from "../../words/format.ts";
import type { PdfFailure } from "./pdf-document.ts";
import { pdfFacts, type PdfFacts } from "./pdf-facts.ts";
import { MOST_BYTES } from "./pdf-limits.ts";
import type { PdfPagesProps } from "./pdf-pages.tsx";
import { WORDS } from "./words.ts";

interface PdfProps {
  readonly url: string;
  readonly path: string;
  readonly size: number;
}

const PdfPages = later<PdfPagesProps>(() => import("./pdf-pages.tsx").then((module) => module.PdfPages));

export const Pdf = ({ url, path, size }: PdfProps) => {
  const [bytes, setBytes] = useState<ArrayBuffer>();
  const [address, setAddress] = useState<string>();
  const [facts, setFacts] = useState<PdfFacts>();
  const [failure, setFailure] = useState<PdfFailure | undefined>(size > MOST_BYTES ? "large" : undefined);
  useEffect(() => {
    let made: string | undefined;
    fetch(url)
      .then(async (answer) => {
        const read = await answer.arrayBuffer();
        made = URL.createObjectURL(new Blob([read], { type: "application/pdf" }));
        setAddress(made);
        setBytes(read);
        setFacts(await pdfFacts(new Uint8Array(read)));
      })
      .catch(toastError);
    return () => {
      if (made !== undefined) setTimeout(() => URL.revokeObjectURL(made!), 60_000);
    };
  }, [url]);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const known = [
    `PDF${facts?.version === undefined ? "" : ` ${facts.version}`}`,
    ...(facts?.pages === undefined ? [] : [WORDS.pdf.pages(facts.pages)]),
    formatBytes(size),
  ];
  const about = (
    <>
      <p>{WORDS.pdf.facts(known)}</p>
      {facts?.hasScripts === true && <p>{WORDS.pdf.scripts}</p>}
      {address !== undefined && (
        <p className="row">
          <a className="btn btn-plain btn-small" href={address} target="_blank" rel="noopener">
            {WORDS.pdf.open}
          </a>
          <a className="btn btn-plain btn-small" href={address} download={name}>
            {WORDS.pdf.download}
          </a>
        </p>
      )}
    </>
  );
  if (failure !== undefined)
    return (
      <div className="bench-empty">
        <p role="alert">{WORDS.pdf.failures[failure]}</p>
        {about}
      </div>
    );
  return (
    <>
      {bytes !== undefined && <PdfPages bytes={bytes} name={name} onFailure={setFailure} />}
      <div className="pdf-facts">{about}</div>
    </>
  );
};
