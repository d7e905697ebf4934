import { useEffect } from "react";
import { Redirect, Route, Switch } from "wouter";
import { usePathname } from "wouter/use-browser-location";
import { NotFoundScreen } from "./not-found-screen.tsx";
import { RenderFailureGuard } from "./parts/render-failure-guard.tsx";
import { Skeleton } from "./parts/skeleton.tsx";
import { RunsScreen } from "./runs/runs-screen.tsx";
import {
  AuditScreen,
  ChatScreen,
  CompareScreen,
  ImportScreen,
  ModelsScreen,
  NewRunScreen,
  NewScenarioScreen,
  preloadScreens,
  RankScreen,
  RunScreen,
  ScenarioScreen,
  ScenariosScreen,
  SettingsScreen,
  TranscriptScreen,
} from "./screens.ts";
import { Shell } from "./shell/shell.tsx";

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
    <Shell>
      <RenderFailureGuard path={path}>
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
          <Route path="/audit">
            <AuditScreen fallback={loading} />
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
          <Route path="/models">
            <ModelsScreen fallback={loading} />
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
      </RenderFailureGuard>
    </Shell>
  );
}
