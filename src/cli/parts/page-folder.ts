import { fileURLToPath } from "node:url";

/** The built page. */
export const pageFolder = fileURLToPath(new URL("../../../web/dist/", import.meta.url));
