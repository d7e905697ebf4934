export const viewModes = ["side", "inline", "plain", "rendered"] as const;
export type ViewMode = (typeof viewModes)[number];

export const viewLabels: Record<ViewMode, string> = {
  side: "Side by side",
  inline: "Inline diff",
  plain: "Plain",
  rendered: "Markdown",
};

export const readViewMode = (value: string | null): ViewMode => viewModes.find((mode) => mode === value) ?? "side";

export const nextViewMode = (mode: ViewMode): ViewMode =>
  viewModes[(viewModes.indexOf(mode) + 1) % viewModes.length] ?? "side";
