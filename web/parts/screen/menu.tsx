import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { mainArea } from "../browser/focus.ts";

interface MenuProps {
  readonly trigger: ReactNode;
  /** For screen readers, when the trigger is only an icon. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** A button with a list of commands. Not modal: scrolling stays possible and the body gets no inline style. */
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
  /** Shown at the end of the line. */
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
