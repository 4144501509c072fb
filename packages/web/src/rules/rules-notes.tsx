// Notes around the list of rules: saved, not trusted, empty, an error, loading.

import type { ResultOf } from "@quarterdeck/client";
import { useEffect, useState, type ReactNode } from "react";
import { Button, IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { useClient } from "../store/client.tsx";
import { openSurface } from "../store/surfaces.ts";
import type { ChangeKind } from "./rule-dialog.tsx";
import { fileName, type Rules } from "./rule-list.ts";
import { WORDS } from "./words.ts";

/** A folder's own rules do not hold before somebody trusts it. */
export const TrustNote = ({ rules, onTrusted }: { readonly rules: Rules; readonly onTrusted: () => void }) => {
  const own = rules.rules.filter(({ scope }) => scope === "localSettings" || scope === "projectSettings").length;
  if (rules.trust === "trusted" || own === 0) return null;
  return (
    <p className="rules-trust">
      <Icon name="shield" size={15} />
      <span>{WORDS.untrusted(own, rules.trust === "changed")}</span>
      <Button small onClick={() => openSurface({ kind: "trust", cwd: rules.folder, then: onTrusted })}>
        {WORDS.review}
      </Button>
    </p>
  );
};

export type Saved = ResultOf<"rules/save"> & { readonly kind: ChangeKind | "undo" };

export const SavedNote = ({
  saved,
  folder,
  home,
  onDone,
  onClose,
}: {
  readonly saved: Saved;
  readonly folder: string;
  readonly home: string | undefined;
  readonly onDone: (result: ResultOf<"rules/save">, kind: "undo") => void;
  readonly onClose: () => void;
}) => {
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const undo = (): void => {
    setBusy(true);
    client.command("rules/save", { undo: saved.undo }).then(
      (result) => onDone(result, "undo"),
      (error: unknown) => {
        setBusy(false);
        setProblem(error instanceof Error ? error.message : String(error));
      },
    );
  };
  useEffect(() => {
    setBusy(false);
    setProblem(undefined);
  }, [saved]);
  const [file] = saved.files;
  return (
    <p className="rules-saved" role="status">
      <Icon name="check" size={15} />
      <span>
        {problem ?? WORDS.saved[saved.kind](file === undefined ? WORDS.theSettings : fileName(file.path, folder, home))}
      </span>
      <Button small busy={busy} onClick={undo}>
        {saved.kind === "undo" ? WORDS.redo : WORDS.undo}
      </Button>
      <IconButton icon="close" label={WORDS.dismiss} onClick={onClose} />
    </p>
  );
};

export const Empty = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className="rules-empty">
    <h2>{title}</h2>
    {typeof children === "string" ? <p>{children}</p> : children}
  </div>
);

export const Failed = ({ problem, onRetry }: { readonly problem: string; readonly onRetry: () => void }) => (
  <p className="rules-failed" role="alert">
    <Icon name="warn" size={15} />
    <span>{problem}</span>
    <Button small onClick={onRetry}>
      {WORDS.again}
    </Button>
  </p>
);

export const Skeleton = () => (
  <div className="rules-skeleton" role="status" aria-label={WORDS.loadingRules}>
    {[96, 40, 62, 54, 70].map((width) => (
      <i key={width} style={{ width: `${String(width)}%` }} />
    ))}
  </div>
);
