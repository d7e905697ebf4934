/** Opens the list of pages if there is room for it beside the text. */
export function startMenu(): void {
  const menu = document.querySelector<HTMLDetailsElement>("[data-menu]");
  if (!menu) return;
  const wide = matchMedia("(min-width: 60rem)");
  const follow = (): void => {
    menu.open = wide.matches;
  };
  wide.addEventListener("change", follow);
  follow();
  menu.querySelector('[aria-current="page"]')?.scrollIntoView({ block: "nearest" });
}
