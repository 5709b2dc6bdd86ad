import { validateHeaderValue } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import {
  hostileBodies,
  hostileHeaders,
  hostilePaths,
  hostileQueries,
  hostileTexts,
  inOne,
  oddTexts,
  workerOf,
  wrongBodies
} from "@wcs/conformance/calls/HostileValues"
import { at, parse } from "@wcs/conformance/text/Json"

const texts = [...hostileTexts.mild, ...hostileTexts.harsh]
const bodies = [...wrongBodies, ...hostileBodies]
const lists = { bodies, hostileHeaders, hostilePaths, hostileQueries, texts }

describe("hostile values", () => {
  it("ENV-12: have unique names", () => {
    for (const [list, rows] of Object.entries(lists)) {
      const names = rows.map(([what]) => what)
      assert.strictEqual(new Set(names).size, names.length, list)
    }
  })
  it("ENV-12: contain only paths and queries that can be sent unchanged", () => {
    for (const [what, text] of [...hostilePaths, ...hostileQueries]) assert.match(text, /^[!-~]+$/, what)
  })
  it("ENV-12: contain only headers that can be sent unchanged", () => {
    for (const [what, headers] of hostileHeaders) {
      for (const [name, value] of Object.entries(headers))
        assert.doesNotThrow(() => validateHeaderValue(name, value), what)
    }
  })
  it("ENV-12: contain JSON bodies, except for a byte order mark, that are no valid worker", () => {
    for (const [what, body] of bodies) {
      const value = parse(body.replace(/^\ufeff/, ""))
      assert.isDefined(value, what)
      assert.notTypeOf(at(value, "identity.displayName"), "string", what)
    }
  })
  it("are hostile calls where a parser or a firewall refuses them: no usual one names an inherited property", () => {
    for (const [what, body] of wrongBodies) assert.notMatch(body, /__proto__|constructor/, what)
    for (const [what, text] of [...oddTexts.mild, ...oddTexts.harsh])
      assert.notMatch(text, /__proto__|constructor/, what)
  })
  it("ENV-12: keep the name by which a hostile worker is found", () => {
    for (const [what, text] of texts) {
      const { source } = JSON.parse(JSON.stringify(workerOf(text, "conf-1")))
      assert.deepStrictEqual(source, { externalId: "conf-1" }, what)
    }
  })
  it("ENV-12: stay far below usual size limits", () => {
    for (const [what, text] of texts) assert.isBelow(JSON.stringify(workerOf(text, "conf-1")).length, 65_536, what)
    assert.isBelow(inOne(hostileTexts).length, 255)
    assert.isBelow(inOne(oddTexts).length, 100)
    for (const [what, body] of bodies) assert.isBelow(body.length, 65_536, what)
    for (const [what, path] of [...hostilePaths, ...hostileQueries]) assert.isBelow(path.length, 4096, what)
  })
})
