import { gunzipSync } from "node:zlib";

/** The run and results inside an HTML report, as JSON text. */
export function reportDataIn(html: string): string {
  const [, data = ""] = /id="report-data">([^<]*)</.exec(html) ?? [];
  return gunzipSync(Buffer.from(data, "base64")).toString();
}
