import { useCallback, useSyncExternalStore } from "react";

export const PHONE = "(max-width: 760px)";
/** Up to this the workbench covers the conversation, and a button goes back. */
export const SHEET = "(max-width: 900px)";
/** Up to this the rail folds to a strip while the workbench is open. */
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
