import { lazyView } from "./parts/lazy-view.tsx";

export const AuditScreen = lazyView(() => import("./audit/audit-screen.tsx"));
export const ChatScreen = lazyView(() => import("./chat/chat-screen.tsx"));
export const CompareScreen = lazyView(async () => ({ default: (await import("./compare/screens.ts")).CompareScreen }));
export const ImportScreen = lazyView(() => import("./scenarios/import-screen.tsx"));
export const ModelsScreen = lazyView(() => import("./models/models-screen.tsx"));
export const NewRunScreen = lazyView(() => import("./new-run/new-run-screen.tsx"));
export const NewScenarioScreen = lazyView(() => import("./scenarios/new-scenario-screen.tsx"));
export const RankScreen = lazyView(async () => ({ default: (await import("./compare/screens.ts")).RankScreen }));
export const RunScreen = lazyView(() => import("./run/run-screen.tsx"));
export const ScenarioScreen = lazyView(() => import("./scenarios/scenario-screen.tsx"));
export const ScenariosScreen = lazyView(() => import("./scenarios/scenarios-screen.tsx"));
export const SettingsScreen = lazyView(() => import("./settings/settings-screen.tsx"));
export const TranscriptScreen = lazyView(() => import("./transcript/transcript-screen.tsx"));

const likely = [
  RunScreen,
  TranscriptScreen,
  NewRunScreen,
  ChatScreen,
  ScenariosScreen,
  CompareScreen,
  ModelsScreen,
  SettingsScreen,
];

/** Loads the other screens once the first one stands, so that going there does not wait. */
export function preloadScreens(): void {
  // A screen that cannot be loaded now is loaded, or its failure shown, when it is opened.
  for (const screen of likely) screen.preload().catch(() => undefined);
}
