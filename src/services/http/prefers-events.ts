/** True when the client would rather have events than one JSON answer. */
export function prefersEvents(header: string | undefined): boolean {
  const accept = header?.toLowerCase();
  if (!accept?.includes("text/event-stream")) return false;
  const ranges = accept.split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return { type, quality: quality === undefined ? 1 : Number(quality) };
  });
  const events = ranges.find(({ type }) => type === "text/event-stream");
  const json = ranges.find(({ type }) => type === "application/json");
  if (!events || !(events.quality > 0)) return false;
  if (!json || events.quality !== json.quality) return events.quality > (json?.quality ?? 0);
  return ranges.indexOf(events) < ranges.indexOf(json);
}
