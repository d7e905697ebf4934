import { createHash } from "node:crypto";
import type { Plugin } from "vite";

/** Puts the script and the style into the document itself, under a policy that lets nothing else run and nothing out. */
export function oneFile(): Plugin {
  return {
    name: "rehearsal-report-one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let style = "";
      for (const [name, output] of Object.entries(bundle)) {
        if (output.type === "chunk") script += output.code;
        else if (name.endsWith(".css")) style += String(output.source);
        if (!name.endsWith(".html")) delete bundle[name];
      }
      const html = bundle["report.html"];
      if (html?.type !== "asset") throw new Error("The report's document was not built.");
      html.source = inline(String(html.source), { script: inElement(script), style });
    },
  };
}

function inline(html: string, { script, style }: { script: string; style: string }): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data:",
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}" />`;
  return html
    .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
    .replace(/\s*<script type="module"[^>]*><\/script>/, "")
    .replace("<title>", () => `${meta}\n    <title>`)
    .replace("</head>", () => `  <style>${style}</style>\n    <script type="module">${script}</script>\n  </head>`)
    .replace(/\s*__REHEARSAL_REPORT_DATA__\s*/, "__REHEARSAL_REPORT_DATA__");
}

const hashOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;

/**
 * Code in which no string can end the script element or open a comment in it. The marker is what the builder leaves of imports
 * it has already put in their place.
 */
const inElement = (code: string): string =>
  code.replaceAll("__VITE_PRELOAD__", "void 0").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
