import MiniSearch, { type SearchResult } from "minisearch";
import { searchOptions, type SearchEntry } from "../search-options.ts";

declare global {
  // Set by search-index.js.
  var searchIndex: string | undefined;
}

const most = 12;

/** The search dialog, opened by its button, `/` and Ctrl+K. The index is loaded when it is first opened. */
export function startSearch(root: string): void {
  const button = document.querySelector<HTMLButtonElement>("[data-search]");
  if (!button) return;
  const { dialog, input, status, list } = createDialog();
  document.body.append(dialog);
  let loading: Promise<MiniSearch<SearchEntry>> | undefined;

  const search = async (): Promise<void> => {
    const index = await (loading ??= loadIndex(root));
    const words = input.value.trim();
    const results = words === "" ? [] : index.search(words).slice(0, most);
    list.replaceChildren(...results.map((result) => toItem(result, root)));
    status.textContent = words === "" ? "" : results.length === 0 ? "Nothing found." : `${results.length} found`;
  };
  const open = (): void => {
    if (!dialog.open) dialog.showModal();
    input.select();
    void search().catch(() => {
      status.textContent = "The search index could not be loaded.";
    });
  };
  button.addEventListener("click", open);
  input.addEventListener("input", () => void search());
  dialog.addEventListener("keydown", (event) => moveFocus(event, input, list));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target instanceof HTMLAnchorElement) dialog.close();
  });
  document.addEventListener("keydown", (event) => {
    if (!isShortcut(event) || dialog.open) return;
    event.preventDefault();
    open();
  });
  button.hidden = false;
}

function createDialog() {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", "Search");
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "Search the documentation";
  input.setAttribute("aria-label", "Search the documentation");
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  const list = document.createElement("ul");
  dialog.append(input, status, list);
  return { dialog, input, status, list };
}

function loadIndex(root: string): Promise<MiniSearch<SearchEntry>> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${root}search-index.js`;
    script.addEventListener("load", () => resolve(MiniSearch.loadJSON(globalThis.searchIndex ?? "", searchOptions)));
    script.addEventListener("error", reject);
    document.head.append(script);
  });
}

function toItem(result: SearchResult, root: string): HTMLLIElement {
  const { page, heading, start } = result as unknown as SearchEntry;
  const link = document.createElement("a");
  link.href = `${root}${String(result.id)}`;
  for (const [name, text] of [
    ["result-heading", heading],
    ["result-page", page],
    ["result-start", start],
  ] as const) {
    const part = document.createElement("span");
    part.className = name;
    part.textContent = text;
    link.append(part);
  }
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/** Arrow keys move through the results; Enter in the field opens the first. */
function moveFocus(event: KeyboardEvent, input: HTMLInputElement, list: HTMLUListElement): void {
  const stops = [input, ...list.querySelectorAll("a")];
  const here = stops.findIndex((stop) => stop === document.activeElement);
  if (event.key === "Enter" && document.activeElement === input) stops[1]?.click();
  else if (event.key === "ArrowDown") stops[Math.min(here + 1, stops.length - 1)]?.focus();
  else if (event.key === "ArrowUp") stops[Math.max(here - 1, 0)]?.focus();
  else return;
  event.preventDefault();
}

function isShortcut(event: KeyboardEvent): boolean {
  if (event.key === "k") return event.ctrlKey || event.metaKey;
  const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
  return event.key === "/" && !typing;
}
