import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { calledAs, shellWord } from "@wcs/wcs/CalledAs"

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

  it("quote a path for the shell only if needed", () => {
    assert.strictEqual(shellWord("/srv/wcs-1/data"), "/srv/wcs-1/data")
    assert.strictEqual(calledAs({}, "/my files/main.js").wcs, "node '/my files/main.js'")
    for (const word of ["/my files/it's $HOME", "~/data", 'a`b`"c\\d', "x;y", ""]) {
      assert.strictEqual(execFileSync("sh", ["-c", `printf %s ${shellWord(word)}`], { encoding: "utf8" }), word)
    }
  })
})
