import { lazyView } from "./parts/lazy-view.tsx";

export const ChatScreen = lazyView(() => import("./chat/chat-screen.tsx"));
export const NewRunScreen = lazyView(() => import("./new-run/new-run-screen.tsx"));
export const RunScreen = lazyView(() => import("./run/run-screen.tsx"));
export const TranscriptScreen = lazyView(() => import("./transcript/transcript-screen.tsx"));

/** Loads the other screens once the first one stands, so that going there does not wait. */
export function preloadScreens(): void {
  // A screen that cannot be loaded now is loaded, or its failure shown, when it is opened.
  for (const screen of [RunScreen, TranscriptScreen, NewRunScreen, ChatScreen]) screen.preload().catch(() => undefined);
}
