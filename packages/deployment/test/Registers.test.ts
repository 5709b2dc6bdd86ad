import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { EngineSettings } from "@wcs/delivery/EngineSettings"
import * as Registers from "@wcs/deployment/Registers"
import { settingsOf } from "@wcs/deployment/TestDeployment"
import { Register, type RegisterAnswer } from "@wcs/domain/verification/Register"
import { Effect, Layer, Logger } from "effect"
import { temporaryDirectory } from "./Temporary.ts"
import { answering } from "./telemetry/Collector.ts"

const provided = (environment: Readonly<Record<string, string>>) =>
  Layer.provide(Registers.layer, settingsOf(environment))

const ask = (environment: Readonly<Record<string, string>>) =>
  Register.use((register) =>
    register.ask(
      {
        credentialType: "WWCC_NSW",
        jurisdiction: "NSW",
        identifier: "WWC1234567E",
        issueNumber: null,
        cardType: null,
        expiryDate: null,
        holder: { firstName: "Ann", middleName: null, lastName: "Example", birthDate: "1990-04-01", otherNames: [] },
        issuingCountry: null
      },
      "tnt_1"
    )
  ).pipe(Effect.provide(provided(environment), { local: true }))

/** A local gateway that answers with this status. */
const gatewayWith = (status: number) => answering('{"statusDetail":"BARRED"}', status)

const barred: RegisterAnswer = { _tag: "Found", statusDetail: "BARRED", expiryDate: null }

describe("the registers of the settings", () => {
  it.effect("are the reference register by default", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* ask({}), { statusDetail: "VALID" })
    })
  )

  it.effect("are a gateway that gets the token, or the user and password, from the file", () =>
    Effect.gen(function* () {
      const { requests, url } = yield* gatewayWith(200)
      const file = join(yield* temporaryDirectory, "secret")
      writeFileSync(file, "\uFEFFs3cret\r\n", { mode: 0o600 })
      const at = { WCS_REGISTER: "http", WCS_REGISTER_URL: url }
      assert.deepStrictEqual(yield* ask(at), barred)
      assert.deepStrictEqual(yield* ask({ ...at, WCS_REGISTER_SECRET_FILE: file }), barred)
      assert.deepStrictEqual(yield* ask({ ...at, WCS_REGISTER_SECRET_FILE: file, WCS_REGISTER_USER: "wcs" }), barred)
      const heard = requests.map(({ headers }) => headers.authorization)
      assert.deepStrictEqual(heard, [undefined, "Bearer s3cret", `Basic ${btoa("wcs:s3cret")}`])
    })
  )

  it.effect("get no more concurrent requests than the limit", () =>
    Effect.gen(function* () {
      const at = { WCS_REGISTER: "http", WCS_REGISTER_URL: "https://gateway.example.org/" }
      const opened = (environment: Readonly<Record<string, string>>) =>
        EngineSettings.use(({ questionsMax }) => Effect.succeed(questionsMax)).pipe(
          Effect.provide(provided(environment), { local: true })
        )
      assert.strictEqual(yield* opened({}), 64)
      assert.strictEqual(yield* opened(at), 64)
      for (const concurrency of [1, 3, 1000]) {
        assert.strictEqual(yield* opened({ ...at, WCS_REGISTER_CONCURRENCY: String(concurrency) }), concurrency)
      }
    })
  )

  it.effect("warn once at the start that no tenant has the accounts of the gateway", () =>
    Effect.gen(function* () {
      const at = { WCS_REGISTER: "http", WCS_REGISTER_URL: "https://gateway.example.org/" }
      const warnings = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
        const lines: Array<unknown> = []
        const keeping = Logger.make(({ message }) => void lines.push(message))
        yield* Layer.build(provided(environment)).pipe(
          Effect.scoped,
          Effect.provide(Logger.layer([keeping]), { local: true })
        )
        return lines.map(String)
      })
      assert.deepStrictEqual(yield* warnings({}), [])
      assert.deepStrictEqual(yield* warnings({ ...at, WCS_REGISTER_ACCOUNTS_OF: "tnt_0123456789abcDEF" }), [])
      const [warning, ...others] = yield* warnings(at)
      assert.deepStrictEqual(others, [])
      for (const word of [
        "WCS_REGISTER_ACCOUNTS_OF",
        "WWCC_NSW, WWCC_SA, NDIS_WORKER_SCREENING",
        "verification sources"
      ]) {
        assert.include(warning, word)
      }
    })
  )

  it.effect("are called as often as the settings allow", () =>
    Effect.gen(function* () {
      const { requests, url } = yield* gatewayWith(503)
      const once = { WCS_REGISTER: "http", WCS_REGISTER_URL: url, WCS_REGISTER_TRIES: "1" }
      assert.deepInclude(yield* Effect.flip(ask(once)), { fault: "SOURCE_UNAVAILABLE" })
      assert.lengthOf(requests, 1)
    })
  )

  for (const [name, text, mode, expected] of [
    ["is missing", undefined, 0o600, /one line/],
    ["is empty", "", 0o600, /one line/],
    ["has two lines", "s3cret\ntwo\n", 0o600, /one line/],
    ["is open to others", "s3cret", 0o644, /run chmod 600/]
  ] as const) {
    it.effect(`fail to start if the file ${name}, without repeating its content`, () =>
      Effect.gen(function* () {
        const file = join(yield* temporaryDirectory, "secret")
        if (text !== undefined) writeFileSync(file, text, { mode })
        const at = { WCS_REGISTER: "http", WCS_REGISTER_URL: "https://gateway.example.org/" }
        const { message } = yield* Effect.flip(ask({ ...at, WCS_REGISTER_SECRET_FILE: file }))
        assert.match(message, expected)
        assert.notInclude(message, "s3cret")
      })
    )
  }
})
