import { z } from "zod";

/** Labels of a reply: any JSON under any key (`intent`, `sentiment`, …). */
export const Metadata = z.record(z.string(), z.json()).meta({ id: "Metadata" });
export type Metadata = z.infer<typeof Metadata>;
