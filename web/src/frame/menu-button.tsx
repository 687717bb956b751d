// Opens the sidebar where there is no room for it.

import Menu from "lucide-react/icons/menu";
import { createContext, useContext } from "react";
import { useStored } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { openAsks } from "../state/model.ts";

export const SidebarContext = createContext<() => void>(() => {});

export function MenuButton() {
  const open = useContext(SidebarContext);
  const waiting = useStored((state) => openAsks(state).length);
  return (
    <Button
      weight="ghost"
      size="icon"
      className="relative md:hidden"
      aria-label={waiting === 0 ? "Menu" : `Menu, ${waiting} waiting for you`}
      onClick={open}
    >
      <Menu size={19} aria-hidden="true" />
      {waiting > 0 && <span className="absolute top-0.5 right-0.5 size-3 rounded-full border-2 border-surface bg-ask" />}
    </Button>
  );
}
