// The command of a request in a list, with marks where it is dangerous. Its card has the words.

import { dangersOf } from "@quarterdeck/permissions/dangers";
import { useMemo } from "react";
import { MarkedText } from "./marked-text.tsx";

export interface AskedCommandProps {
  readonly command: string;
  readonly cwd: string;
}

export const AskedCommand = ({ command, cwd }: AskedCommandProps) => {
  const marks = useMemo(
    () => dangersOf("Bash", { command }, { cwd }).flatMap((danger) => danger.marks),
    [command, cwd],
  );
  return <MarkedText text={command} marks={marks} as="em" />;
};
