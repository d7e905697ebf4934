import { inflateRawSync, zstdDecompressSync } from "node:zlib";
import { decodeUtf8 } from "../../formats/documents/decode-text.ts";
import { FormatError } from "../../formats/scenario-file.ts";

/** Member names of an Inspect log: the header of a finished run, that of an unfinished one, and the samples. */
const headNames = ["header.json", "_journal/start.json"];

const sampleName = /^samples\/(?<id>.*)_epoch_(?<epoch>\d+)\.json$/;

/**
 * Converts an Inspect `.eval` archive, which has a file per sample, to Inspect's JSON form. Samples are ordered by id, then
 * by epoch. Undefined for bytes that are not such an archive.
 */
export function readInspectLog(bytes: Buffer): string | undefined {
  if (!bytes.subarray(0, 4).equals(Buffer.from("PK\u0003\u0004"))) return undefined;
  const members = unzip(bytes);
  const head = headNames.map((name) => members.get(name)).find((member) => member !== undefined);
  if (!head) return undefined;
  const samples = [...members.keys()].flatMap((name) => {
    const { id = "", epoch = "" } = sampleName.exec(name)?.groups ?? {};
    return epoch === "" ? [] : [{ name, id, epoch: Number(epoch) }];
  });
  // Numeric order: 9 before 10. Created only here, because it takes megabytes.
  const inOrder = new Intl.Collator("en", { numeric: true });
  samples.sort((left, right) => inOrder.compare(left.id, right.id) || left.epoch - right.epoch);
  const texts = samples.map(({ name }) => decodeUtf8(members.get(name)?.() ?? Buffer.alloc(0)));
  return `${decodeUtf8(head()).trimEnd().slice(0, -1)},"samples":[${texts.join(",")}]}`;
}

/** Limit of the unpacked size: the members are joined into one string, which has a maximum length. */
const maxUnpackedBytes = 500_000_000;

const signatures = { end: 0x06_05_4b_50, longEnd: 0x07_06_4b_50, entry: 0x02_01_4b_50 } as const;
/** Size of the end record with the longest comment that may follow it. */
const maxEndBytes = 22 + 0xff_ff;

/** The members of a ZIP archive, unpacked on demand. The total is limited: a small archive can expand to any size. */
export function unzip(
  archive: Buffer,
  { mostBytes = maxUnpackedBytes }: { mostBytes?: number } = {},
): ReadonlyMap<string, () => Buffer> {
  let left = mostBytes;
  const take = (entry: ZipEntry): Buffer => {
    const bytes = unpack(archive, entry, left);
    left -= bytes.length;
    if (left <= 0) throw tooLarge();
    return bytes;
  };
  try {
    return new Map(zipEntries(archive).map((entry) => [entry.name, () => take(entry)]));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new FormatError("the archive is incomplete");
  }
}

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly size: number;
  readonly offset: number;
}

function zipEntries(archive: Buffer): ZipEntry[] {
  const from = Math.max(0, archive.length - maxEndBytes);
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(signatures.end);
  const end = archive.lastIndexOf(mark);
  if (end < from) throw new FormatError("the archive is incomplete");
  const entries: ZipEntry[] = [];
  let { at, left } = indexOf(archive, end);
  for (; left > 0; left--) {
    if (archive.readUInt32LE(at) !== signatures.entry) throw new FormatError("the archive is incomplete");
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

/** Offset and length of the central directory; ZIP64 stores counts above 65,534 in a separate record. */
function indexOf(archive: Buffer, end: number): { at: number; left: number } {
  const left = archive.readUInt16LE(end + 10);
  const long = end - 20;
  if (left < 0xff_ff || long < 0 || archive.readUInt32LE(long) !== signatures.longEnd)
    return { at: archive.readUInt32LE(end + 16), left };
  const record = Number(archive.readBigUInt64LE(long + 8));
  return { at: Number(archive.readBigUInt64LE(record + 48)), left: Number(archive.readBigUInt64LE(record + 32)) };
}

function unpack(archive: Buffer, { name, method, size, offset }: ZipEntry, maxOutputLength: number): Buffer {
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
  throw new FormatError(`${name} in the archive uses an unknown compression method (${method})`);
}

function tooLarge(): FormatError {
  return new FormatError("the archive unpacks to more than 500 MB");
}
