import "../styles.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Redirect, Route, Router, Switch } from "wouter";
import { queryClient } from "../api/queries.ts";
import { runPath } from "../parts/address/paths.ts";
import { replaceMissingStorage } from "../parts/browser/storage.ts";
import { runName } from "../parts/runs/run-facts.ts";
import { ErrorBoundary } from "../parts/screen/error-boundary.tsx";
import RunScreen from "../run/run-screen.tsx";
import { startTheme, ThemeButton } from "../shell/theme.tsx";
import TranscriptScreen from "../transcript/transcript-screen.tsx";
import { useHashLocation, useSearch } from "./hash-location.ts";
import { JudgedRunView } from "./judged-run.tsx";
import { loadReport, reportData } from "./stand-ins.tsx";

replaceMissingStorage();
startTheme();

await loadReport();
document.title = reportTitle();

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <ErrorBoundary>
          <ReportApp />
        </ErrorBoundary>
      </QueryClientProvider>
    </StrictMode>,
  );
}

function reportTitle(): string {
  const { run } = reportData();
  return `${runName(run)} · Rehearsal report`;
}

/** The run and transcript screens of one run. */
function ReportApp() {
  const { run, judged } = reportData();
  return (
    <Router hook={useHashLocation} searchHook={useSearch} hrefs={(href) => `#${href}`}>
      <header className="flex items-center justify-between border-b border-line bg-surface px-4 py-1 sm:px-6">
        <span className="text-sm text-soft">Rehearsal report</span>
        <span className="no-print flex">
          <ThemeButton />
        </span>
      </header>
      <main tabIndex={-1}>
        <Switch>
          <Route path="/runs/:run">
            {judged && <JudgedRunView judged={judged} />}
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
