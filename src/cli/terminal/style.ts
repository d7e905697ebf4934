import { styleText } from "node:util";

export type Style = (format: Parameters<typeof styleText>[0], text: string) => string;

/** Colours for one stream: none when it is no terminal or `NO_COLOR` is set, which Node looks after. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  return (format, text) => styleText(format, text, { stream });
}

/** For files and tests. */
export const noStyle: Style = (_format, text) => text;
