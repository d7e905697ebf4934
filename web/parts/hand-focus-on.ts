import { mainArea } from "./main-area.ts";

/** A ref of a button that goes away by itself: whoever is on it then goes on from what `next` finds, not from the start of the page. */
export const handFocusOn = (next: () => HTMLElement | null) => (button: HTMLElement | null) => (): void => {
  if (button === document.activeElement) next()?.focus({ preventScroll: true });
};

export const handFocusToMain = handFocusOn(mainArea);
