import { decodeUtf8 } from "../../formats/decode-utf8.ts";
import { unzip } from "./unzip.ts";

/** What the members of an Inspect log are called: the head of a run that ended, that of one that did not, and the samples. */
const heads = ["header.json", "_journal/start.json"];
const sampleName = /^samples\/(?<id>.*)_epoch_(?<epoch>\d+)\.json$/;

/**
 * The text of an Inspect log: `.eval` is an archive with a file for each sample, the JSON form has them in one. Samples come in the order
 * of their ids, epochs first to last. undefined for bytes that are no such archive.
 */
export function readEvalLog(bytes: Buffer): string | undefined {
  if (!bytes.subarray(0, 4).equals(Buffer.from("PK\u0003\u0004"))) return undefined;
  const members = unzip(bytes);
  const head = heads.map((name) => members.get(name)).find((member) => member !== undefined);
  if (!head) return undefined;
  const samples = [...members.keys()].flatMap((name) => {
    const { id = "", epoch = "" } = sampleName.exec(name)?.groups ?? {};
    return epoch === "" ? [] : [{ name, id, epoch: Number(epoch) }];
  });
  // 9 before 10. Made here, where it is needed: it takes megabytes.
  const inOrder = new Intl.Collator("en", { numeric: true });
  samples.sort((left, right) => inOrder.compare(left.id, right.id) || left.epoch - right.epoch);
  const texts = samples.map(({ name }) => decodeUtf8(members.get(name)?.() ?? Buffer.alloc(0)));
  return `${decodeUtf8(head()).trimEnd().slice(0, -1)},"samples":[${texts.join(",")}]}`;
}
