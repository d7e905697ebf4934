/** The main landmark. Menus are rendered inside it, so that floating content belongs to a landmark. */
export const mainArea = (): HTMLElement | null => document.querySelector("main");

/** Scrolls to the top and focuses the main area, as after a page load. */
export function startAtTop(): void {
  mainArea()?.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** A ref for what is removed when it is used: if it has the focus, it passes it to `next`, so the keyboard position is kept. */
export const passFocusTo = (next: () => HTMLElement | null) => (element: HTMLElement | null) => (): void => {
  if (element?.contains(document.activeElement)) next()?.focus({ preventScroll: true });
};

export const passFocusToMain = passFocusTo(mainArea);

/** Moves the focus from a row that is about to be removed to the button that adds a row. */
export function focusAddButton(button: Element): void {
  button.closest("[data-rows]")?.querySelector<HTMLElement>(":scope > [data-add], :scope > div > [data-add]")?.focus();
}
