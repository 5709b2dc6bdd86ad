import { assert, describe, it } from "@effect/vitest"
import { plotOf } from "@wcs/bench/Plot"
import { fixedLimit, type Row } from "@wcs/bench/Row"
import type { Series } from "@wcs/bench/Series"
import { DOMParser } from "@xmldom/xmldom"

const series = (value: number, unit: Series["unit"] = "/s"): Series => ({
  side: "side",
  unit,
  samples: [{ value }, { value: value * 2 }, { value: value / 2 }]
})
const ours = series(200)
const atLeast = (bar: number) => ({ direction: "at least", bar, aim: 6 }) as const

const rows: ReadonlyArray<Row> = [
  { what: "GET <one>", against: "Fastify & pg", ours, other: series(400), goal: null },
  { what: "GET <one>", against: "NestJS", ours, other: series(50), goal: atLeast(3) },
  { what: "GET <one>", against: "the floor", ours, other: series(100), goal: atLeast(3) },
  { what: "not judged", against: "anything", ours, other: series(100), goal: null },
  {
    what: "start",
    against: fixedLimit,
    ours: series(390, "ms"),
    goal: { direction: "at most", bar: 0.4, aim: 0.3 }
  }
]

const errorHandler = (_: string, message: string) => assert.fail(message)
const page = new DOMParser({ errorHandler }).parseFromString(plotOf("a machine, a day", rows), "image/svg+xml")
const elements = (name: string) => Array.from(page.getElementsByTagName(name))

const texts = elements("text").map(({ textContent }) => textContent)

describe("the plot of the table", () => {
  it("draws a bar for this service and for each side of a judged measurement", () => {
    const bars = elements("rect").map((bar) => `${bar.getAttribute("class")} ${bar.getAttribute("width")}`)
    assert.deepStrictEqual(bars, ["page 960", "ours 130", "other 260", "other 33", "other 65", "ours 260"])
  })
  it("shows each value and each result with its verdict", () => {
    assert.includeMembers(texts, [
      "200/s",
      "this service: 0.500×, no bar",
      "this service: 4.00×, bar ≥ 3×: pass",
      "this service: 2.00×, bar ≥ 3×: miss",
      "0.390 s",
      "bar ≤ 0.4 s: pass"
    ])
  })
  it("leaves out a measurement without a bar", () => {
    assert.notInclude(texts.join(), "not judged")
  })
  it("says the same in its text alternative, with the caption", () => {
    const [description] = elements("desc")
    assert.include(description?.textContent, "a machine, a day. GET <one>, compared with Fastify & pg: 0.500×, no bar.")
    assert.include(description?.textContent, "start, compared with a fixed limit: 0.390 s, bar ≤ 0.4 s: pass.")
    assert.include(texts, "a machine, a day")
  })
  it("has colours for a light and a dark page, and a background for each", () => {
    const [style] = elements("style")
    const [light = "", dark = ""] = (style?.textContent ?? "").split("@media (prefers-color-scheme: dark)")
    for (const scheme of [light, dark]) {
      for (const selector of ["text {", ".quiet {", ".page {", ".ours {", ".other {", ".miss {"]) {
        assert.include(scheme, selector)
      }
    }
  })
  it("is as high as its measurements", () => {
    const [svg] = elements("svg")
    const bottoms = elements("text").map((text) => Number(text.getAttribute("y")))
    assert.isAbove(Number(svg?.getAttribute("height")), Math.max(...bottoms))
  })
})
