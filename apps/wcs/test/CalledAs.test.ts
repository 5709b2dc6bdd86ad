import { assert, describe, it } from "@effect/vitest"
import { calledAs } from "@wcs/wcs/CalledAs"

describe("the commands that the output names", () => {
  it("work where the program was started", () => {
    const clone = { wcs: "npm run -s wcs --", conformance: "npm run -s wcs-conformance --" }
    assert.deepStrictEqual(calledAs({ npm_lifecycle_event: "start" }, "/clone/apps/wcs/start.mjs"), clone)
    assert.deepStrictEqual(calledAs({}, "/clone/apps/wcs/src/main.ts"), clone)
    const conformance = "npx wcs-conformance"
    const bin = "/project/node_modules/.bin/wcs"
    assert.deepStrictEqual(calledAs({ npm_lifecycle_event: "npx" }, bin), { wcs: "npx wcs", conformance })
    assert.deepStrictEqual(calledAs({ npm_lifecycle_event: "start" }, bin), { wcs: "npx wcs", conformance })
    assert.deepStrictEqual(calledAs({}, "/usr/local/bin/wcs"), { wcs: "wcs", conformance })
    const copied = "/usr/lib/wcs/main.js"
    assert.deepStrictEqual(calledAs({}, copied), { wcs: `node ${copied}`, conformance })
  })
})
