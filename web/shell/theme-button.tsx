import { Monitor, Moon, Sun, type LucideIcon } from "lucide-react";
import { useState } from "react";
import { chooseTheme, themeChoice, themeChoices, type ThemeChoice } from "../theme.ts";

const looks: Record<ThemeChoice, { icon: LucideIcon; label: string }> = {
  system: { icon: Monitor, label: "System" },
  light: { icon: Sun, label: "Light" },
  dark: { icon: Moon, label: "Dark" },
};

/** Goes round system, light, dark. */
export function ThemeButton() {
  const [choice, setChoice] = useState(themeChoice);
  const { icon: Icon, label } = looks[choice];

  const next = (): void => {
    const following = themeChoices[(themeChoices.indexOf(choice) + 1) % themeChoices.length] ?? "system";
    chooseTheme(following);
    setChoice(following);
  };

  return (
    <button type="button" onClick={next} className="rail-item" aria-label={`Theme: ${label}. Change`}>
      <Icon aria-hidden size={18} />
      <span>{label}</span>
    </button>
  );
}
