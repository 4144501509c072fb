// A PDF: what is known of it, and the way to the browser's own viewer, apart from this page.

import { useEffect, useState } from "react";
import { toastError } from "../../parts/toast.tsx";
import { formatBytes } from "../../words/format.ts";
import { pdfFacts, type PdfFacts } from "./pdf-facts.ts";
import { WORDS } from "./words.ts";

interface PdfProps {
  readonly url: string;
  readonly path: string;
  readonly size: number;
}

export const Pdf = ({ url, path, size }: PdfProps) => {
  const [address, setAddress] = useState<string>();
  const [facts, setFacts] = useState<PdfFacts>();
  useEffect(() => {
    let made: string | undefined;
    fetch(url)
      .then(async (answer) => {
        const bytes = await answer.arrayBuffer();
        made = URL.createObjectURL(new Blob([bytes], { type: "application/pdf" }));
        setAddress(made);
        setFacts(await pdfFacts(new Uint8Array(bytes)));
      })
      .catch(toastError);
    return () => {
      if (made !== undefined) setTimeout(() => URL.revokeObjectURL(made!), 60_000);
    };
  }, [url]);
  const known = [
    `PDF${facts?.version === undefined ? "" : ` ${facts.version}`}`,
    ...(facts?.pages === undefined ? [] : [WORDS.pdf.pages(facts.pages)]),
    formatBytes(size),
  ];
  return (
    <div className="bench-empty">
      <p>{WORDS.pdf.facts(known)}</p>
      {facts?.encrypted === true && <p>{WORDS.pdf.encrypted}</p>}
      {facts?.hasScripts === true && <p>{WORDS.pdf.scripts}</p>}
      {address !== undefined && (
        <p className="row">
          <a className="btn btn-plain" href={address} target="_blank" rel="noopener">
            {WORDS.pdf.open}
          </a>
          <a className="btn btn-plain" href={address} download={path.slice(path.lastIndexOf("/") + 1)}>
            {WORDS.pdf.download}
          </a>
        </p>
      )}
    </div>
  );
};
