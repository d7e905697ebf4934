import type { Curve } from "../bench.ts";

const width = 640;
const height = 320;
const margin = { top: 40, right: 130, bottom: 48, left: 64 };
const colours = ["#2563eb", "#d97706", "#059669", "#7c3aed"];

/** A curve as an SVG picture: axes, a line with its points for each series, names beside the lines. */
export function toLineChart({ title, x, y, logarithmicX = false, series }: Curve): string {
  const points = series.flatMap((line) => line.points);
  const xs = points.map(([value]) => value);
  const top = niceCeiling(Math.max(...points.map(([, value]) => value), 0));
  const toX = scale(logarithmicX ? Math.log10 : (value) => value, {
    domain: [Math.min(...xs), Math.max(...xs)],
    range: [margin.left, width - margin.right],
  });
  const toY = scale((value) => value, { domain: [0, top], range: [height - margin.bottom, margin.top] });
  const ticks = [...new Set(xs)].toSorted((left, right) => left - right);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(margin.left, 22, title, 'font-weight="bold" font-size="14"'),
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((share) => horizontalLine(toY(top * share), formatTick(top * share))),
    ...ticks.map((tick) =>
      text(toX(tick), height - margin.bottom + 18, formatTick(tick), 'text-anchor="middle" fill="#555"'),
    ),
    text((margin.left + width - margin.right) / 2, height - 10, x, 'text-anchor="middle" fill="#555"'),
    text(8, margin.top - 6, y, 'fill="#555"'),
    ...series.flatMap((line, index) =>
      drawSeries(
        line.name,
        line.points.map(([px, py]) => [toX(px), toY(py)]),
        colours[index % colours.length] ?? "#000",
      ),
    ),
    "</svg>",
    "",
  ].join("\n");
}

function drawSeries(name: string, points: readonly (readonly [number, number])[], colour: string): string[] {
  const [lastX, lastY] = points.at(-1) ?? [margin.left, margin.top];
  const path = points.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(" ");
  return [
    `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...points.map(([px, py]) => `<circle cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="3" fill="${colour}"/>`),
    text(lastX + 8, lastY + 4, name, `fill="${colour}"`),
  ];
}

function horizontalLine(at: number, label: string): string[] {
  return [
    `<line x1="${margin.left}" x2="${width - margin.right}" y1="${at.toFixed(1)}" y2="${at.toFixed(1)}" stroke="#ddd"/>`,
    text(margin.left - 8, at + 4, label, 'text-anchor="end" fill="#555"'),
  ];
}

interface ScaleOptions {
  readonly domain: readonly [number, number];
  readonly range: readonly [number, number];
}

function scale(transform: (value: number) => number, { domain, range }: ScaleOptions): (value: number) => number {
  const [from, to] = [transform(domain[0]), transform(domain[1])];
  const length = to - from || 1;
  return (value) => range[0] + ((transform(value) - from) / length) * (range[1] - range[0]);
}

/** The next of 1, 2, 4, 5, 8 times a power of ten, so that quarters of it are short to write. */
export function niceCeiling(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 5, 8, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

function formatTick(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000} M`;
  if (value >= 1_000) return `${value / 1_000} k`;
  return String(Number(value.toPrecision(3)));
}

function text(px: number, py: number, content: string, attributes: string): string {
  return `<text x="${px.toFixed(1)}" y="${py.toFixed(1)}" ${attributes}>${escape(content)}</text>`;
}

function escape(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
