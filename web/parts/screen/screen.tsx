import type { ReactNode } from "react";
import { Link } from "wouter";

interface ScreenProps {
  readonly title: string;
  readonly heading?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of a screen: document title, heading and actions. */
export function Screen({ title, heading, actions, children }: ScreenProps) {
  return (
    <div className="mx-auto grid w-full max-w-7xl grid-cols-[minmax(0,1fr)] gap-4 p-4 sm:p-6">
      <title>{`${title} · Rehearsal`}</title>
      <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-2">
        <h1 className="min-w-0 text-xl font-semibold break-words">{heading ?? title}</h1>
        {actions && (
          <div className="flex flex-wrap items-center gap-2 sm:justify-end *:[[role=alert]]:order-last *:[[role=alert]]:basis-full">
            {actions}
          </div>
        )}
      </header>
      {children}
    </div>
  );
}

export function NotFoundScreen() {
  return (
    <Screen title="Page not found">
      <p>
        The link may be incomplete or from another version.{" "}
        <Link href="/runs" className="link">
          Go to Runs
        </Link>
      </p>
    </Screen>
  );
}

/** Placeholder bars while data is loading. */
export function Skeleton({ rows, label }: { rows: number; label: string }) {
  return (
    <div role="status" className="grid gap-2">
      <span className="sr-only">{label}</span>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} aria-hidden className="h-8 animate-pulse rounded-md bg-line" />
      ))}
    </div>
  );
}
