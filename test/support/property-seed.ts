import fc from "fast-check";
import { fixedSeed } from "./sizes.ts";

// Properties follow the same rule as the long suites: fixed in `npm test`, new at full size. A failure prints its seed.
if (fixedSeed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: fixedSeed });
