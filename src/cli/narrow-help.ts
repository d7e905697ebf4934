import { Help } from "commander";

/** Columns a description needs beside its term. */
const besideTerm = 40;
const below = "      ";

/** Where a terminal leaves less room than that, each description stands below its term. */
export const narrowHelp: Partial<Help> = {
  minWidthToWrap: 20,
  formatItem(this: Help, term: string, termWidth: number, description: string, helper: Help): string {
    const width = this.helpWidth ?? 80;
    if (description === "" || width - termWidth - 4 >= besideTerm) {
      return Help.prototype.formatItem.call(this, term, termWidth, description, helper);
    }
    return `  ${term}\n${below}${helper.boxWrap(description, width - below.length).replaceAll("\n", `\n${below}`)}`;
  },
};
