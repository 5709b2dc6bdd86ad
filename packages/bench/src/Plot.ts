import { figure, medianText, unitOf, verdictText } from "./Figures.ts"
import { type Row, verdictOf } from "./Row.ts"
import { type Series, spread } from "./Series.ts"

const width = 960
const margin = 24
/** Where bars begin, and the longest one. */
const left = 300
const longest = 260
const lineHeight = 18
const groupGap = 12

/** Colours of both schemes. Each verdict is written too, so that no colour has a meaning of its own. */
const style = `
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .title { font-size: 18px; font-weight: 600 }
    .what { font-weight: 600 }
    .quiet { fill: #59636e }
    .page { fill: #ffffff }
    .ours { fill: #0969da }
    .other { fill: #afb8c1 }
    .miss { fill: #a40e26; font-weight: 600 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .quiet { fill: #9198a1 }
      .page { fill: #0d1117 }
      .ours { fill: #4493f8 }
      .other { fill: #656c76 }
      .miss { fill: #ff7b72 }
    }
  `

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** One bar, and the row that it decides, if there is one. */
interface Bar {
  readonly kind: "ours" | "other"
  readonly label: string
  readonly length: number
  readonly value: string
  readonly row: Row | undefined
}

/** Ours first, then each side that it is compared with. */
const barsOf = (first: Row, rows: ReadonlyArray<Row>): ReadonlyArray<Bar> => {
  const bar = (kind: Bar["kind"], label: string, series: Series, row: Row | undefined) => {
    const { median } = spread(series)
    return { kind, label, length: median, value: `${figure(median)}${unitOf(series)}`, row }
  }
  const ours = bar("ours", "this service", first.ours, undefined)
  if (first.other === undefined) return [{ ...ours, value: medianText(first), row: first }]
  return [ours, ...rows.map((row) => bar("other", row.against, row.other ?? row.ours, row))]
}

const resultOf = (row: Row): string =>
  row.other === undefined ? verdictText(row) : `this service: ${medianText(row)}, ${verdictText(row)}`

const barText = ({ kind, label, length, row, value }: Bar, most: number, y: number): string => {
  const drawn = length > 0 ? Math.max(1, Math.round((length / most) * longest)) : 1
  const mark = row !== undefined && verdictOf(row) === "miss" ? "miss" : "quiet"
  return [
    `<text x="${left - 8}" y="${y + 13}" text-anchor="end">${escaped(label)}</text>`,
    `<rect class="${kind}" x="${left}" y="${y + 2}" width="${drawn}" height="14" rx="2"/>`,
    `<text x="${left + drawn + 6}" y="${y + 13}">${escaped(value)}</text>`,
    `<text class="${mark}" x="${width - margin}" y="${y + 13}" text-anchor="end">${escaped(row === undefined ? "" : resultOf(row))}</text>`
  ].join("\n  ")
}

/** The bars of one measurement below its name, and their height. */
const groupOf = (
  first: Row,
  rows: ReadonlyArray<Row>,
  y: number
): { readonly text: string; readonly height: number } => {
  const bars = barsOf(first, rows)
  const most = Math.max(...bars.map(({ length }) => length))
  const better = first.ours.unit === "/s" ? "more is better" : "less is better"
  const heading = `<text x="${margin}" y="${y + 13}"><tspan class="what">${escaped(first.what)}</tspan> <tspan class="quiet">${better}</tspan></text>`
  const lines = bars.map((bar, n) => barText(bar, most, y + (n + 1) * lineHeight))
  return { text: [heading, ...lines].join("\n  "), height: (bars.length + 1) * lineHeight + groupGap }
}

/** The rows in words, for readers who do not see the plot. */
const inWords = (rows: ReadonlyArray<Row>): string =>
  rows.map((row) => `${row.what}, compared with ${row.against}: ${medianText(row)}, ${verdictText(row)}.`).join(" ")

/** Draws the table as SVG: each measurement that has a row with a bar. */
export const plotOf = (caption: string, rows: ReadonlyArray<Row>): string => {
  const valid = rows.filter(({ voidReason }) => voidReason === undefined)
  const groups = [...Map.groupBy(valid, ({ what }) => what).values()].filter((group) =>
    group.some(({ goal }) => goal !== null)
  )
  const drawn: Array<string> = []
  let y = 94
  for (const group of groups) {
    const [first] = group
    if (first === undefined) continue
    const { height, text } = groupOf(first, group, y)
    drawn.push(text)
    y += height
  }
  const title = "This service beside services written by hand, and beside its limits"
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-labelledby="title description">
  <title id="title">${title}</title>
  <desc id="description">${escaped(`${caption}. ${inWords(groups.flat())}`)}</desc>
  <style>${style}</style>
  <rect class="page" width="${width}" height="${y}"/>
  <text class="title" x="${margin}" y="34">${title}</text>
  <text class="quiet" x="${margin}" y="56">${escaped(caption)}</text>
  <text class="quiet" x="${margin}" y="74">Bars: medians of the rounds. On the right: the median of the rounds' quotients.</text>
  ${drawn.join("\n  ")}
</svg>
`
}
