import { test } from "vitest";
import { isDeep } from "./sizes.ts";

/** A test of a rare case that takes long: `npm run test:deep` runs it, `npm test` skips it. */
export const deepTest = isDeep ? test : test.skip;
