// Texts with elements in them: fill("Press {key} to allow.", { key: <kbd>A</kbd> }). A language puts them where it needs them.

import { Fragment, type ReactNode } from "react";

export const fill = (text: string, parts: Readonly<Record<string, ReactNode>>): ReactNode[] =>
  text
    .split(/\{(\w+)\}/u)
    .map((piece, index) => <Fragment key={index}>{index % 2 === 0 ? piece : parts[piece]}</Fragment>);
