import { HttpServerResponse } from "effect/http"
import { type Html, html } from "../Html.ts"
import { pageHeaders } from "../pipeline/ResponseHeaders.ts"

/** The path of the style sheet. */
export const stylePath = "/login.css"

const style = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:26rem;
margin:clamp(1rem,8vw,4rem) auto;padding:0 1rem}label{display:block;margin:.75rem 0 .25rem}input,select{font:inherit;width:100%;box-sizing:border-box;
padding:.5rem}button{font:inherit;margin-top:1rem;padding:.5rem 1rem;
min-height:2.75rem}button.main{background:#1a56b0;border:1px solid #1a56b0;border-radius:.25rem;color:#fff}.problem{border-left:.25rem solid #c62828;
padding-left:.75rem}code{font-size:1.05rem;word-break:break-all}svg{width:14rem;max-width:100%;background:#fff}
.done{border-left:.25rem solid #2e7d32;padding-left:.75rem}.hint{margin:0 0 .25rem;font-size:.875rem}
.choice{display:flex;gap:.75rem;
align-items:start}.choice input{flex:none;width:1.5rem;height:1.5rem;margin:0}fieldset{margin:1rem 0;border:1px solid #767676}
legend{font-weight:600}dt{font-size:.875rem}dd{font-weight:600}summary{padding:.75rem 0;cursor:pointer}blockquote{margin-inline:0;padding-left:.75rem;
border-left:.25rem solid #767676;overflow-wrap:anywhere}dd{margin:0 0 .5rem;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse;text-align:left}td,th{padding:.25rem .5rem .25rem 0;vertical-align:top}
`

export const styleSheet = HttpServerResponse.text(style, {
  contentType: "text/css; charset=utf-8",
  headers: { "cache-control": "public, max-age=3600" }
})

// The pages have no script and load nothing else, so injected markup cannot run or send data.
const headers = {
  ...pageHeaders,
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
}

/** Builds a page without script. `head` is inserted into the head element. `language` is a BCP 47 tag. */
export const page = (
  title: string,
  content: Html,
  status = 200,
  head: Html = html``,
  language = "en"
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} · Workforce Compliance Service</title><link rel="stylesheet" href="${stylePath}">${head}</head>
<body><main><h1>${title}</h1>${content}</main></body></html>
`.html,
    { status, contentType: "text/html; charset=utf-8", headers }
  )
