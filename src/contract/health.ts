import { z } from "zod";

export const Health = z.object({ status: z.literal("ok") }).meta({ id: "Health" });
export type Health = z.infer<typeof Health>;
