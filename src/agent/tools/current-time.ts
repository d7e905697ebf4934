import { defineTool, ToolError, type Tool } from "./tool.ts";

/** Gives the date and time in any time zone, by default in `timeZone`. */
export function currentTime({ timeZone = "UTC" }: { timeZone?: string } = {}): Tool {
  const formats: Formats = new Map();

  return defineTool({
    idempotent: true,
    ours: true,
    name: "current_time",
    description: "Tells the current date, weekday and time, in any time zone.",
    parameters: {
      type: "object",
      properties: {
        time_zone: {
          type: "string",
          maxLength: 64,
          description: `IANA time zone such as Europe/Vienna or UTC. Default: ${timeZone}.`,
        },
      },
      additionalProperties: false,
    },
    run: ({ time_zone }: { time_zone?: string }, { now }) =>
      describeTime(new Date(now()), time_zone || timeZone, formats),
  });
}

type Formats = Map<string, Intl.DateTimeFormat>;

function describeTime(time: Date, timeZone: string, formats: Formats) {
  const parts = Object.fromEntries(
    formatFor(timeZone, formats)
      .formatToParts(time)
      .map(({ type, value }) => [type, value]),
  );
  const offset = parts["timeZoneName"]?.replace("GMT", "") || "+00:00";
  const { year, month, day, weekday, hour, minute, second } = parts;
  const monthName = monthNames[Number(month) - 1];
  return {
    iso: `${year?.padStart(4, "0")}-${month}-${day}T${hour}:${minute}:${second}${offset}`,
    time_zone: timeZone,
    readable: `${weekday}, ${Number(day)} ${monthName} ${year}, ${hour}:${minute}:${second} (UTC${offset})`,
  };
}

const monthNames = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

const mostFormats = 50;

/** Formats are slow to create and large: a few are cached, and a model that tries every zone cannot fill the memory. */
function formatFor(timeZone: string, formats: Formats): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  if (formats.size >= mostFormats) formats.clear();
  const format = createFormat(timeZone);
  formats.set(timeZone, format);
  return format;
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-GB", {
      timeZone,
      hourCycle: "h23",
      weekday: "long",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      timeZoneName: "longOffset",
    });
  } catch {
    throw new ToolError(`"${timeZone}" is not a known time zone. Use an IANA name such as Europe/Vienna, or UTC.`);
  }
}
