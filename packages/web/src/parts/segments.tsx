import { useId } from "react";

export interface SegmentsProps<T extends string> {
  readonly label: string;
  readonly about?: string;
  readonly value: T;
  readonly choices: Readonly<Record<T, string>>;
  readonly onChange: (value: T) => void;
}

/** One of a few choices, all visible. */
export const Segments = <T extends string>({ label, about, value, choices, onChange }: SegmentsProps<T>) => {
  const name = useId();
  return (
    <fieldset className="choice">
      <legend className="label">{label}</legend>
      <div className="segments">
        {(Object.entries(choices) as [T, string][]).map(([choice, words]) => (
          <label key={choice}>
            <input type="radio" name={name} checked={choice === value} onChange={() => onChange(choice)} />
            {words}
          </label>
        ))}
      </div>
      {about !== undefined && <small>{about}</small>}
    </fieldset>
  );
};
