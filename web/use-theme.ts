import { useSyncExternalStore } from "react";
import { onStored } from "./parts/stored-changes.ts";
import { chooseTheme, themeChoice, type ThemeChoice } from "./theme.ts";

/** The theme chosen, wherever on the page it is chosen. */
export const useTheme = (): [ThemeChoice, (choice: ThemeChoice) => void] => [
  useSyncExternalStore(onStored, themeChoice),
  chooseTheme,
];
