/** Ends early when the signal aborts. */
export const pause = (ms: number | undefined, signal: AbortSignal): Promise<void> => {
  if (ms === undefined || ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
};
