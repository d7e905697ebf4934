/** Before the row of a button goes: the focus, which would be lost with it, is given to the button that adds a row. */
export function leaveRow(button: Element): void {
  button.closest("[data-rows]")?.querySelector<HTMLElement>(":scope > [data-add], :scope > div > [data-add]")?.focus();
}
