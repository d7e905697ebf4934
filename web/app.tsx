import { useEffect } from "react";
import { Redirect, Route, Switch } from "wouter";
import { usePathname } from "wouter/use-browser-location";
import { ErrorBoundary } from "./parts/screen/error-boundary.tsx";
import { NotFoundScreen, Skeleton } from "./parts/screen/screen.tsx";
import { lazyComponent } from "./parts/screen/lazy-component.tsx";
import { RunsScreen } from "./runs/runs-screen.tsx";
import { AppShell } from "./shell/shell.tsx";

const AgentRunScreen = lazyComponent(async () => ({ default: (await import("./agent/screens.ts")).AgentRunScreen }));
const AgentRunsScreen = lazyComponent(async () => ({ default: (await import("./agent/screens.ts")).AgentRunsScreen }));
const AgentThreadScreen = lazyComponent(async () => ({
  default: (await import("./agent/screens.ts")).AgentThreadScreen,
}));
const ChatScreen = lazyComponent(() => import("./chat/chat-screen.tsx"));
const CompareScreen = lazyComponent(async () => ({ default: (await import("./compare/screens.ts")).CompareScreen }));
const ConnectScreen = lazyComponent(() => import("./models/connect-screen.tsx"));
const HistoryScreen = lazyComponent(() => import("./runs/history-screen.tsx"));
const ImportScreen = lazyComponent(() => import("./scenarios/import-screen.tsx"));
const ModelsScreen = lazyComponent(() => import("./models/models-screen.tsx"));
const NewRunScreen = lazyComponent(() => import("./new-run/new-run-screen.tsx"));
const NewScenarioScreen = lazyComponent(() => import("./scenarios/new-scenario-screen.tsx"));
const RankScreen = lazyComponent(async () => ({ default: (await import("./compare/screens.ts")).RankScreen }));
const ReviewScreen = lazyComponent(() => import("./review/review-screen.tsx"));
const RunScreen = lazyComponent(() => import("./run/run-screen.tsx"));
const ScenarioScreen = lazyComponent(() => import("./scenarios/scenario-screen.tsx"));
const ScenariosScreen = lazyComponent(() => import("./scenarios/scenarios-screen.tsx"));
const SettingsScreen = lazyComponent(() => import("./settings/settings-screen.tsx"));
const TranscriptScreen = lazyComponent(() => import("./transcript/transcript-screen.tsx"));

const preloadedScreens = [
  RunScreen,
  TranscriptScreen,
  NewRunScreen,
  ChatScreen,
  AgentRunsScreen,
  ScenariosScreen,
  CompareScreen,
  ModelsScreen,
  SettingsScreen,
];

const loading = (
  <div className="p-6">
    <Skeleton rows={6} label="Loading the screen" />
  </div>
);

export function App() {
  const path = usePathname();
  useEffect(() => {
    const timer = setTimeout(preloadScreens, 1500);
    return () => clearTimeout(timer);
  }, []);

  return (
    <AppShell>
      <ErrorBoundary path={path}>
        <Switch>
          <Route path="/">
            <Redirect to={`/runs${location.search}`} replace />
          </Route>
          <Route path="/runs">
            <RunsScreen />
          </Route>
          <Route path="/new">
            <NewRunScreen fallback={loading} />
          </Route>
          <Route path="/chat">
            <ChatScreen fallback={loading} />
          </Route>
          <Route path="/compare">
            <CompareScreen fallback={loading} />
          </Route>
          <Route path="/rank">
            <RankScreen fallback={loading} />
          </Route>
          <Route path="/history">
            <HistoryScreen fallback={loading} />
          </Route>
          <Route path="/review">
            <ReviewScreen fallback={loading} />
          </Route>
          <Route path="/audit">
            <Redirect to={`/review${location.search}`} replace />
          </Route>
          <Route path="/scenarios">
            <ScenariosScreen fallback={loading} />
          </Route>
          <Route path="/scenarios/new">
            <NewScenarioScreen fallback={loading} />
          </Route>
          <Route path="/scenarios/import">
            <ImportScreen fallback={loading} />
          </Route>
          <Route path="/scenarios/id/:scenario">
            <ScenarioScreen fallback={loading} />
          </Route>
          <Route path="/agents">
            <AgentRunsScreen fallback={loading} />
          </Route>
          <Route path="/agents/threads/:thread">
            <AgentThreadScreen fallback={loading} />
          </Route>
          <Route path="/agents/:run">
            <AgentRunScreen fallback={loading} />
          </Route>
          <Route path="/models">
            <ModelsScreen fallback={loading} />
          </Route>
          <Route path="/connect">
            <ConnectScreen fallback={loading} />
          </Route>
          <Route path="/settings">
            <SettingsScreen fallback={loading} />
          </Route>
          <Route path="/runs/:run">
            <RunScreen fallback={loading} />
          </Route>
          <Route path="/runs/:run/:scenario/:attempt">
            <TranscriptScreen fallback={loading} />
          </Route>
          <Route>
            <NotFoundScreen />
          </Route>
        </Switch>
      </ErrorBoundary>
    </AppShell>
  );
}

/** Loads the likely next screens once the first one is drawn. A screen that fails to load is tried again when it is opened. */
function preloadScreens(): void {
  for (const screen of preloadedScreens) screen.preload().catch(() => undefined);
}
