import { Monitor, Moon, Sun, type LucideIcon } from "lucide-react";
import { useSyncExternalStore } from "react";
import { onStored, notifyStored } from "../parts/browser/storage.ts";

export const themeChoices = ["system", "light", "dark"] as const;
type ThemeChoice = (typeof themeChoices)[number];

const key = "rehearsal.theme";
const systemDark = matchMedia("(prefers-color-scheme: dark)");

function themeChoice(): ThemeChoice {
  const stored = localStorage.getItem(key);
  return themeChoices.find((choice) => choice === stored) ?? "system";
}

function chooseTheme(choice: ThemeChoice): void {
  if (choice === "system") localStorage.removeItem(key);
  else localStorage.setItem(key, choice);
  notifyStored();
}

function applyTheme(): void {
  const choice = themeChoice();
  const dark = choice === "system" ? systemDark.matches : choice === "dark";
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
}

/** Applies the theme before the first paint, then follows the system setting and other tabs. */
export function startTheme(): void {
  applyTheme();
  systemDark.addEventListener("change", applyTheme);
  onStored(applyTheme);
}

export const useTheme = (): [ThemeChoice, (choice: ThemeChoice) => void] => [
  useSyncExternalStore(onStored, themeChoice),
  chooseTheme,
];

export const themes: Record<ThemeChoice, { icon: LucideIcon; label: string }> = {
  system: { icon: Monitor, label: "System" },
  light: { icon: Sun, label: "Light" },
  dark: { icon: Moon, label: "Dark" },
};

/** Cycles through system, light and dark. */
export function ThemeButton() {
  const [choice, choose] = useTheme();
  const { icon: Icon, label } = themes[choice];

  const next = (): void => choose(themeChoices[(themeChoices.indexOf(choice) + 1) % themeChoices.length] ?? "system");

  return (
    <button type="button" onClick={next} className="rail-item max-sm:hidden" aria-label={`Theme: ${label}. Change`}>
      <Icon aria-hidden size={18} />
      <span>Theme: {label.toLowerCase()}</span>
    </button>
  );
}
