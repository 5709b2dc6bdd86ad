import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { saidDetails } from "@wcs/register/GatewayContract"
import { Effect } from "effect"
import { register } from "./Example.ts"
import { askedOf, questionAbout } from "./Questions.ts"
import { block, table } from "./Readme.ts"

/** Runs the gateway of the README. Returns its URL. */
const gateway = Effect.gen(function* () {
  const program = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--input-type=module", "--eval", block("gateway.mjs")], {
        env: { ...process.env, PORT: "0", TOKEN: "tok_1" },
        stdio: ["ignore", "pipe", "inherit"]
      })
    ),
    (child) => Effect.sync(() => child.kill())
  )
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]()
  const { value } = yield* Effect.promise(() => lines.next())
  const [, port] = /^listening on port (\d+)$/.exec(String(value)) ?? []
  assert.isDefined(port)
  return `http://127.0.0.1:${port}/`
})

const found = (statusDetail: string, expiryDate: string | null = null) => ({ _tag: "Found", statusDetail, expiryDate })
const notUnderstood = { fault: "INTERNAL_ERROR", isTransient: false }

describe("the gateway of the README", () => {
  it.effect("answers by the contract", () =>
    Effect.gen(function* () {
      const url = yield* gateway
      const ask = (identifier: string, token = "tok_1", credentialType?: string) =>
        askedOf(register(url, token), questionAbout(identifier, credentialType))
      assert.deepStrictEqual(yield* ask("WWC1234567E"), found("VALID", "2030-05-31"))
      assert.deepStrictEqual(yield* ask("WWC7654321V"), found("NAME_MISMATCH"))
      assert.deepStrictEqual(yield* ask("WWC0000000E"), found("NOT_FOUND"))
      assert.deepStrictEqual(yield* ask("WWC1234567E", "tok_2"), notUnderstood)
      assert.deepStrictEqual(yield* ask("WWC1234567E", "tok_1", "WWCC_VIC"), notUnderstood)
      const about = questionAbout(null)
      const nobody = { ...about, holder: { ...about.holder, lastName: null } }
      assert.deepStrictEqual(yield* askedOf(register(url, "tok_1"), nobody), notUnderstood)
    })
  )
})

describe("the contract of the README", () => {
  it("lists the accepted words", () => {
    const words = table("the person", "words").flatMap(([, cell = ""]) => cell.replaceAll("`", "").split(" "))
    assert.deepStrictEqual(words, [...saidDetails])
  })

  it("has an example that compiles", () => {
    assert.strictEqual(readFileSync(new URL("Example.ts", import.meta.url), "utf8"), block("settings"))
  })
})
