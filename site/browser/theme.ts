const key = "rehearsal-docs-theme";
const names = { auto: "System", light: "Light", dark: "Dark" } as const;
type Theme = keyof typeof names;
const order: readonly Theme[] = ["auto", "light", "dark"];

/** Follows the system setting unless the reader chose a theme. */
export function applyTheme(theme: Theme = storedTheme()): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** Each press selects the next theme. The choice is stored if the browser allows it. */
export function startThemeButton(): void {
  const button = document.querySelector<HTMLButtonElement>("[data-theme-button]");
  if (!button) return;
  let theme = storedTheme();
  const show = (): void => {
    button.textContent = names[theme];
    button.setAttribute("aria-label", `Theme: ${names[theme]}`);
    button.title = "Theme";
  };
  button.addEventListener("click", () => {
    theme = order[(order.indexOf(theme) + 1) % order.length] ?? "auto";
    keep(theme);
    applyTheme(theme);
    show();
  });
  show();
  button.hidden = false;
}

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(key);
    return order.find((theme) => theme === stored) ?? "auto";
  } catch {
    return "auto";
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // Without storage, the choice applies to this page only.
  }
}
