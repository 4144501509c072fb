import { memo, useMemo } from "react";
import { CopyButton } from "../../parts/text-button.tsx";
import { CodeViewer } from "./code-viewer.tsx";

/** Any value as formatted JSON. */
export const JsonView = memo(({ value, name }: { readonly value: unknown; readonly name: string }) => {
  const text = useMemo(() => textOf(value), [value]);
  return <CodeViewer code={text} grammar="json" name={`${name}/json`} foot={<CopyButton text={text} />} />;
});

const textOf = (value: unknown): string => {
  try {
    return JSON.stringify(value, null, 2) ?? String(value);
  } catch {
    // It refers to itself. Values from the wire never do.
    return String(value);
  }
};
