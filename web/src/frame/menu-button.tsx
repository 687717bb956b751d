// Opens the sidebar where there is no room for it.

import Menu from "lucide-react/icons/menu";
import { createContext, useContext } from "react";
import { useStored } from "../app-context.ts";
import { IconButton } from "../parts/icon-button.tsx";
import { openAsks } from "../state/model.ts";

export const SidebarContext = createContext<() => void>(() => {});

export function MenuButton() {
  const open = useContext(SidebarContext);
  const waiting = useStored((state) => openAsks(state).length);
  return (
    <IconButton
      label={waiting === 0 ? "Menu" : `Menu, ${waiting} waiting for you`}
      Icon={Menu}
      sign={19}
      className="relative shrink-0 md:hidden"
      onClick={open}
    >
      {waiting > 0 && <span className="absolute top-0.5 right-0.5 size-3 rounded-full border-2 border-surface bg-ask" />}
    </IconButton>
  );
}
