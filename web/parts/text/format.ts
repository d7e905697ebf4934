import { formatFigure, formatPValue } from "../../../src/base/numbers.ts";

const integers = new Intl.NumberFormat("en");
const dates = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });
const time = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
const clock = new Intl.DateTimeFormat("en", time);
const daysOfYear = new Intl.DateTimeFormat("en", { ...time, month: "short", day: "numeric" });
const days = new Intl.DateTimeFormat("en", { ...time, month: "short", day: "numeric", year: "numeric" });
// "always" avoids "yesterday", which is wrong for late Monday seen from early Wednesday.
const relative = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "short" });

/** 0.8136 → "0.814", null → "–": the digits that the command line and the service's sentences have. */
export const formatScore = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : formatFigure(value);

interface MarginStats {
  readonly mean: number | null;
  readonly ci_lower: number | null;
  readonly ci_upper: number | null;
}

/** A sentence of the service with real minus signs, and without a line break before "%". */
export const formatSentence = (text: string): string =>
  text.replaceAll(/(?<![\w.-])-(?=\d)/g, "−").replaceAll(" %", "\u00A0%");

/** A mean and its interval, "[0.711, 0.994]"; null without one. */
export function formatMargin({ mean, ci_lower: lower, ci_upper: upper }: MarginStats): {
  mean: string;
  interval: string | null;
} {
  if (mean === null || lower === null || upper === null) return { mean: formatScore(mean), interval: null };
  return { mean: formatScore(mean), interval: `[${formatScore(lower)}, ${formatScore(upper)}]` };
}

/** Kappa may be negative; the minus sign is typographic. */
export const formatKappa = (value: number): string => `${value < 0 ? "−" : ""}${formatScore(Math.abs(value))}`;

/** 0.97 → "97 %". Only exact values show as 100 % or 0 %. */
export function formatPercent(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const percent = value * 100;
  const rounded = Math.round(percent);
  if (percent < 100 && rounded === 100) return ">99 %";
  if (percent > 0 && rounded === 0) return "<1 %";
  return `${rounded} %`;
}

export const formatInteger = (value: number): string => integers.format(value);

/** "n = 5,000". */
export const formatSample = (n: number): string => `n = ${integers.format(n)}`;

/** US dollars with two digits, or four for small amounts. */
export function formatMoney(dollars: number): string {
  if (dollars === 0) return "$0";
  if (dollars < 0.0001) return "<$0.0001";
  return `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`;
}

/** The cost of a run; a lower bound when some replies have no known price. */
export const formatCost = ({ total, unpriced }: { total: number; unpriced: number }): string =>
  unpriced > 0 ? `≥ ${formatMoney(total)}` : formatMoney(total);

/** "1 turn", "3 turns". */
export const formatCount = (count: number, noun: string, plural = `${noun}s`): string =>
  `${integers.format(count)} ${count === 1 ? noun : plural}`;

/** 412 → "412 ms", 72_000 → "1 m 12 s". */
export function formatDuration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return "–";
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} m`;
}

/** An estimated duration: 10_000 → "about 10 s". */
export const formatEstimate = (milliseconds: number): string =>
  `about ${formatDuration(milliseconds).replace(".0 s", " s")}`;

/** The pace of a run: "3.2 turns/s", "12 turns/min". */
export function formatRate(turns: number, milliseconds: number): string {
  const perSecond = (1000 * turns) / Math.max(1, milliseconds);
  if (perSecond >= 9.95) return `${formatInteger(Math.round(perSecond))} turns/s`;
  if (perSecond >= 1) return `${perSecond.toFixed(1)} turns/s`;
  const perMinute = perSecond * 60;
  return perMinute >= 1 ? `${Math.round(perMinute)} turns/min` : `${Math.max(1, Math.round(perMinute * 60))} turns/h`;
}

export const formatDate = (iso: string): string => dates.format(new Date(iso));

/** "12:32:23" on the same day as `now`, otherwise "Nov 16, 12:32:23", with the year if it differs. */
export function formatMoment(iso: string, now: number): string {
  const [then, today] = [new Date(iso), new Date(now)];
  if (then.toDateString() === today.toDateString()) return clock.format(then);
  return (then.getFullYear() === today.getFullYear() ? daysOfYear : days).format(then);
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** "5 min. ago", relative to `now`. */
export function formatAgo(iso: string, now: number): string {
  const elapsed = now - Date.parse(iso);
  for (const [unit, length] of steps)
    if (elapsed >= length) return relative.format(-Math.floor(elapsed / length), unit);
  return "just now";
}

/** The reason for a missing interval: "none: one scenario only" → "one scenario only". */
export const formatNoInterval = (method: string): string => method.replace(/^none: /, "");

/** Any JSON value as text; strings without quotes. */
export const formatValue = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** Floating-point noise: sums of the same scores in another order differ by less. */
const rounding = 1e-9;

/** -1, 0 or 1. */
export function effectSign(value: number): number {
  return Math.abs(value) < rounding ? 0 : Math.sign(value);
}

/** 0.102 → "+0.102", 0.0002 → "+0.0002". A difference other than 0 never shows as 0.000. */
export function formatEffect(value: number): string {
  const sign = effectSign(value);
  return sign === 0 ? "0.000" : (sign < 0 ? "−" : "+") + formatFigure(Math.abs(value));
}

export function formatP(p: number | null): string {
  return p === null ? "–" : formatPValue(p);
}
