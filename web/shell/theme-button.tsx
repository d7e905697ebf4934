import { Monitor, Moon, Sun, type LucideIcon } from "lucide-react";
import { themeChoices, type ThemeChoice } from "../theme.ts";
import { useTheme } from "../use-theme.ts";

const looks: Record<ThemeChoice, { icon: LucideIcon; label: string }> = {
  system: { icon: Monitor, label: "System" },
  light: { icon: Sun, label: "Light" },
  dark: { icon: Moon, label: "Dark" },
};

/** Goes round system, light, dark. */
export function ThemeButton() {
  const [choice, choose] = useTheme();
  const { icon: Icon, label } = looks[choice];

  const next = (): void => choose(themeChoices[(themeChoices.indexOf(choice) + 1) % themeChoices.length] ?? "system");

  return (
    <button type="button" onClick={next} className="rail-item max-sm:hidden" aria-label={`Theme: ${label}. Change`}>
      <Icon aria-hidden size={18} />
      <span>{label}</span>
    </button>
  );
}
