import { useCallback, useSyncExternalStore } from "react";

export const PHONE = "(max-width: 760px)";
/** Below this width the inspector covers the conversation instead of being next to it. */
export const NARROW = "(max-width: 1180px)";

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
