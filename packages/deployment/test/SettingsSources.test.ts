import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { documentation, make } from "@wcs/deployment/Settings"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { temporaryDirectory } from "./Temporary.ts"

const read = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(make, ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))

const refusal = (environment: Readonly<Record<string, string>>) =>
  Effect.map(Effect.flip(read(environment)), ({ message }) => message)

const url = "postgres://wcs:secret@db/wcs"

/** A file in an empty directory. */
const written = Effect.fnUntraced(function* (text: string, mode = 0o600) {
  const file = join(yield* temporaryDirectory, "file")
  writeFileSync(file, text, { mode })
  return file
})

describe("the sources of settings", () => {
  it.effect("are a settings file, which the environment overrides", () =>
    Effect.gen(function* () {
      const file = yield* written('\uFEFFWCS_PORT=9443\r\n# ports\r\nWCS_ADMIN_PORT="9444"\r\nWCS_TLS=\r\n')
      const settings = yield* read({ WCS_SETTINGS_FILE: file, WCS_PORT: "10443", WCS_ADMIN_PORT: "" })
      assert.deepStrictEqual([settings.port, settings.adminPort, settings.tls._tag], [10443, 9444, "SelfSigned"])
    })
  )

  it.effect("are the file of a secret, also named by the settings file", () =>
    Effect.gen(function* () {
      const secret = yield* written(`\uFEFF${url}\r\n`)
      const given = yield* read({ DATABASE_URL_FILE: secret })
      assert.strictEqual(Redacted.value(Option.getOrThrow(given.database).url), url)
      const file = yield* written(`DATABASE_URL_FILE=${secret}`)
      assert.isTrue(Option.isSome((yield* read({ WCS_SETTINGS_FILE: file })).database))
    })
  )

  it("are a file for every secret", () => {
    const names = documentation.map(({ name }) => name)
    const secrets = documentation.filter(({ isSecret }) => isSecret === true)
    assert.isNotEmpty(secrets)
    for (const { name } of secrets) assert.include(names, `${name}_FILE`)
  })

  it.effect("refuse an unknown name, a missing file and a second value of a secret", () =>
    Effect.gen(function* () {
      const file = yield* written("WCS_PROT=9443\n")
      assert.strictEqual(
        yield* refusal({ WCS_SETTINGS_FILE: file }),
        `The settings file ${file} has an unknown setting WCS_PROT.`
      )
      assert.strictEqual(
        yield* refusal({ DATABASE_URL_FILE: `${file}.missing` }),
        `The file of DATABASE_URL_FILE ${file}.missing does not exist.`
      )
      assert.strictEqual(
        yield* refusal({ DATABASE_URL: url, DATABASE_URL_FILE: yield* written(url) }),
        "DATABASE_URL and DATABASE_URL_FILE must not be set together."
      )
    })
  )

  it.effect("threat 9: refuse a file that other users can read, and never show its content", () =>
    Effect.gen(function* () {
      const open = yield* written(url, 0o644)
      for (const name of ["DATABASE_URL_FILE", "WCS_SETTINGS_FILE"]) {
        const message = yield* refusal({ [name]: open })
        assert.include(message, `The file of ${name} ${open} can be read by other users`)
      }
      const wrong = yield* refusal({ DATABASE_URL_FILE: yield* written("postgres://wcs:secret@/wcs") })
      assert.notInclude(wrong, "secret@")
      assert.include(wrong, "DATABASE_URL must be a URL")
    })
  )
})
