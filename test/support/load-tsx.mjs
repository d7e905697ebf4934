import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { transformSync } from "rolldown/utils";

/** Node strips types but knows no JSX: tests of the page's components load `.tsx` files through this. */
registerHooks({
  load(url, context, nextLoad) {
    if (!url.split("?")[0].endsWith(".tsx")) return nextLoad(url, context);
    const path = fileURLToPath(url);
    const { code, errors } = transformSync(path, readFileSync(path, "utf8"), { lang: "tsx", jsx: "react-jsx" });
    if (errors.length > 0) throw errors[0];
    return { format: "module", source: code, shortCircuit: true };
  },
});
