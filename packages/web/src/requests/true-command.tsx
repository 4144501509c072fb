// A shell command as it would run: colors of the shell, marks where it is dangerous and for characters that cannot be seen.

import type { Danger } from "@quarterdeck/permissions/dangers";
import { useEffect, useMemo, useRef } from "react";
import { CodeLines, paintLines } from "../content/code/painted-lines.ts";
import { TrueText } from "../content/text/true-text.tsx";
import { Icon } from "../parts/icon.tsx";
import { isPlainText, MarkedText } from "./marked-text.tsx";
import { WORDS } from "./words.ts";

export const TrueCommand = ({
  command,
  dangers,
}: {
  readonly command: string;
  readonly dangers: readonly Danger[];
}) => {
  const root = useRef<HTMLSpanElement>(null);
  const marks = useMemo(() => dangers.flatMap((danger) => danger.marks), [dangers]);
  useEffect(() => {
    if (root.current === null || !isPlainText(command)) return undefined;
    return paintLines([root.current], [{ text: new CodeLines([command]), line: 0 }], "shellscript");
  }, [command, marks]);
  return (
    <pre className="ask-main">
      <span className="ask-prompt" aria-hidden="true">
        ${" "}
      </span>
      <span ref={root}>
        <MarkedText text={command} marks={marks} as="em" />
      </span>
    </pre>
  );
};

/** Each danger in words. A color alone says nothing. */
export const DangerList = ({ dangers }: { readonly dangers: readonly Danger[] }) =>
  dangers.length === 0 ? null : (
    <ul className="ask-dangers" aria-label={WORDS.dangers}>
      {dangers.map((danger) => {
        const own = WORDS.danger[danger.kind];
        return (
          <li key={danger.kind}>
            <Icon name="danger" size={16} />
            <span>
              <b>{own?.verb ?? danger.verb}</b> <TrueText text={own?.words(danger.subjects) ?? danger.words} />
            </span>
          </li>
        );
      })}
    </ul>
  );
