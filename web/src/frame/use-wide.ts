// Does a media query hold now?

import { useCallback, useSyncExternalStore } from "react";

export function useWide(query: string): boolean {
  const listen = useCallback(
    (listener: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(listen, () => window.matchMedia(query).matches);
}
