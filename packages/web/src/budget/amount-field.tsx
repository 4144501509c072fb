// A field for an amount in dollars. Saved with its button or with Enter.

import { useEffect, useId, useState } from "react";
import { Button } from "../parts/button.tsx";
import { toastError } from "../parts/toast.tsx";
import { readAmount } from "./budget.ts";
import { WORDS } from "./words.ts";
import "./budget.css";

export interface AmountFieldProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly disabled?: boolean;
  readonly onSave: (value: number | null) => Promise<unknown>;
}

export const AmountField = ({ label, value, disabled = false, onSave }: AmountFieldProps) => {
  const id = useId();
  const shown = value === undefined ? "" : String(value);
  const [text, setText] = useState(shown);
  const [busy, setBusy] = useState(false);
  // Changed elsewhere: changed here.
  useEffect(() => setText(shown), [shown]);
  const amount = readAmount(text);
  const save = async (): Promise<void> => {
    if (amount === undefined) return;
    setBusy(true);
    try {
      await onSave(amount);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="set-amount"
      onSubmit={(event) => {
        event.preventDefault();
        void save().catch(toastError);
      }}
    >
      <label htmlFor={id} className="set-name">
        {label}
      </label>
      <input
        id={id}
        className="input num"
        inputMode="decimal"
        placeholder={WORDS.noLimit}
        value={text}
        disabled={disabled}
        aria-invalid={amount === undefined}
        onChange={(event) => setText(event.target.value)}
      />
      <Button small type="submit" busy={busy} disabled={disabled || amount === undefined || text.trim() === shown}>
        {WORDS.save}
      </Button>
      {amount === undefined && <span role="alert">{WORDS.invalid}</span>}
    </form>
  );
};
