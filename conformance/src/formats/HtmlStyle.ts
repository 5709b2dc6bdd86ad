import { verdicts } from "../engine/Verdict.ts"

/** The filter needs no script: an unchecked box hides the rules of its verdict or level. */
const filters = [...verdicts, "MUST", "SHOULD", "MAY", "OBSERVE"]
  .map((name) => `body:has(#show-${name}:not(:checked)) .rule.${name} { display: none }`)
  .join("\n")

const colours = {
  fail: "--bad",
  error: "--fault",
  warn: "--warning",
  baselined: "--warning",
  blocked: "--open",
  inconclusive: "--open",
  pass: "--good"
}

const coloured = Object.entries(colours)
  .map(([verdict, colour]) => `.${verdict} { --tone: var(${colour}) }`)
  .join("\n")

const light = `
  --ink: #1c2024; --quiet: #5a6169; --ground: #fff; --panel: #f5f6f8; --line: #d5d9de; --link: #0b57b0;
  --bad: #b3261e; --fault: #7d2ea8; --warning: #8a5300; --open: #0a6470; --good: #176b34; --rest: #5c646c;`

/** The style of the page, light and dark. Every colour has a contrast of at least 4.5 to 1. */
export const style = `
:root { color-scheme: light dark; ${light} }
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e8eb; --quiet: #a7afb8; --ground: #15181b; --panel: #1f2429; --line: #3a4149; --link: #8ab8ff;
    --bad: #ff8a80; --fault: #d9a2ff; --warning: #ffbd5c; --open: #6fd6e4; --good: #7ddb9a; --rest: #a3abb4;
  }
}
* { box-sizing: border-box }
[hidden] { display: none !important }
body { margin: 0 auto; padding: 1.5rem clamp(1rem, 3vw, 2.5rem); max-width: 84rem;
  font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); --tone: var(--rest) }
a { color: var(--link); text-underline-offset: .15em }
:is(a, summary, pre, input, select, button):focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.skip { position: absolute; left: -100rem }
.skip:focus { left: 1rem; top: .5rem; background: var(--ground); padding: .5rem }
${coloured}

header { border-bottom: 1px solid var(--line); padding-bottom: 1rem }
.kicker { margin: 0; color: var(--quiet); font-size: .85rem; letter-spacing: .06em; text-transform: uppercase }
h1 { margin: 0 0 .75rem; font-size: 1.75rem; line-height: 1.25; overflow-wrap: anywhere }
h2 { margin: 2.25rem 0 1rem; font-size: 1.35rem; line-height: 1.3 }
h3 { margin: 0 0 1rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); font-size: 1.1rem;
  scroll-margin-top: 1rem }
h4 { margin: 0 0 .25rem; font-size: 1rem }
.headline { margin: 0; padding-left: .9rem; border-left: .3rem solid var(--tone); font-size: 1.2rem; font-weight: 600;
  line-height: 1.4; overflow-wrap: anywhere }
.headline .rest { font-weight: 400; font-size: 1rem }
.bar { display: block; width: 100%; height: .6rem; margin: 1rem 0; border-radius: .3rem; background: var(--panel) }
.bar { shape-rendering: crispEdges }
.bar rect { fill: var(--tone, var(--rest)) }
.bar rect:is(.unchecked, .not-applicable, .observed) { fill: var(--line) }
.quiet { color: var(--quiet); font-weight: 400 }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(13.5rem, 45%), 1fr)); gap: .5rem 1.5rem;
  margin: 0; font-size: .9rem }
.facts dt { color: var(--quiet); font-size: .8rem }
.facts dd { margin: 0; overflow-wrap: anywhere }

table { border-collapse: collapse; font-size: .9rem }
caption { text-align: left; color: var(--quiet); font-size: .8rem; padding-bottom: .25rem }
code, pre { font: .82rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; unicode-bidi: isolate }
code { overflow-wrap: anywhere }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: .25rem; padding: .5rem .75rem;
  margin: .25rem 0; max-height: 24rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere }
summary { cursor: pointer }
button, input[type=search], select { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--rest);
  border-radius: .25rem; padding: .3rem .6rem }
button { cursor: pointer }

.sides { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem 2.5rem }
@media screen and (min-width: 62rem) {
  .sides { grid-template-columns: 20.5rem minmax(0, 1fr) }
  .side { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: .5rem .25rem 1rem }
}
.counts { width: 100% }
.counts :is(th, td) { border-bottom: 1px solid var(--line); padding: .3rem .15rem; text-align: left; font-weight: 400 }
.counts thead th { vertical-align: bottom; text-align: right; font-size: .8rem }
.counts label { display: flex; align-items: center; gap: .1rem .35rem; cursor: pointer }
.counts thead label { flex-direction: column; align-items: end }
.counts input { flex: none; margin: 0 }
.counts .count { text-align: right; font-variant-numeric: tabular-nums }
.scripted { display: grid; gap: .25rem; margin-top: .75rem }
.scripted label { font-size: .85rem; color: var(--quiet) }
.scripted > :is(input, select) { width: 100% }
.scripted p { margin: .5rem 0 0 }
.contents { list-style: none; margin: 1rem 0 0; padding: 0; font-size: .9rem; line-height: 1.35 }
.contents li { margin: .45rem 0 }

.of-specification { margin-bottom: 2.5rem }
.rule { border-left: 4px solid var(--tone); padding: .1rem 0 .1rem 1rem; margin: 0 0 1.5rem; scroll-margin-top: 1rem }
.rule > p { margin: .25rem 0; max-width: 72ch; overflow-wrap: anywhere }
.rule:target { background: var(--panel) }
.badge { display: inline-block; border: 1px solid; border-radius: .25rem; padding: 0 .4rem; font-size: .8rem;
  font-weight: 600; white-space: nowrap; color: var(--tone) }
.rule:is(.observed, .not-applicable, .unchecked, .elsewhere) { --tone: var(--rest) }
.badge:is(.observed, .not-applicable, .unchecked, .elsewhere) { --tone: var(--rest) }
.observed > p { margin: .25rem 0 }
.differences { list-style: none; margin: .5rem 0; padding: 0 }
.differences > li { margin: .5rem 0; padding: .5rem .75rem; background: var(--panel); border-radius: .25rem }
.differences p, .differences dl { margin: 0; font-size: .9rem }
.differences dl > div { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr) }
.differences dt { color: var(--quiet); font-size: .9rem }
.differences dd { margin: 0 }
.expected code { color: var(--good) }
.got code { color: var(--bad) }
.seen { display: grid; gap: .1rem; margin: .25rem 0 .5rem }
.seen > div { display: grid; grid-template-columns: minmax(6rem, 14rem) minmax(0, 1fr); gap: 0 1rem }
.seen dt { color: var(--quiet); font-size: .9rem; overflow-wrap: anywhere }
.seen dd { margin: 0 }
.broken, .lacks { padding-left: 1.1rem }
.broken li, .lacks li { margin: .4rem 0; max-width: 80ch; overflow-wrap: anywhere }
.lacks { list-style: none; padding-left: 0 }
.lacks li:target { background: var(--panel) }
.more { margin: .25rem 0 }
.more > summary { color: var(--quiet); font-size: .9rem }
.more > .exchange { margin-left: 1rem }

.exchange { margin: .2rem 0 }
.exchanges > .exchange { content-visibility: auto; contain-intrinsic-size: auto 1.6rem }
.wire { display: grid; gap: .5rem 1rem; padding: .25rem 0 .75rem 1rem; scroll-margin-top: 3rem }
.wire > * { min-width: 0 }
.wire > .curl { grid-column: 1 / -1 }
.wire p { margin: .25rem 0 }
.wire .label { font-size: .85rem; font-weight: 600 }
@media (min-width: 80rem) { .wire { grid-template-columns: 1fr 1fr } }
${filters}
@media print {
  :root { font-size: 9.5pt }
  body { padding: 0; max-width: none }
  .side, .skip, .exchanges, .more, button, .curl { display: none }
  h2, h3, h4 { break-after: avoid }
  tr, pre, li, .differences > li { break-inside: avoid }
  pre { max-height: none }
  .rule { break-inside: auto; background: none !important }
  .rule p { orphans: 3; widows: 3 }
  .exchange::details-content, .lacks details::details-content, .rest::details-content { content-visibility: visible; block-size: auto }
  .bar rect, .badge { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
`
