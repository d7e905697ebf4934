import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { mainArea } from "./main-area.ts";

interface MenuProps {
  /** What opens it. */
  readonly trigger: ReactNode;
  /** For screen readers, where the trigger is only a picture. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** A button with a list of commands. It leaves the page behind it alone: no lock on scrolling, no style of its own. */
export function Menu({ trigger, label, children }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="button" aria-label={label}>
        {trigger}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={mainArea()}>
        <DropdownMenu.Content align="end" sideOffset={4} collisionPadding={8} className="menu">
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface MenuItemProps {
  readonly icon?: LucideIcon;
  readonly tone?: "plain" | "bad";
  /** Set apart at the end of the line. */
  readonly note?: string;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export function MenuItem({ icon: Icon, tone = "plain", note, disabled = false, onSelect, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      className={`menu-item ${tone === "bad" ? "text-bad" : ""}`}
      disabled={disabled}
      onSelect={onSelect}
    >
      {Icon && <Icon aria-hidden size={14} />}
      {children}
      {note && <span className="mono ml-auto pl-4 text-soft">{note}</span>}
    </DropdownMenu.Item>
  );
}
