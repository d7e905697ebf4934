import { appendFileSync } from "node:fs";

/**
 * Prints what a suite measured. With HARDENING_FIGURES the same line is appended to that file, from which
 * `scripts/reliability-table.mjs` writes the figures of docs/reliability.md.
 */
export function report(suite: string, figures: Readonly<Record<string, number | string>>): void {
  const line = JSON.stringify({ suite, ...figures });
  process.stdout.write(`${line}\n`);
  const file = process.env["HARDENING_FIGURES"];
  if (file) appendFileSync(file, `${line}\n`);
}
