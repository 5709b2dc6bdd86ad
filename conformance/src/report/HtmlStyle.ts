import { verdicts } from "../Verdict.ts"

/** The filter works by style alone: a box that is not checked hides the rules of its verdict. */
const filters = verdicts
  .map((verdict) => `body:has(#show-${verdict}:not(:checked)) .rule.${verdict} { display: none }`)
  .join("\n")

/** The style of the page, in light and dark; every colour stands at 4.5 to 1 or more against what is behind it. */
export const style = `
:root {
  color-scheme: light dark;
  --ink: #1c2024; --quiet: #5a6169; --ground: #fff; --panel: #f5f6f8; --line: #d5d9de; --link: #0b57b0;
  --bad: #b3261e; --fault: #7d2ea8; --warning: #8a5300; --open: #0a6470; --good: #176b34; --rest: #555c64;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e8eb; --quiet: #a7afb8; --ground: #15181b; --panel: #1f2429; --line: #3a4149; --link: #8ab8ff;
    --bad: #ff8a80; --fault: #d9a2ff; --warning: #ffbd5c; --open: #6fd6e4; --good: #7ddb9a; --rest: #b0b8c1;
  }
}
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem; max-width: 72rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink);
  background: var(--ground) }
a { color: var(--link) }
a:focus-visible, summary:focus-visible, pre:focus-visible, .wide:focus-visible, input:focus-visible { outline: 3px solid var(--link);
  outline-offset: 2px }
.skip { position: absolute; left: -100rem }
.skip:focus { left: 1rem; top: .5rem; background: var(--ground); padding: .5rem }
h1 { font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line) }
h3 { margin-top: 2rem }
h4 { margin: 0 0 .25rem; font-size: 1rem }
h5 { margin: .75rem 0 .25rem; font-size: .9rem }
.headline { font-size: 1.15rem; font-weight: 600; overflow-wrap: anywhere }
.quiet { color: var(--quiet); font-weight: 400 }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: .5rem 1.5rem }
.facts dt { color: var(--quiet); font-size: .85rem }
.facts dd { margin: 0; overflow-wrap: anywhere }
.wide { overflow-x: auto; margin: .5rem 0 }
table { border-collapse: collapse }
caption { text-align: left; color: var(--quiet); font-size: .85rem }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top }
.count { text-align: right }
code, pre { font: .85rem/1.45 ui-monospace, monospace; unicode-bidi: isolate }
code { overflow-wrap: anywhere }
pre { background: var(--panel); border: 1px solid var(--line); padding: .5rem .75rem; margin: .25rem 0;
  max-height: 24rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere }
.filter { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; border: 1px solid var(--line); margin: 0 0 1rem }
.filter label { white-space: nowrap }
.rule { border-left: 4px solid var(--rest); padding: .25rem 0 .25rem 1rem; margin: 0 0 1.25rem; scroll-margin-top: 1rem }
.rule p { margin: .25rem 0; max-width: 65ch }
.rule:target { background: var(--panel) }
.badge { display: inline-block; border: 1px solid currentColor; border-radius: .25rem; padding: 0 .4rem;
  font-size: .8rem; font-weight: 600; color: var(--rest) }
.badge.fail { color: var(--bad) } .rule.fail { border-color: var(--bad) }
.badge.error { color: var(--fault) } .rule.error { border-color: var(--fault) }
.badge.warn { color: var(--warning) } .rule.warn { border-color: var(--warning) }
.badge.blocked, .badge.inconclusive { color: var(--open) }
.rule.blocked, .rule.inconclusive { border-color: var(--open) }
.badge.pass { color: var(--good) } .rule.pass { border-color: var(--good) }
.exchange { margin: .25rem 0 }
.exchange > div { padding: 0 0 .5rem 1rem }
summary { cursor: pointer }
.broken li { margin: .25rem 0 }
${filters}
@media print {
  .filter, .skip { display: none }
  .rule { break-inside: avoid }
  pre { max-height: none }
}
`
