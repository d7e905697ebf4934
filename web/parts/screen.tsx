import type { ReactNode } from "react";

interface ScreenProps {
  readonly title: string;
  readonly heading?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of a screen: its name in the tab and as the heading, actions beside it. */
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
