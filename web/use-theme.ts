import { useSyncExternalStore } from "react";
import { chooseTheme, onThemeChange, themeChoice, type ThemeChoice } from "./theme.ts";

/** The theme chosen, wherever on the page it is chosen. */
export const useTheme = (): [ThemeChoice, (choice: ThemeChoice) => void] => [
  useSyncExternalStore(onThemeChange, themeChoice),
  chooseTheme,
];
