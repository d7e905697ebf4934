import type { ProgressFigures } from "../eval/progress.ts";
import { progressText } from "./progress-text.ts";
import { widthOf } from "./table.ts";

interface ProgressBar {
  update(figures: ProgressFigures): void;
  /** A line above the bar, which stays. */
  print(line: string): void;
  clear(): void;
}

const clearLine = "\r\u001B[2K";
const redrawMs = 80;

/** One line at the bottom of a terminal, drawn again at most some times a second. */
export function createProgressBar(stream: NodeJS.WriteStream, now: () => number = Date.now): ProgressBar {
  let drawn = "";
  let last = 0;
  const draw = (text: string): void => {
    stream.write(clearLine + text);
    drawn = text;
    last = now();
  };

  return {
    update(figures) {
      if (now() - last >= redrawMs || figures.done === figures.turns) draw(barText(figures, stream.columns || 80));
    },
    print(line) {
      stream.write(`${clearLine}${line}\n${drawn}`);
    },
    clear() {
      if (drawn !== "") draw("");
    },
  };
}

export function barText(figures: ProgressFigures, columns: number): string {
  const text = progressText(figures);
  const room = Math.min(30, columns - widthOf(text) - 4);
  if (room < 5) return [...text].slice(0, Math.max(0, columns - 1)).join("");
  const filled = figures.turns === 0 ? 0 : Math.round((room * figures.done) / figures.turns);
  return `${"█".repeat(filled)}${"░".repeat(room - filled)}  ${text}`;
}
