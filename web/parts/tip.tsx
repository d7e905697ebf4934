import * as Tooltip from "@radix-ui/react-tooltip";
import type { ReactNode } from "react";
import { mainArea } from "./main-area.ts";

/** More words for something small, on hover and on focus. */
export function Tip({ text, children }: { text: string; children: ReactNode }) {
  return (
    <Tooltip.Provider delayDuration={200}>
      <Tooltip.Root>
        <Tooltip.Trigger className="rounded">{children}</Tooltip.Trigger>
        <Tooltip.Portal container={mainArea()}>
          <Tooltip.Content
            sideOffset={4}
            collisionPadding={8}
            className="z-40 max-w-72 rounded-md border border-line bg-surface px-2.5 py-1.5 text-sm text-ink shadow-lg"
          >
            {text}
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip.Root>
    </Tooltip.Provider>
  );
}
