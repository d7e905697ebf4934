import { useEffect, useRef, useState, type ReactNode } from "react";
import { usePathname } from "wouter/use-browser-location";
import { mainArea, startAtTop } from "../parts/browser/focus.ts";
import { useKeys } from "../parts/browser/events.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import { HelpDialog } from "./help-dialog.tsx";
import { NavigationRail } from "./navigation-rail.tsx";

/** The frame around all screens: rail, main area and help. */
export function AppShell({ children }: { children: ReactNode }) {
  const [helpOpen, setHelpOpen] = useState(false);
  useStartAtTop();
  useKeys({ "?": () => setHelpOpen(true), "/": focusFilter });

  return (
    <div className="sm:flex">
      <a
        href="#main"
        className="button absolute top-2 left-2 z-30 -translate-y-20 focus:translate-y-0"
        onClick={(event) => {
          event.preventDefault();
          mainArea()?.focus();
        }}
      >
        Skip to content
      </a>
      <NavigationRail onHelp={() => setHelpOpen(true)} />
      <main id="main" tabIndex={-1} className="min-w-0 flex-1 pb-13 sm:pb-0">
        <ConnectionBanner />
        {children}
      </main>
      {helpOpen && <HelpDialog onClose={() => setHelpOpen(false)} />}
    </div>
  );
}

/** Scrolls to the top and moves the focus on a change of screen, but not on the first one. */
function useStartAtTop(): void {
  const path = usePathname();
  const previous = useRef(path);
  useEffect(() => {
    if (previous.current === path) return;
    previous.current = path;
    startAtTop();
  }, [path]);
}

function focusFilter(): void {
  document.querySelector<HTMLInputElement>("[data-filter]")?.focus();
}
