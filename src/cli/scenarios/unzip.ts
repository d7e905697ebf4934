import { inflateRawSync, zstdDecompressSync } from "node:zlib";
import { FormatError } from "../../formats/scenario-file.ts";

/** What the members may grow to together: as much text as fits into one value, since they are joined to one. */
const mostTogether = 500_000_000;

const signatures = { end: 0x06_05_4b_50, longEnd: 0x07_06_4b_50, entry: 0x02_01_4b_50 } as const;
/** The end of an archive may be followed by a comment of this length. */
const longestEnd = 22 + 0xff_ff;

/** The members of a ZIP archive by name, each unpacked when it is asked for. A small archive may hold more than any memory. */
export function unzip(
  archive: Buffer,
  { mostBytes = mostTogether }: { mostBytes?: number } = {},
): ReadonlyMap<string, () => Buffer> {
  let left = mostBytes;
  const take = (entry: Entry): Buffer => {
    const bytes = unpack(archive, entry, left);
    left -= bytes.length;
    if (left <= 0) throw tooLarge();
    return bytes;
  };
  try {
    return new Map(entriesOf(archive).map((entry) => [entry.name, () => take(entry)]));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new FormatError("the archive is not whole");
  }
}

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly size: number;
  readonly offset: number;
}

function entriesOf(archive: Buffer): Entry[] {
  const from = Math.max(0, archive.length - longestEnd);
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(signatures.end);
  const end = archive.lastIndexOf(mark);
  if (end < from) throw new FormatError("the archive is not whole");
  const entries: Entry[] = [];
  let { at, left } = indexOf(archive, end);
  for (; left > 0; left--) {
    if (archive.readUInt32LE(at) !== signatures.entry) throw new FormatError("the archive is not whole");
    const [name, extra, comment] = [28, 30, 32].map((field) => archive.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    entries.push({
      name: archive.toString("utf8", at + 46, at + 46 + name),
      method: archive.readUInt16LE(at + 10),
      size: archive.readUInt32LE(at + 20),
      offset: archive.readUInt32LE(at + 42),
    });
    at += 46 + name + extra + comment;
  }
  return entries;
}

/** Where the list of members begins, and how many there are. More of them than two bytes can say stand in a record of their own. */
function indexOf(archive: Buffer, end: number): { at: number; left: number } {
  const left = archive.readUInt16LE(end + 10);
  const long = end - 20;
  if (left < 0xff_ff || long < 0 || archive.readUInt32LE(long) !== signatures.longEnd)
    return { at: archive.readUInt32LE(end + 16), left };
  const record = Number(archive.readBigUInt64LE(long + 8));
  return { at: Number(archive.readBigUInt64LE(record + 48)), left: Number(archive.readBigUInt64LE(record + 32)) };
}

function unpack(archive: Buffer, { name, method, size, offset }: Entry, maxOutputLength: number): Buffer {
  try {
    const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
    const packed = archive.subarray(start, start + size);
    if (method === 0) return packed;
    if (method === 8) return inflateRawSync(packed, { maxOutputLength });
    if (method === 93) return zstdDecompressSync(packed, { maxOutputLength });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    throw new FormatError(
      `${name} in the archive cannot be unpacked (${(cause as NodeJS.ErrnoException).code ?? String(cause)})`,
    );
  }
  throw new FormatError(`${name} in the archive is packed in a way that is not known (method ${method})`);
}

function tooLarge(): FormatError {
  return new FormatError("the archive holds more text than can be read as one (500 MB)");
}
