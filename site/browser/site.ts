import { startMenu } from "./menu.ts";
import { startSearch } from "./search.ts";
import { applyTheme, startThemeButton } from "./theme.ts";

// Runs before the first paint; the rest needs the page.
applyTheme();
const root = document.currentScript?.dataset["root"] ?? "";

document.addEventListener("DOMContentLoaded", () => {
  startThemeButton();
  startMenu();
  startSearch(root);
});
