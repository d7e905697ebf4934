/** Where what floats above the page is put: inside the landmark it belongs to. */
export const mainArea = (): HTMLElement | null => document.querySelector("main");
