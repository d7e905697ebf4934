import { raw } from "hono/html";

/** Follows the reader's light or dark setting; needs no font and no picture. */
export const reportStyle = raw(`
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent); }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1rem; }
h4 { font-size: .75rem; margin: .75rem 0 0; opacity: .75; text-transform: uppercase; }
dl { display: flex; flex-wrap: wrap; gap: .5rem 2rem; } dt { font-size: .75rem; opacity: .75; } dd { margin: 0; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .25rem 1rem .25rem 0; border-bottom: 1px solid var(--line); }
details { border: 1px solid var(--line); border-left: 4px solid gray; border-radius: 4px; margin: .5rem 0; padding: .5rem 1rem; }
details.passed { border-left-color: #1a7f37; } details.failed, details.error { border-left-color: #cf222e; }
summary { cursor: pointer; } summary span { font-size: .8rem; border: 1px solid var(--line); border-radius: 4px; padding: 0 .4rem; }
article { border-top: 1px solid var(--line); padding: .25rem 0 .5rem; } article p { margin: 0; white-space: pre-wrap; }
article ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; padding: 0; margin: .5rem 0 0; font-size: .8rem; opacity: .8; }
.error { color: #cf222e; } .demo { border: 1px solid var(--line); padding: .25rem .5rem; border-radius: 4px; display: inline-block; }
@media (prefers-color-scheme: dark) { .error { color: #ff7b72; } }
`);
