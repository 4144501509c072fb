// Calls listeners. If one throws, the error is reported, and the other listeners and the process continue.

export type Report = (error: unknown) => void;

/** In a browser an uncaught error, which ends nothing. In Node a line on stderr, because an uncaught error would end the process. */
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

export const addListener = <L>(listeners: Set<L>, listener: L): (() => void) => {
  // The same function, added twice, is two listeners.
  const own = ((...args: unknown[]) => (listener as (...args: unknown[]) => void)(...args)) as L;
  listeners.add(own);
  return () => listeners.delete(own);
};

/**
 * Calls `step` at most once per animation frame. If a frame has passed since the last call, it is called as soon as the current task
 * ends: a person sees a single change without waiting for a frame. Without frames, it is called once per turn.
 */
export const oncePerFrame = (step: () => void): (() => void) => {
  let [isScheduled, lastAt] = [false, -Infinity];
  const run = (): void => {
    isScheduled = false;
    lastAt = performance.now();
    step();
  };
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    if ("requestAnimationFrame" in globalThis && performance.now() - lastAt > FRAME_MS) queueMicrotask(run);
    else nextFrame(run);
  };
};
const FRAME_MS = 16;

/** A hidden page has no frames. It still gets its turns. */
const nextFrame = (step: () => void): void => {
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
