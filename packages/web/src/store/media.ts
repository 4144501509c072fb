import { useCallback, useSyncExternalStore } from "react";

/** A phone that is held sideways is as wide as a small desk, but not as high. Style sheets write the same out. */
const SIDEWAYS = "(max-width: 1000px) and (max-height: 480px)";
export const PHONE = `(max-width: 760px), ${SIDEWAYS}`;
/** Up to this width the workbench covers the conversation, and a button closes it. */
export const SHEET = `(max-width: 900px), ${SIDEWAYS}`;
/** A phone that is held upright: tabs stand at the bottom, where the thumb is. */
export const UPRIGHT = "(max-width: 760px) and (min-height: 481px)";
/** Up to this width the rail folds to a strip while the workbench is open. */
export const TIGHT = "(max-width: 1199px)";

export const useMedia = (query: string): boolean => {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
};
