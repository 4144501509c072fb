// What Escape does: one action per press, in this order. It never kills anything: a turn is interrupted, and ends with
// a result.

export interface EscapeContext {
  /** A menu, a dialog or a list of completions is open. */
  readonly menu: boolean;
  /** The focus is in a request: the dock denies it. */
  readonly request: boolean;
  /** The composer has the focus and text. */
  readonly text: boolean;
  /** A turn runs. */
  readonly running: boolean;
}

export type EscapeAction = "close-menu" | "deny" | "clear" | "interrupt" | "nothing";

export const escapeAction = ({ menu, request, text, running }: EscapeContext): EscapeAction => {
  if (menu) return "close-menu";
  if (request) return "deny";
  if (text) return "clear";
  return running ? "interrupt" : "nothing";
};
