// Limits for diagrams. Mermaid draws in the page's own thread, where nothing can stop it. A few characters can cause
// hours of work (`space:9999999`, twenty nodes joined to twenty others). So in its frame, methods that every layout
// calls check the clock, and throw if one stretch of work took too long.

export const MOST_CHARACTERS = 20_000;
export const MOST_LINES = 1_000;
/** Size of the picture: more than a reader could use. */
const LARGEST = 4_000_000;
/** For one stretch of work, which blocks the page. */
const PATIENCE_MS = 5_000;

/** What the frame answers. The page has the words for it. */
export const TOO_LARGE = "too-large";

export const withinDiagramSize = (svg: string): string => {
  if (svg.length > LARGEST) throw new Error(TOO_LARGE);
  return svg;
};

type Method = (...given: unknown[]) => unknown;

/** Called in the frame before Mermaid is loaded, because parts of Mermaid keep references to methods. */
export const installClock = (): { readonly during: <T>(work: () => Promise<T>) => Promise<T> } => {
  let isRunning = false;
  let began = 0;
  let left = 0;
  const look = (): void => {
    if (--left > 0) return;
    left = 200;
    if (isRunning && performance.now() - began > PATIENCE_MS) throw new Error(TOO_LARGE);
  };
  for (const [holder, names] of [
    [
      Array.prototype,
      "push pop shift forEach map filter slice concat sort indexOf includes reduce some every find splice",
    ],
    [Map.prototype, "get set has forEach"],
    [Set.prototype, "has add forEach"],
    [Object, "keys values entries assign"],
    [Math, "max min abs sqrt floor hypot"],
    [String.prototype, "split replace slice charCodeAt"],
    [RegExp.prototype, "exec test"],
    [Document.prototype, "createElementNS"],
    [Element.prototype, "setAttribute"],
  ] as const) {
    for (const name of names.split(" ")) {
      const own = Object.getOwnPropertyDescriptor(holder, name)!;
      const method = own.value as Method;
      Object.defineProperty(holder, name, {
        ...own,
        value: function (this: unknown, ...given: unknown[]) {
          look();
          return Reflect.apply(method, this, given);
        },
      });
    }
  }
  // Called between two stretches of work. Timers would be late in a hidden tab.
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    began = performance.now();
    if (isRunning) port2.postMessage(null);
  };
  return {
    during: async (work) => {
      began = performance.now();
      isRunning = true;
      port2.postMessage(null);
      try {
        return await work();
      } finally {
        isRunning = false;
      }
    },
  };
};
