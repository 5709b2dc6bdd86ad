import { chmodSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { EngineSettings } from "@wcs/delivery/EngineSettings"
import * as Registers from "@wcs/deployment/Registers"
import * as Settings from "@wcs/deployment/Settings"
import { Register, type RegisterAnswer } from "@wcs/domain/verification/Register"
import { ConfigProvider, Effect, Layer } from "effect"
import { temporaryDirectory } from "./Temporary.ts"

const provided = (environment: Readonly<Record<string, string>>) =>
  Registers.layer.pipe(
    Layer.provide(Settings.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))
  )

const ask = (environment: Readonly<Record<string, string>>) =>
  Register.use((register) =>
    register.ask({
      credentialType: "WWCC_NSW",
      jurisdiction: "NSW",
      identifier: "WWC1234550E",
      issueNumber: null,
      cardType: null,
      holder: { firstName: "Ann", middleName: null, lastName: "Example", birthDate: null }
    })
  ).pipe(Effect.provide(provided(environment), { local: true }))

/** A local gateway that answers with this status and records the requests. */
const gatewayWith = (status: number) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly heard: Array<string | undefined>; readonly close: () => void }>(
      (resume) => {
        const heard: Array<string | undefined> = []
        const server = createServer((request, response) => {
          heard.push(request.headers.authorization)
          response.writeHead(status).end('{"statusDetail":"BARRED"}')
        })
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" ? address?.port : undefined
          resume(Effect.succeed({ url: `http://127.0.0.1:${port}/`, heard, close }))
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )

const barred: RegisterAnswer = { _tag: "Found", statusDetail: "BARRED", expiryDate: null }

describe("the registers of the settings", () => {
  it.effect("are the simulator by default", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* ask({}), { statusDetail: "VALID" })
    })
  )

  it.effect("are a gateway that gets the token, or the user and password, from the file", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* gatewayWith(200)
      const file = join(yield* temporaryDirectory, "secret")
      writeFileSync(file, "\uFEFFs3cret\r\n", { mode: 0o600 })
      const at = { WCS_REGISTER: "http", WCS_REGISTER_URL: url }
      assert.deepStrictEqual(yield* ask(at), barred)
      assert.deepStrictEqual(yield* ask({ ...at, WCS_REGISTER_SECRET_FILE: file }), barred)
      assert.deepStrictEqual(yield* ask({ ...at, WCS_REGISTER_SECRET_FILE: file, WCS_REGISTER_USER: "wcs" }), barred)
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

  it.effect("are called as often as the settings allow", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* gatewayWith(503)
      const once = { WCS_REGISTER: "http", WCS_REGISTER_URL: url, WCS_REGISTER_TRIES: "1" }
      assert.deepInclude(yield* Effect.flip(ask(once)), { fault: "SOURCE_UNAVAILABLE" })
      assert.lengthOf(heard, 1)
    })
  )

  for (const [name, write, expected] of [
    ["is missing", () => undefined, /one line/],
    ["is empty", (file: string) => writeFileSync(file, "", { mode: 0o600 }), /one line/],
    ["has two lines", (file: string) => writeFileSync(file, "s3cret\ntwo\n", { mode: 0o600 }), /one line/],
    [
      "is open to others",
      (file: string) => {
        writeFileSync(file, "s3cret")
        chmodSync(file, 0o644)
      },
      /run chmod 600/
    ]
  ] as const) {
    it.effect(`fail to start if the file ${name}, without repeating its content`, () =>
      Effect.gen(function* () {
        const file = join(yield* temporaryDirectory, "secret")
        write(file)
        const { message } = yield* Effect.flip(
          ask({
            WCS_REGISTER: "http",
            WCS_REGISTER_URL: "https://gateway.example.org/",
            WCS_REGISTER_SECRET_FILE: file
          })
        )
        assert.match(message, expected)
        assert.notInclude(message, "s3cret")
      })
    )
  }
})
