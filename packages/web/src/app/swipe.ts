// A swipe from the left edge shows the sessions, and a swipe to the left hides them. Scrolling gestures are ignored. Only phones load
// it.

const EDGE = 28;
const FAR = 56;

export const watchSwipe = (current: HTMLElement, open: boolean, setOpen: (open: boolean) => void): (() => void) => {
  let from: { readonly x: number; readonly y: number } | undefined;
  const start = ({ touches: [touch] }: TouchEvent): void => {
    from = touch !== undefined && (open || touch.clientX < EDGE) ? { x: touch.clientX, y: touch.clientY } : undefined;
    // Only during our own gesture, because with a listener that is not passive the browser waits at each move.
    if (from !== undefined) current.addEventListener("touchmove", move, { passive: false });
  };
  /** Otherwise the browser would go back in its history. */
  const move = (event: TouchEvent): void => {
    const [touch] = event.touches;
    if (from === undefined || touch === undefined) return;
    const [across, down] = [Math.abs(touch.clientX - from.x), Math.abs(touch.clientY - from.y)];
    if (across > down && event.cancelable) event.preventDefault();
  };
  const end = ({ changedTouches: [touch] }: TouchEvent): void => {
    current.removeEventListener("touchmove", move);
    if (from === undefined || touch === undefined) return;
    const across = touch.clientX - from.x;
    if (Math.abs(across) < FAR || Math.abs(touch.clientY - from.y) > Math.abs(across)) return;
    if (across > 0 !== open) setOpen(across > 0);
  };
  current.addEventListener("touchstart", start, { passive: true });
  current.addEventListener("touchend", end, { passive: true });
  return () => {
    current.removeEventListener("touchmove", move);
    current.removeEventListener("touchstart", start);
    current.removeEventListener("touchend", end);
  };
};
