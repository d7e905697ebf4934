import { mainArea } from "./main-area.ts";

/** A screen that is new, or has something new to say, is read from its top. */
export function startAtTop(): void {
  mainArea()?.focus({ preventScroll: true });
  scrollTo(0, 0);
}
