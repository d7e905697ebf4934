import { onStored, tellStored } from "./parts/stored-changes.ts";

export const themeChoices = ["system", "light", "dark"] as const;
export type ThemeChoice = (typeof themeChoices)[number];

const key = "rehearsal.theme";
const systemDark = matchMedia("(prefers-color-scheme: dark)");

export function themeChoice(): ThemeChoice {
  const stored = localStorage.getItem(key);
  return themeChoices.find((choice) => choice === stored) ?? "system";
}

export function chooseTheme(choice: ThemeChoice): void {
  if (choice === "system") localStorage.removeItem(key);
  else localStorage.setItem(key, choice);
  tellStored();
}

function applyTheme(): void {
  const choice = themeChoice();
  const dark = choice === "system" ? systemDark.matches : choice === "dark";
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
}

/** Sets the theme before the first paint and follows the system and other tabs from then on. */
export function startTheme(): void {
  applyTheme();
  systemDark.addEventListener("change", applyTheme);
  onStored(applyTheme);
}
