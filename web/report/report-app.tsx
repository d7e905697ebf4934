import { Redirect, Route, Router, Switch } from "wouter";
import { runPath } from "../parts/paths.ts";
import RunScreen from "../run/run-screen.tsx";
import { ThemeButton } from "../shell/theme-button.tsx";
import TranscriptScreen from "../transcript/transcript-screen.tsx";
import { useHashLocation, useSearch } from "./hash-location.ts";
import { reportData } from "./report-data.ts";

/** Run and transcripts of one run, out of one file. */
export function ReportApp() {
  const { run } = reportData();
  return (
    <Router hook={useHashLocation} searchHook={useSearch} hrefs={(href) => `#${href}`}>
      <header className="flex items-center justify-between border-b border-line bg-surface px-4 py-1 sm:px-6">
        <span className="text-sm text-soft">Rehearsal report</span>
        <span className="flex">
          <ThemeButton />
        </span>
      </header>
      <main tabIndex={-1}>
        <Switch>
          <Route path="/runs/:run">
            <RunScreen />
          </Route>
          <Route path="/runs/:run/:scenario/:attempt">
            <TranscriptScreen />
          </Route>
          <Route>
            <Redirect to={runPath(run.run_id)} replace />
          </Route>
        </Switch>
      </main>
    </Router>
  );
}
