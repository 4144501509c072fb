// Telling listeners. One that throws has a bug: the bug is reported, and the other listeners and the process go on.

export type Report = (error: unknown) => void;

/** An uncaught error to a browser, which ends nothing there. A line on stderr in Node, where it would end the process. */
export const reportBug: Report = (error) => {
  const { reportError } = globalThis as { reportError?: Report };
  if (reportError === undefined) console.error(error);
  else reportError(error);
};

export const callAll = <A extends unknown[]>(
  report: Report,
  listeners: Iterable<(...args: A) => void>,
  ...args: A
): void => {
  for (const listener of [...listeners]) {
    try {
      listener(...args);
    } catch (error) {
      report(error);
    }
  }
};

export const listen = <L>(listeners: Set<L>, listener: L): (() => void) => {
  // The same function given twice is two listeners.
  const own = ((...args: unknown[]) => (listener as (...args: unknown[]) => void)(...args)) as L;
  listeners.add(own);
  return () => listeners.delete(own);
};

/** Once per animation frame where there are any, else once per turn; a page that is not seen still gets its turns. */
export const nextFrame = (step: () => void): void => {
  const { requestAnimationFrame: frame, setImmediate: turn } = globalThis as {
    requestAnimationFrame?: (step: () => void) => number;
    setImmediate?: (step: () => void) => void;
  };
  if (frame === undefined) return void (turn ?? setTimeout)(step);
  let done = false;
  const once = (): void => {
    if (!done) step();
    done = true;
  };
  frame(once);
  setTimeout(once, HIDDEN_MS);
};
const HIDDEN_MS = 100;
