import { inflateRawSync, zstdDecompressSync } from "node:zlib";
import { FormatError } from "../../formats/format-error.ts";

/** What a member may grow to: as much text as fits into one value. */
const mostBytes = 500_000_000;

const signatures = { end: 0x06_05_4b_50, entry: 0x02_01_4b_50 } as const;
/** The end of an archive may be followed by a comment of this length. */
const longestEnd = 22 + 0xff_ff;

/** The members of a ZIP archive by name, each unpacked when it is asked for. */
export function unzip(archive: Buffer): ReadonlyMap<string, () => Buffer> {
  try {
    return new Map(entriesOf(archive).map((entry) => [entry.name, () => unpack(archive, entry)]));
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
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
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

function unpack(archive: Buffer, { name, method, size, offset }: Entry): Buffer {
  try {
    const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
    const packed = archive.subarray(start, start + size);
    if (method === 0) return packed;
    if (method === 8) return inflateRawSync(packed, { maxOutputLength: mostBytes });
    if (method === 93) return zstdDecompressSync(packed, { maxOutputLength: mostBytes });
  } catch (cause) {
    throw new FormatError(
      `${name} in the archive cannot be unpacked (${(cause as NodeJS.ErrnoException).code ?? String(cause)})`,
    );
  }
  throw new FormatError(`${name} in the archive is packed in a way that is not known (method ${method})`);
}
